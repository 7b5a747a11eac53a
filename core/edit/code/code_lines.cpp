// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/code/code_lines.h"

#include "core/base/python_text.h"

namespace fx {
namespace {

std::string_view trimmed(std::string_view text) {
    const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
    while (!text.empty() && blank(text.front())) text.remove_prefix(1);
    while (!text.empty() && blank(text.back())) text.remove_suffix(1);
    return text;
}

} // namespace

std::string_view statementOf(std::string_view line) {
    line = trimmed(line);
    if (!line.ends_with("None")) return line;
    // Backwards over `a = b = None` to the semicolon.
    std::string_view rest = trimmed(line.substr(0, line.size() - 4));
    bool any = false;
    while (rest.ends_with('=')) {
        rest = trimmed(rest.substr(0, rest.size() - 1));
        const std::size_t size = rest.size();
        while (!rest.empty() && isNamePart(rest.back())) rest.remove_suffix(1);
        if (rest.size() == size) return line;
        rest = trimmed(rest);
        any = true;
    }
    return any && rest.ends_with(';') ? trimmed(rest.substr(0, rest.size() - 1)) : line;
}

CodeLines::CodeLines(const Graph& graph) : m_writer(graph) {
    m_writer.writeAll();
    m_head = m_writer.head();
    m_nodes.reserve(graph.size());
    m_names.reserve(graph.size());
    const std::string_view body = m_writer.body;
    std::size_t ordinal = 0;
    for (const Node& node : graph.nodes()) {
        const std::size_t start = m_writer.nodeStarts[ordinal++];
        const std::size_t end = ordinal < m_writer.nodeStarts.size() ? m_writer.nodeStarts[ordinal] : body.size();
        if (node.op() != Op::Placeholder) m_nodes.emplace(statementOf(body.substr(start, end - start)), node.id());
        if (node.op() != Op::Output) m_names.emplace(nameOf(node.id()), node.id());
    }
}

NodeId CodeLines::nodeOf(std::string_view statement) const {
    const auto found = m_nodes.find(statement);
    return found == m_nodes.end() ? kNoNode : found->second;
}

NodeId CodeLines::named(std::string_view name) const {
    const auto found = m_names.find(name);
    return found == m_names.end() ? kNoNode : found->second;
}

} // namespace fx
