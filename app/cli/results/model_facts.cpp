// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/results/model_facts.h"

#include "app/cli/output.h"
#include "app/cli/print_script_facts.h"
#include "app/cli/session.h"
#include "core/base/visible_text.h"
#include "core/codegen/graph_json.h"
#include "core/io/graphmodule/pickled_calls.h"
#include "core/json/json_writer.h"
#include "core/module/model_info.h"

#include <array>

namespace app {
namespace {

constexpr std::array kOps = {fx::Op::Placeholder, fx::Op::GetAttr,    fx::Op::CallFunction,
                             fx::Op::CallMethod,  fx::Op::CallModule, fx::Op::Output};

void writeNodeCounts(fx::JsonWriter& json, const fx::ModelInfo& info) {
    json.key("nodes").beginObject().key("total").integer(info.nodeCount());
    for (const fx::Op op : kOps) json.key(fx::opName(op)).integer(info.nodes[static_cast<std::size_t>(op)]);
    json.endObject();
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

} // namespace

void writeTotals(fx::JsonWriter& json, const char* name, const fx::TensorTotals& totals) {
    json.key(name).beginObject().key("tensors").integer(totals.tensors);
    json.key("elements").integer(totals.elements).key("bytes").integer(totals.bytes).endObject();
}

std::string factsJson(const fx::GraphModule& module) {
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
    if (info.packed.tensors > 0) writeTotals(json, "packed_weights", info.packed);
    json.key("inputs").beginArray();
    for (const fx::NodeId id : info.inputs) {
        const fx::Node& node = module.graph.node(id);
        json.beginObject().key("name").string(node.name());
        fx::writeValueInfo(json, node);
        json.endObject();
    }
    json.endArray().key("unknown_targets").strings(info.unknownTargets);
    if (const auto calls = fx::pickledCalls(module); !calls.empty()) {
        json.key("load_calls").beginArray();
        for (const fx::PickledCall& call : calls)
            json.beginObject().key("function").string(call.function).key("place").string(call.place).endObject();
        json.endArray();
    }
    if (!module.modelNames.empty()) {
        json.key("models").strings(module.modelNames).key("model").string(module.modelName);
    }
    writeLeaves(json, module);
    writeWarnings(json, module.warnings);
    json.endObject();
    return json.text();
}

Facts modelFacts(const fx::GraphModule& module) {
    const fx::ModelInfo info = fx::modelInfo(module);
    Facts facts = {{"format", std::string(fx::formatName(module.format)) + ", dialect " + std::string(info.dialect)}};
    if (!module.producer.empty()) facts.emplace_back("producer", "PyTorch " + fx::visibleName(module.producer));
    facts.emplace_back("class", fx::visibleName(module.className));
    facts.emplace_back("nodes", nodesText(info));
    facts.emplace_back("modules", grouped(info.totals.modules));
    facts.emplace_back("parameters", totalsText(info.totals.parameters));
    facts.emplace_back("buffers", totalsText(info.totals.buffers));
    if (info.packed.tensors > 0) facts.emplace_back("packed", totalsText(info.packed));
    std::vector<std::string> inputs;
    for (const fx::NodeId id : info.inputs) inputs.push_back(inputText(module.graph.node(id)));
    facts.emplace_back("inputs", fx::visibleName(joined(inputs, ", ")));
    if (!module.modelNames.empty()) facts.emplace_back("models", fx::visibleName(joined(module.modelNames, ", ")));
    if (module.modelNames.size() > 1) facts.emplace_back("shown", fx::visibleName(module.modelName));
    if (std::string leaves = leavesText(module); !leaves.empty()) facts.emplace_back("leaves", std::move(leaves));
    for (const std::string& target : info.unknownTargets) facts.emplace_back("unknown", fx::visibleName(target));
    for (const fx::PickledCall& call : fx::pickledCalls(module)) {
        const std::string place = call.place.empty() ? "" : " for " + call.place;
        facts.emplace_back("load calls", fx::visibleName(call.function + place));
    }
    for (const fx::Warning& warning : module.warnings) facts.emplace_back("warning", warningText(warning));
    return facts;
}

} // namespace app
