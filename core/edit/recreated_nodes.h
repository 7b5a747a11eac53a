// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/steps/steps.h"

#include <vector>

namespace fx {

/// New nodes that only stand for erased ones: the same call on the same values, or on what took their place. A
/// replacement erases all that its pattern matched and creates all that it says, also what both have in common:
///
///     conv ─ bn ─ relu          replaced by          conv_1 ─ bn_1 ─ relu6
///
/// conv_1 and bn_1 recreate conv and bn; only relu was replaced.
class RecreatedNodes {
public:
    /// `after` must be an edited version of `before`; `effect`: how they differ. Linear in the nodes that differ.
    RecreatedNodes(const GraphModule& before, const GraphModule& after, const EditEffect& effect);

    /// The erased node that a new one stands for; the node itself for all others.
    NodeId original(NodeId node) const { return index(node) < m_originals.size() ? m_originals[index(node)] : node; }
    /// Nothing was erased and created at once.
    bool isEmpty() const { return m_originals.empty(); }
    /// Without what was only recreated, and without nodes that only use new ones in the place of erased ones.
    EditEffect remaining(const EditEffect& effect) const;

private:
    std::string textBefore(NodeId node) const;
    std::string textAfter(NodeId node) const;
    bool isUnchanged(NodeId node) const;

    const GraphModule &m_before, &m_after;
    std::vector<NodeId> m_originals;                      ///< by node id
    std::vector<char> m_isErased, m_isCreated, m_isTaken; ///< by node id; taken: erased, and recreated
};

} // namespace fx
