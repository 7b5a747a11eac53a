// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/match/near_walk.h"

#include "core/match/python_equality.h"

#include <algorithm>

namespace fx {
namespace {

/// Of many users only some are looked at when further results of a pattern are searched.
constexpr std::size_t kMaxUsers = 64, kMaxTrials = 16;

using Kind = Relaxation::Kind;

/// "argument 1", "'dim'".
std::string argumentName(const std::string& key) {
    return std::isdigit(static_cast<unsigned char>(key[0])) ? "argument " + key : "'" + key + "'";
}

Message otherValue(const std::string& key, const std::string& wanted, const std::string& given) {
    return {"match.other_value", {{"argument", argumentName(key)}, {"wanted", wanted}, {"given", given}}};
}

std::string keysOf(const Node& node) {
    std::string text;
    for (const auto& [key, value] : node.kwargs()) text += (text.empty() ? "" : ", ") + key;
    return text.empty() ? "none" : text;
}

} // namespace

NearWalk::NearWalk(const SubgraphMatcher& matcher, const GraphModule& target)
    : m_matcher(matcher), m_pattern(matcher.pattern().graph), m_graph(target.graph), m_compare(matcher, target),
      m_words(matcher, target), m_bindings(m_pattern.idLimit()), m_isBound(m_pattern.idLimit()),
      m_isSkipped(m_pattern.idLimit()), m_used(m_graph.idLimit()) {
    for (const Node& node : m_pattern.nodes()) m_of += counts(node.id()) ? 1 : 0;
    for (std::size_t i = 0; i < matcher.anchors().size(); ++i) {
        m_links.push_back(anchorLinks(matcher, i));
        m_candidates.emplace_back();
        for (const Node& node : m_graph.nodes())
            if (i > 0 && m_candidates[i].size() < kMaxUsers &&
                m_compare.equal(m_pattern.node(matcher.anchors()[i]), node))
                m_candidates[i].push_back(node.id());
    }
}

bool NearWalk::counts(NodeId patternNode) const {
    const Op op = m_pattern.node(patternNode).op();
    return op != Op::Placeholder && op != Op::Output;
}

NodeId NearWalk::boundFor(NodeId returned) const {
    while (returned != kNoNode && m_isSkipped[index(returned)]) returned = firstArgument(m_pattern.node(returned));
    return returned != kNoNode && m_isBound[index(returned)] ? returned : kNoNode;
}

// ── where the walk is ────────────────────────────────────────────────────────────────────────────────────────────

void NearWalk::restore(const State& state) {
    for (; m_order.size() > state.bound; m_order.pop_back()) {
        const auto at = index(m_order.back());
        if (m_bindings[at].value.isNode()) m_used[index(m_bindings[at].value.node())] = false;
        m_bindings[at] = {};
        m_isBound[at] = false;
    }
    for (; m_skipped.size() > state.skipped; m_skipped.pop_back()) m_isSkipped[index(m_skipped.back())] = false;
    m_equal.resize(state.equal, kNoNode);
    m_mismatches.resize(state.mismatches);
    m_failed = state.failed;
    m_cost = state.cost;
    m_isAlike = state.isAlike;
    m_left.clear();
}

void NearWalk::bind(NodeId patternNode, Binding binding) {
    if (binding.value.isNode()) m_used[index(binding.value.node())] = true;
    m_bindings[index(patternNode)] = std::move(binding);
    m_isBound[index(patternNode)] = true;
    m_order.push_back(patternNode);
}

bool NearWalk::walk(NodeId anchor, std::size_t atLeast, bool inWords) {
    restore({});
    m_kept.clear();
    m_atLeast = std::min(atLeast, m_of);
    m_inWords = inWords;
    const auto& anchors = m_matcher.anchors();
    if (!compareFrom(anchors[0], anchor)) return false;
    for (std::size_t i = 1; i < anchors.size(); ++i)
        if (!compareFurtherAnchor(i)) return false;
    return true;
}

bool NearWalk::compareFrom(NodeId patternNode, NodeId graphNode) {
    const Argument &pattern = m_kept.emplace_back(patternNode), &graph = m_kept.emplace_back(graphNode);
    m_left.assign(1, {&pattern, &graph, kNoNode, kNoNode, {}});
    while (!m_left.empty() && m_failed <= m_of - m_atLeast) {
        const Pair pair = std::move(m_left.back());
        m_left.pop_back();
        compare(pair);
    }
    return m_failed <= m_of - m_atLeast;
}

// ── further results of the pattern ───────────────────────────────────────────────────────────────────────────────

bool NearWalk::compareFurtherAnchor(std::size_t anchor) {
    const NodeId patternNode = m_matcher.anchors()[anchor];
    if (m_isBound[index(patternNode)] || m_isSkipped[index(patternNode)]) return true;
    const std::vector<NodeId> candidates = candidatesOf(anchor);
    if (candidates.empty()) {
        ++m_failed;
        note(MatchRule::Target, patternNode, kNoNode, kUnlike, [&](Mismatch& mismatch) {
            mismatch.why = Message("match.nothing_like", {{"wanted", m_words.ofPattern(m_pattern.node(patternNode))}});
        });
        return m_failed <= m_of - m_atLeast;
    }
    NodeId best = candidates[0];
    if (candidates.size() > 1) {
        const State before = state();
        std::pair<std::size_t, int> most{0, 0};
        for (const NodeId candidate : candidates) {
            compareFrom(patternNode, candidate);
            if (const std::pair found{m_equal.size(), -m_cost}; candidate == candidates[0] || found > most)
                best = candidate, most = found;
            restore(before);
        }
    }
    return compareFrom(patternNode, best);
}

std::vector<NodeId> NearWalk::candidatesOf(std::size_t anchor) const {
    for (const bool onlyEqual : {true, false})
        for (const AnchorLink& link : m_links[anchor]) {
            const auto nodes = usersAlong(link, onlyEqual);
            if (!nodes.empty()) return nodes;
        }
    std::vector<NodeId> unused;
    for (const NodeId node : m_candidates[anchor])
        if (!m_used[index(node)] && unused.size() < kMaxTrials) unused.push_back(node);
    return unused;
}

std::vector<NodeId> NearWalk::usersAlong(const AnchorLink& link, bool onlyEqual) const {
    const Binding* from = binding(link.from);
    if (!from || !from->value.isNode()) return {};
    std::vector<NodeId> nodes{from->value.node()};
    for (const NodeId step : link.way) {
        std::vector<NodeId> users;
        for (const NodeId node : nodes) {
            std::size_t seen = 0;
            for (const NodeId user : m_graph.node(node).users()) {
                if (seen++ == kMaxUsers) break;
                if (m_used[index(user)] || !m_graph.node(user).isCall()) continue;
                if (!onlyEqual || m_compare.equal(m_pattern.node(step), m_graph.node(user))) users.push_back(user);
            }
        }
        std::sort(users.begin(), users.end(), [&](NodeId a, NodeId b) { return m_graph.isBefore(a, b); });
        users.erase(std::unique(users.begin(), users.end()), users.end());
        if (users.size() > kMaxTrials) users.resize(kMaxTrials);
        nodes = std::move(users);
    }
    return nodes;
}

// ── one pair ─────────────────────────────────────────────────────────────────────────────────────────────────────

void NearWalk::compare(const Pair& pair) {
    const Argument &pattern = *pair.pattern, &graph = *pair.graph;
    if (pattern.isNode() && graph.isNode())
        return compareNodes(pair, m_pattern.node(pattern.node()), m_graph.node(graph.node()));
    const auto *wanted = pattern.as<Sequence>(), *given = graph.as<Sequence>();
    if (!wanted || !given) return compareValues(pair);
    if (wanted->items.size() != given->items.size()) {
        note(MatchRule::Args, pair.owner, pair.place, kSlight, [&](Mismatch& mismatch) {
            mismatch.why = Message("match.item_count", {{"argument", argumentName(pair.key)},
                                                        {"wanted", wanted->items.size()},
                                                        {"given", given->items.size()}});
            mismatch.remedies = {{Kind::Argument, pair.owner, pair.key}};
        });
        return;
    }
    for (std::size_t i = wanted->items.size(); i-- > 0;)
        m_left.push_back({&wanted->items[i], &given->items[i], pair.owner, pair.place, pair.key});
}

void NearWalk::compareValues(const Pair& pair) {
    const Argument &pattern = *pair.pattern, &graph = *pair.graph;
    const bool literalsCount = !m_matcher.options().ignoreLiterals;
    if (!pattern.isNode()) {
        if (!literalsCount || (!graph.isNode() && sameType(pattern, graph) && pythonEquals(pattern, graph, true)))
            return;
        note(MatchRule::Literal, pair.owner, pair.place, kSlight, [&](Mismatch& mismatch) {
            mismatch.why = otherValue(pair.key, m_words.value(m_pattern, pattern), m_words.value(m_graph, graph));
            mismatch.remedies = {{Kind::Argument, pair.owner, pair.key}, {Kind::Literals, kNoNode, {}}};
        });
        return;
    }
    const Node& node = m_pattern.node(pattern.node());
    if (node.op() != Op::Placeholder) {
        if (!literalsCount) return;
        m_failed += m_isBound[index(node.id())] ? 0 : 1;
        note(MatchRule::Args, pair.owner, pair.place, kUnlike, [&](Mismatch& mismatch) {
            mismatch.why = otherValue(pair.key, m_words.ofPattern(node), m_words.value(m_graph, graph));
            mismatch.remedies = {{Kind::Argument, pair.owner, pair.key}};
        });
    } else if (!m_isBound[index(node.id())]) {
        bind(node.id(), {graph, {}});
    } else if (const Binding& bound = m_bindings[index(node.id())];
               literalsCount && !(bound.modulePath.empty() && pythonEquals(bound.value, graph))) {
        noteTwice(pair, node, m_words.value(m_graph, graph));
    }
}

void NearWalk::compareNodes(const Pair& pair, const Node& patternNode, const Node& graphNode) {
    const auto at = index(patternNode.id());
    if (m_isSkipped[at]) {
        m_left.push_back({&patternNode.args()[0], pair.graph, pair.owner, pair.place, pair.key});
    } else if (m_isBound[at]) {
        if (!(m_bindings[at] == Binding{graphNode.id(), {}})) noteTwice(pair, patternNode, graphNode.name());
    } else if (m_used[index(graphNode.id())]) {
        noteUsed(pair, patternNode, graphNode);
    } else if (!m_compare.equal(patternNode, graphNode)) {
        compareDifferent(pair, patternNode, graphNode);
    } else {
        bind(patternNode.id(), {graphNode.id(), {}});
        if (!counts(patternNode.id())) return;
        m_equal.push_back(graphNode.id());
        bindModule(patternNode, graphNode);
        pushArguments(patternNode, graphNode, true);
    }
}

// ── arguments ────────────────────────────────────────────────────────────────────────────────────────────────────

const std::set<std::string>* NearWalk::freeArguments(const Node& patternNode) const {
    const auto& arguments = m_matcher.options().relaxations.arguments;
    const auto found = arguments.find(patternNode.id());
    return found == arguments.end() ? nullptr : &found->second;
}

void NearWalk::bindModule(const Node& patternNode, const Node& graphNode) {
    const NodeId callee = m_compare.calledPlaceholder(patternNode);
    if (callee == kNoNode || graphNode.op() != Op::CallModule) return;
    const Binding module{{}, graphNode.target()};
    if (!m_isBound[index(callee)]) return bind(callee, module);
    if (m_bindings[index(callee)] == module) return;
    note(MatchRule::PlaceholderType, patternNode.id(), graphNode.id(), kSlight, [&](Mismatch& mismatch) {
        mismatch.why = Message("match.two_modules", {{"name", m_pattern.node(callee).name()},
                                                     {"first", m_bindings[index(callee)].modulePath},
                                                     {"second", graphNode.target()}});
    });
}

void NearWalk::pushArguments(const Node& patternNode, const Node& graphNode, bool sameTarget) {
    auto arguments = sameTarget ? m_compare.arguments(patternNode, graphNode) : std::nullopt;
    if (!arguments) {
        arguments = m_compare.commonArguments(patternNode, graphNode);
        const bool byPlace = patternNode.args().size() != graphNode.args().size();
        if (sameTarget)
            note(byPlace ? MatchRule::Args : MatchRule::Keywords, patternNode.id(), graphNode.id(), kSlight,
                 [&](Mismatch& mismatch) {
                     mismatch.why = byPlace ? Message("match.argument_count", {{"wanted", patternNode.args().size()},
                                                                               {"given", graphNode.args().size()}})
                                            : Message("match.keywords",
                                                      {{"wanted", keysOf(patternNode)}, {"given", keysOf(graphNode)}});
                     mismatch.remedies = {{Kind::Argument, patternNode.id(), "*"}};
                 });
    }
    const auto* free = freeArguments(patternNode);
    if (!free && swapsBetter(patternNode, *arguments)) {
        std::swap(arguments->graph[0], arguments->graph[1]);
        if (!m_matcher.options().relaxations.commutative)
            note(MatchRule::Args, patternNode.id(), graphNode.id(), kSlight, [&](Mismatch& mismatch) {
                mismatch.why = Message("match.swapped_operands");
                mismatch.remedies = {{Kind::Commutative, kNoNode, {}}};
            });
    }
    for (std::size_t i = arguments->pattern.size(); i-- > 0;) {
        std::string key = arguments->key(i);
        if (!free || !free->contains(key))
            m_left.push_back(
                {arguments->pattern[i], arguments->graph[i], patternNode.id(), graphNode.id(), std::move(key)});
    }
}

bool NearWalk::swapsBetter(const Node& patternNode, const NodeComparison::Arguments& arguments) const {
    if (arguments.pattern.size() != 2 || !NodeComparison::commutes(patternNode)) return false;
    const auto &pattern = arguments.pattern, &graph = arguments.graph;
    return likeness(*pattern[0], *graph[1]) + likeness(*pattern[1], *graph[0]) >
           likeness(*pattern[0], *graph[0]) + likeness(*pattern[1], *graph[1]);
}

/// How well one argument fits the other, looking no further than these.
int NearWalk::likeness(const Argument& pattern, const Argument& graph) const {
    if (!pattern.isNode())
        return graph.isNode() ? -2 : sameType(pattern, graph) && pythonEquals(pattern, graph, true) ? 2 : 1;
    const Node& node = m_pattern.node(pattern.node());
    if (m_isBound[index(node.id())]) return m_bindings[index(node.id())].value == graph ? 2 : -1;
    if (node.op() == Op::Placeholder) return 0;
    if (!graph.isNode()) return -2;
    return m_compare.equal(node, m_graph.node(graph.node())) ? 2
           : m_words.alike(node, m_graph.node(graph.node())) ? 1
                                                             : 0;
}

} // namespace fx
