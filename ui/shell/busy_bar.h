// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QTimer>
#include <QWidget>

#include <functional>

class QLabel;
class QProgressBar;
class QToolButton;

namespace ui {

/// What the window is working on, in the status bar: how far it is, and a button that stops it. Seen only when it
/// lasts.
class BusyBar final : public QWidget {
    Q_OBJECT
public:
    explicit BusyBar(QWidget* parent = nullptr);

    /// Something begins that `cancel` stops; it takes the place of what was told before.
    void begin(const QString& what, std::function<void()> cancel);
    /// `done`: 0..1; 0: not known.
    void report(const QString& what, double done);
    void end();
    bool isBusy() const { return m_cancel != nullptr; }
    QToolButton* cancelButton() const { return m_button; }

private:
    QLabel* m_what;
    QProgressBar* m_done;
    QToolButton* m_button;
    QTimer m_patience;
    std::function<void()> m_cancel;
};

} // namespace ui
