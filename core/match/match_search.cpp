// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/match/match_search.h"

#include "core/match/python_equality.h"

#include <algorithm>

namespace fx {
namespace {
bool isSequence(const Argument& value) { return value.as<Sequence>() != nullptr; }
} // namespace

MatchSearch::MatchSearch(const SubgraphMatcher& matcher, const GraphModule& target, const Progress& progress)
    : m_matcher(matcher), m_pattern(matcher.pattern().graph), m_graph(target.graph), m_compare(matcher, target),
      m_progress(progress), m_bindings(m_pattern.idLimit()), m_isBound(m_pattern.idLimit()), m_used(m_graph.idLimit()),
      m_taken(m_graph.idLimit()), m_cycles(m_graph) {}

bool MatchSearch::counts(NodeId patternNode) const {
    const Op op = m_pattern.node(patternNode).op();
    return op != Op::Placeholder && op != Op::Output;
}

// ── one anchor and one candidate ─────────────────────────────────────────────────────────────────────────────────

void MatchSearch::bind(NodeId patternNode, Binding binding) {
    if (binding.value.isNode()) m_used[index(binding.value.node())] = true;
    m_bindings[index(patternNode)] = std::move(binding);
    m_isBound[index(patternNode)] = true;
    m_order.push_back(patternNode);
}

void MatchSearch::unbind(std::size_t bound) {
    for (; m_order.size() > bound; m_order.pop_back()) {
        const auto at = index(m_order.back());
        if (m_bindings[at].value.isNode()) m_used[index(m_bindings[at].value.node())] = false;
        m_isBound[at] = false;
    }
}

bool MatchSearch::matchFrom(NodeId patternNode, NodeId graphNode) {
    const Argument pattern(patternNode), graph(graphNode);
    m_left.assign(1, {&pattern, &graph});
    m_choices.clear();
    for (int tried = 0; tried < kMaxPaths;) {
        if (m_left.empty()) return true;
        const Pair pair = m_left.back();
        m_left.pop_back();
        if (matchPair(pair)) continue;
        if (m_choices.empty()) return false;
        unbind(m_choices.back().bound);
        m_left = std::move(m_choices.back().left);
        m_choices.pop_back();
        ++tried;
    }
    ++m_givenUp;
    return false;
}

bool MatchSearch::matchPair(Pair pair) {
    const Argument &pattern = *pair.pattern, &graph = *pair.graph;
    if (pattern.isNode() && graph.isNode())
        return matchNodes(m_pattern.node(pattern.node()), m_graph.node(graph.node()), pair);
    if (isSequence(pattern) && isSequence(graph)) {
        const auto &wanted = pattern.as<Sequence>()->items, &given = graph.as<Sequence>()->items;
        if (wanted.size() != given.size()) return false;
        for (std::size_t i = wanted.size(); i-- > 0;) m_left.push_back({&wanted[i], &given[i]});
        return true;
    }
    return matchLiteral(pattern, graph) || m_matcher.options().ignoreLiterals;
}

bool MatchSearch::matchLiteral(const Argument& pattern, const Argument& graph) {
    if (!pattern.isNode()) return !graph.isNode() && sameType(pattern, graph) && pythonEquals(pattern, graph, true);
    const NodeId id = pattern.node();
    if (m_pattern.node(id).op() != Op::Placeholder) return false;
    if (m_isBound[index(id)]) {
        const Binding& bound = m_bindings[index(id)];
        return bound.modulePath.empty() && pythonEquals(bound.value, graph);
    }
    bind(id, {graph, {}});
    return true;
}

bool MatchSearch::matchNodes(const Node& patternNode, const Node& graphNode, Pair pair) {
    const auto at = index(patternNode.id());
    if (m_isBound[at]) return m_bindings[at] == Binding{graphNode.id(), {}};
    const Relaxations& relaxations = m_matcher.options().relaxations;
    if (relaxations.optional.contains(patternNode.id()) && !patternNode.args().empty()) {
        m_choices.push_back({m_order.size(), m_left});
        m_choices.back().left.push_back({&patternNode.args()[0], pair.graph});
    }
    if (m_used[index(graphNode.id())] || !m_compare.equal(patternNode, graphNode)) return false;
    if (m_taken[index(graphNode.id())] && counts(patternNode.id())) return false;
    bind(patternNode.id(), {graphNode.id(), {}});
    if (patternNode.op() == Op::Placeholder) return true;
    return bindModule(patternNode, graphNode) && compareArguments(patternNode, graphNode);
}

bool MatchSearch::bindModule(const Node& patternNode, const Node& graphNode) {
    const NodeId callee = m_compare.calledPlaceholder(patternNode);
    if (callee == kNoNode) return true;
    const Binding module{{}, graphNode.target()};
    if (m_isBound[index(callee)]) return m_bindings[index(callee)] == module;
    bind(callee, module);
    return true;
}

bool MatchSearch::compareArguments(const Node& patternNode, const Node& graphNode) {
    const Relaxations& relaxations = m_matcher.options().relaxations;
    const bool isStrict = relaxations.targets.empty() && relaxations.arguments.empty() && !relaxations.commutative;
    if (isStrict && m_compare.haveOneForm(patternNode, graphNode)) { // as below, without lists of what is compared
        const auto &wanted = patternNode.args(), &given = graphNode.args();
        const auto &wantedNamed = patternNode.kwargs(), &givenNamed = graphNode.kwargs();
        for (std::size_t i = wantedNamed.size(); i-- > 0;)
            m_left.push_back({&wantedNamed[i].second, &givenNamed[i].second});
        const std::size_t skipped = wanted.size() - given.size();
        for (std::size_t i = given.size(); i-- > 0;) m_left.push_back({&wanted[skipped + i], &given[i]});
        return true;
    }
    const auto arguments = m_compare.arguments(patternNode, graphNode);
    if (!arguments) return false;
    const auto &wanted = arguments->pattern, &given = arguments->graph;
    const auto free = relaxations.arguments.find(patternNode.id());
    if (relaxations.commutative && NodeComparison::commutes(patternNode) && wanted.size() == 2 &&
        free == relaxations.arguments.end()) {
        m_choices.push_back({m_order.size(), m_left});
        m_choices.back().left.insert(m_choices.back().left.end(),
                                     {Pair{wanted[1], given[0]}, Pair{wanted[0], given[1]}});
    }
    for (std::size_t i = wanted.size(); i-- > 0;) {
        if (free != relaxations.arguments.end() && free->second.contains(arguments->key(i))) continue;
        m_left.push_back({wanted[i], given[i]});
    }
    return true;
}

// ── several anchors ──────────────────────────────────────────────────────────────────────────────────────────────

std::vector<NodeId> MatchSearch::linkedCandidates(const AnchorLink& link) const {
    std::vector<NodeId> nodes{m_bindings[index(link.from)].value.node()};
    for (const NodeId step : link.way) {
        std::vector<NodeId> users;
        for (const NodeId node : nodes)
            for (const NodeId user : m_graph.node(node).users())
                if (m_compare.equal(m_pattern.node(step), m_graph.node(user))) users.push_back(user);
        std::sort(users.begin(), users.end(), [&](NodeId a, NodeId b) { return m_graph.isBefore(a, b); });
        users.erase(std::unique(users.begin(), users.end()), users.end());
        nodes = std::move(users);
    }
    return nodes;
}

std::vector<NodeId> MatchSearch::candidatesOf(std::size_t anchor) const {
    const AnchorLink* best = nullptr;
    std::size_t users = m_candidates[anchor].size();
    for (const AnchorLink& link : m_links[anchor]) {
        const Binding& bound = m_bindings[index(link.from)];
        if (!m_isBound[index(link.from)] || !bound.value.isNode()) continue;
        if (const auto count = m_graph.node(bound.value.node()).users().size(); count < users)
            best = &link, users = count;
    }
    return best ? linkedCandidates(*best) : m_candidates[anchor];
}

/// After a match, going on with what it holds would only find overlaps: the level from which on something else is
/// tried.
std::size_t MatchSearch::levelToKeep() const {
    for (std::size_t level = 0; level < m_levels.size(); ++level) {
        const std::size_t end = level + 1 < m_levels.size() ? m_levels[level + 1].bound : m_order.size();
        for (std::size_t i = m_levels[level].bound; i < end; ++i)
            if (counts(m_order[i])) return level;
    }
    return m_levels.size() - 1;
}

/// What follows an optional node that is missing: its first argument. kNoNode when that is no computed value.
NodeId MatchSearch::standIn(NodeId patternNode) const {
    if (!m_matcher.options().relaxations.optional.contains(patternNode)) return kNoNode;
    const auto& args = m_pattern.node(patternNode).args();
    return !args.empty() && args[0].isNode() && counts(args[0].node()) ? args[0].node() : kNoNode;
}

bool MatchSearch::canBe(NodeId anchor, const Node& graphNode) const {
    for (; anchor != kNoNode; anchor = standIn(anchor))
        if (m_compare.equal(m_pattern.node(anchor), graphNode)) return true;
    return false;
}

/// The pattern node whose binding is what `returned` stands for: itself, or what stands in for it. kNoNode: nothing
/// does.
NodeId MatchSearch::boundFor(NodeId returned) const {
    while (returned != kNoNode && !m_isBound[index(returned)]) returned = standIn(returned);
    return returned;
}

std::vector<InternalMatch> MatchSearch::run() {
    const auto& anchors = m_matcher.anchors();
    const MatcherOptions& options = m_matcher.options();
    // Where literals are not compared, a node may go unmatched, and an anchor need not hang together with the others.
    const bool linked = !options.ignoreLiterals;
    for (std::size_t i = 0; i < anchors.size(); ++i) {
        m_candidates.emplace_back();
        for (const Node& node : m_graph.nodes())
            if (canBe(anchors[i], node)) m_candidates[i].push_back(node.id());
        if (m_candidates[i].empty()) return {};
        m_links.push_back(linked ? anchorLinks(m_matcher, i) : std::vector<AnchorLink>());
        m_progress.check();
    }
    if (anchors.empty()) return {};
    m_levels.push_back({m_candidates[0], 0, 0});
    for (std::size_t tried = 0; !m_levels.empty(); ++tried) {
        if (tried % 1024 == 0) m_progress.check();
        if (options.limit && m_matches.size() == options.limit) break;
        Level& level = m_levels.back();
        unbind(level.bound);
        if (level.next == level.candidates.size()) {
            m_levels.pop_back();
            continue;
        }
        if (!matchFrom(anchors[m_levels.size() - 1], level.candidates[level.next++])) continue;
        if (m_levels.size() == anchors.size()) accept();
        else m_levels.push_back({candidatesOf(m_levels.size()), 0, m_order.size()});
    }
    return std::move(m_matches);
}

// ── what a whole match has to fulfil ─────────────────────────────────────────────────────────────────────────────

void MatchSearch::accept() {
    const auto isBound = [&](NodeId id) { return static_cast<bool>(m_isBound[index(id)]); };
    const auto &placeholders = m_matcher.placeholders(), &returning = m_matcher.returning();
    const auto hasValue = [&](NodeId id) { return boundFor(id) != kNoNode; };
    if (!std::all_of(placeholders.begin(), placeholders.end(), isBound) ||
        !std::all_of(returning.begin(), returning.end(), hasValue))
        return;
    if (!isContained()) return;
    if (m_matcher.options().removeOverlapping && !isAcyclic()) return; // torch.fx looks for cycles in this case only
    InternalMatch match;
    match.anchors = m_matcher.anchors();
    match.nodesMap.reserve(m_order.size());
    match.placeholderNodes.reserve(placeholders.size());
    match.returningNodes.reserve(returning.size());
    for (const NodeId id : m_order) match.nodesMap.emplace_back(id, m_bindings[index(id)]);
    for (const NodeId id : placeholders) match.placeholderNodes.push_back(m_bindings[index(id)]);
    for (const NodeId id : returning) match.returningNodes.push_back(m_bindings[index(boundFor(id))]);
    m_matches.push_back(std::move(match));
    if (!m_matcher.options().removeOverlapping) return;
    for (const NodeId id : m_order)
        if (counts(id) && m_bindings[index(id)].value.isNode())
            m_taken[index(m_bindings[index(id)].value.node())] = true;
    m_levels.resize(levelToKeep() + 1);
}

bool MatchSearch::isContained() {
    std::vector<NodeId>& inside = m_inside;
    inside.clear();
    m_isReturned.assign(m_pattern.idLimit(), false);
    for (const NodeId id : m_matcher.returning()) m_isReturned[index(boundFor(id))] = true;
    for (const NodeId id : m_order)
        if (m_pattern.node(id).op() != Op::Placeholder) inside.push_back(m_bindings[index(id)].value.node());
    std::sort(inside.begin(), inside.end());
    for (const NodeId id : m_order) {
        if (m_pattern.node(id).op() == Op::Placeholder || m_isReturned[index(id)]) continue;
        if (m_matcher.options().relaxations.outsideUsers.contains(id)) continue;
        for (const NodeId user : m_graph.node(m_bindings[index(id)].value.node()).users())
            if (!std::binary_search(inside.begin(), inside.end(), user)) return false;
    }
    return true;
}

bool MatchSearch::isAcyclic() {
    // Values leave a match only where it returns them (isContained). If that is its one anchor, which all of it leads
    // to, what comes back would be a cycle in the graph itself.
    const Relaxations& relaxations = m_matcher.options().relaxations;
    const auto &anchors = m_matcher.anchors(), &returning = m_matcher.returning();
    if (anchors.size() == 1 && returning == anchors && relaxations.outsideUsers.empty() && relaxations.optional.empty())
        return true;
    std::vector<NodeId>& inside = m_inside;
    inside.clear();
    for (const NodeId id : m_order)
        if (counts(id) && m_bindings[index(id)].value.isNode()) inside.push_back(m_bindings[index(id)].value.node());
    return m_cycles.isAcyclic(inside);
}

} // namespace fx
