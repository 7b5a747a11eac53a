// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/input_defaults.h"

#include "core/codegen/python_code.h"
#include "core/diag/error.h"
#include "core/ir/print.h"
#include "core/pysrc/parser.h"

namespace fx {
namespace {

constexpr std::size_t kShownText = 200;

Error refused(const Node& input, const std::string& what, const std::string& remedy) {
    return Error(ErrorKind::Refused, what).onNode(input.name()).hinting(remedy);
}

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
        throw refused(input,
                      "the input " + input.target() + " takes what is left over, and Python allows no default for it",
                      "leave its default out: \"args\": []");
    if (!input.inputs().empty())
        throw refused(input,
                      "the default of the input " + input.name() + " is the node " +
                          graph.node(input.inputs()[0]).name() +
                          ", and Python evaluates defaults before there is any value",
                      "give a plain value, or none: \"args\": []");
    if (const std::string fault = faultOf(input.args()[0]); !fault.empty())
        throw refused(input, "the default of the input " + input.name() + " is no expression of Python: " + fault,
                      "give a plain value: a number, a text, True, None, torch.float32")
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
    for (const Node& node : after.nodes()) {
        if (node.op() != Op::Placeholder || node.args().empty()) continue;
        const bool isNew = index(node.id()) >= before.idLimit() || before.node(node.id()).args() != node.args();
        if (isNew) requireDefault(after, node);
    }
    const auto [needed, optional] = misplacedInput(after);
    if (!needed || misplacedInput(before).first) return;
    throw refused(*needed,
                  "the input " + needed->name() + " has no default and stands behind " + optional->name() +
                      ", which has one: Python refuses such a function",
                  "move " + needed->name() + " before " + optional->name() +
                      " (the step move), or give it a default too: \"args\": [None]");
}

} // namespace fx
