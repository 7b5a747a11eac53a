// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/fusion/fused_call.h"

#include "core/module/call_semantics.h"
#include "core/passes/sort_users.h"
#include "core/passes/value_facts.h"

#include <algorithm>

namespace fx {
namespace {

/// Puts a value in the place of a node, and erases the node.
void replaceByValue(Graph& graph, NodeId id, const Argument& value) {
    const auto mapped = [&](NodeId each) { return each == id ? value : Argument(each); };
    const std::vector<NodeId> users(graph.node(id).users().begin(), graph.node(id).users().end());
    for (const NodeId user : users) {
        graph.mapInputs(user, mapped);
        for (const NodeId input : graph.node(user).inputs()) sortUsers(graph, input);
    }
    graph.erase(id);
}

/// The value of arithmetic on two numbers.
std::optional<double> computed(const Node& node) {
    const auto a = node.args().size() == 2 ? node.args()[0].number() : std::nullopt,
               b = node.args().size() == 2 ? node.args()[1].number() : std::nullopt;
    if (!a || !b) return std::nullopt;
    if (node.target() == "_operator.truediv" && *b != 0) return *a / *b;
    return node.target() == "_operator.mul" ? std::optional(*a * *b) : std::nullopt;
}

Argument listOf(const std::vector<std::int64_t>& sizes, bool asList) {
    std::vector<Argument> items(sizes.begin(), sizes.end());
    return asList ? Argument::list(std::move(items)) : Argument::tuple(std::move(items));
}

TensorPtr tensorOf(const GraphModule& model, NodeId id) {
    if (model.graph.node(id).op() == Op::GetAttr) return resolvePath(*model.root, model.graph.node(id).target()).tensor;
    for (const LiftedInput& input : model.lifted)
        if (input.node == id && !input.path.empty()) return resolvePath(*model.root, input.path).tensor;
    return nullptr;
}

/// The value whose last two dimensions a node exchanges; kNoNode if it does something else.
NodeId transposedValue(const Graph& graph, const Node& node) {
    if (!node.isCall() || node.args().empty() || !node.args()[0].isNode()) return kNoNode;
    const NodeId input = node.args()[0].node();
    const std::string name = canonicalName(node);
    const auto* text = node.args().size() == 2 ? node.args()[1].as<std::string>() : nullptr;
    if (node.target() == "getattr" && text && *text == "mT") return input;
    if (name == "permute") {
        const auto dims = givenIntegers(node, 1, "dims");
        if (!dims || dims->size() < 2) return kNoNode;
        const auto rank = static_cast<std::int64_t>(dims->size());
        for (std::int64_t i = 0; i < rank; ++i) {
            const std::int64_t wanted = i == rank - 2 ? rank - 1 : i == rank - 1 ? rank - 2 : i;
            const std::int64_t given = (*dims)[static_cast<std::size_t>(i)];
            if ((given < 0 ? given + rank : given) != wanted) return kNoNode;
        }
        return input;
    }
    if (name != "transpose") return kNoNode;
    const Argument *first = node.argument(1, "dim0"), *second = node.argument(2, "dim1");
    if (!first || !second || !first->as<std::int64_t>() || !second->as<std::int64_t>()) return kNoNode;
    std::int64_t a = *first->as<std::int64_t>(), b = *second->as<std::int64_t>();
    if (const auto sizes = knownSizes(graph.node(input))) {
        const auto rank = static_cast<std::int64_t>(sizes->size());
        a -= a >= 0 ? rank : 0, b -= b >= 0 ? rank : 0;
    }
    return std::min(a, b) == -2 && std::max(a, b) == -1 ? input : kNoNode;
}

} // namespace

void tidyFusedCall(GraphModule& model, const std::vector<NodeId>& created, const std::vector<ValueInfo>& values) {
    Graph& graph = model.graph;
    NodeId last = kNoNode;
    for (const NodeId id : created) {
        const Node& node = graph.node(id);
        if (node.erased() || !node.isCall()) continue;
        last = id;
        const bool isAten =
            !graph.node(created.back()).erased() && graph.node(created.back()).target().starts_with("torch.ops.");
        if (const auto result = computed(node)) {
            replaceByValue(graph, id, *result);
        } else if (node.target() == "getattr" && node.args()[1] == Argument("shape") && node.args()[0].isNode()) {
            const NodeId of = node.args()[0].node();
            const TensorPtr tensor = tensorOf(model, of);
            const auto sizes = tensor   ? std::optional(tensor->sizes)
                               : isAten ? knownSizes(graph.node(of))
                                        : std::nullopt;
            if (sizes) replaceByValue(graph, id, listOf(*sizes, isAten));
        } else if (node.target() == "_operator.getitem" && node.args()[0].as<Sequence>()) { // shape[-1:]
            replaceByValue(graph, id, Argument::list({node.args()[0].as<Sequence>()->items.back()}));
        } else if (canonicalName(node) == "transpose") {
            const Node& input = graph.node(node.args()[0].node());
            const NodeId value = transposedValue(graph, input);
            if (value == kNoNode) continue;
            const NodeId between = input.id();
            graph.replaceAllUses(id, value);
            graph.erase(id);
            if (graph.node(between).users().empty()) graph.erase(between);
            sortUsers(graph, value);
        }
    }
    if (last == kNoNode || graph.node(last).erased() || values.empty()) return;
    NodeMeta meta = graph.node(last).meta();
    meta.values = values;
    graph.setMeta(last, std::make_shared<const NodeMeta>(std::move(meta)));
}

} // namespace fx
