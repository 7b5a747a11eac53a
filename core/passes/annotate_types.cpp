// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/annotate_types.h"

#include "core/ir/make_type.h"
#include "core/ops/nn_modules.h"

#include <algorithm>
#include <array>

namespace fx {
namespace {

TypePtr typeClass(const std::string& module, std::string name) {
    return makeType(TypeExpr::Kind::Class, module, std::move(name), {}, module.starts_with("torch"));
}
TypePtr tensorType() {
    static const TypePtr kTensor = typeClass("torch", "Tensor");
    return kTensor;
}
TypePtr pairOf(TypePtr second) {
    return makeType(TypeExpr::Kind::Generic, "builtins", "tuple", {tensorType(), std::move(second)});
}
TypePtr tensorOrNone() {
    return makeType(TypeExpr::Kind::Union, "", "", {tensorType(), typeClass("builtins", "NoneType")});
}

/// What is annotated with something else than a tensor in PyTorch 2.13, or not at all. A prefix stands for all that
/// begin with it: their results depend on a flag (`return_indices`).
constexpr std::array<std::string_view, 15> kNotAnnotated = {
    "MaxPool",  "AdaptiveMaxPool",   "FractionalMaxPool",   "GRU",     "LSTM",     "RNN",  "Sequential", "DataParallel",
    "max_pool", "adaptive_max_pool", "fractional_max_pool", "sigmoid", "softsign", "tanh", "upsample"};
constexpr std::array<std::string_view, 2> kAnnotatedCells = {"GRUCell", "RNNCell"};
constexpr std::array<std::string_view, 6> kContainers = {"Container",  "Module",        "ModuleDict",
                                                         "ModuleList", "ParameterDict", "ParameterList"};

template<std::size_t N> bool isAmong(const std::array<std::string_view, N>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// The annotation of what a function or the `forward` of a class returns, by its name alone; null for none.
TypePtr returnType(std::string_view name) {
    if (name.ends_with("_with_indices") || name == "LSTMCell") return pairOf(tensorType());
    if (name == "MultiheadAttention" || name == "multi_head_attention_forward") return pairOf(tensorOrNone());
    if (name == "AdaptiveLogSoftmaxWithLoss") return typeClass("torch.nn.modules.adaptive", "_ASMoutput");
    if (isAmong(kContainers, name)) return nullptr;
    if (!isAmong(kAnnotatedCells, name) &&
        std::any_of(kNotAnnotated.begin(), kNotAnnotated.end(), [&](auto each) { return name.starts_with(each); }))
        return nullptr;
    return tensorType();
}

TypePtr attributeType(const PathTarget& target) {
    if (target.tensor) return tensorType();
    if (!target.value) return nullptr;
    if (target.value->as<bool>()) return typeClass("builtins", "bool");
    if (target.value->as<std::int64_t>()) return typeClass("builtins", "int");
    if (target.value->as<double>()) return typeClass("builtins", "float");
    if (target.value->as<std::string>()) return typeClass("builtins", "str");
    return nullptr;
}

/// `annotate_getitem_nodes` for one node; null if the sequence says nothing.
TypePtr itemType(const Graph& graph, const Node& node) {
    if (node.target() != "_operator.getitem" || node.args().size() != 2 || !node.args()[0].isNode()) return nullptr;
    const TypePtr& sequence = graph.node(node.args()[0].node()).type();
    const auto* index = node.args()[1].as<std::int64_t>();
    if (!sequence || sequence->kind != TypeExpr::Kind::Generic || !index) return nullptr;
    const auto& items = sequence->args;
    const bool isList = sequence->name == "List" || sequence->name == "list",
               isTuple = sequence->name == "Tuple" || sequence->name == "tuple";
    if (isList) return items.size() == 1 ? items[0] : nullptr;
    if (!isTuple || items.empty()) return nullptr;
    if (items.size() == 2 && items[1]->kind == TypeExpr::Kind::Text && items[1]->name == "...") return items[0];
    const std::int64_t size = static_cast<std::int64_t>(items.size()), place = *index < 0 ? *index + size : *index;
    return place >= 0 && place < size ? items[static_cast<std::size_t>(place)] : nullptr;
}

TypePtr typeFor(const PassRun& run, PathResolver& paths, const Node& node) {
    if (node.op() == Op::CallFunction && run.settings.flag("functionals") && node.callable() &&
        node.callable()->module == "torch.nn.functional")
        return returnType(node.callable()->name);
    if (node.op() == Op::CallModule && run.settings.flag("modules")) {
        const Module* module = paths.resolve(node.target()).module;
        const auto known = module ? ops::findModule(module->qualifiedType()) : std::nullopt;
        return known && known->publicPath() == "torch.nn." + module->className ? returnType(module->className)
                                                                               : nullptr;
    }
    if (node.op() == Op::GetAttr && run.settings.flag("get_attrs")) return attributeType(paths.resolve(node.target()));
    return nullptr;
}

bool annotate(const PassRun& run) {
    Graph& graph = run.graph();
    PathResolver paths(*run.model.root);
    bool changed = false;
    const bool items = run.settings.flag("getitems");
    for (const NodeId id : graph.order()) {
        const Node& node = graph.node(id);
        TypePtr type = items ? itemType(graph, node) : nullptr;
        if (!type && !node.type()) type = typeFor(run, paths, node);
        if (!type || (node.type() && node.type()->repr() == type->repr())) continue;
        changed |= run.rewrite(id, [&] { graph.setType(id, type); });
    }
    return changed;
}

} // namespace

Pass annotateTypesPass() {
    return {"annotate_types",
            "annotates nodes with the types that PyTorch's functions and modules return",
            {{"functionals", "calls of torch.nn.functional (annotate_functionals)", "true"},
             {"modules", "calls of torch.nn's modules (annotate_modules)", "true"},
             {"get_attrs", "attributes (annotate_get_attrs)", "true"},
             {"getitems", "items of tuples and lists whose type is known (annotate_getitem_nodes)", "false"}},
            annotate,
            {}};
}

} // namespace fx
