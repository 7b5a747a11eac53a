// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace fx::quant {

/// Progress and remaining time of a scan. The estimate assumes that the remaining layers take as long as those already
/// measured.
class ScanPace {
public:
    using Clock = std::chrono::steady_clock;

    ScanPace() = default;
    /// `known` layers were measured in an earlier run.
    ScanPace(std::size_t layers, std::size_t known, Clock::time_point start = Clock::now())
        : m_layers(layers), m_known(known), m_start(start) {}

    /// "layer 2 of 4, 12 s left: calibrating, batch 3 of 4"; after the last layer, only `doing`.
    std::string text(std::size_t done, std::string_view doing, Clock::time_point now = Clock::now()) const;
    /// Returns the finished fraction of the scan, 0 to 1; `part` is the fraction of the current layer.
    double share(std::size_t done, double part) const;

private:
    std::size_t m_layers = 0, m_known = 0;
    Clock::time_point m_start;
};

} // namespace fx::quant
