// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/stage_links.h"

#include <QDialog>

#include <array>

class QLabel;

namespace ui {

class DocumentPicture;
class GraphCanvas;

/// Two stages of a compilation, and the links between their nodes.
struct StagePair {
    std::array<std::shared_ptr<const fx::GraphModule>, 2> modules; ///< the graphs
    std::array<QString, 2> names;                                  ///< titles of the sides
    fx::StageLinks links;                                          ///< corresponding nodes
};

/// Window that shows two stages side by side. Selecting nodes in one side selects and shows their counterparts in the
/// other. Nodes without a counterpart are coloured.
class StageWindow final : public QDialog {
    Q_OBJECT
public:
    /// Creates a non-modal window that deletes itself when closed.
    StageWindow(std::shared_ptr<const StagePair> pair, QWidget* parent);
    /// The canvas of a side (0 or 1).
    GraphCanvas* canvas(std::size_t side) const { return m_sides[side].canvas; }
    QLabel* linked() const { return m_linked; } ///< The label with the number of linked nodes.

private:
    struct Side {
        DocumentPicture* picture;
        GraphCanvas* canvas;
    };
    QWidget* makeSide(std::size_t side);
    const std::vector<std::vector<fx::NodeId>>& linksOf(std::size_t side) const {
        return side == 0 ? m_pair->links.ofA : m_pair->links.ofB;
    }
    void select(std::size_t side);

    std::shared_ptr<const StagePair> m_pair;
    std::array<Side, 2> m_sides;
    QLabel* m_linked;
    bool m_following = false;
};

} // namespace ui
