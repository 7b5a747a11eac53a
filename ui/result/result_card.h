// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/result/result_text.h"
#include "ui/tasks/task_slot.h"

#include <QFrame>
#include <QPointer>

class QGridLayout;
class QToolButton;

namespace ui {

/// Card with the result of the edit that created the current version: is it right, how certain is that, is it faster,
/// what changed. If it is right, one line says so; a click on its arrow shows the rest. Hidden for the original.
class ResultCard final : public QFrame {
    Q_OBJECT
public:
    explicit ResultCard(QWidget* parent = nullptr); ///< Creates a hidden card.
    /// Shows another session; null if no file is open.
    void setSession(ResultSession* session);
    /// Sets whether there is only room for the short form. If the user then asks for the full form, the host has to
    /// scroll.
    void setCramped(bool cramped);
    /// True if the card has its full form; else it is one line.
    bool isFull() const;
    /// Returns the height of the full form in a width.
    int fullHeight(int width);

    QLabel* title() const { return m_title; } ///< The name of the edit.
    /// The badge of an answer.
    QLabel* pill(ResultText::Answer answer) const { return m_rows[static_cast<std::size_t>(answer)].pill; }
    /// The evidence of an answer.
    QLabel* detail(ResultText::Answer answer) const { return m_rows[static_cast<std::size_t>(answer)].detail; }
    QToolButton* timeButton() const { return m_time; }     ///< Times the version.
    QToolButton* probeButton() const { return m_probe; }   ///< Tries further inputs, or cancels that.
    QToolButton* saveButton() const { return m_save; }     ///< Saves the inputs of a counterexample.
    QToolButton* methodButton() const { return m_method; } ///< Explains the method.
    QLabel* shortPill() const { return m_shortRight; }     ///< The verdict in the short form.
    QLabel* line() const { return m_line; }                ///< The text of the short form.

Q_SIGNALS:
    /// Emitted when the card appears, disappears, or changes its form.
    void formChanged();
    void notified(const QString& text); ///< Emitted with messages for the status bar.

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
    void showProbe();
    void tryFurther();
    void saveInputs();
    /// The number of items side by side: a whole row, its name and badge, or one.
    enum class Columns { All, Heads, One };
    static Columns columnsIn(int width);
    void arrange(Columns columns);

    QPointer<ResultSession> m_session;
    ResultText m_text;
    QWidget *m_full, *m_short;
    QGridLayout* m_grid;
    QLabel *m_title, *m_age, *m_about;
    std::array<Row, ResultText::kRows> m_rows;
    QToolButton *m_time, *m_probe, *m_save, *m_method, *m_fold, *m_unfold;
    TaskSlot<bool> m_saving{"result.save_inputs"};
    QLabel *m_shortRight, *m_shortFaster, *m_line;
    QTimer m_clock{this};
    Columns m_columns = Columns::All;
    bool m_unfolded = false, m_cramped = false;
};

} // namespace ui
