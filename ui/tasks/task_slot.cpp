// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/tasks/task_slot.h"

#include "core/base/visible_text.h"

namespace ui {

QThreadPool& taskPool() {
    static auto* const pool = new QThreadPool; // NOLINT: left behind on purpose
    return *pool;
}

TaskState::TaskState(const char* slotName, QObject* listener, OnError onError, OnProgress onProgress)
    : m_slotName(slotName), m_listener(listener), m_onError(std::move(onError)), m_onProgress(std::move(onProgress)) {}

fx::Progress TaskState::progress() {
    if (!m_onProgress) return fx::Progress(m_stop.get_token());
    return fx::Progress(m_stop.get_token(), [this](std::string_view what, double done) { report(what, done); });
}

void TaskState::deliver(std::function<void()> call) {
    // To the application, not to the listener: the listener may be dying on its own thread just now.
    callLater(QCoreApplication::instance(), [self = shared_from_this(), call = std::move(call)] {
        if (self->cancelled()) return;
        self->m_finished = true;
        if (!self->m_listener) return;
        GuiScope scope(self->m_slotName);
        call();
    });
}

void TaskState::deliverError(const fx::Error& error) {
    deliver([this, error] {
        if (m_onError) m_onError(error);
    });
}

void TaskState::report(std::string_view what, double done) {
    {
        std::lock_guard lock(m_mutex);
        m_what = what;
        m_done = done;
        if (m_reportPosted) return; // the posted call will find the newest values
        m_reportPosted = true;
    }
    callLater(QCoreApplication::instance(), [self = shared_from_this()] {
        std::unique_lock lock(self->m_mutex);
        self->m_reportPosted = false;
        const QString text = QString::fromStdString(fx::visibleText(self->m_what));
        const double part = self->m_done;
        lock.unlock();
        if (self->cancelled() || self->m_finished || !self->m_listener) return;
        GuiScope scope(self->m_slotName);
        self->m_onProgress(text, part);
    });
}

} // namespace ui
