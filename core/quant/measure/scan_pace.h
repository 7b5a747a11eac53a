// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

namespace fx::quant {

/// How far a scan of layers is, and when it will be done: every layer is expected to take as long as those before it.
class ScanPace {
public:
    using Clock = std::chrono::steady_clock;

    ScanPace() = default;
    /// `known` of the layers were measured before.
    ScanPace(std::size_t layers, std::size_t known, Clock::time_point start = Clock::now())
        : m_layers(layers), m_known(known), m_start(start) {}

    /// "layer 2 of 4, 12 s left: calibrating, batch 3 of 4"; after the last layer, only what is being done.
    std::string text(std::size_t done, std::string_view doing, Clock::time_point now = Clock::now()) const;
    /// 0..1 of the scan; `part`: of the layer.
    double share(std::size_t done, double part) const;

private:
    std::size_t m_layers = 0, m_known = 0;
    Clock::time_point m_start;
};

} // namespace fx::quant
