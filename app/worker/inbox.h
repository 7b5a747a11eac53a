// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/remote/frame.h"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <stop_token>

namespace app {

/// Reads frames on a thread of its own, so that the one who asks is heard while a model runs: a Cancel frame stops the
/// request that runs or waits, and when the other side goes away this process ends, also in the middle of a run that
/// would never end.
class Inbox {
public:
    explicit Inbox(int descriptor);

    /// Waits for the next frame.
    fx::remote::Frame next();
    /// Stops when the request of the last frame is no longer wanted.
    std::stop_token stopToken();

private:
    void read(int descriptor);
    void take(fx::remote::Frame frame);

    std::mutex m_mutex;
    std::condition_variable m_came;
    std::deque<fx::remote::Frame> m_frames;
    std::uint32_t m_current = 0, m_cancelled = 0;
    std::stop_source m_stop;
};

} // namespace app
