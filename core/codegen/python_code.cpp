// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/python_code.h"

#include "core/codegen/code_names.h"
#include "core/codegen/code_writer.h"

#include <algorithm>

namespace fx {
namespace {
std::string wrapLines(const std::vector<std::string>& aliases) {
    std::string out;
    for (const auto& alias : aliases)
        out += (out.empty() ? "" : "\n") + ("torch.fx._symbolic_trace.wrap(\"" + alias) + "\")";
    return out;
}

std::int32_t countLines(std::string_view text) {
    return static_cast<std::int32_t>(std::count(text.begin(), text.end(), '\n'));
}

/// Appends the body indented by four blanks per line and notes which line belongs to which node.
void appendBody(PythonCode& code, const Graph& graph, const CodeWriter& writer) {
    const std::string_view body = writer.body.empty() && graph.size() == 0 ? std::string_view("pass\n") : writer.body;
    code.text.reserve(code.text.size() + body.size() + body.size() / 8);
    auto line = countLines(code.text);
    NodeId node = graph.first();
    NodeId owner = kNoNode;
    std::size_t ordinal = 0;
    for (std::size_t at = 0;; ++line) {
        // A node owns the line it starts on; placeholders that print nothing start where the next node does.
        while (node != kNoNode && writer.nodeStarts[ordinal] <= at) {
            owner = node;
            node = graph.next(node);
            ++ordinal;
            if (graph.node(owner).op() != Op::Placeholder) code.nodeLines[index(owner)] = line;
        }
        const std::size_t end = body.find('\n', at);
        code.text += "    ";
        code.text += body.substr(at, end == std::string_view::npos ? end : end - at);
        code.lineNodes.push_back(end == std::string_view::npos ? kNoNode : owner);
        if (end == std::string_view::npos) return;
        code.text += '\n';
        at = end + 1;
    }
}
} // namespace

PythonCode generatePython(const Graph& graph) {
    CodeNames unused;
    return generatePython(graph, unused);
}

PythonCode generatePython(const Graph& graph, CodeNames& names) {
    CodeWriter writer(graph);
    writer.writeAll();
    PythonCode code;
    code.text = "\n" + wrapLines(writer.wrapped) + "\n\n";
    const auto defAt = countLines(code.text);
    code.text += writer.head() + "\n";
    code.nodeLines.assign(graph.idLimit(), -1);
    for (const Node& node : graph.nodes())
        if (node.op() == Op::Placeholder) code.nodeLines[index(node.id())] = defAt;
    code.lineNodes.assign(static_cast<std::size_t>(countLines(code.text)), kNoNode);
    appendBody(code, graph, writer);
    code.imports = writer.globals.importBlock();
    names = writer.globals.takeNames();
    return code;
}

} // namespace fx
