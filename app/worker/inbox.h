// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/remote/frame.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <stop_token>

namespace app {

/// Reads frames on a separate thread, so that the client is heard while a model runs. A Cancel frame stops a running or
/// waiting request. If the client disconnects, the process ends, even in the middle of an endless run.
class Inbox {
public:
    /// Starts the thread, which lives as long as the process.
    explicit Inbox(fx::remote::FrameReader reader);

    /// Waits for the next frame.
    fx::remote::Frame next();
    /// Returns the stop request for the last frame.
    std::stop_token stopToken();

private:
    void read(fx::remote::FrameReader reader);
    void take(fx::remote::Frame frame);

    std::mutex m_mutex;
    std::condition_variable m_came;
    std::deque<fx::remote::Frame> m_frames;
    std::uint32_t m_current = 0, m_cancelled = 0;
    std::stop_source m_stop;
};

} // namespace app
