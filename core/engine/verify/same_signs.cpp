// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/same_signs.h"

#include <algorithm>
#include <cmath>

namespace fx::engine {
namespace {

constexpr std::size_t kMostPlaces = 1 << 15; ///< that are kept
constexpr std::size_t kFewPlaces = 32;       ///< fewer tell nothing
constexpr std::size_t kManyPlaces = 512;     ///< fewer do not tell how ratios spread
constexpr std::size_t kNearPlaces = 32;      ///< one of so many places is near zero
constexpr std::size_t kSizeWindows = 8;      ///< parts of all places, by size
constexpr double kSpreadGrowth = 6;          ///< of the spread near zero; smooth functions reach 2
constexpr double kRatioNoise = 4;            ///< times that of a ratio

double quantile(std::vector<double>& values, double part) {
    const auto place = static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), values.begin() + place, values.end());
    return values[static_cast<std::size_t>(place)];
}

} // namespace

void SameSigns::add(double a, double b, double noiseA, double noiseB) {
    if (!std::isfinite(a) || !std::isfinite(b) || std::abs(a) <= noiseA || std::abs(b) <= noiseB || a == 0) return;
    if ((a < 0) != (b < 0)) m_differ = true;
    else if (m_places.size() < kMostPlaces)
        m_places.push_back({std::log(std::abs(a)), std::log(b / a), noiseA / std::abs(a) + noiseB / std::abs(b)});
}

bool SameSigns::hold() const {
    if (m_differ || m_places.size() < kFewPlaces) return false;
    if (m_places.size() < kManyPlaces) return true;
    std::vector<Place> places = m_places;
    std::sort(places.begin(), places.end(), [](const Place& x, const Place& y) { return x.size < y.size; });
    // Powers of a have a ratio that grows with it: what is left of a straight line is the spread.
    const auto spread = [&](std::size_t start, std::size_t end) {
        const auto count = static_cast<double>(end - start);
        double size = 0, ratio = 0, squares = 1e-300, products = 0;
        for (std::size_t i = start; i < end; ++i) size += places[i].size / count, ratio += places[i].ratio / count;
        for (std::size_t i = start; i < end; ++i) {
            const double off = places[i].size - size;
            squares += off * off, products += off * (places[i].ratio - ratio);
        }
        std::vector<double> rest;
        for (std::size_t i = start; i < end; ++i)
            rest.push_back(places[i].ratio - ratio - products / squares * (places[i].size - size));
        return quantile(rest, 0.9) - quantile(rest, 0.1);
    };
    const std::size_t near = std::max(places.size() / kNearPlaces, kNearPlaces);
    double elsewhere = 0;
    for (std::size_t i = 2; i < kSizeWindows; ++i)
        elsewhere =
            std::max(elsewhere, spread(places.size() * i / kSizeWindows, places.size() * (i + 1) / kSizeWindows));
    std::vector<double> noise;
    for (std::size_t i = 0; i < near; ++i) noise.push_back(places[i].noise);
    return spread(0, near) <= kSpreadGrowth * elsewhere + kRatioNoise * quantile(noise, 0.5);
}

} // namespace fx::engine
