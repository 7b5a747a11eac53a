// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/erase_choices.h"

#include <QByteArray>
#include <QString>

#include <optional>

namespace ui {

/// Erasing some nodes of a model, before it is done: which node the users of each connected part of them get instead.
///
///     conv ─ bn ─ relu ─ …    the selected nodes conv, bn and drop are two parts; the users of the first get conv's
///     fc ─ drop ─ …           input, those of the second fc
class Erasure {
public:
    struct Part {
        std::vector<fx::NodeId> nodes; ///< in graph order
        fx::EraseChoices choices;
        std::size_t chosen = 0; ///< of the candidates
        bool isUsed() const { return !choices.users.empty(); }
        bool isOpen() const { return isUsed() && choices.candidates.size() != 1; } ///< somebody has to choose
        fx::NodeId with() const {
            return isUsed() && chosen < choices.candidates.size() ? choices.candidates[chosen] : fx::kNoNode;
        }
    };

    /// `model` may have shapes; `nodes` in graph order, not empty. Linear.
    Erasure(std::shared_ptr<const fx::GraphModule> model, std::vector<fx::NodeId> nodes);

    const fx::GraphModule& model() const { return *m_model; }
    const std::vector<fx::NodeId>& nodes() const { return m_nodes; }
    std::vector<Part>& parts() { return m_parts; }
    const std::vector<Part>& parts() const { return m_parts; }
    bool needsAnswer() const;
    /// Every part that is used has something else for its users.
    bool canReconnect() const;
    /// What nothing uses any more after it.
    std::vector<fx::NodeId> dead() const;
    /// `alsoDead`: what nothing uses after it goes, too.
    QByteArray steps(bool alsoDead) const;
    /// The steps that erase everything that depends on the nodes; nullopt: the output does.
    std::optional<QByteArray> stepsWithUsers() const;
    /// "relu", "3 nodes"
    QString what() const;

private:
    std::shared_ptr<const fx::GraphModule> m_model;
    std::vector<fx::NodeId> m_nodes;
    std::vector<Part> m_parts;
};

/// At most `limit` names: "relu, add and 3 more".
QString namesInWords(const fx::Graph& graph, const std::vector<fx::NodeId>& nodes, std::size_t limit = 6);

} // namespace ui
