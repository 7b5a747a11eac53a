// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"

#include <functional>
#include <stop_token>
#include <string_view>

namespace fx {

/// Progress reports and cancellation of a long operation. Cheap to pass by const reference. By default it is silent and
/// cannot be cancelled.
class Progress {
public:
    /// Receives the current step and the fraction done (0 to 1), on the working thread.
    using Report = std::function<void(std::string_view what, double done)>;

    Progress() = default;
    explicit Progress(std::stop_token stop, Report report = {})
        : m_stop(std::move(stop)), m_report(std::move(report)) {}

    /// Calls the receiver, if there is one.
    void report(std::string_view what, double done) const {
        if (m_report) m_report(what, done);
    }
    /// True once cancellation was requested.
    bool stopRequested() const { return m_stop.stop_requested(); }
    /// Throws Error{Cancelled} if cancellation was requested. Call it at least every 50 ms of work.
    void check() const {
        if (stopRequested()) throw Error(ErrorKind::Cancelled, Message("app.cancelled"));
    }

private:
    std::stop_token m_stop;
    Report m_report;
};

} // namespace fx
