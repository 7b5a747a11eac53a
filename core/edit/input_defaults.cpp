// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/input_defaults.h"

#include "core/codegen/python_code.h"
#include "core/diag/error.h"
#include "core/ir/print.h"
#include "core/pysrc/parser.h"

#include <algorithm>

namespace fx {
namespace {

constexpr std::size_t kShownText = 200;

Error refused(const Node& input, const Message& what) { return Error(ErrorKind::Refused, what).onNode(input.name()); }

/// The reason why Python cannot read the value behind `=` in the head of a function; empty: it can.
std::string faultOf(const Argument& value) {
    Graph alone;
    alone.placeholder("value", {value});
    const PythonCode code = generatePython(alone);
    try {
        py::Parser parser(code.text);
        for (py::Stmt statement; parser.next(statement);)
            if (statement.kind == py::StmtKind::Def) break;
        return {};
    } catch (const Error& error) { return error.what(); }
}

void requireDefault(const Graph& graph, const Node& input) {
    if (input.target().starts_with('*'))
        throw refused(input, Message("defaults.variadic", {{"input", input.target()}}));
    if (!input.inputs().empty())
        throw refused(
            input, Message("defaults.node", {{"input", input.name()}, {"node", graph.node(input.inputs()[0]).name()}}));
    if (const std::string fault = faultOf(input.args()[0]); !fault.empty())
        throw refused(input, Message("defaults.not_python", {{"input", input.name()}, {"reason", fault}}))
            .quoting(reprOf(graph, input.args()[0]).substr(0, kShownText));
}

/// The first input without a default behind one with a default, and that one; nulls when there is none.
std::pair<const Node*, const Node*> misplacedInput(const Graph& graph) {
    const Node* optional = nullptr;
    for (const Node& node : graph.nodes()) {
        if (node.op() != Op::Placeholder) continue;
        if (node.target().starts_with('*')) return {}; // what follows is given by its name
        if (!node.args().empty()) optional = &node;
        else if (optional) return {&node, optional};
    }
    return {};
}

} // namespace

void requireDefaults(const Graph& before, const Graph& after) {
    GraphDifference difference = after.differenceFrom(before);
    const auto isInput = [](const Graph& graph, NodeId id) {
        return index(id) < graph.idLimit() && !graph.node(id).erased() && graph.node(id).op() == Op::Placeholder;
    };
    bool rearranged = false;
    for (const NodeId id : after.inOrder(difference.nodes)) {
        const Node& node = after.node(id);
        if (!isInput(after, id)) continue;
        const bool isNew = !isInput(before, id) || before.node(id).args() != node.args();
        rearranged = rearranged || isNew || before.node(id).target() != node.target();
        if (isNew && !node.args().empty()) requireDefault(after, node);
    }
    for (const NodeId id : before.inOrder(difference.nodes)) rearranged |= isInput(before, id) && !isInput(after, id);
    const auto isPlaced = [&](NodeId id) { return isInput(before, id) || isInput(after, id); };
    if (!rearranged && std::none_of(difference.places.begin(), difference.places.end(), isPlaced)) return;
    const auto [needed, optional] = misplacedInput(after);
    if (!needed || misplacedInput(before).first) return;
    throw refused(*needed, Message("defaults.order", {{"input", needed->name()}, {"optional", optional->name()}}));
}

} // namespace fx
