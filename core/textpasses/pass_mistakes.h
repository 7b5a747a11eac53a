// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/lint.h"
#include "core/python/imports/place.h"

#include <optional>
#include <string>
#include <unordered_map>

namespace fx::python {

/// Notes what a pass in Python does to the nodes of one graph, and where, so that mistakes that show only later, in
/// `Graph.lint`, are reported with the line that made them.
class PassMistakes {
public:
    /// A mistake: what to write instead, and the place of the cause if it is known.
    struct Explanation {
        Message hint;
        std::optional<Place> place;
    };

    /// The pass created a node.
    void created(NodeId node, const Place& place) { m_changes[node] = {Change::Kind::Created, place, node}; }
    /// `replace_all_uses_with(with)` changed the arguments of a node.
    void redirected(NodeId node, NodeId with, const Place& place) {
        m_changes[node] = {Change::Kind::Redirected, place, with};
    }
    /// The pass assigned arguments of a node.
    void assigned(NodeId node, const Place& place) { m_changes[node] = {Change::Kind::Assigned, place, node}; }
    /// The pass erased a node.
    void erased(NodeId node, const Place& place) { m_changes[node] = {Change::Kind::Erased, place, node}; }

    /// Returns what led to a problem; nullopt if the pass did not touch its nodes.
    std::optional<Explanation> explain(const Graph& graph, const LintProblem& problem) const;

private:
    struct Change {
        enum class Kind : std::uint8_t { Created, Redirected, Assigned, Erased } kind;
        Place place;
        NodeId with; ///< for Redirected
    };
    const Change* find(NodeId node) const {
        const auto found = m_changes.find(node);
        return found == m_changes.end() ? nullptr : &found->second;
    }
    std::unordered_map<NodeId, Change> m_changes; ///< the last one of each node
};

/// Returns what to write instead where a pass raises an error of Graph, by its text; nullopt for other errors.
std::optional<Message> remedyOfPassError(std::string_view text);

} // namespace fx::python
