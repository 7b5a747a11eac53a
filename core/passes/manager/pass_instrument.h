// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <cstddef>
#include <string>
#include <vector>

namespace fx {

/// A pass in a run of several.
struct PassPlace {
    std::string pass;        ///< "cse"
    std::size_t index = 0;   ///< of the run of this pass, from 0; passes that run again count again
    std::size_t request = 0; ///< its place in the list of passes, in the order in which they run
};

/// The outcome of one pass: torch.fx `PassResult` without the module, which the caller has.
struct PassReport {
    std::string name;
    bool changed = false;     ///< `modified`
    double millis = 0;        ///< without instruments and lint
    std::size_t rewrites = 0; ///< that it made; 0 if it took them back
    Warnings notes = {};      ///< what it says of its work: what it chose and why
};

/// One rewrite that a pass makes: the unit that is stepped through and bisected.
struct RewritePlace {
    PassPlace place;
    std::size_t number = 0; ///< within this run of the pass, from 1
    std::string node;       ///< the name of the node that is rewritten, as it is before
};

/// Watches passes at work: timing, printing, stepping and bisection are instruments. Called on the thread that runs the
/// passes; models may be copied (O(1)) but not changed.
class PassInstrument {
public:
    virtual ~PassInstrument() = default;
    virtual void beforePass(const PassPlace& /*place*/, const GraphModule& /*model*/) {}
    virtual void afterPass(const PassPlace& /*place*/, const GraphModule& /*model*/, const PassReport& /*report*/) {}
    /// Whether the pass may make this rewrite. A pass leaves the graph as it is where it may not, and goes on.
    virtual bool beforeRewrite(const RewritePlace& /*rewrite*/, const GraphModule& /*model*/) { return true; }
    virtual void afterRewrite(const RewritePlace& /*rewrite*/, const GraphModule& /*model*/) {}
};
using PassInstruments = std::vector<PassInstrument*>;

/// The nodes of a model that passes leave as they are: all but a selection. Nodes that passes create are not among
/// them.
class FrozenNodes {
public:
    FrozenNodes() = default; ///< none
    /// All but those with these names. Throws Error{Refused} for a name that no node has.
    FrozenNodes(const Graph& graph, const std::vector<std::string>& selected);
    bool contains(NodeId node) const { return index(node) < m_frozen.size() && m_frozen[index(node)]; }
    bool empty() const { return m_frozen.empty(); }

private:
    std::vector<bool> m_frozen; ///< by node id
};

/// Asks and tells the instruments about the rewrites of one run of a pass, and counts them.
class RewriteWatch {
public:
    RewriteWatch(PassPlace place, const PassInstruments& instruments, const FrozenNodes& frozen = kNoneFrozen)
        : m_instruments(instruments), m_frozen(frozen) {
        m_now.place = std::move(place);
    }

    /// Whether the rewrite may be made; then `end` follows. Never at a frozen node.
    bool begin(NodeId node, const GraphModule& model) { return !m_frozen.contains(node) && beginAnywhere(node, model); }
    /// The same for a rewrite that belongs to no node: `node` only names it.
    bool beginAnywhere(NodeId node, const GraphModule& model);
    void end(const GraphModule& model);
    std::size_t made() const { return m_made; }
    /// Whether anything looks at the rewrites.
    bool isWatched() const { return !m_instruments.empty(); }
    const FrozenNodes& frozen() const { return m_frozen; }

private:
    static const FrozenNodes kNoneFrozen;

    const PassInstruments& m_instruments;
    const FrozenNodes& m_frozen;
    RewritePlace m_now;
    std::size_t m_made = 0;
};

/// Lets the first rewrites of a run be made, and no more: for stepping and bisection.
class RewriteLimit : public PassInstrument {
public:
    explicit RewriteLimit(std::size_t limit) : m_left(limit) {}
    bool beforeRewrite(const RewritePlace& rewrite, const GraphModule& model) override;
    const RewritePlace& last() const { return m_last; } ///< the last one that was let

private:
    std::size_t m_left;
    RewritePlace m_last;
};

} // namespace fx
