// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/stage_links.h"

#include <QDialog>

#include <array>

class QLabel;

namespace ui {

class DocumentPicture;
class GraphCanvas;

/// Two stages of a compilation, and which of their nodes belong together.
struct StagePair {
    std::array<std::shared_ptr<const fx::GraphModule>, 2> modules;
    std::array<QString, 2> names;
    fx::StageLinks links;
};

/// Two stages side by side: what is selected in one is selected and shown in the other. Nodes without a counterpart are
/// coloured.
class StageWindow final : public QDialog {
    Q_OBJECT
public:
    StageWindow(std::shared_ptr<const StagePair> pair, QWidget* parent);
    GraphCanvas* canvas(std::size_t side) const { return m_sides[side].canvas; }
    QLabel* linked() const { return m_linked; }

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
