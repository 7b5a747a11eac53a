// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/placement.h"
#include "core/layout/skyline.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

namespace fx {

namespace {

constexpr double kStrandGap = 8;     // between lines that share a lane
constexpr double kClearance = 14;    // between a box and what passes it
constexpr double kChannel = 30;      // between a box and the box below it
constexpr double kArrowRoom = 8;     // the last piece of a bent wire, straight along the flow
constexpr double kEntryChannel = 18; // between the border of a level and its first boxes
constexpr double kAttachGap = 14;    // between two ends on one side of a box

/// The ends of wires on one side of one box.
struct End {
    double wanted = 0; ///< from the anchor
    double weight = 1;
    std::uint32_t hop = 0;
};

/// Moves the ends apart to `gap`, in their order, as little as possible (pool adjacent violators), inside ± `attach`.
void spread(std::vector<End>& ends, double attach) {
    const auto count = static_cast<double>(ends.size());
    const double gap = ends.size() < 2 ? 0 : std::min(kAttachGap, 2 * attach / (count - 1));
    struct Pool {
        double sum, weight;
        std::size_t size;
        double mean() const { return sum / weight; }
    };
    std::vector<Pool> pools;
    for (std::size_t i = 0; i < ends.size(); ++i) {
        pools.push_back({(ends[i].wanted - gap * static_cast<double>(i)) * ends[i].weight, ends[i].weight, 1});
        while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
            const auto last = pools.back();
            pools.pop_back();
            pools.back() = {pools.back().sum + last.sum, pools.back().weight + last.weight,
                            pools.back().size + last.size};
        }
    }
    const double highest = attach - gap * (count - 1);
    std::size_t i = 0;
    for (const auto& pool : pools)
        for (std::size_t k = 0; k < pool.size; ++k, ++i)
            ends[i].wanted =
                std::clamp(pool.mean(), -attach, std::max(-attach, highest)) + gap * static_cast<double>(i);
}

/// A piece of a wire between two neighbouring ranks.
struct Hop {
    std::uint32_t upper = 0, lower = 0; ///< cells
    double upperX = 0, lowerX = 0;
};

class Placer {
public:
    Placer(const LevelGraph& graph, const LevelOrder& order, const std::vector<BoxShape>& boxes,
           const std::vector<Wire>& wires, const Progress& progress)
        : m_graph(graph), m_order(order), m_boxes(boxes), m_wires(wires), m_progress(progress) {}

    Placement run() {
        makeStrands();
        makeHops();
        m_x = assignCross(m_order, extents(), linkOffsets(), m_progress);
        attachHops();
        placeAlongFlow();
        return result();
    }

private:
    /// The wires of one item and out-port.
    struct Strand {
        std::uint32_t item, outPort;
        double offset = 0;          ///< in the item's lane
        std::uint32_t firstHop = 0; ///< its hops through the lane, one a rank
        std::uint32_t hops = 0;
    };

    bool isBox(std::uint32_t item) const { return m_graph.kinds[item] == LevelGraph::Kind::Box; }

    void makeStrands() {
        m_strandOf.resize(m_wires.size());
        std::vector<std::uint32_t> order(m_wires.size());
        std::iota(order.begin(), order.end(), 0u);
        std::sort(order.begin(), order.end(), [&](auto a, auto b) {
            const auto key = [&](auto i) { return std::tuple(m_wires[i].from, m_wires[i].outPort, m_wires[i].to, i); };
            return key(a) < key(b);
        });
        for (const auto i : order) {
            const auto& wire = m_wires[i];
            if (m_strands.empty() || m_strands.back().item != wire.from || m_strands.back().outPort != wire.outPort)
                m_strands.push_back({wire.from, wire.outPort});
            m_strandOf[i] = static_cast<std::uint32_t>(m_strands.size() - 1);
            m_strands.back().hops = std::max(m_strands.back().hops, m_order.span(wire.from, wire.to) - 1);
        }
        for (std::size_t first = 0; first < m_strands.size();) {
            auto last = first;
            while (last < m_strands.size() && m_strands[last].item == m_strands[first].item) ++last;
            placeStrands(first, last);
            first = last;
        }
    }

    /// Strands of one item run side by side in its lane, in the order of their ports.
    void placeStrands(std::size_t first, std::size_t last) {
        std::vector<std::size_t> order;
        for (auto i = first; i < last; ++i)
            if (m_strands[i].hops > 0) order.push_back(i);
        const auto port = [&](std::size_t i) {
            return m_strands[i].outPort == kNone ? 0.0 : m_boxes[m_strands[i].item].outPorts[m_strands[i].outPort];
        };
        std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return port(a) < port(b); });
        for (std::size_t k = 0; k < order.size(); ++k)
            m_strands[order[k]].offset =
                (static_cast<double>(k) - (static_cast<double>(order.size()) - 1) / 2) * kStrandGap;
    }

    void makeHops() {
        for (auto& strand : m_strands) {
            strand.firstHop = static_cast<std::uint32_t>(m_hops.size());
            for (std::uint32_t k = 0; k < strand.hops; ++k) {
                const auto lane = m_order.firstLane[strand.item] + k;
                m_hops.push_back({k == 0 ? strand.item : lane - 1, lane, strand.offset, strand.offset});
                if (k == 0) m_hops.back().upperX = outOffset(strand);
            }
        }
        m_lastHop.reserve(m_wires.size());
        for (std::size_t i = 0; i < m_wires.size(); ++i) {
            const auto& wire = m_wires[i];
            const auto& strand = m_strands[m_strandOf[i]];
            const bool direct = m_order.span(wire.from, wire.to) == 1;
            m_lastHop.push_back(static_cast<std::uint32_t>(m_hops.size()));
            m_hops.push_back({m_order.lastBefore(wire.from, wire.to), wire.to,
                              direct ? outOffset(strand) : strand.offset,
                              wire.inPort == kNone ? 0 : m_boxes[wire.to].inPorts[wire.inPort]});
        }
    }
    double outOffset(const Strand& strand) const {
        return strand.outPort == kNone ? 0 : m_boxes[strand.item].outPorts[strand.outPort];
    }

    std::vector<Extent> extents() const {
        std::vector<Extent> result(m_order.cells.size());
        for (std::size_t i = 0; i < m_boxes.size(); ++i) result[i] = m_boxes[i].cross;
        for (const auto& strand : m_strands)
            for (std::uint32_t k = 0; k < strand.hops; ++k) {
                auto& extent = result[m_order.firstLane[strand.item] + k];
                extent.left = std::max(extent.left, -strand.offset);
                extent.right = std::max(extent.right, strand.offset);
            }
        return result;
    }

    /// Links get the middle of the offsets of the wires that run along them.
    std::vector<LinkOffset> linkOffsets() const {
        std::vector<LinkOffset> offsets(m_order.links.size());
        std::vector<std::uint32_t> sorted(m_hops.size());
        std::iota(sorted.begin(), sorted.end(), 0u);
        const auto key = [&](const Hop& hop) { return std::tuple(hop.upper, hop.lower, hop.upperX, hop.lowerX); };
        std::sort(sorted.begin(), sorted.end(), [&](auto a, auto b) { return key(m_hops[a]) < key(m_hops[b]); });
        std::size_t at = 0;
        for (std::size_t i = 0; i < offsets.size(); ++i) {
            const auto& link = m_order.links[i];
            const auto before = [&](std::uint32_t hop) {
                return std::pair(m_hops[hop].upper, m_hops[hop].lower) < std::pair(link.upper, link.lower);
            };
            while (at < sorted.size() && before(sorted[at])) ++at;
            auto end = at;
            while (end < sorted.size() && m_hops[sorted[end]].upper == link.upper &&
                   m_hops[sorted[end]].lower == link.lower)
                ++end;
            if (end > at) {
                const auto &a = m_hops[sorted[(at + end - 1) / 2]], &b = m_hops[sorted[(at + end) / 2]];
                offsets[i] = {(a.upperX + b.upperX) / 2, (a.lowerX + b.lowerX) / 2};
            }
            at = end;
        }
        return offsets;
    }

    /// Turns offsets of hops into places. Ends on boxes without ports lean towards where the wire comes from or goes.
    void attachHops() {
        for (auto& hop : m_hops) hop.upperX += m_x[hop.upper], hop.lowerX += m_x[hop.lower];
        const auto flexible = [&](std::uint32_t cell) {
            return cell < m_boxes.size() && isBox(cell) && m_boxes[cell].inPorts.empty() &&
                   m_boxes[cell].outPorts.empty();
        };
        std::vector<std::vector<End>> leaving(m_boxes.size()), arriving(m_boxes.size());
        for (std::uint32_t i = 0; i < m_hops.size(); ++i) {
            const auto& hop = m_hops[i];
            const bool both = flexible(hop.upper) && flexible(hop.lower);
            if (flexible(hop.upper)) leaving[hop.upper].push_back(endOf(hop.upper, hop.lowerX, both, i));
            if (flexible(hop.lower)) arriving[hop.lower].push_back(endOf(hop.lower, hop.upperX, both, i));
        }
        for (std::uint32_t item = 0; item < m_boxes.size(); ++item) {
            for (auto* ends : {&leaving[item], &arriving[item]}) {
                std::stable_sort(ends->begin(), ends->end(),
                                 [](const End& a, const End& b) { return a.wanted < b.wanted; });
                spread(*ends, m_boxes[item].attach);
            }
            for (const auto& end : leaving[item]) m_hops[end.hop].upperX = m_x[item] + end.wanted;
            for (const auto& end : arriving[item]) m_hops[end.hop].lowerX = m_x[item] + end.wanted;
        }
    }
    End endOf(std::uint32_t item, double other, bool bothFlexible, std::uint32_t hop) const {
        const double distance = other - m_x[item], attach = m_boxes[item].attach;
        if (std::abs(distance) < 1) return {0, 1000, hop};
        if (!bothFlexible && std::abs(distance) <= attach) return {distance, 1, hop};
        return {std::clamp(distance * 0.2, -attach, attach), 1, hop};
    }

    /// What shares a channel: cells of a rank whose boxes or arriving wires overlap across the flow.
    struct Span {
        double low, high;
        std::uint32_t cell;
    };

    void placeAlongFlow() {
        m_start.assign(m_order.cells.size(), 0);
        m_channel.assign(m_order.cells.size(), 0);
        m_arriving.assign(m_order.cells.size() + 1, {});
        for (std::uint32_t i = 0; i < m_hops.size(); ++i) m_arriving[m_hops[i].lower].push_back(i);
        std::vector<Span> spans;
        for (std::size_t r = 0; r < m_order.layers.size(); ++r) {
            m_progress.check();
            spans.clear();
            for (const auto cell : m_order.layers[r]) spans.push_back(spanOf(cell));
            std::sort(spans.begin(), spans.end(), [](const Span& a, const Span& b) { return a.low < b.low; });
            for (std::size_t first = 0; first < spans.size();) {
                auto end = first + 1;
                double high = spans[first].high;
                for (; end < spans.size() && spans[end].low <= high; ++end) high = std::max(high, spans[end].high);
                placeCluster(spans.data() + first, spans.data() + end, high);
                first = end;
            }
        }
    }

    double lengthOf(std::uint32_t cell) const { return cell < m_boxes.size() ? m_boxes[cell].length : 0; }
    Span spanOf(std::uint32_t cell) const {
        const bool box = cell < m_boxes.size() && isBox(cell);
        const Extent extent = box ? m_boxes[cell].cross : Extent{};
        Span span{m_x[cell] - extent.left - kClearance, m_x[cell] + extent.right + kClearance, cell};
        for (const auto hop : m_arriving[cell]) {
            span.low = std::min({span.low, m_hops[hop].upperX, m_hops[hop].lowerX});
            span.high = std::max({span.high, m_hops[hop].upperX, m_hops[hop].lowerX});
        }
        return span;
    }

    /// How high the channel above a cluster has to be: room for arrows above boxes, more for long bends.
    double channelHeight(const Span* begin, const Span* end) const {
        bool boxes = false, onlyEntries = true;
        double longest = 0;
        for (auto span = begin; span != end; ++span) {
            boxes |= span->cell < m_boxes.size() && isBox(span->cell);
            for (const auto i : m_arriving[span->cell]) {
                longest = std::max(longest, std::abs(m_hops[i].upperX - m_hops[i].lowerX));
                onlyEntries &= m_hops[i].upper < m_boxes.size() && !isBox(m_hops[i].upper);
            }
        }
        if (longest < 1) return boxes ? (onlyEntries ? kEntryChannel : kChannel) : 0;
        return kChannel + std::clamp(longest * 0.08 - 4, 0.0, 40.0);
    }

    void placeCluster(const Span* begin, const Span* end, double high) {
        const auto rank = m_order.cells[begin->cell].rank;
        const double channel = rank == 0 ? 0 : m_skyline.deepest(begin->low, high);
        const double start = rank == 0 ? 0 : channel + channelHeight(begin, end);
        for (auto span = begin; span != end; ++span) {
            m_start[span->cell] = start;
            m_channel[span->cell] = channel;
            for (const auto i : m_arriving[span->cell])
                m_skyline.lower(std::min(m_hops[i].upperX, m_hops[i].lowerX),
                                std::max(m_hops[i].upperX, m_hops[i].lowerX), start);
        }
        for (auto span = begin; span != end; ++span) {
            const bool box = span->cell < m_boxes.size() && isBox(span->cell);
            const Extent extent = box ? m_boxes[span->cell].cross : Extent{};
            const double x = m_x[span->cell], depth = start + lengthOf(span->cell);
            m_skyline.lower(x - extent.left, x + extent.right, depth);
            m_depth = std::max(m_depth, depth);
        }
    }

    Placement result() {
        Placement placement;
        placement.flow = m_depth;
        for (std::uint32_t item = 0; item < m_boxes.size(); ++item) {
            const bool leaves = m_graph.kinds[item] == LevelGraph::Kind::OutPort;
            placement.items.push_back({m_x[item], leaves ? m_depth : m_start[item]});
            placement.cross = std::max(placement.cross, m_x[item] + m_boxes[item].cross.right);
        }
        for (const auto& hop : m_hops) placement.cross = std::max({placement.cross, hop.upperX, hop.lowerX});
        for (std::size_t i = 0; i < m_wires.size(); ++i) placement.wires.push_back(route(i));
        return placement;
    }

    std::vector<Point> route(std::size_t wire) const {
        std::vector<Point> points;
        const auto& strand = m_strands[m_strandOf[wire]];
        const auto lanes = m_order.span(m_wires[wire].from, m_wires[wire].to) - 1;
        for (std::uint32_t k = 0; k <= lanes; ++k)
            addHop(points, m_hops[k < lanes ? strand.firstHop + k : m_lastHop[wire]]);
        return points;
    }

    void addHop(std::vector<Point>& points, const Hop& hop) const {
        const bool box = hop.lower < m_boxes.size();
        if (points.empty()) points.push_back({hop.upperX, m_start[hop.upper] + m_boxes[hop.upper].end});
        const double top = m_channel[hop.lower], bottom = m_start[hop.lower];
        if (std::abs(hop.upperX - hop.lowerX) >= 0.5) {
            addPoint(points, {hop.upperX, top});
            addPoint(points, {hop.lowerX, bottom - kArrowRoom});
        }
        const bool leaves = box && m_graph.kinds[hop.lower] == LevelGraph::Kind::OutPort;
        addPoint(points, {hop.lowerX, leaves ? m_depth : bottom + (box ? m_boxes[hop.lower].start : 0)});
    }

    /// Adds a point; the one before goes when all three stand in one line along the flow.
    static void addPoint(std::vector<Point>& points, Point point) {
        const auto size = points.size();
        if (size >= 2 && points[size - 1].x == point.x && points[size - 2].x == point.x) points.pop_back();
        points.push_back(point);
    }

    const LevelGraph& m_graph;
    const LevelOrder& m_order;
    const std::vector<BoxShape>& m_boxes;
    const std::vector<Wire>& m_wires;
    const Progress& m_progress;
    std::vector<Strand> m_strands;
    std::vector<std::uint32_t> m_strandOf, m_lastHop; ///< per wire
    std::vector<Hop> m_hops;
    std::vector<double> m_x, m_start, m_channel;        ///< per cell
    std::vector<std::vector<std::uint32_t>> m_arriving; ///< hops per lower cell
    Skyline m_skyline;
    double m_depth = 0;
};

} // namespace

Placement placePart(const LevelPlan::Part& part, const std::vector<BoxShape>& boxes, const std::vector<Wire>& wires,
                    const Progress& progress) {
    return Placer(part.graph, part.order, boxes, wires, progress).run();
}

} // namespace fx
