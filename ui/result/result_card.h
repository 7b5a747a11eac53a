// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/result/result_text.h"

#include <QFrame>
#include <QPointer>

class QGridLayout;
class QToolButton;

namespace ui {

/// What the edit that made the current version did: is it right, how sure is that, is it faster, what changed. When it
/// is right, one line says so; a click on its arrow tells the rest. Hidden for the original.
class ResultCard final : public QFrame {
    Q_OBJECT
public:
    explicit ResultCard(QWidget* parent = nullptr);
    /// Null: no file is open.
    void setSession(ResultSession* session);
    /// There is no room for more than the short form.
    void setCramped(bool cramped);
    /// The card tells everything; else it is one line.
    bool isFull() const;
    /// How high the full form is in that width.
    int fullHeight(int width);

    QLabel* title() const { return m_title; }
    QLabel* pill(ResultText::Answer answer) const { return m_rows[static_cast<std::size_t>(answer)].pill; }
    QLabel* detail(ResultText::Answer answer) const { return m_rows[static_cast<std::size_t>(answer)].detail; }
    QToolButton* timeButton() const { return m_time; }
    QToolButton* probeButton() const { return m_probe; }
    QLabel* shortPill() const { return m_shortRight; }
    QLabel* line() const { return m_line; }

Q_SIGNALS:
    /// The card appears, goes, or is in its other form.
    void formChanged();

protected:
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    struct Row {
        QLabel *name, *pill, *detail;
        QToolButton* button = nullptr;
    };
    QWidget* makeFull();
    QWidget* makeShort();
    void show();
    void showForm();
    void showAge();
    /// How many things stand beside each other: all of a row, its name and pill, or one.
    enum class Columns { All, Heads, One };
    static Columns columnsIn(int width);
    void arrange(Columns columns);

    QPointer<ResultSession> m_session;
    ResultText m_text;
    QWidget *m_full, *m_short;
    QGridLayout* m_grid;
    QLabel *m_title, *m_age, *m_about;
    std::array<Row, ResultText::kRows> m_rows;
    QToolButton *m_time, *m_probe, *m_fold, *m_unfold;
    QLabel *m_shortRight, *m_shortFaster, *m_line;
    QTimer m_clock;
    Columns m_columns = Columns::All;
    bool m_unfolded = false, m_cramped = false;
};

} // namespace ui
