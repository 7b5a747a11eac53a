// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <unordered_set>

namespace fx {

/// The values of a graph that exist when PyTorch loads the file and traces its code again: buffers, constants, and what
/// is computed from these alone. All others are proxies then.
class FixedValues {
public:
    /// `model` must outlive this.
    explicit FixedValues(const GraphModule& model);
    /// Adds a node after its inputs.
    void add(const Node& node);
    /// Returns false for nodes that were not added.
    bool contains(NodeId id) const { return m_fixed.contains(id); }

private:
    bool isFixed(const Node& node);

    PathResolver m_paths;
    std::unordered_set<NodeId> m_fixed;
    const bool m_readsValues;
};

} // namespace fx
