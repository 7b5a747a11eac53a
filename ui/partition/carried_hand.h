// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"
#include "core/partition/by_hand.h"

#include <unordered_map>

namespace ui {

/// Returns manual partitions after an edit. Partitions list nodes by name, and an edit may rename, replace or erase
/// these. A replacement takes the place of its node, unless the node became part of a module, as by fusing. Omits nodes
/// without a counterpart, and partitions without nodes. Both models are versions of one model. Linear in the nodes.
fx::NamedPartitions withCarriedNodes(const fx::NamedPartitions& hand, const fx::GraphModule& before,
                                     const fx::GraphModule& after);

/// The manual moves of each version of a model, so that undo restores moves that an edit dropped.
class HandMemory {
public:
    using Moves = std::vector<fx::NamedPartitions>; ///< the newest last

    /// Marks the moves of other versions as outdated, because the user moved nodes.
    void changed() { ++m_serial; }
    /// Returns the moves to use in `to`: its own from before unless the user has moved nodes since, else `moves` of
    /// `from` carried over. Drops moves that would make a partition depend on itself.
    Moves carried(const Moves& moves, const std::shared_ptr<const fx::GraphModule>& from,
                  const std::shared_ptr<const fx::GraphModule>& to);
    void clear() { m_known.clear(); } ///< Forgets all versions.

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
