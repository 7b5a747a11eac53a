// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QElapsedTimer>
#include <QObject>

namespace ui {

/// Names a stretch of work on the GUI thread, so that the watchdog can report what blocked the event loop.
class GuiScope {
public:
    /// `name` must be a string literal.
    explicit GuiScope(const char* name);
    ~GuiScope();
    GuiScope(const GuiScope&) = delete;
    GuiScope& operator=(const GuiScope&) = delete;

private:
    const char* m_name;
    QElapsedTimer m_timer;
};

/// Measures each iteration of the GUI thread's event loop. Logs those over the limit (category `lancet.eventloop`) with
/// the longest GuiScope in them. Causes no wake-ups.
class EventLoopWatchdog : public QObject {
    Q_OBJECT
public:
    /// `limitMillis` is the limit in milliseconds. Create it on the GUI thread.
    explicit EventLoopWatchdog(QObject* parent, double limitMillis = 50);
    double longestGap() const { return m_longest; } ///< In milliseconds, since the start or `reset`.
    /// Forgets the longest gap and the current iteration.
    void reset();

Q_SIGNALS:
    /// Emitted after an iteration over the limit; `scope` is its longest GuiScope, or "unnamed".
    void gapped(double millis, const QString& scope);

private:
    void wake();
    void block();

    QElapsedTimer m_timer;
    bool m_awake = false;
    double m_limit;
    double m_longest = 0;
};

} // namespace ui
