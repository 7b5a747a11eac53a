// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/match/pattern_source.h"

#include "core/base/python_text.h"
#include "core/codegen/code_writer.h"
#include "core/diag/error.h"
#include "core/ops/nn_modules.h"

#include <algorithm>
#include <map>

namespace fx {
namespace {

/// Copies the nodes into a graph of their own and remembers what became what.
class Extract {
public:
    Extract(const GraphModule& module, const std::vector<NodeId>& nodes) : m_module(module) {
        for (const NodeId id : nodes) {
            const Op op = module.graph.node(id).op();
            if (op != Op::Placeholder && op != Op::Output && op != Op::GetAttr) m_inside.emplace(id, kNoNode);
        }
        if (m_inside.empty()) throw Error(ErrorKind::Refused, Message("match.nothing_selected"));
        m_order.reserve(m_inside.size());
        for (const auto& [id, copy] : m_inside) m_order.push_back(id);
        std::sort(m_order.begin(), m_order.end(), [&](NodeId a, NodeId b) { return module.graph.isBefore(a, b); });
        for (const NodeId id : m_order) makeInputs(module.graph.node(id));
        for (const NodeId id : m_order) copy(module.graph.node(id));
        returnResults();
    }

    Graph graph;
    std::map<NodeId, std::string> annotations; ///< ": nn.Conv2d", by input

private:
    void makeInputs(const Node& node) {
        for (const NodeId input : node.inputs())
            if (!m_inside.contains(input) && !m_inputs.contains(input))
                m_inputs.emplace(input, placeholder(m_module.graph.node(input).name()));
        if (node.op() != Op::CallModule || m_modules.contains(node.target())) return;
        const NodeId input = placeholder(lastOf(node.target()));
        m_modules.emplace(node.target(), input);
        annotations.emplace(input, typeOf(node.target()));
    }
    NodeId placeholder(const std::string& name) {
        std::string free = name;
        for (int i = 1; graph.find(free) != kNoNode; ++i) free = name + "_" + std::to_string(i);
        return graph.placeholder(free, {}, {}, free);
    }
    /// "conv1" of "layer1.0.conv1", "sequential_0" of "sequential.0".
    static std::string lastOf(const std::string& path) {
        std::string name = path.substr(path.rfind('.') + 1);
        if (!isPythonIdentifier(name)) name = path;
        std::replace_if(
            name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); }, '_');
        return isPythonIdentifier(name) && !isPythonKeyword(name) ? name : "m_" + name;
    }
    /// ": nn.Conv2d"; empty when there is no module.
    std::string typeOf(const std::string& path) const {
        const PathTarget target = resolvePath(*m_module.root, path);
        if (!target.module) return {};
        const auto known = ops::findModule(target.module->qualifiedType());
        const std::string name = known ? std::string(known->publicPath()) : target.module->qualifiedType();
        return ": " + (name.starts_with("torch.nn.") ? name.substr(6) : name);
    }
    void copy(const Node& node) {
        const auto mapped = [this](NodeId id) { return m_inside.contains(id) ? m_inside.at(id) : m_inputs.at(id); };
        std::vector<Argument> args = mapNodes(node.args(), mapped);
        Kwargs kwargs = mapNodes(node.kwargs(), mapped);
        const NodeId made =
            node.op() == Op::CallFunction
                ? graph.callFunction(node.callable(), std::move(args), std::move(kwargs), node.name())
                : graph.createNode(node.op(), target(node), std::move(args), std::move(kwargs), node.name());
        m_inside[node.id()] = made;
    }
    /// A module is called as the input that stands for it.
    const std::string& target(const Node& node) const {
        return node.op() == Op::CallModule ? graph.node(m_modules.at(node.target())).name() : node.target();
    }
    void returnResults() {
        std::vector<Argument> results;
        for (const NodeId id : m_order) {
            const auto& users = m_module.graph.node(id).users();
            const bool inner = !users.empty() && std::all_of(users.begin(), users.end(),
                                                             [&](NodeId user) { return m_inside.contains(user); });
            if (!inner) results.push_back(m_inside.at(id));
        }
        graph.output(results.size() == 1 ? results[0] : Argument(Sequence{Sequence::Kind::Tuple, results, {}}));
    }

    const GraphModule& m_module;
    std::map<NodeId, NodeId> m_inside; ///< selected node to its copy
    std::map<NodeId, NodeId> m_inputs; ///< node outside to the input that stands for it
    std::map<std::string, NodeId> m_modules;
    std::vector<NodeId> m_order;
};

/// The lines of an import block that bind names which `body` uses; `torch` is there without.
std::string neededImports(const std::string& block, const std::string& body) {
    std::string needed;
    for (const std::string_view line : ops::split(block, "\n")) {
        const std::string_view bound = line.substr(line.rfind(' ') + 1);
        if (line.find("import ") != line.npos && line != "import torch" && hasWord(body, bound))
            needed += std::string(line) + "\n";
    }
    return needed.empty() ? needed : needed + "\n";
}

/// `a, b: nn.Linear`; several lines, indented below the first, when one would be too long to read beside a picture.
std::string joined(const std::vector<std::string>& inputs, std::size_t indent) {
    constexpr std::size_t kLine = 44;
    std::string text;
    std::size_t column = indent;
    for (const std::string& input : inputs) {
        if (!text.empty()) {
            const bool wraps = column + input.size() > kLine;
            text += wraps ? ",\n" + std::string(indent, ' ') : ", ";
            column = wraps ? indent : column + 2;
        }
        text += input;
        column += input.size();
    }
    return text;
}

} // namespace

std::string patternSource(const GraphModule& module, const std::vector<NodeId>& nodes, const std::string& name) {
    const Extract part(module, nodes);
    CodeWriter code(part.graph, false);
    code.writeAll();
    const std::string open = "def " + name + "(";
    std::vector<std::string> inputs;
    std::string body;
    std::size_t i = 0;
    for (const Node& node : part.graph.nodes()) {
        const std::size_t start = code.nodeStarts[i++],
                          end = i < code.nodeStarts.size() ? code.nodeStarts[i] : code.body.size();
        if (node.op() == Op::Placeholder) {
            const auto annotation = part.annotations.find(node.id());
            inputs.push_back(node.name() + (annotation == part.annotations.end() ? "" : annotation->second));
            continue;
        }
        std::string line = code.body.substr(start, end - start);
        if (node.op() == Op::CallModule) line.erase(line.find(" = self.") + 3, 5); // the input itself is called
        body += "    " + line;
    }
    return neededImports(code.globals.importBlock(), code.body) + open + joined(inputs, open.size()) + "):\n" + body;
}

} // namespace fx
