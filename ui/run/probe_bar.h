// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/run/run_session.h"

#include <QPointer>
#include <QWidget>

class QProgressBar;
class QPushButton;

namespace ui {

class ElidedLabel;

/// Bar below an inconclusive verdict with the progress of trying to decide it and a Cancel button, or the button that
/// starts trying. Hidden for other verdicts.
class ProbeBar final : public QWidget {
    Q_OBJECT
public:
    explicit ProbeBar(QWidget* parent = nullptr); ///< Creates a hidden bar.
    /// Shows another session; null if no file is open.
    void setSession(RunSession* session);
    ElidedLabel* text() const { return m_text; }          ///< The current trial.
    QProgressBar* progress() const { return m_progress; } ///< The progress of the trials.
    QPushButton* button() const { return m_button; }      ///< Starts or cancels the trials.

private:
    void show();
    void showProgress();

    QPointer<RunSession> m_session;
    ElidedLabel* m_text;
    QProgressBar* m_progress;
    QPushButton* m_button;
};

} // namespace ui
