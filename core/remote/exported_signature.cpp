// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/exported_signature.h"

#include "core/io/pt2/pt2.h"

namespace fx::remote {

std::shared_ptr<const ExportedSignature> ExportedSignature::of(const GraphModule& model) {
    if (auto known = std::dynamic_pointer_cast<const ExportedSignature>(model.origin)) return known;
    const auto* file = dynamic_cast<const Pt2Origin*>(model.origin.get());
    if (!file) return nullptr;
    auto out = std::make_shared<ExportedSignature>();
    for (const Pt2Output& output : file->outputs) out->outputs.push_back({output.kind, output.target});
    for (const Pt2Range& range : file->ranges) out->ranges.push_back({range.symbol, range.min, range.max});
    for (const JsonValue call : file->document->root().at("graph_module").at("module_call_graph")) {
        const JsonValue signature = call.at("signature");
        if (!call.at("fqn").asText().empty() || !signature.isObject()) continue;
        out->specification = signature.at("out_spec").asText();
        break;
    }
    return out;
}

} // namespace fx::remote
