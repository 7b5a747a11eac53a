// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/argument_text.h"

#include "core/base/python_text.h"
#include "core/diag/error.h"
#include "core/python/tracing/trace_definition.h"

#include <set>

namespace fx {
namespace {

/// The identifiers of the text that are nodes; words in strings count too, which does no harm.
std::set<std::string> nodeNames(std::string_view text, const Graph& graph) {
    std::set<std::string> names;
    for (std::size_t start = 0; start < text.size();) {
        std::size_t end = start;
        while (end < text.size() && isNamePart(text[end])) ++end;
        const bool member = start > 0 && text[start - 1] == '.';
        if (end > start && !member && graph.find(text.substr(start, end - start)) != kNoNode)
            names.emplace(text.substr(start, end - start));
        start = std::max(end, start + 1);
    }
    return names;
}

/// Whether a value may be more than what is written: by operators, calls and texts with fields.
bool computes(std::string_view text) {
    return text.find_first_of("*%<+@(") != text.npos || text.find("f'") != text.npos || text.find("f\"") != text.npos;
}

} // namespace

Argument argumentFromText(std::string_view text, const Graph& graph, const Readers& readers) {
    const auto refused = [&](const Message& why) {
        return Error(ErrorKind::Refused, why).quoting(std::string(text.substr(0, 200)));
    };
    if (text.find('\n') != text.npos || text.find_first_not_of(" \t") == text.npos)
        throw refused(Message("edit.missing_value"));
    std::string source = "from torch import device\nfrom math import inf, nan\ndef value(";
    for (const std::string& name : nodeNames(text, graph)) source += name + ", ";
    source += "):\n    return (" + std::string(text) + ")\n";
    // The function's output is the argument, with its inputs in the place of the nodes.
    try {
        DefinitionSettings settings;
        settings.reader = readers.python.get();
        const GraphModule traced =
            computes(text) ? traceDefinition(source, {"value", false}, settings) : traceFunctionSource(source);
        for (const Node& node : traced.graph.nodes())
            if (node.op() != Op::Placeholder && node.op() != Op::Output)
                throw refused(Message("edit.needs_node", {{"text", text}}));
        const Node& output = traced.graph.node(traced.graph.outputNode());
        return mapNodes(output.args()[0],
                        [&](NodeId input) { return Argument(graph.find(traced.graph.node(input).target())); });
    } catch (const Error& error) {
        // Nobody but this file knows of the function.
        if (error.message().is("trace.function_failed"))
            throw refused(Message("edit.invalid_value", {{"reason", error.message().argument("reason")}}));
        throw error.kind() == ErrorKind::Refused && error.where.empty() ? error : refused(error.message());
    }
}

} // namespace fx
