// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/family_mark.h"

#include <array>
#include <cmath>
#include <numbers>

namespace fx {
namespace {

using ops::Family;

MarkLine box(double left, double top, double right, double bottom) {
    return {{{left, top}, {right, top}, {right, bottom}, {left, bottom}}, true};
}
MarkLine line(std::vector<Point> points) { return {std::move(points), false}; }

/// Part of a circle about the middle; angles in turns, clockwise from the right.
MarkLine arc(double radius, double from, double to) {
    MarkLine out;
    constexpr int kSteps = 16;
    for (int i = 0; i <= kSteps; ++i) {
        const double angle = 2 * std::numbers::pi * (from + (to - from) * i / kSteps);
        out.points.push_back({7 + radius * std::cos(angle), 7 + radius * std::sin(angle)});
    }
    return out;
}

std::vector<MarkLine> drawn(Family family) {
    switch (family) {
    case Family::Other:
    case Family::Arithmetic: return {};
    case Family::Convolution: return {box(1.5, 1.5, 12.5, 12.5), box(5, 5, 9, 9)};
    case Family::Matrix: return {box(1.5, 1.5, 5.5, 12.5), box(8.5, 1.5, 12.5, 6)};
    case Family::Attention:
        return {line({{7, 1}, {7, 13}}), line({{1.8, 4}, {12.2, 10}}), line({{1.8, 10}, {12.2, 4}})};
    case Family::Recurrent: return {arc(5, 0, 0.8), line({{5.4, 4.6}, {8.6, 2.2}, {5.2, 0.6}})};
    case Family::Lookup:
        return {box(1.5, 2, 12.5, 12), line({{1.5, 5.4}, {12.5, 5.4}}), line({{1.5, 8.7}, {12.5, 8.7}})};
    case Family::Normalization:
        return {line({{1, 12},
                      {3, 11.3},
                      {4.4, 9},
                      {5.4, 5},
                      {6.2, 2.8},
                      {7, 2.2},
                      {7.8, 2.8},
                      {8.6, 5},
                      {9.6, 9},
                      {11, 11.3},
                      {13, 12}})};
    case Family::Activation: return {line({{1, 11.5}, {6.5, 11.5}, {12.5, 2.5}})};
    case Family::Dropout: return {arc(5.3, 0, 1), line({{3.2, 10.8}, {10.8, 3.2}})};
    case Family::Pooling: return {box(1.5, 1.5, 12.5, 12.5), line({{7, 1.5}, {7, 12.5}}), line({{1.5, 7}, {12.5, 7}})};
    case Family::Reduction: return {{{{1.5, 2.5}, {12.5, 2.5}, {7, 12}}, true}};
    case Family::Shape: return {line({{1, 7}, {13, 7}}), line({{8.8, 2.8}, {13, 7}, {8.8, 11.2}})};
    }
    return {};
}

} // namespace

std::span<const MarkLine> markOf(Family family) {
    static const auto kMarks = [] {
        std::array<std::vector<MarkLine>, ops::kFamilyCount> all;
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = drawn(static_cast<Family>(i));
        return all;
    }();
    return kMarks[static_cast<std::size_t>(family)];
}

} // namespace fx
