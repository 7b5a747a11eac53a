// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QElapsedTimer>
#include <QObject>

namespace ui {

/// Names a piece of work on the GUI thread, so that the watchdog can report what blocked the event loop.
class GuiScope {
public:
    /// `name` must be a literal.
    explicit GuiScope(const char* name);
    ~GuiScope();
    GuiScope(const GuiScope&) = delete;
    GuiScope& operator=(const GuiScope&) = delete;

private:
    const char* m_name;
    QElapsedTimer m_timer;
};

/// Measures the time between two iterations of the GUI thread's event loop, and logs (category
/// `lancet.eventloop`) each time over the limit with the longest GuiScope in it. Costs no wake-ups.
class EventLoopWatchdog : public QObject {
    Q_OBJECT
public:
    explicit EventLoopWatchdog(QObject* parent, double limitMillis = 50);
    double longestGap() const { return m_longest; } ///< milliseconds since start or `reset`
    void reset();

Q_SIGNALS:
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
