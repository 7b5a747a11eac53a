// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/measure/scan_pace.h"

#include <algorithm>
#include <cmath>

namespace fx::quant {
namespace {

/// "40 s", "12 min", "3 h": rounded up.
std::string roundedTime(double seconds) {
    const auto whole = [](double number) { return std::to_string(static_cast<long long>(std::ceil(number))); };
    if (seconds <= 90) return whole(seconds) + " s";
    return seconds <= 90 * 60 ? whole(seconds / 60) + " min" : whole(seconds / 3600) + " h";
}

} // namespace

std::string ScanPace::text(std::size_t done, std::string_view doing, Clock::time_point now) const {
    if (done >= m_layers) return std::string(doing);
    std::string text = "layer " + std::to_string(done + 1) + " of " + std::to_string(m_layers);
    if (done > m_known) {
        const double passed = std::chrono::duration<double>(now - m_start).count();
        const double left = passed / static_cast<double>(done - m_known) * static_cast<double>(m_layers - done);
        text += ", " + roundedTime(left) + " left";
    }
    return text + ": " + std::string(doing);
}

double ScanPace::share(std::size_t done, double part) const {
    if (done >= m_layers) return 1;
    return (static_cast<double>(done) + std::clamp(part, 0.0, 1.0)) / static_cast<double>(m_layers);
}

} // namespace fx::quant
