// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/print_script_facts.h"

#include "app/cli/output.h"
#include "app/cli/results/model_facts.h"
#include "app/cli/verb.h"
#include "core/base/visible_text.h"
#include "core/torchscript/script_facts.h"
#include "core/torchscript/torchscript.h"

namespace app {
namespace {

const fx::script::ScriptOrigin* originOf(const fx::GraphModule& module) {
    return dynamic_cast<const fx::script::ScriptOrigin*>(module.origin.get());
}

/// "7 more inside blocks (6 Linear, 1 ReLU)"
std::string insideText(const fx::script::ImportReport& report) {
    int all = 0;
    std::string types;
    for (const auto& [type, count] : report.inBlocks) {
        all += count;
        types += (types.empty() ? "" : ", ") + grouped(count) + " " + type.substr(type.rfind('.') + 1);
    }
    if (all == 0) return {};
    return grouped(all) + (report.whole ? " inside the call of the file (" : " inside blocks (") + types + ")";
}

} // namespace

int printScriptFacts(Session& session, const std::string& path, const fx::Error& why) {
    const fx::script::ScriptFacts facts = fx::script::scriptFacts(path, session.progress());
    const fx::Warning warning{why.message(), {}, {}, {}};
    if (!session.json()) {
        std::string text = "format      torchscript\nclass       " + fx::visibleName(facts.className) +
                           "\nmethods     " + fx::visibleName(joined(facts.methods, ", "));
        text += "\ntensors     " + grouped(facts.tensors.tensors) + " tensors, " + grouped(facts.tensors.elements) +
                " elements, " + byteSize(facts.tensors.bytes);
        session.printLine(text + "\nwarning     " + warningText(warning));
        return kDone;
    }
    fx::JsonWriter json;
    json.beginObject(fx::JsonWriter::Layout::Lines)
        .key("format")
        .string("torchscript")
        .key("dialect")
        .string("torchscript");
    json.key("producer").null().key("class_name").string(facts.className).key("methods").strings(facts.methods);
    writeTotals(json, "tensors", facts.tensors);
    writeWarnings(json, {warning});
    json.endObject();
    session.printLine(json.text());
    return kDone;
}

std::string leavesText(const fx::GraphModule& module) {
    const auto* origin = originOf(module);
    if (!origin) return {};
    int recognised = 0, all = 0;
    std::string others;
    for (const auto& [type, counts] : origin->report.leaves) {
        recognised += counts.first, all += counts.first + counts.second;
        if (counts.second > 0)
            others += (others.empty() ? "; operators instead of " : ", ") + grouped(counts.second) + " " +
                      type.substr(type.rfind('.') + 1);
    }
    const std::string inside = insideText(origin->report);
    if (all == 0 && !inside.empty()) return "no modules of torch.nn in the graph; " + inside;
    return grouped(recognised) + " of " + grouped(all) + " modules of torch.nn recognised" + others +
           (inside.empty() ? "" : "; " + inside);
}

void writeLeaves(fx::JsonWriter& json, const fx::GraphModule& module) {
    const auto* origin = originOf(module);
    if (!origin) return;
    json.key("leaves").beginArray();
    for (const auto& [type, counts] : origin->report.leaves)
        json.beginObject()
            .key("type")
            .string(type)
            .key("recognised")
            .integer(counts.first)
            .key("others")
            .integer(counts.second)
            .endObject();
    json.endArray().key("in_blocks").beginArray();
    for (const auto& [type, count] : origin->report.inBlocks)
        json.beginObject().key("type").string(type).key("count").integer(count).endObject();
    json.endArray().key("folded").integer(origin->report.folded);
    json.key("blocks").integer(origin->report.blocks).key("checks_left_out").integer(origin->report.checks);
}

} // namespace app
