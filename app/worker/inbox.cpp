// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/inbox.h"

#include <cstdio>
#include <exception>
#include <thread>
#include <unistd.h>

namespace app {

using fx::remote::Frame;
using fx::remote::FrameKind;
using fx::remote::FrameReader;

// The thread lives as long as the process.
Inbox::Inbox(FrameReader reader) {
    std::thread([this, reader = std::move(reader)]() mutable { read(std::move(reader)); }).detach();
}

void Inbox::read(FrameReader reader) {
    try {
        while (reader.read(std::chrono::milliseconds(-1)) == FrameReader::State::Frame) take(reader.take());
    } catch (const std::exception& error) {
        std::fprintf(stderr, "lancet-worker: %s\n", error.what());
        ::_exit(1); // what came is no message
    }
    ::_exit(0);
}

void Inbox::take(Frame frame) {
    const std::lock_guard lock(m_mutex);
    if (frame.kind == FrameKind::Cancel) {
        m_cancelled = frame.request;
        if (frame.request == m_current) m_stop.request_stop();
        return;
    }
    m_frames.push_back(std::move(frame));
    m_came.notify_one();
}

Frame Inbox::next() {
    std::unique_lock lock(m_mutex);
    m_came.wait(lock, [this] { return !m_frames.empty(); });
    Frame frame = std::move(m_frames.front());
    m_frames.pop_front();
    m_current = frame.request;
    m_stop = {};
    if (frame.request != 0 && frame.request == m_cancelled) m_stop.request_stop();
    return frame;
}

std::stop_token Inbox::stopToken() {
    const std::lock_guard lock(m_mutex);
    return m_stop.get_token();
}

} // namespace app
