// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"
#include "core/partition/by_hand.h"

#include <unordered_map>

namespace ui {

/// Manual partitions after an edit: they name nodes, and an edit may rename, replace or erase these. A node that was
/// replaced hands its place on; one that became part of a module, as by fusing, does not. Nodes that are gone are left
/// out, and partitions without nodes. Both are versions of one model. Linear in the nodes.
fx::NamedPartitions withCarriedNodes(const fx::NamedPartitions& hand, const fx::GraphModule& before,
                                     const fx::GraphModule& after);

/// The manual moves of each version of a model, so that undo brings back those that an edit has dropped.
class HandMemory {
public:
    using Moves = std::vector<fx::NamedPartitions>; ///< the newest last

    /// The user moved nodes: moves of other versions are outdated.
    void changed() { ++m_serial; }
    /// The moves to use in `to`: those that were made before there, unless others were made since, or else `moves` of
    /// `from` carried over. Moves that would make a partition depend on itself are dropped.
    Moves carried(const Moves& moves, const std::shared_ptr<const fx::GraphModule>& from,
                  const std::shared_ptr<const fx::GraphModule>& to);
    void clear() { m_known.clear(); }

private:
    struct Known {
        std::weak_ptr<const fx::GraphModule> version;
        Moves moves;
        int serial;
    };
    std::unordered_map<const fx::GraphModule*, Known> m_known;
    int m_serial = 0;
};

} // namespace ui
