// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/module/model_info.h"

#include "core/module/script_object.h"
#include "core/module/subgraphs.h"

#include <numeric>
#include <unordered_set>

namespace fx {
namespace {

bool isOverloadOrOperator(const Callable& callable) {
    return callable.kind == Callable::Kind::OpOverload || callable.module == "_operator";
}

bool isUnknown(const GraphModule& module, PathResolver& paths, const Node& node) {
    if (node.op() == Op::CallFunction) return node.callable()->opaque;
    if (node.op() == Op::CallModule) return paths.resolve(node.target()).kind != PathTarget::Kind::Module;
    return node.op() == Op::GetAttr && paths.resolve(node.target()).kind == PathTarget::Kind::Missing &&
           !hasSubgraph(module, node.target());
}

/// Lifted inputs that the program itself provides.
std::unordered_set<std::uint32_t> providedInputs(const GraphModule& module) {
    std::unordered_set<std::uint32_t> provided;
    for (const LiftedInput& input : module.lifted)
        if (input.kind != LiftedInput::Kind::UserInput && input.kind != LiftedInput::Kind::ConstantInput)
            provided.insert(index(input.node));
    return provided;
}

} // namespace

std::int64_t ModelInfo::nodeCount() const { return std::accumulate(nodes.begin(), nodes.end(), std::int64_t{0}); }

TensorTotals packedTotals(const Module& root) {
    TensorTotals packed;
    std::unordered_set<const TensorRef*> seen;
    forEachModule(root, [&](const std::string&, const Module& module) {
        if (!isScriptObject(module) && module.classModule.find(".quantized.") == std::string::npos) return;
        for (const auto& [name, value] : module.attributes) {
            const auto* tensor = std::get_if<TensorPtr>(&value);
            if (!tensor || !*tensor || !seen.insert(tensor->get()).second) continue;
            packed.tensors += 1;
            packed.elements += (*tensor)->elementCount();
            packed.bytes += (*tensor)->byteCount();
        }
    });
    return packed;
}

ModelInfo modelInfo(const GraphModule& module) {
    ModelInfo info;
    info.totals = totals(*module.root);
    info.packed = packedTotals(*module.root);
    const auto provided = providedInputs(module);
    std::unordered_set<std::string> seen;
    PathResolver paths(*module.root);
    for (const Node& node : module.graph.nodes()) {
        ++info.nodes[static_cast<std::size_t>(node.op())];
        if (node.op() == Op::Placeholder && !provided.contains(index(node.id()))) info.inputs.push_back(node.id());
        if (isUnknown(module, paths, node) && seen.insert(node.target()).second)
            info.unknownTargets.push_back(node.target());
    }
    info.dialect = dialectOf(module);
    return info;
}

std::string_view dialectOf(const GraphModule& module) {
    bool callsFunctions = false, callsOthers = false; // "others": neither overloads nor operator.*
    for (const Node& node : module.graph.nodes()) {
        if (node.op() != Op::CallFunction) continue;
        callsFunctions = true;
        callsOthers = callsOthers || !isOverloadOrOperator(*node.callable());
    }
    // A graph without any function is one of operators only if it was exported.
    const bool aten = callsFunctions ? !callsOthers : module.format == Format::Pt2;
    return module.format == Format::TorchScript ? "torchscript" : aten ? "aten" : "fx";
}

} // namespace fx
