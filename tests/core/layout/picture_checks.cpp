// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/layout/picture_checks.h"

#include "core/layout/edge_curve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <sstream>
#include <unordered_map>
#include <vector>

namespace picture_checks {

using fx::Picture;
using fx::Point;
using fx::Rect;

namespace {

constexpr double kSlack = 0.3;
constexpr double kPadding = 7;
constexpr double kCellSize = 512;
constexpr double kSampleStep = 6;

std::string text(const Rect& r) {
    std::ostringstream out;
    out << '(' << r.x << ", " << r.y << ", " << r.w << " x " << r.h << ')';
    return out.str();
}
std::string nameOf(const Picture& p, std::size_t item) {
    if (item >= p.nodes.size()) return "group " + p.groups[item - p.nodes.size()].path;
    return p.nodes[item].title + (p.nodes[item].copy > 0 ? '@' + std::to_string(p.nodes[item].copy) : "");
}
const Rect& rectOf(const Picture& p, std::size_t item) {
    return item < p.nodes.size() ? p.nodes[item].rect : p.groups[item - p.nodes.size()].rect;
}
std::uint32_t groupOf(const Picture& p, std::size_t item) {
    return item < p.nodes.size() ? p.nodes[item].group : p.groups[item - p.nodes.size()].parent;
}
bool overlap(const Rect& a, const Rect& b) {
    return a.x < b.right() - kSlack && b.x < a.right() - kSlack && a.y < b.bottom() - kSlack &&
           b.y < a.bottom() - kSlack;
}
bool contains(const Rect& r, Point p) {
    return p.x > r.x + kSlack && p.x < r.right() - kSlack && p.y > r.y + kSlack && p.y < r.bottom() - kSlack;
}
bool onBorder(const Rect& r, Point p) {
    const bool within =
        p.x > r.x - kSlack && p.x < r.right() + kSlack && p.y > r.y - kSlack && p.y < r.bottom() + kSlack;
    return within && !contains(r, p);
}

/// Items by the squares that they touch.
class Grid {
public:
    explicit Grid(const Picture& p) {
        for (std::size_t i = 0; i < p.nodes.size() + p.groups.size(); ++i) {
            const auto& r = rectOf(p, i);
            for (auto x = cell(r.x); x <= cell(r.right()); ++x)
                for (auto y = cell(r.y); y <= cell(r.bottom()); ++y)
                    m_items[key(x, y)].push_back(static_cast<std::uint32_t>(i));
        }
    }
    const std::vector<std::uint32_t>& at(Point p) const {
        static const std::vector<std::uint32_t> none;
        const auto found = m_items.find(key(cell(p.x), cell(p.y)));
        return found == m_items.end() ? none : found->second;
    }

private:
    static std::int64_t cell(double v) { return static_cast<std::int64_t>(std::floor(v / kCellSize)); }
    static std::int64_t key(std::int64_t x, std::int64_t y) { return x * 1000003 + y; }
    std::unordered_map<std::int64_t, std::vector<std::uint32_t>> m_items;
};

bool isAround(const Picture& p, std::size_t group, std::size_t item) {
    for (auto g = groupOf(p, item); g != fx::kNoGroup; g = p.groups[g].parent)
        if (g + p.nodes.size() == group) return true;
    return false;
}

Point along(Point from, const fx::CurvePiece& piece, double t) {
    if (piece.straight) return {from.x + (piece.to.x - from.x) * t, from.y + (piece.to.y - from.y) * t};
    const double s = 1 - t, a = s * s * s, b = 3 * s * s * t, c = 3 * s * t * t, d = t * t * t;
    return {a * from.x + b * piece.c1.x + c * piece.c2.x + d * piece.to.x,
            a * from.y + b * piece.c1.y + c * piece.c2.y + d * piece.to.y};
}

std::string checkCurve(const Picture& p, const Grid& grid, const fx::EdgeItem& edge) {
    const auto describe = [&] { return nameOf(p, edge.from) + " -> " + nameOf(p, edge.to); };
    if (edge.points.size() < 2) return describe() + " has no points";
    if (!onBorder(rectOf(p, edge.from), edge.points.front())) return describe() + " does not start at the border";
    if (!onBorder(rectOf(p, edge.to), edge.points.back())) return describe() + " does not end at the border";
    for (std::size_t i = 1; i < edge.points.size(); ++i) {
        if (edge.stub && i == edge.gap + 1) continue;
        const auto from = edge.points[i - 1];
        const auto piece = fx::curveBetween(from, edge.points[i], p.direction);
        const int steps = 1 + static_cast<int>(std::hypot(piece.to.x - from.x, piece.to.y - from.y) / kSampleStep);
        for (int k = 0; k <= steps; ++k) {
            const auto point = along(from, piece, static_cast<double>(k) / steps);
            for (const auto item : grid.at(point)) {
                if (item == edge.from || item == edge.to || !contains(rectOf(p, item), point)) continue;
                const bool open = item >= p.nodes.size() && p.groups[item - p.nodes.size()].expanded;
                if (open && (isAround(p, item, edge.from) || isAround(p, item, edge.to))) continue;
                return describe() + " runs through " + nameOf(p, item);
            }
        }
    }
    return {};
}

} // namespace

std::string boxes(const Picture& p) {
    const auto count = p.nodes.size() + p.groups.size();
    std::vector<std::uint32_t> order(count);
    for (std::uint32_t i = 0; i < count; ++i) order[i] = i;
    std::sort(order.begin(), order.end(), [&](auto a, auto b) {
        return std::pair(groupOf(p, a), rectOf(p, a).y) < std::pair(groupOf(p, b), rectOf(p, b).y);
    });
    for (std::size_t i = 0; i < count; ++i)
        for (auto j = i + 1; j < count && groupOf(p, order[j]) == groupOf(p, order[i]); ++j) {
            if (rectOf(p, order[j]).y > rectOf(p, order[i]).bottom()) break;
            if (overlap(rectOf(p, order[i]), rectOf(p, order[j])))
                return nameOf(p, order[i]) + ' ' + text(rectOf(p, order[i])) + " overlaps " + nameOf(p, order[j]) +
                       ' ' + text(rectOf(p, order[j]));
        }
    for (std::size_t i = 0; i < count; ++i) {
        const auto& r = rectOf(p, i);
        const auto group = groupOf(p, i);
        const Rect around = group == fx::kNoGroup ? p.bounds : p.groups[group].rect;
        const double top = group == fx::kNoGroup ? kPadding : fx::kGroupHeader;
        if (r.w <= 0 || r.h <= 0) return nameOf(p, i) + " has no size";
        if (r.x < around.x + kPadding || r.right() > around.right() - kPadding || r.y < around.y + top ||
            r.bottom() > around.bottom() - kPadding)
            return nameOf(p, i) + ' ' + text(r) + " is not inside " + text(around);
    }
    return {};
}

std::string edges(const Picture& p) {
    const Grid grid(p);
    for (const auto& edge : p.edges)
        if (auto problem = checkCurve(p, grid, edge); !problem.empty()) return problem;
    return {};
}

std::string monotone(const Picture& p) {
    const bool down = p.direction == fx::Direction::TopDown;
    for (const auto& edge : p.edges) {
        if (edge.from < p.nodes.size() && p.nodes[edge.from].copy > 0) continue;
        const auto &from = rectOf(p, edge.from), &to = rectOf(p, edge.to);
        if (down ? from.bottom() > to.y : from.right() > to.x)
            return nameOf(p, edge.from) + " is not before " + nameOf(p, edge.to);
    }
    return {};
}

std::string all(const Picture& p) {
    for (const auto check : {boxes, edges, monotone})
        if (auto problem = check(p); !problem.empty()) return problem;
    return {};
}

std::string same(const Picture& a, const Picture& b) {
    const auto rect = [](const Rect& r) { return std::array{r.x, r.y, r.w, r.h}; };
    if (a.nodes.size() != b.nodes.size() || a.groups.size() != b.groups.size() || a.edges.size() != b.edges.size())
        return "other counts";
    for (std::size_t i = 0; i < a.nodes.size(); ++i) {
        const auto &x = a.nodes[i], &y = b.nodes[i];
        if (x.node != y.node || x.copy != y.copy || x.title != y.title || x.what != y.what ||
            rect(x.rect) != rect(y.rect))
            return "node " + x.title;
    }
    for (std::size_t i = 0; i < a.groups.size(); ++i)
        if (a.groups[i].path != b.groups[i].path || rect(a.groups[i].rect) != rect(b.groups[i].rect))
            return "group " + a.groups[i].path;
    for (std::size_t i = 0; i < a.edges.size(); ++i) {
        const auto &x = a.edges[i], &y = b.edges[i];
        if (x.from != y.from || x.to != y.to || x.stub != y.stub || x.points.size() != y.points.size())
            return "edge " + std::to_string(i);
        for (std::size_t k = 0; k < x.points.size(); ++k)
            if (x.points[k].x != y.points[k].x || x.points[k].y != y.points[k].y) return "edge " + std::to_string(i);
    }
    return {};
}

} // namespace picture_checks
