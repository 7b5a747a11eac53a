// SPDX-License-Identifier: GPL-3.0-or-later
// What a NearWalk does and tells where two nodes cannot stand for each other.
#include "core/match/near_walk.h"

namespace fx {
namespace {
using Kind = Relaxation::Kind;
} // namespace

void NearWalk::noteTwice(const Pair& pair, const Node& patternNode, const std::string& now) {
    note(MatchRule::Args, pair.owner, pair.place, kSlight, [&](Mismatch& mismatch) {
        const Binding& bound = m_bindings[index(patternNode.id())];
        const std::string first =
            bound.modulePath.empty() ? m_words.value(m_graph, bound.value) : "the module " + bound.modulePath;
        mismatch.why = Message("match.two_values", {{"name", patternNode.name()}, {"first", first}, {"second", now}});
        if (pair.owner != kNoNode) mismatch.remedies = {{Kind::Argument, pair.owner, pair.key}};
    });
}

void NearWalk::noteUsed(const Pair& pair, const Node& patternNode, const Node& graphNode) {
    note(MatchRule::Args, pair.owner, pair.place, kSlight, [&](Mismatch& mismatch) {
        std::string other;
        for (const NodeId id : m_order)
            if (m_bindings[index(id)].value == Argument(graphNode.id())) other = m_pattern.node(id).name();
        mismatch.why =
            Message("match.same_node", {{"first", patternNode.name()}, {"second", other}, {"node", graphNode.name()}});
        if (pair.owner != kNoNode) mismatch.remedies = {{Kind::Argument, pair.owner, pair.key}};
    });
}

// ── two nodes that differ ────────────────────────────────────────────────────────────────────────────────────────

void NearWalk::compareDifferent(const Pair& pair, const Node& patternNode, const Node& graphNode) {
    if (patternNode.op() == Op::Placeholder) {
        bind(patternNode.id(), {graphNode.id(), {}});
        return note(MatchRule::PlaceholderType, patternNode.id(), graphNode.id(), kSlight, [&](Mismatch& mismatch) {
            mismatch.why = Message("match.not_an_input", {{"given", m_words.ofGraph(graphNode)}});
            mismatch.remedies = {{Kind::AnyInput, kNoNode, {}}};
        });
    }
    const bool alike = m_words.alike(patternNode, graphNode);
    const NodeId inner = firstArgument(patternNode), before = firstArgument(graphNode);
    const bool isMissing = !alike && inner != kNoNode &&
                           (graphNode.isCall() ? counts(inner) && m_compare.equal(m_pattern.node(inner), graphNode)
                                               : patternNode.isCall());
    const bool isExtra = !alike && !isMissing && pair.owner != kNoNode && before != kNoNode &&
                         m_compare.equal(patternNode, m_graph.node(before));
    m_isAlike |= alike;
    m_failed += isExtra ? 0 : 1;
    const bool sameForm =
        patternNode.isCall() && graphNode.isCall() && patternNode.args().size() == graphNode.args().size();
    noteDifferent(patternNode, graphNode,
                  alike                  ? kSlight
                  : isMissing || isExtra ? kShifted
                  : sameForm             ? kSameForm
                                         : kUnlike,
                  isMissing, isExtra);
    if (isMissing) {
        m_isSkipped[index(patternNode.id())] = true;
        m_skipped.push_back(patternNode.id());
        m_left.push_back({&patternNode.args()[0], pair.graph, pair.owner, pair.place, pair.key});
    } else if (isExtra) {
        m_left.push_back({pair.pattern, &graphNode.args()[0], pair.owner, pair.place, pair.key});
    } else if (patternNode.isCall() == graphNode.isCall() &&
               (patternNode.isCall() || graphNode.op() == patternNode.op())) {
        bind(patternNode.id(), {graphNode.id(), {}});
        bindModule(patternNode, graphNode);
        if (patternNode.isCall()) pushArguments(patternNode, graphNode, false);
    }
}

void NearWalk::noteDifferent(const Node& patternNode, const Node& graphNode, int cost, bool isMissing, bool isExtra) {
    const bool typed = m_compare.calledPlaceholder(patternNode) != kNoNode;
    MatchRule rule = patternNode.op() == graphNode.op() ? MatchRule::Target : MatchRule::Op;
    if (typed && graphNode.op() == Op::CallModule) rule = MatchRule::PlaceholderType;
    if (patternNode.op() == Op::GetAttr && graphNode.op() == Op::GetAttr) rule = MatchRule::Attribute;
    note(rule, patternNode.id(), graphNode.id(), cost, [&](Mismatch& mismatch) {
        const std::string wanted = m_words.ofPattern(patternNode), given = m_words.ofGraph(graphNode);
        const MessageArgument one("wanted", wanted), other("given", given);
        mismatch.why = isMissing ? Message("match.missing_node", {one, other})
                       : isExtra ? Message("match.extra_node", {one, other})
                                 : Message("match.other_node", {one, other});
        const bool bothCall =
            patternNode.isCall() && graphNode.isCall() && (!typed || graphNode.op() == Op::CallModule);
        if (!isExtra && bothCall && graphNode.op() == Op::CallModule)
            mismatch.remedies.push_back({Kind::Target, patternNode.id(), m_compare.moduleType(graphNode)});
        if (!isExtra && (bothCall || rule == MatchRule::Attribute))
            mismatch.remedies.push_back({Kind::Target, patternNode.id(), graphNode.target()});
        if (!isExtra && !typed && firstArgument(patternNode) != kNoNode)
            mismatch.remedies.insert(isMissing ? mismatch.remedies.begin() : mismatch.remedies.end(),
                                     {Kind::Optional, patternNode.id(), {}});
    });
}

} // namespace fx
