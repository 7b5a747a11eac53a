// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/match/subgraph_matcher.h"

#include "core/match/match_search.h"
#include "core/module/purity.h"

#include <algorithm>

namespace fx {
namespace {

Error refused(const Message& what, const Node& node) { return Error(ErrorKind::Refused, what).onNode(node.name()); }

void checkUsable(const GraphModule& pattern) {
    const Graph& graph = pattern.graph;
    if (graph.size() == 0) throw Error(ErrorKind::Refused, Message("match.empty_pattern"));
    if (graph.outputNode() == kNoNode) throw Error(ErrorKind::Refused, Message("match.pattern_without_output"));
    for (const Node& node : graph.nodes()) {
        if (node.op() == Op::Output || !node.users().empty()) continue;
        if (node.op() == Op::Placeholder) throw refused(Message("match.unused_input", {{"name", node.target()}}), node);
        if (!isImpure(*pattern.root, node)) throw refused(Message("match.unused_value", {{"name", node.name()}}), node);
    }
}

/// The module type that an annotated placeholder stands for: all that is done with it is calling it.
std::optional<std::string> calledModuleType(const Graph& graph, const Node& placeholder) {
    if (!placeholder.type() || placeholder.type()->kind != TypeExpr::Kind::Class || placeholder.users().empty())
        return std::nullopt;
    for (const NodeId id : placeholder.users()) {
        const Node& user = graph.node(id);
        if (user.op() != Op::CallMethod || user.target() != "__call__" || user.args().empty()) return std::nullopt;
        if (!(user.args()[0] == Argument(placeholder.id()))) return std::nullopt;
        std::size_t uses = 0;
        const auto count = [&](NodeId input) { uses += input == placeholder.id() ? 1 : 0; };
        for (const auto& arg : user.args()) forEachNode(arg, count);
        for (const auto& [key, arg] : user.kwargs()) forEachNode(arg, count);
        if (uses != 1) return std::nullopt;
    }
    const TypeExpr& type = *placeholder.type();
    return type.module.empty() ? type.name : type.module + "." + type.name;
}

} // namespace

const Binding* InternalMatch::find(NodeId patternNode) const {
    const auto found =
        std::find_if(nodesMap.begin(), nodesMap.end(), [&](const auto& item) { return item.first == patternNode; });
    return found == nodesMap.end() ? nullptr : &found->second;
}

SubgraphMatcher::SubgraphMatcher(const GraphModule& pattern, MatcherOptions options)
    : m_pattern(pattern), m_options(std::move(options)) {
    checkUsable(pattern);
    const Graph& graph = pattern.graph;
    for (const Node& node : graph.nodes()) {
        if (node.op() != Op::Placeholder) continue;
        m_placeholders.push_back(node.id());
        if (auto type = calledModuleType(graph, node)) m_moduleTypes.emplace(node.id(), std::move(*type));
    }
    const NodeId output = graph.outputNode();
    m_returning = graph.node(output).inputs();
    if (m_options.matchOutput) {
        m_anchors = {output};
        return;
    }
    for (const NodeId id : m_returning)
        if (graph.node(id).users().size() == 1) m_anchors.push_back(id);
}

const std::string* SubgraphMatcher::moduleType(NodeId placeholder) const {
    const auto found = m_moduleTypes.find(placeholder);
    return found == m_moduleTypes.end() ? nullptr : &found->second;
}

std::vector<InternalMatch> SubgraphMatcher::match(const GraphModule& target, const Progress& progress,
                                                  std::size_t* givenUp) const {
    MatchSearch search(*this, target, progress);
    std::vector<InternalMatch> matches = search.run();
    if (givenUp) *givenUp = search.givenUp();
    return matches;
}

Warning gaveUp(std::size_t candidates) {
    return {Message("match.gave_up", {{"count", candidates}, {"combinations", kMaxPaths}}), {}, {}, {}};
}

} // namespace fx
