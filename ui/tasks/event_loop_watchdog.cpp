// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tasks/event_loop_watchdog.h"

#include <QAbstractEventDispatcher>
#include <QLoggingCategory>

namespace ui {
namespace {

Q_LOGGING_CATEGORY(lcEventLoop, "lancet.eventloop")

/// The longest named stretch since the event loop last woke up. GUI thread only.
struct LongestScope {
    const char* name = nullptr;
    qint64 nanos = 0;
};
LongestScope s_longest;

} // namespace

GuiScope::GuiScope(const char* name) : m_name(name) { m_timer.start(); }

GuiScope::~GuiScope() {
    const qint64 nanos = m_timer.nsecsElapsed();
    if (nanos > s_longest.nanos) s_longest = {m_name, nanos};
}

EventLoopWatchdog::EventLoopWatchdog(QObject* parent, double limitMillis) : QObject(parent), m_limit(limitMillis) {
    auto* dispatcher = QAbstractEventDispatcher::instance();
    connect(dispatcher, &QAbstractEventDispatcher::awake, this, &EventLoopWatchdog::wake);
    connect(dispatcher, &QAbstractEventDispatcher::aboutToBlock, this, &EventLoopWatchdog::block);
}

void EventLoopWatchdog::reset() {
    m_longest = 0;
    m_awake = false;
}

void EventLoopWatchdog::wake() {
    block(); // a busy loop wakes again without blocking in between
    s_longest = {};
    m_awake = true;
    m_timer.start();
}

void EventLoopWatchdog::block() {
    if (!std::exchange(m_awake, false)) return;
    const double millis = double(m_timer.nsecsElapsed()) / 1e6;
    m_longest = std::max(m_longest, millis);
    if (millis <= m_limit) return;
    const QString scope = QString::fromLatin1(s_longest.name ? s_longest.name : "unnamed");
    qCWarning(lcEventLoop).noquote()
        << QStringLiteral("event loop held up for %1 ms in %2").arg(millis, 0, 'f', 0).arg(scope);
    Q_EMIT gapped(millis, scope);
}

} // namespace ui
