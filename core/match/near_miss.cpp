// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/match/near_miss.h"

#include "core/match/cycle_check.h"
#include "core/match/near_walk.h"
#include "core/match/python_equality.h"

#include <algorithm>
#include <array>

namespace fx {
namespace {

using Kind = Relaxation::Kind;

/// Of how many mismatches other remedies are tried too.
constexpr std::size_t kMaxVaried = 3;

MatcherOptions withoutOutput(MatcherOptions options) {
    options.matchOutput = false;
    return options;
}

/// One search for near misses.
class Explanation {
public:
    Explanation(const GraphModule& target, const GraphModule& pattern, const MatcherOptions& options, std::size_t limit,
                const Progress& progress)
        : m_target(target), m_graph(target.graph), m_pattern(pattern), m_options(options), m_limit(limit),
          m_progress(progress), m_matcher(pattern, withoutOutput(options)), m_walk(m_matcher, target),
          m_cycles(m_graph), m_owner(m_graph.idLimit(), kNoNode), m_isAnchor(m_graph.idLimit()),
          m_isShown(m_graph.idLimit()) {}

    std::vector<NearMiss> run() {
        if (m_limit == 0 || m_walk.of() == 0 || m_matcher.anchors().empty()) return {};
        noteMatches();
        std::vector<NearMiss> found;
        for (const Place& place : ranked()) {
            m_progress.check();
            if (auto miss = describe(place.anchor)) found.push_back(std::move(*miss));
            if (found.size() == m_limit) break;
        }
        return found;
    }

private:
    struct Place {
        NodeId anchor;
        std::size_t matched;
        int cost;
    };

    void noteMatches() {
        for (const InternalMatch& match : SubgraphMatcher(m_pattern, m_options).match(m_target, m_progress)) {
            const NodeId anchor = anchorOf(match);
            m_isAnchor[index(anchor)] = true;
            for (const auto& [node, bound] : match.nodesMap)
                if (m_walk.counts(node) && bound.value.isNode()) m_owner[index(bound.value.node())] = anchor;
        }
    }

    /// The graph node that the first anchor stands for, also when another one stands in for it.
    NodeId anchorOf(const InternalMatch& match) const {
        const auto& returning = m_matcher.returning();
        const auto at = std::find(returning.begin(), returning.end(), m_matcher.anchors()[0]) - returning.begin();
        return match.returningNodes[static_cast<std::size_t>(at)].value.node();
    }

    bool isTaken(NodeId graphNode) const { return m_owner[index(graphNode)] != kNoNode; }

    std::vector<Place> ranked() {
        std::vector<Place> places;
        std::vector<std::size_t> better(m_walk.of() + 1); ///< how many places have at least so many equal nodes
        std::size_t atLeast = 0, seen = 0;
        for (const Node& node : m_graph.nodes()) {
            if (seen++ % 64 == 0) m_progress.check();
            if (node.op() == Op::Placeholder || node.op() == Op::Output || m_isAnchor[index(node.id())]) continue;
            if (!m_walk.walk(node.id(), atLeast, false) || !isWorthTelling(node.id())) continue;
            places.push_back({node.id(), m_walk.matched(), m_walk.cost()});
            for (std::size_t i = 0; i <= m_walk.matched(); ++i) ++better[i];
            // Some of them will say nothing new.
            while (atLeast < m_walk.of() && better[atLeast + 1] >= 64 + 8 * m_limit) ++atLeast;
        }
        std::stable_sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
            return a.matched != b.matched ? a.matched > b.matched : a.cost < b.cost;
        });
        return places;
    }

    bool isWorthTelling(NodeId anchor) const {
        const auto& equal = m_walk.equalNodes();
        if (equal.empty())
            return m_walk.isAlike() && !isTaken(anchor) && static_cast<std::size_t>(m_walk.cost()) <= m_walk.of();
        if (m_walk.cost() == 0) return true; // only another match is in its way, or a user
        // A node of a match stands for that match, whatever else is near it.
        return !isTaken(anchor) && !std::all_of(equal.begin(), equal.end(), [&](NodeId node) { return isTaken(node); });
    }

    std::optional<NearMiss> describe(NodeId anchor) {
        m_walk.walk(anchor, 0, true);
        const auto& equal = m_walk.equalNodes();
        if (!equal.empty() &&
            std::all_of(equal.begin(), equal.end(), [&](NodeId node) { return m_isShown[index(node)]; }))
            return std::nullopt;
        NearMiss miss{anchor, m_walk.matched(), m_walk.of(), m_walk.mismatches(), {}, {}};
        checkWhole(miss.mismatches);
        if (miss.mismatches.empty()) return std::nullopt;
        for (const NodeId node : equal) m_isShown[index(node)] = true;
        for (const NodeId node : m_walk.order()) miss.nodesMap.emplace_back(node, *m_walk.binding(node));
        miss.relax = remedies(miss);
        return miss;
    }

    // What a whole match has to fulfil ──────────────────────────────────────────────────────────────────────────────

    void checkWhole(std::vector<Mismatch>& mismatches) {
        const bool hopeless = std::any_of(mismatches.begin(), mismatches.end(),
                                          [](const Mismatch& mismatch) { return mismatch.remedies.empty(); });
        if (!hopeless) checkUsers(mismatches);
        if (m_options.matchOutput) checkOutput(mismatches);
        if (!m_options.removeOverlapping) return;
        checkOverlap(mismatches);
        if (mismatches.empty()) checkCycle(mismatches);
    }

    std::vector<NodeId> inside() const {
        std::vector<NodeId> nodes;
        for (const NodeId id : m_walk.order())
            if (m_walk.counts(id) && m_walk.binding(id)->value.isNode())
                nodes.push_back(m_walk.binding(id)->value.node());
        std::sort(nodes.begin(), nodes.end());
        return nodes;
    }

    void checkUsers(std::vector<Mismatch>& mismatches) const {
        const std::vector<NodeId> nodes = inside();
        std::set<NodeId> returned;
        for (const NodeId id : m_matcher.returning()) returned.insert(m_walk.boundFor(id));
        for (const NodeId id : m_walk.order()) {
            if (!m_walk.counts(id) || !m_walk.binding(id)->value.isNode() || returned.contains(id) ||
                m_options.relaxations.outsideUsers.contains(id))
                continue;
            const NodeId node = m_walk.binding(id)->value.node();
            const auto& users = m_graph.node(node).users();
            const auto outside = std::find_if(users.begin(), users.end(), [&](NodeId user) {
                return !std::binary_search(nodes.begin(), nodes.end(), user);
            });
            if (outside == users.end()) continue;
            const Node& user = m_graph.node(*outside);
            mismatches.push_back(
                {MatchRule::UsersOutside,
                 id,
                 node,
                 user.op() == Op::Output
                     ? Message("match.also_result", {{"node", m_graph.node(node).name()}})
                     : Message("match.used_outside", {{"node", m_graph.node(node).name()}, {"user", user.name()}}),
                 {{Kind::OutsideUsers, id, {}}}});
        }
    }

    void checkOutput(std::vector<Mismatch>& mismatches) const {
        const NodeId wanted = m_pattern.graph.outputNode(), given = m_graph.outputNode();
        if (given != kNoNode && sameResults(m_pattern.graph.node(wanted), m_graph.node(given))) return;
        mismatches.push_back(
            {MatchRule::Output, wanted, given, Message("match.other_results"), {{Kind::AnyOutput, kNoNode, {}}}});
    }

    bool sameResults(const Node& patternOutput, const Node& graphOutput) const {
        const Argument none;
        const auto valueOf = [&](const Node& output) { return output.args().empty() ? &none : &output.args()[0]; };
        for (std::vector<std::pair<const Argument*, const Argument*>> left{
                 {valueOf(patternOutput), valueOf(graphOutput)}};
             !left.empty();) {
            const auto [pattern, graph] = left.back();
            left.pop_back();
            const auto *wanted = pattern->as<Sequence>(), *given = graph->as<Sequence>();
            if (wanted && given) {
                if (wanted->items.size() != given->items.size()) return false;
                for (std::size_t i = 0; i < wanted->items.size(); ++i)
                    left.emplace_back(&wanted->items[i], &given->items[i]);
                continue;
            }
            const NodeId bound = pattern->isNode() ? m_walk.boundFor(pattern->node()) : kNoNode;
            if (pattern->isNode() ? bound == kNoNode || !(m_walk.binding(bound)->value == *graph)
                                  : !m_options.ignoreLiterals && !pythonEquals(*pattern, *graph, true))
                return false;
        }
        return true;
    }

    void checkOverlap(std::vector<Mismatch>& mismatches) const {
        for (const NodeId id : m_walk.order()) {
            const Argument& bound = m_walk.binding(id)->value;
            if (!m_walk.counts(id) || !bound.isNode() || !isTaken(bound.node())) continue;
            mismatches.push_back(
                {MatchRule::Overlap,
                 id,
                 bound.node(),
                 Message("match.overlaps", {{"node", m_graph.node(bound.node()).name()},
                                            {"match", m_graph.node(m_owner[index(bound.node())]).name()}}),
                 {{Kind::Overlap, kNoNode, {}}}});
            return;
        }
    }

    void checkCycle(std::vector<Mismatch>& mismatches) {
        std::vector<NodeId> nodes = inside();
        if (m_cycles.isAcyclic(nodes)) return;
        const NodeId id = m_matcher.anchors()[0];
        mismatches.push_back({MatchRule::UsersOutside,
                              id,
                              m_walk.binding(m_walk.boundFor(id))->value.node(),
                              Message("match.cycle"),
                              {{Kind::Overlap, kNoNode, {}}}});
    }

    // Relaxations ─────────────────────────────────────────────────────────────────────────────────────────────────

    /// The first remedy of each mismatch together, and these with one of them changed for another.
    std::vector<RelaxationList> remedies(const NearMiss& miss) {
        const auto hasNone = [](const Mismatch& mismatch) { return mismatch.remedies.empty(); };
        if (std::any_of(miss.mismatches.begin(), miss.mismatches.end(), hasNone)) return {};
        std::vector<RelaxationList> working;
        const auto tryWith = [&](std::size_t changed, std::size_t choice) {
            RelaxationList list;
            for (std::size_t i = 0; i < miss.mismatches.size(); ++i) {
                const Relaxation& remedy = miss.mismatches[i].remedies[i == changed ? choice : 0];
                if (std::find(list.begin(), list.end(), remedy) == list.end()) list.push_back(remedy);
            }
            if (std::find(working.begin(), working.end(), list) == working.end() && works(list, miss.anchor))
                working.push_back(std::move(list));
        };
        tryWith(0, 0);
        for (std::size_t i = 0; i < miss.mismatches.size() && i < kMaxVaried; ++i)
            for (std::size_t choice = 1; choice < miss.mismatches[i].remedies.size(); ++choice) tryWith(i, choice);
        return working;
    }

    /// Many places need the same relaxations: each list is tried once.
    bool works(const RelaxationList& relaxations, NodeId anchor) {
        const auto [anchors, isNew] = m_tried.try_emplace(relaxationText(m_pattern.graph, relaxations));
        if (isNew) {
            MatcherOptions options = m_options;
            relax(options, relaxations);
            const SubgraphMatcher matcher(m_pattern, options);
            if (fallsApart(matcher)) return false;
            for (const InternalMatch& match : matcher.match(m_target, m_progress))
                anchors->second.insert(anchorOf(match));
        }
        return anchors->second.contains(anchor);
    }

    /// Results of the pattern that hung together no longer do: any two places would match, and be searched.
    bool fallsApart(const SubgraphMatcher& relaxed) const {
        const bool literals = relaxed.options().ignoreLiterals && !m_options.ignoreLiterals;
        for (std::size_t i = 1; i < m_matcher.anchors().size(); ++i)
            if (!anchorLinks(m_matcher, i).empty() && (literals || anchorLinks(relaxed, i).empty())) return true;
        return false;
    }

    const GraphModule& m_target;
    const Graph& m_graph;
    const GraphModule& m_pattern;
    const MatcherOptions& m_options;
    std::size_t m_limit;
    const Progress& m_progress;
    SubgraphMatcher m_matcher;
    NearWalk m_walk;
    CycleCheck m_cycles;
    std::vector<NodeId> m_owner;                     ///< by graph node: the anchor of the match that has it
    std::vector<bool> m_isAnchor, m_isShown;         ///< by graph node: of a match; an equal node of a near miss
    std::map<std::string, std::set<NodeId>> m_tried; ///< anchors that match with these relaxations
};

} // namespace

std::string_view ruleName(MatchRule rule) {
    static constexpr std::array<std::string_view, 10> kNames = {
        "target",           "op",     "args",   "kwargs", "literal", "attribute", "users_outside",
        "placeholder_type", "output", "overlap"};
    return kNames[static_cast<std::size_t>(rule)];
}

std::vector<NearMiss> explain(const GraphModule& target, const GraphModule& pattern, const MatcherOptions& options,
                              std::size_t limit, const Progress& progress) {
    return Explanation(target, pattern, options, limit, progress).run();
}

} // namespace fx
