// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/steps/steps.h"

#include <memory>
#include <vector>

namespace fx {

class TreeDiff;

/// Compares two versions of one history, in which a node keeps its id. New nodes that only recreate erased ones count
/// as the same nodes: the same call on the same values or their replacements. A pattern replacement erases all matched
/// nodes and creates all nodes of the replacement, including those common to both:
///
///     conv ─ bn ─ relu          replaced by          conv_1 ─ bn_1 ─ relu6
///
/// conv_1 and bn_1 recreate conv and bn; only relu was replaced. Modules and tensors are compared by settings and
/// contents; those that the versions share cost nothing.
class VersionDiff {
public:
    /// Both versions must outlive this. Linear in the nodes that differ. Throws Error{Cancelled}, also later when it
    /// reads tensors.
    VersionDiff(const GraphModule& before, const GraphModule& after, const Progress& progress = {});
    ~VersionDiff();

    /// Returns the erased node that a new one recreates; other nodes themselves.
    NodeId original(NodeId node) const { return index(node) < m_originals.size() ? m_originals[index(node)] : node; }
    /// True if some nodes were erased and others created.
    bool mayRecreate() const { return !m_originals.empty(); }
    /// Returns the nodes that differ, without recreated ones, and without those that only use new nodes in place of
    /// erased ones.
    const EditEffect& effect() const { return m_effect; }
    /// Returns the nodes whose call is the same, but not what it calls or reads; in graph order. Linear.
    std::vector<NodeId> withOtherModules();
    /// True if no module or tensor differs. Linear in the modules that the versions do not share.
    bool sameModules() { return sameTarget({}); }

private:
    void findRecreated();
    std::string textBefore(NodeId node) const;
    std::string textAfter(NodeId node) const;
    bool isUnchanged(NodeId node) const;
    bool sameTarget(const std::string& path);

    const GraphModule &m_before, &m_after;
    Progress m_progress;
    EditEffect m_effect;
    std::unique_ptr<TreeDiff> m_tree;                     ///< null if the versions share all modules
    std::vector<NodeId> m_originals;                      ///< by node id
    std::vector<char> m_isErased, m_isCreated, m_isTaken; ///< by node id; taken: erased and recreated
};

} // namespace fx
