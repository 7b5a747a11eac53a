// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/output.h"
#include "app/cli/script_facts.h"
#include "app/cli/session.h"
#include "app/cli/text_verb.h"
#include "app/cli/verbs.h"
#include "core/codegen/graph_json.h"
#include "core/io/file_kind.h"
#include "core/json/json_writer.h"
#include "core/module/model_info.h"

#include <algorithm>

namespace app {
namespace {

constexpr std::array kOps = {fx::Op::Placeholder, fx::Op::GetAttr,    fx::Op::CallFunction,
                             fx::Op::CallMethod,  fx::Op::CallModule, fx::Op::Output};

void writeTotals(fx::JsonWriter& json, const char* name, const fx::TensorTotals& totals) {
    json.key(name).beginObject();
    json.key("tensors")
        .integer(totals.tensors)
        .key("elements")
        .integer(totals.elements)
        .key("bytes")
        .integer(totals.bytes);
    json.endObject();
}

void writeNodeCounts(fx::JsonWriter& json, const fx::ModelInfo& info) {
    json.key("nodes").beginObject().key("total").integer(info.nodeCount());
    for (const fx::Op op : kOps) json.key(fx::opName(op)).integer(info.nodes[static_cast<std::size_t>(op)]);
    json.endObject();
}

std::string json(const fx::GraphModule& module) {
    const fx::ModelInfo info = fx::modelInfo(module);
    fx::JsonWriter json;
    json.beginObject(fx::JsonWriter::Layout::Lines);
    json.key("format").string(fx::formatName(module.format)).key("dialect").string(info.dialect).key("producer");
    fx::writeTextOrNull(json, module.producer);
    json.key("class_name").string(module.className);
    writeNodeCounts(json, info);
    json.key("modules").integer(info.totals.modules);
    writeTotals(json, "parameters", info.totals.parameters);
    writeTotals(json, "buffers", info.totals.buffers);
    json.key("inputs").beginArray();
    for (const fx::NodeId id : info.inputs) {
        const fx::Node& node = module.graph.node(id);
        json.beginObject().key("name").string(node.name());
        fx::writeValueInfo(json, node);
        json.endObject();
    }
    json.endArray().key("unknown_targets").beginArray();
    for (const std::string& target : info.unknownTargets) json.string(target);
    json.endArray();
    if (!module.modelNames.empty()) {
        json.key("models").beginArray();
        for (const std::string& name : module.modelNames) json.string(name);
        json.endArray();
    }
    writeLeaves(json, module);
    writeWarnings(json, module.warnings);
    json.endObject();
    return json.text();
}

std::string line(std::string label, const std::string& text) {
    label.resize(12, ' ');
    return label + text + "\n";
}

std::string totalsText(const fx::TensorTotals& totals) {
    return grouped(totals.tensors) + " tensors, " + grouped(totals.elements) + " elements, " + byteSize(totals.bytes);
}

std::string nodesText(const fx::ModelInfo& info) {
    std::string text = grouped(info.nodeCount()) + ":";
    for (const fx::Op op : kOps)
        if (const auto count = info.nodes[static_cast<std::size_t>(op)])
            text += " " + std::string(fx::opName(op)) + " " + grouped(count);
    return text;
}

std::string inputText(const fx::Node& node) {
    const auto& values = node.meta().values;
    if (values.empty()) return node.name();
    return node.name() + " (" + values.front().dtype + " " + values.front().shapeText() + ")";
}

std::string joined(const std::vector<std::string>& items) {
    std::string text;
    for (const std::string& item : items) text += (text.empty() ? "" : ", ") + oneLine(item);
    return text;
}

std::string text(const fx::GraphModule& module) {
    const fx::ModelInfo info = fx::modelInfo(module);
    std::string out =
        line("format", std::string(fx::formatName(module.format)) + ", dialect " + std::string(info.dialect));
    if (!module.producer.empty()) out += line("producer", "PyTorch " + oneLine(module.producer));
    out += line("class", oneLine(module.className));
    out += line("nodes", nodesText(info));
    out += line("modules", grouped(info.totals.modules));
    out += line("parameters", totalsText(info.totals.parameters));
    out += line("buffers", totalsText(info.totals.buffers));
    std::vector<std::string> inputs;
    for (const fx::NodeId id : info.inputs) inputs.push_back(inputText(module.graph.node(id)));
    out += line("inputs", joined(inputs));
    if (!module.modelNames.empty()) out += line("models", joined(module.modelNames));
    if (const std::string leaves = leavesText(module); !leaves.empty()) out += line("leaves", leaves);
    for (const std::string& target : info.unknownTargets) out += line("unknown", oneLine(target));
    for (const fx::Warning& warning : module.warnings) out += line("warning", warningText(warning));
    out.pop_back();
    return out;
}

/// The warnings are part of the answer, so they are not told on standard error as well.
Action declare(CLI::App& cli) {
    auto model = std::make_shared<std::string>();
    declareModel(cli, *model);
    return [model](Session& session) {
        try {
            const auto module = session.open(*model, fx::NewWeights::ShapesOnly);
            session.printLine(session.json() ? json(*module) : text(*module));
            return kDone;
        } catch (const fx::Error& error) {
            // Without a worker, or without a graph, the archive still tells something.
            const bool noGraph = error.kind() == fx::ErrorKind::Run || error.kind() == fx::ErrorKind::Refused;
            if (!noGraph || !fx::isTorchScript(*model)) throw;
            return printScriptFacts(session, *model, error);
        }
    };
}

} // namespace

const Verb kInfoVerb = {"info", "summarise a model", "lancet info resources/samples/resnet.pt", declare};

} // namespace app
