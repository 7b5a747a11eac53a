// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"

#include <functional>
#include <stop_token>
#include <string_view>

namespace fx {

/// How a long operation reports and how it is stopped. Cheap to pass by const reference; default: silent, unstoppable.
class Progress {
public:
    /// Called with what is being done and how much of it is done (0..1), on the thread that works.
    using Report = std::function<void(std::string_view what, double done)>;

    Progress() = default;
    explicit Progress(std::stop_token stop, Report report = {})
        : m_stop(std::move(stop)), m_report(std::move(report)) {}

    void report(std::string_view what, double done) const {
        if (m_report) m_report(what, done);
    }
    bool stopRequested() const { return m_stop.stop_requested(); }
    /// Throws Error{Cancelled} when a stop was requested; call it at least every 50 ms of work.
    void check() const {
        if (stopRequested()) throw Error(ErrorKind::Cancelled, Message("app.cancelled"));
    }

private:
    std::stop_token m_stop;
    Report m_report;
};

} // namespace fx
