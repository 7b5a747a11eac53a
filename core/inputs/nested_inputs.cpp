// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/inputs/nested_inputs.h"

#include "core/base/plain_number.h"
#include "core/inputs/input_guess.h"

#include <algorithm>

namespace fx {
namespace {

/// The node that each placeholder takes; kNoNode for a default or a constant.
using Bound = std::vector<NodeId>;

std::vector<const Node*> placeholdersOf(const GraphModule& nested) {
    std::vector<const Node*> result;
    for (const Node& node : nested.graph.nodes())
        if (node.op() == Op::Placeholder && !node.target().starts_with('*')) result.push_back(&node);
    return result;
}

NodeId nodeIn(const Argument& argument) {
    const NodeId* node = argument.as<NodeId>();
    return node ? *node : kNoNode;
}

std::optional<Bound> boundByCall(const Node& call, const std::vector<const Node*>& placeholders) {
    Bound bound(placeholders.size(), kNoNode);
    if (call.args().size() > bound.size()) return std::nullopt;
    for (std::size_t i = 0; i < call.args().size(); ++i) bound[i] = nodeIn(call.args()[i]);
    for (const auto& named : call.kwargs()) { // clang 14 captures no structured bindings
        const auto at = std::find_if(placeholders.begin(), placeholders.end(),
                                     [&](const Node* each) { return each->target() == named.first; });
        if (at == placeholders.end()) return std::nullopt;
        bound[static_cast<std::size_t>(at - placeholders.begin())] = nodeIn(named.second);
    }
    return bound;
}

/// The operands of a higher-order operator come after its graphs.
std::optional<Bound> boundByOperator(const Graph& graph, const Node& subgraph, std::size_t count) {
    if (subgraph.users().size() != 1) return std::nullopt;
    Bound bound;
    for (const Argument& argument : graph.node(*subgraph.users().begin()).args()) {
        const NodeId direct = nodeIn(argument);
        if (direct != kNoNode && graph.node(direct).op() == Op::GetAttr && graph.node(direct).meta().values.empty()) {
            bound.clear(); // a graph: what came before is not an operand
            continue;
        }
        forEachNode(argument, [&](NodeId node) { bound.push_back(node); });
    }
    return bound.size() == count ? std::optional(bound) : std::nullopt;
}

/// Whether the node's shape and type are known; then the input takes them.
bool takeShape(InputSpec& input, const Node& node) {
    const auto& values = node.meta().values;
    if (values.size() != 1 || !values[0].isTensor) return false;
    auto sizes = plainNumbers(values[0].sizes);
    if (!sizes) return false;
    const bool sameType = input.dtype == values[0].dtype;
    input.sizes = std::move(*sizes);
    input.dtype = values[0].dtype;
    if (!sameType) input.generator = Generator::Normal; // for integers: Integers
    return true;
}

} // namespace

std::optional<InputDescription> nestedInputs(const GraphModule& model, const Node& node, const GraphModule& nested) {
    const std::vector<const Node*> placeholders = placeholdersOf(nested);
    const auto bound = node.op() == Op::CallModule ? boundByCall(node, placeholders)
                                                   : boundByOperator(model.graph, node, placeholders.size());
    const std::vector<InputGuess> guesses = guessInputs(nested);
    if (!bound || guesses.size() != placeholders.size()) return std::nullopt;
    InputDescription result;
    for (std::size_t i = 0; i < guesses.size(); ++i) {
        InputSpec input = guesses[i].input;
        const bool known = (*bound)[i] != kNoNode && takeShape(input, model.graph.node((*bound)[i]));
        if (!known && guesses[i].sureness == InputGuess::Sureness::Default) continue; // left to it
        if (!known && guesses[i].sureness != InputGuess::Sureness::Unused) return std::nullopt;
        result.inputs.push_back(std::move(input));
    }
    return result;
}

} // namespace fx
