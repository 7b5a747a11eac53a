// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/erase_choices.h"
#include "core/edit/steps/step_list.h"

#include <QString>

#include <optional>

namespace ui {

/// A planned erasure of nodes: which node the users of each connected part take instead.
///
///     conv ─ bn ─ relu ─ …    the selected nodes conv, bn and drop are two parts; the users of the first get conv's
///     fc ─ drop ─ …           input, those of the second fc
class Erasure {
public:
    /// A connected part of the erased nodes.
    struct Part {
        std::vector<fx::NodeId> nodes; ///< in graph order
        fx::EraseChoices choices;      ///< the users outside the part and the candidates that can replace it
        std::size_t chosen = 0;        ///< index in `choices.candidates`
        bool isUsed() const { return !choices.users.empty(); } ///< A node outside the part uses it.
        /// The user has to choose: there is not exactly one candidate.
        bool isOpen() const { return isUsed() && choices.candidates.size() != 1; }
        /// The chosen replacement, or `kNoNode` if the part needs or has none.
        fx::NodeId with() const {
            return isUsed() && chosen < choices.candidates.size() ? choices.candidates[chosen] : fx::kNoNode;
        }
    };

    /// `model` may have shapes. `nodes` are in graph order and not empty. Linear.
    Erasure(std::shared_ptr<const fx::GraphModule> model, std::vector<fx::NodeId> nodes);

    const fx::GraphModule& model() const { return *m_model; }        ///< The model before the erasure.
    const std::vector<fx::NodeId>& nodes() const { return m_nodes; } ///< The erased nodes, in graph order.
    std::vector<Part>& parts() { return m_parts; }                   ///< The parts; the caller sets `chosen`.
    const std::vector<Part>& parts() const { return m_parts; }       ///< The parts, in the order of their first nodes.
    /// True if the user has to choose for a part.
    bool needsAnswer() const;
    /// True if every part that is used has a candidate to replace it.
    bool canReconnect() const;
    /// Returns the nodes that become dead with the current choices, in graph order.
    std::vector<fx::NodeId> dead() const;
    /// Returns the steps of the erasure. `alsoDead` also erases the nodes that become dead.
    fx::StepList steps(bool alsoDead) const;
    /// Returns the steps that also erase every node that depends on the erased ones; nullopt if the output does.
    std::optional<fx::StepList> stepsWithUsers() const;
    /// Names the erased nodes: "relu", "3 nodes".
    QString what() const;

private:
    std::shared_ptr<const fx::GraphModule> m_model;
    std::vector<fx::NodeId> m_nodes;
    std::vector<Part> m_parts;
};

/// Lists at most `limit` names: "relu, add and 3 more".
QString namesInWords(const fx::Graph& graph, const std::vector<fx::NodeId>& nodes, std::size_t limit = 6);

} // namespace ui
