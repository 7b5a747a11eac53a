// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/run/run_session.h"

#include <QPointer>
#include <QWidget>

class QProgressBar;
class QPushButton;

namespace ui {

class ElidedLabel;

/// Below an inconclusive verdict: what is being tried to decide it, how far that is and a way out; or the button that
/// starts it. Hidden under any other verdict.
class ProbeBar final : public QWidget {
    Q_OBJECT
public:
    explicit ProbeBar(QWidget* parent = nullptr);
    /// Null: no file is open.
    void setSession(RunSession* session);
    ElidedLabel* text() const { return m_text; }
    QProgressBar* progress() const { return m_progress; }
    QPushButton* button() const { return m_button; }

private:
    void show();
    void showProgress();

    QPointer<RunSession> m_session;
    ElidedLabel* m_text;
    QProgressBar* m_progress;
    QPushButton* m_button;
};

} // namespace ui
