// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/hiding_names.h"

#include "core/codegen/python_code.h"
#include "core/pysrc/lexer.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace fx {
namespace {

constexpr std::string_view kSelf = "self";

/// The name of a parameter, without the stars of `*args`.
std::string_view parameterName(const Node& placeholder) {
    const std::string_view target = placeholder.target();
    return target.substr(std::min(target.find_first_not_of('*'), target.size()));
}

/// The names in the body of generated code. Its lines `NAME = PARAMETER` come first; a parameter hides something if it
/// is read elsewhere and no node has assigned its name, and has another value there if a node has.
class BodyNames {
public:
    BodyNames(const std::string& code, const std::unordered_map<std::string_view, NodeId>& parameters)
        : m_parameters(parameters) {
        const std::size_t head = std::min(code.find("\ndef forward("), code.size());
        py::Lexer lexer(code);
        lexer.restartAt(static_cast<std::uint32_t>(std::min(code.find('\n', head + 1), code.size() - 1) + 1));
        py::Token before, now = lexer.take();
        for (int depth = 0; now.kind != py::TokenKind::End; before = std::exchange(now, lexer.take())) {
            if (now.is("(") || now.is("[") || now.is("{")) ++depth;
            if (now.is(")") || now.is("]") || now.is("}")) --depth;
            if (now.kind != py::TokenKind::Name || before.is(".")) continue;
            const py::Token& after = lexer.peek();
            if (depth > 0 && after.is("=")) continue; // a keyword
            const bool isOwnLine = before.is("=") && after.kind == py::TokenKind::NewLine;
            meet(now.text, isOwnLine, after.is("=") || (depth == 0 && after.is(":")));
        }
    }
    bool contains(std::string_view name) const { return m_all.contains(name); }
    bool hidden(std::string_view parameter) const { return m_hidden.contains(parameter); }

private:
    void meet(std::string_view name, bool isOwnLine, bool isAssigned) {
        m_all.insert(name);
        if (!m_parameters.contains(name)) return;
        if (isAssigned) m_assigned.insert(name);
        else if (const bool isFirstOwn = isOwnLine && m_ownLines.insert(name).second;
                 isFirstOwn == m_assigned.contains(name))
            m_hidden.insert(name);
    }

    const std::unordered_map<std::string_view, NodeId>& m_parameters;
    std::unordered_set<std::string_view> m_all, m_hidden, m_assigned, m_ownLines;
};

/// The first of `name_1`, `name_2` and so on that nothing else in the code and no other input has. `numbers` has the
/// last number of each name: in a file, many inputs may have one name.
std::string freeName(const Graph& graph, const Node& input, const std::string& name, const BodyNames& body,
                     std::unordered_set<std::string>& taken, std::unordered_map<std::string, int>& numbers) {
    for (int& number = numbers[name];;) {
        std::string free = name + "_" + std::to_string(++number);
        const bool isItsOwn = free == input.name();
        const bool isTaken = !isItsOwn && (graph.find(free) != kNoNode || body.contains(free));
        if (!isTaken && taken.insert(free).second) return free;
    }
}

} // namespace

std::vector<RenamedNode> renameHidingNames(Graph& graph) {
    std::vector<RenamedNode> renamed;
    const bool isMethod = graph.first() != kNoNode && graph.node(graph.first()).target() == kSelf;
    if (const NodeId self = graph.find(kSelf); self != kNoNode && !isMethod)
        renamed.push_back({self, std::string(kSelf), graph.rename(self, "self_1")});
    std::unordered_map<std::string_view, NodeId> parameters; // those that the code gives another name at first
    std::unordered_set<std::string> taken;
    for (const Node& node : graph.nodes()) {
        if (node.op() != Op::Placeholder) continue;
        taken.emplace(parameterName(node));
        if (parameterName(node) != node.name()) parameters.emplace(parameterName(node), node.id());
    }
    if (parameters.empty()) return renamed;
    const PythonCode code = generatePython(graph);
    const BodyNames body(code.text, parameters);
    std::vector<std::pair<NodeId, std::string>> targets;
    std::unordered_map<std::string, int> numbers;
    for (const Node& node : graph.nodes()) {
        if (node.op() != Op::Placeholder) continue;
        const std::string name(parameterName(node));
        const bool isSelf = name == kSelf && node.id() != graph.first();
        if (!isSelf && !(parameters.contains(name) && body.hidden(name))) continue;
        targets.emplace_back(node.id(), freeName(graph, node, name, body, taken, numbers));
    }
    for (const auto& [id, name] : targets) {
        const std::string before = graph.node(id).target();
        const std::string stars = before.substr(0, before.size() - parameterName(graph.node(id)).size());
        renamed.push_back({id, before, stars + name});
        graph.setTarget(id, stars + name);
    }
    return renamed;
}

} // namespace fx
