// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/rehearsal.h"
#include "ui/changes/version_difference.h"

#include <QDialog>

#include <array>

class QPushButton;
class QSplitter;

namespace ui {

class DiffView;
class DocumentPicture;
class GraphCanvas;

/// Original and modified side by side: two pictures with linked cameras, created, erased and changed nodes coloured, and the code
/// with its differences below. With `question` it asks whether to apply (a preview); else it only shows.
class CompareWindow final : public QDialog {
    Q_OBJECT
public:
    CompareWindow(std::shared_ptr<const VersionDifference> difference, const QString& title, const QString& question, QWidget* parent);
    /// Lists the steps that lead from one to the other, beside the code.
    void showSteps(const fx::Rehearsal& rehearsal);
    GraphCanvas* canvas(std::size_t side) const { return m_sides[side].canvas; }

private:
    struct Side {
        DocumentPicture* picture;
        GraphCanvas* canvas;
    };
    QWidget* makeSide(std::size_t side, const QString& title);
    QWidget* makeCode();
    void showScene(std::size_t side);
    void follow(std::size_t side);
    void select(std::size_t side);
    void goTo(fx::NodeId node);

    std::shared_ptr<const VersionDifference> m_difference;
    std::array<Side, 2> m_sides;
    QSplitter* m_below = nullptr; ///< the code, and steps beside it
    DiffView* m_code = nullptr;
    bool m_following = false;
};

} // namespace ui
