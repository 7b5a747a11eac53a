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

/// Original and modified side by side: two pictures with linked cameras, created, erased and changed nodes coloured,
/// and the code with its differences below, beside the list of these nodes. With `question`, it asks whether to apply
/// the change (a preview).
class CompareWindow final : public QDialog {
    Q_OBJECT
public:
    CompareWindow(std::shared_ptr<const VersionDifference> difference, const QString& title, const QString& question,
                  QWidget* parent);
    /// Lists the steps between the two versions beside the code.
    void showSteps(const fx::Rehearsal& rehearsal);
    const VersionDifference& difference() const { return *m_difference; }
    /// Draws a side with what is known of its nodes: the same version with shapes.
    void setShown(std::size_t side, std::shared_ptr<const fx::GraphModule> module);
    /// Whether both compute the same, as a badge in the colours of `role`, and what that rests on.
    void showVerdict(const QString& word, const char* role, const QString& detail);
    /// What is wrong with the modified version.
    void showProblem(const QString& what);
    /// Applies the change; null without a question.
    QPushButton* accepts() const { return m_accept; }
    QLabel* verdict() const { return m_verdict; }
    QLabel* verdictText() const { return m_verdictText; }
    GraphCanvas* canvas(std::size_t side) const { return m_sides[side].canvas; }
    ChangeList* list() const { return m_list; }

private:
    struct Side {
        DocumentPicture* picture;
        GraphCanvas* canvas;
        bool hasRevealed = false; ///< a node
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
    QSplitter* m_below = nullptr; ///< the list and the code, and steps beside them
    ChangeList* m_list = nullptr;
    DiffView* m_code = nullptr;
    QLabel *m_verdict, *m_verdictText, *m_problem;
    QPushButton* m_accept = nullptr;
    fx::NodeId m_first = fx::kNoNode; ///< the difference that is shown in the beginning
    bool m_following = false;
};

} // namespace ui
