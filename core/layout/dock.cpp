// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/dock.h"

#include <algorithm>

namespace fx {

namespace {

constexpr double kPitch = kCopyHeight + 4;
constexpr double kAway = 24;   // between the column and the box
constexpr double kTrunk = 10;  // between the line that collects a column and the box
constexpr double kIndent = 16; // left-right: the column stands this far in
constexpr double kAttachMargin = 16;

double columnHeight(std::uint32_t count) { return count == 0 ? 0 : count * kPitch - (kPitch - kCopyHeight); }

} // namespace

BoxShape DockedBox::shape(Direction direction) const {
    BoxShape shape;
    if (direction == Direction::TopDown) {
        shape.cross = {width / 2 + (dock.heads == 0 ? 0 : kAway + dock.headWidth),
                       width / 2 + (dock.tails == 0 ? 0 : kAway + dock.tailWidth)};
        shape.length = std::max({height, columnHeight(dock.heads), columnHeight(dock.tails)});
        shape.start = (shape.length - height) / 2;
        shape.end = shape.start + height;
        shape.attach = std::max(0.0, width / 2 - kAttachMargin);
        return shape;
    }
    shape.cross = {height / 2 + dock.heads * kPitch, height / 2 + dock.tails * kPitch};
    shape.length = std::max(
        {width, dock.heads == 0 ? 0 : kIndent + dock.headWidth, dock.tails == 0 ? 0 : kIndent + dock.tailWidth});
    shape.start = 0;
    shape.end = width;
    shape.attach = std::max(0.0, height / 2 - kAttachMargin / 2);
    return shape;
}

Rect DockedBox::boxAt(Point at, Direction direction) const {
    const auto start = shape(direction).start;
    if (direction == Direction::TopDown) return {at.x - width / 2, at.y + start, width, height};
    return {at.y, at.x - height / 2, width, height};
}

std::vector<Rect> DockedBox::slots(const Rect& box, bool heads, Direction direction) const {
    std::vector<Rect> result;
    const auto count = heads ? dock.heads : dock.tails;
    const double w = heads ? dock.headWidth : dock.tailWidth;
    for (std::uint32_t i = 0; i < count; ++i) {
        if (direction == Direction::TopDown) {
            const double top = box.center().y - columnHeight(count) / 2;
            result.push_back({heads ? box.x - kAway - w : box.right() + kAway, top + i * kPitch, w, kCopyHeight});
        } else {
            const double top = heads ? box.y - count * kPitch : box.bottom() + kPitch - kCopyHeight;
            result.push_back({box.x + kIndent, top + i * kPitch, w, kCopyHeight});
        }
    }
    return result;
}

std::vector<Point> DockedBox::line(const Rect& box, const Rect& slot, bool head, Direction direction) const {
    std::vector<Point> points;
    const double y = slot.center().y;
    if (direction == Direction::TopDown) {
        const double near = head ? box.x : box.right(), far = head ? slot.right() : slot.x;
        const double trunk = head ? near - kTrunk : near + kTrunk, middle = box.center().y;
        points = {{far, y}, {near, middle}};
        if (y != middle) points = {{far, y}, {trunk, y}, {trunk, middle}, {near, middle}};
    } else {
        const double x = box.x + kIndent / 2;
        points = {{slot.x, y}, {x, y}, {x, head ? box.y : box.bottom()}};
    }
    if (!head) std::reverse(points.begin(), points.end());
    return points;
}

} // namespace fx
