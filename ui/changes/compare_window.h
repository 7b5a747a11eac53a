// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/rehearsal.h"
#include "ui/changes/version_difference.h"

#include <QDialog>

#include <array>

class QLabel;
class QPushButton;
class QSplitter;

namespace ui {

class ChangeList;
class DiffView;
class DocumentPicture;
class GraphCanvas;

/// Window that shows two versions side by side: two pictures with linked cameras in which created, erased and changed
/// nodes are coloured, and below them the list of these nodes and the code with its differences. With a `question`, it
/// is a preview that asks whether to apply the change.
class CompareWindow final : public QDialog {
    Q_OBJECT
public:
    /// An empty `question` makes a window without an Apply button.
    CompareWindow(std::shared_ptr<const VersionDifference> difference, const QString& title, const QString& question,
                  QWidget* parent);
    /// Lists the steps that lead from one version to the other beside the code.
    void showSteps(const fx::Rehearsal& rehearsal);
    const VersionDifference& difference() const { return *m_difference; } ///< The shown difference.
    /// Redraws a side (0: before, 1: after) with a version of the same nodes that has shapes.
    void setShown(std::size_t side, std::shared_ptr<const fx::GraphModule> module);
    /// Shows the verdict on whether both versions compute the same: `word` as a badge in the colours of `role`, and the
    /// evidence in `detail`. Empty texts hide it.
    void showVerdict(const QString& word, const char* role, const QString& detail);
    /// Shows a problem of the version after the change.
    void showProblem(const QString& what);
    /// The button that applies the change; null without a question.
    QPushButton* accepts() const { return m_accept; }
    QLabel* verdict() const { return m_verdict; }         ///< The badge of the verdict.
    QLabel* verdictText() const { return m_verdictText; } ///< The evidence for the verdict.
    /// The canvas of a side (0: before, 1: after).
    GraphCanvas* canvas(std::size_t side) const { return m_sides[side].canvas; }
    ChangeList* list() const { return m_list; } ///< The list of changed nodes.

private:
    struct Side {
        DocumentPicture* picture;
        GraphCanvas* canvas;
        bool hasRevealed = false; ///< a node was revealed
    };
    QWidget* makeSide(std::size_t side, const QString& title);
    void makeBelow(QSplitter* all);
    void showScene(std::size_t side);
    void follow(std::size_t side);
    void select(std::size_t side);
    void goTo(fx::NodeId node);
    bool isOn(std::size_t side, fx::NodeId node) const;

    std::shared_ptr<const VersionDifference> m_difference;
    std::array<Side, 2> m_sides;
    QSplitter* m_below = nullptr; ///< the list and the code, and the steps beside them
    ChangeList* m_list = nullptr;
    DiffView* m_code = nullptr;
    QLabel *m_verdict, *m_verdictText, *m_problem;
    QPushButton* m_accept = nullptr;
    fx::NodeId m_first = fx::kNoNode; ///< the difference that is revealed first
    bool m_following = false;
};

} // namespace ui
