// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/custom_config.h"
#include "core/quant/preparation/node_heads.h"

#include <string_view>

namespace fx::quant {

/// A part of a match, nested as torch.ao's `matched_node_pattern`: a node, another value matched by `*`, or a list of
/// parts.
struct MatchedPart {
    Argument value;                 ///< the leaf; unset if `parts` is not empty
    std::vector<MatchedPart> parts; ///< nested parts; empty for a leaf

    /// Visits the nodes in the part, in order.
    void forEachNode(const std::function<void(NodeId)>& visit) const;
    /// Mirrors torch.ao's `_default_root_node_getter`: returns the last leaf of the last part; kNoNode if that is not
    /// a node.
    NodeId last() const;
    /// Returns the leaf at a path such as `1.0`; kNoNode if it is not a node.
    NodeId at(std::string_view path) const;
};

/// A match of a backend's pattern in a graph.
struct PatternMatch {
    const PatternConfig* config = nullptr; ///< entry of the backend; an empty one for a standalone module
    NodeId lastNode = kNoNode;             ///< the node that computes the pattern's output
    NodeId root = kNoNode;                 ///< its root node: the convolution in `(ReLU, Conv2d)`
    MatchedPart matched;
    Observation observation = Observation::OwnOutput; ///< the entry's observation for this number of tensor arguments
    /// Set for the call of a standalone module, which no pattern matches.
    const StandaloneModule* standalone = nullptr;
};

/// The matches of all nodes, in the order of torch.ao's `_find_matches` dictionary.
struct PatternMatches {
    std::vector<PatternMatch> matches;
    std::vector<std::pair<NodeId, std::uint32_t>> entries; ///< node and index in `matches`, in dictionary order
    std::vector<std::int64_t> matchOf;                     ///< by NodeId: index in `matches`; -1 without a match
    /// Sets the match of a node. A node that has one keeps its position in the order.
    void put(NodeId id, std::uint32_t match);
    /// Returns the match of a node, or null. The pointer is valid until the next `put`.
    const PatternMatch* of(NodeId id) const {
        return index(id) < matchOf.size() && matchOf[index(id)] >= 0
                   ? &matches[static_cast<std::size_t>(matchOf[index(id)])]
                   : nullptr;
    }
    std::vector<std::size_t> entryOf; ///< by NodeId: index in `entries`
};

/// Matches the patterns of a backend, longest first, from the last node to the first. Throws Error{Refused} where
/// torch.ao asserts.
PatternMatches findMatches(const NodeHeads& heads, const BackendConfig& backend);

} // namespace fx::quant
