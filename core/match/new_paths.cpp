// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/match/new_paths.h"

#include "core/base/joined_path.h"

#include <algorithm>

namespace fx {
namespace {

bool hasPath(const Node& node) { return node.op() == Op::CallModule || node.op() == Op::GetAttr; }

} // namespace

NewPaths::NewPaths(GraphModule& target)
    : m_target(target), m_before(target.root), m_there(*m_before), m_editor(target) {
    for (const Node& node : target.graph.nodes())
        if (hasPath(node)) count(node.target(), 1);
}

void NewPaths::count(const std::string& target, int change) {
    for (std::size_t end = target.size(); end != std::string::npos && end > 0; end = target.rfind('.', end - 1))
        m_uses[target.substr(0, end)] += change;
}

/// That of the module which a node calls, or in which it was traced.
std::string NewPaths::parentOf(const Node& node) const {
    if (node.op() == Op::CallModule) return std::string(parentPath(node.target()));
    return node.meta().moduleStack.empty() ? std::string() : node.meta().moduleStack.back().path;
}

void NewPaths::begin(const InternalMatch& match, const Graph& pattern) {
    m_matched.clear();
    m_parent.clear();
    for (const auto& [id, bound] : match.nodesMap) {
        const Op op = pattern.node(id).op();
        if (!bound.value.isNode() || op == Op::Placeholder || op == Op::Output) continue;
        const Node& node = m_target.graph.node(bound.value.node());
        if (hasPath(node)) m_matched.emplace_back(node.id(), node.target());
        if (m_parent.empty()) m_parent = parentOf(node);
    }
    if (m_there.resolve(m_parent).kind != PathTarget::Kind::Module) m_parent.clear();
}

void NewPaths::end() {
    std::erase_if(m_matched, [this](const auto& item) { return !m_target.graph.node(item.first).erased(); });
    for (const auto& [node, path] : m_matched) count(path, -1);
}

std::string NewPaths::pathFor(const std::string& name, bool mayTake) {
    std::vector<std::string> gone;
    for (const auto& [node, path] : m_matched)
        if (m_there.resolve(path).kind == PathTarget::Kind::Module) gone.push_back(path);
    std::sort(gone.begin(), gone.end());
    gone.erase(std::unique(gone.begin(), gone.end()), gone.end());
    if (mayTake && gone.size() == 1 && m_uses[gone[0]] == 0 && !m_given.contains(gone[0])) return gone[0];
    const std::string base = joinedPath(m_parent, name);
    std::string path;
    do path = base + "_" + std::to_string(++m_last[base]);
    while (m_there.resolve(path).kind != PathTarget::Kind::Missing);
    return path;
}

void NewPaths::put(const std::string& path, std::shared_ptr<Module> module) {
    const std::string parent(parentPath(path));
    PathTarget old = m_there.resolve(path);
    const bool isFree = old.kind != PathTarget::Kind::Module;
    if (isFree) old = m_there.resolve(parent);
    std::vector<Module*> open{module.get()};
    while (!open.empty()) {
        Module* each = open.back();
        open.pop_back();
        each->training = old.module->training;
        for (const auto& child : each->children)
            if (child.module) open.push_back(child.module.get());
    }
    m_given.insert(path);
    count(path, 1);
    // What `pathFor` knows to be free needs no look at all siblings.
    const std::size_t name = parent.empty() ? 0 : parent.size() + 1;
    if (isFree) m_editor.writable(parent)->children.push_back({path.substr(name), std::move(module)});
    else m_editor.add(path, std::move(module));
}

} // namespace fx
