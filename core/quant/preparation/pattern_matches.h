// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/custom_config.h"
#include "core/quant/preparation/node_heads.h"

#include <string_view>

namespace fx::quant {

/// A part of a match, nested as torch.ao's `matched_node_pattern`: a node, another value that `*` took, or parts.
struct MatchedPart {
    Argument value;                 ///< of a leaf
    std::vector<MatchedPart> parts; ///< else

    /// The nodes in it, in order.
    void forEachNode(const std::function<void(NodeId)>& visit) const;
    /// torch.ao `_default_root_node_getter`: the last leaf of the last parts; kNoNode if that is no node.
    NodeId last() const;
    /// The leaf at a path such as `1.0`; kNoNode if it is no node.
    NodeId at(std::string_view path) const;
};

/// A pattern of a backend at its place in a graph.
struct PatternMatch {
    const PatternConfig* config = nullptr;
    NodeId lastNode = kNoNode; ///< the output of the pattern
    NodeId root = kNoNode;     ///< its input
    MatchedPart matched;
    Observation observation = Observation::OwnOutput;
    const StandaloneModule* standalone = nullptr; ///< the call of such a module, which no pattern matched
};

/// The matches of all nodes: torch.ao's dictionary of `_find_matches`, in its order.
struct PatternMatches {
    std::vector<PatternMatch> matches;
    std::vector<std::pair<NodeId, std::uint32_t>> entries; ///< node and match, in the order of the dictionary
    std::vector<std::int64_t> matchOf;                     ///< by NodeId; -1 without
    /// Sets the match of a node, which keeps its place in the order.
    void put(NodeId id, std::uint32_t match);
    const PatternMatch* of(NodeId id) const {
        return index(id) < matchOf.size() && matchOf[index(id)] >= 0
                   ? &matches[static_cast<std::size_t>(matchOf[index(id)])]
                   : nullptr;
    }
    std::vector<std::size_t> entryOf; ///< by NodeId: its place in `entries`
};

/// Matches the patterns of a backend from the last node to the first, the longest first. Throws Error{Refused} where
/// torch.ao asserts.
PatternMatches findMatches(const NodeHeads& heads, const BackendConfig& backend);

} // namespace fx::quant
