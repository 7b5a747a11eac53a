// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <cstddef>
#include <string>
#include <vector>

namespace fx {

/// The position of a pass in a run of several passes.
struct PassPlace {
    std::string pass;        ///< "cse"
    std::size_t index = 0;   ///< index of this run of the pass, from 0; repeated runs count
    std::size_t request = 0; ///< index in the list of passes, in execution order
};

/// The outcome of one pass. Mirrors torch.fx's `PassResult` without the module.
struct PassReport {
    std::string name;         ///< name of the pass
    bool changed = false;     ///< `modified`
    double millis = 0;        ///< excludes instruments and lint
    std::size_t rewrites = 0; ///< rewrites made; 0 if the pass reverted them
    Warnings notes = {};      ///< the pass's decisions and their reasons
};

/// One rewrite by a pass: the unit of stepping and bisection.
struct RewritePlace {
    PassPlace place;
    std::size_t number = 0; ///< within this run of the pass, from 1
    std::string node;       ///< name of the rewritten node before the rewrite
};

/// Observes running passes, as for timing, printing, stepping and bisection. Called on the thread that runs the
/// passes. Implementations may copy models (O(1)) but not change them.
class PassInstrument {
public:
    virtual ~PassInstrument() = default;
    /// Called before a pass runs.
    virtual void beforePass(const PassPlace& /*place*/, const GraphModule& /*model*/) {}
    /// Called after a pass has run without an error.
    virtual void afterPass(const PassPlace& /*place*/, const GraphModule& /*model*/, const PassReport& /*report*/) {}
    /// Returns false to forbid a rewrite. The pass then leaves the graph unchanged there and continues.
    virtual bool beforeRewrite(const RewritePlace& /*rewrite*/, const GraphModule& /*model*/) { return true; }
    /// Called after a rewrite that was made.
    virtual void afterRewrite(const RewritePlace& /*rewrite*/, const GraphModule& /*model*/) {}
};
using PassInstruments = std::vector<PassInstrument*>; ///< called in this order; not owned

/// The nodes that passes must not rewrite: all but a selection. Nodes created by passes are not frozen.
class FrozenNodes {
public:
    FrozenNodes() = default; ///< nothing is frozen
    /// Freezes all nodes but those with the names in `selected`. Throws Error{Refused} for an unknown name.
    FrozenNodes(const Graph& graph, const std::vector<std::string>& selected);
    /// True if the node is frozen.
    bool contains(NodeId node) const { return index(node) < m_frozen.size() && m_frozen[index(node)]; }
    /// True if nothing is frozen.
    bool empty() const { return m_frozen.empty(); }

private:
    std::vector<bool> m_frozen; ///< by node id
};

/// Reports the rewrites of one run of a pass to the instruments, and counts them.
class RewriteWatch {
public:
    /// Keeps references to `instruments` and `frozen`.
    RewriteWatch(PassPlace place, const PassInstruments& instruments, const FrozenNodes& frozen = kNoneFrozen)
        : m_instruments(instruments), m_frozen(frozen) {
        m_now.place = std::move(place);
    }

    /// Returns true if the rewrite is allowed; the caller then makes it and calls `end`. Always false for a frozen
    /// node.
    bool begin(NodeId node, const GraphModule& model) { return !m_frozen.contains(node) && beginAnywhere(node, model); }
    /// As `begin`, for a rewrite of no particular node: `node` only names it.
    bool beginAnywhere(NodeId node, const GraphModule& model);
    /// Ends a rewrite that `begin` allowed.
    void end(const GraphModule& model);
    /// The number of allowed rewrites.
    std::size_t made() const { return m_made; }
    /// True if any instrument observes the rewrites.
    bool isWatched() const { return !m_instruments.empty(); }
    /// The nodes that must not be rewritten.
    const FrozenNodes& frozen() const { return m_frozen; }

private:
    static const FrozenNodes kNoneFrozen;

    const PassInstruments& m_instruments;
    const FrozenNodes& m_frozen;
    RewritePlace m_now;
    std::size_t m_made = 0;
};

/// Allows the first `limit` rewrites and forbids the others; used for stepping and bisection.
class RewriteLimit : public PassInstrument {
public:
    explicit RewriteLimit(std::size_t limit) : m_left(limit) {}
    bool beforeRewrite(const RewritePlace& rewrite, const GraphModule& model) override;
    const RewritePlace& last() const { return m_last; } ///< the last allowed rewrite

private:
    std::size_t m_left;
    RewritePlace m_last;
};

} // namespace fx
