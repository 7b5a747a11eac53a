// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/preparation/pattern_matches.h"

#include "core/diag/error.h"

#include <charconv>

namespace fx::quant {
namespace {

/// torch.ao `record_match`: the last node first, then what its arguments matched. Patterns nest a few levels at most.
void record(const Graph& graph, const Pattern& pattern, const Argument& value, std::vector<MatchedPart>& out) {
    out.push_back({value, {}});
    if (pattern.arguments.empty()) return;
    const Node& node = graph.node(value.node());
    std::vector<MatchedPart> inner;
    for (std::size_t i = 0; i < pattern.arguments.size() && i < node.args().size(); ++i)
        record(graph, pattern.arguments[i], node.args()[i], inner);
    if (inner.size() == 1) out.push_back(std::move(inner.front()));
    else if (pattern.arguments.size() == 1) out.push_back({{}, std::move(inner)});
    else out.insert(out.end(), std::make_move_iterator(inner.begin()), std::make_move_iterator(inner.end()));
}

std::int64_t tensorArguments(const NodeHeads& heads, NodeId root) {
    std::int64_t count = 0;
    if (root == kNoNode) return count;
    for (const Argument& arg : heads.graph().node(root).args())
        if (arg.isNode() && !heads.hasNoTensors(arg.node())) ++count;
    return count;
}

} // namespace

void MatchedPart::forEachNode(const std::function<void(NodeId)>& visit) const {
    if (parts.empty() && value.isNode()) visit(value.node());
    for (const MatchedPart& part : parts) part.forEachNode(visit);
}

NodeId MatchedPart::last() const {
    const MatchedPart* part = this;
    while (!part->parts.empty()) part = &part->parts.back();
    return part->value.isNode() ? part->value.node() : kNoNode;
}

NodeId MatchedPart::at(std::string_view path) const {
    const MatchedPart* part = this;
    while (!path.empty()) {
        std::size_t number = 0;
        const auto end = std::from_chars(path.data(), path.data() + path.size(), number).ptr;
        if (number >= part->parts.size()) return kNoNode;
        part = &part->parts[number];
        path.remove_prefix(static_cast<std::size_t>(end - path.data()));
        if (path.starts_with('.')) path.remove_prefix(1);
    }
    return part->value.isNode() ? part->value.node() : kNoNode;
}

void PatternMatches::put(NodeId id, std::uint32_t match) {
    if (index(id) >= matchOf.size()) matchOf.resize(index(id) + 1, -1), entryOf.resize(index(id) + 1);
    if (matchOf[index(id)] < 0) {
        entryOf[index(id)] = entries.size();
        entries.emplace_back(id, match);
    } else {
        entries[entryOf[index(id)]].second = match;
    }
    matchOf[index(id)] = match;
}

PatternMatches findMatches(const NodeHeads& heads, const BackendConfig& backend) {
    const Graph& graph = heads.graph();
    PatternMatches found;
    found.matchOf.assign(graph.idLimit(), -1), found.entryOf.resize(graph.idLimit());
    for (NodeId id = graph.last(); id != kNoNode; id = graph.prev(id)) {
        if (found.matchOf[index(id)] >= 0 || !graph.node(id).isCall()) continue;
        for (const std::uint32_t number : backend.candidates(heads.key(id))) {
            const PatternConfig& config = backend.patterns()[number];
            if (!matches(heads, id, config.pattern)) continue;
            PatternMatch match;
            match.config = &config, match.lastNode = id;
            record(graph, config.pattern, id, match.matched.parts);
            match.root = config.root.empty() ? match.matched.last() : match.matched.at(config.root);
            const std::int64_t tensors = tensorArguments(heads, match.root);
            const auto observation = config.observationFor(tensors);
            if (!observation)
                throw Error(ErrorKind::Refused, Message("quant.tensor_arguments", {{"count", tensors}}))
                    .onNode(graph.node(id).name());
            match.observation = *observation;
            const auto place = static_cast<std::uint32_t>(found.matches.size());
            match.matched.forEachNode([&](NodeId node) { found.put(node, place); });
            found.matches.push_back(std::move(match));
            break;
        }
    }
    return found;
}

} // namespace fx::quant
