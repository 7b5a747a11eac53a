// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/dot_order.h"

#include "core/layout/child_process.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <string>

namespace fx {
namespace {
std::string question(const LevelOrder& order) {
    std::string text =
        "digraph { nodesep=0.05; ranksep=0.1; node [shape=point, width=0.1, label=\"\"]; edge [arrowhead=none];\n";
    for (const auto& layer : order.layers) {
        text += "{ rank=same;";
        for (const auto cell : layer) text += " " + std::to_string(cell);
        text += " }\n";
    }
    for (const auto& link : order.links) {
        // dot straightens heavy edges, and lanes are drawn straight
        const bool lane = order.cells[link.upper].lane && order.cells[link.lower].lane;
        text += std::to_string(link.upper) + " -> " + std::to_string(link.lower) + (lane ? " [weight=8];\n" : ";\n");
    }
    return text + "}\n";
}

/// The x of every cell in dot's plain output: lines `node NAME X Y ...`.
std::optional<std::vector<double>> placesIn(const std::string& answer, std::size_t cells) {
    std::vector<double> x(cells);
    std::size_t found = 0;
    for (std::size_t at = 0; at < answer.size();) {
        const std::size_t end = std::min(answer.find('\n', at), answer.size());
        const std::string_view line(answer.data() + at, end - at);
        at = end + 1;
        if (!line.starts_with("node ")) continue;
        std::size_t cell = 0;
        const auto name = std::from_chars(line.data() + 5, line.data() + line.size(), cell);
        if (name.ec != std::errc() || cell >= cells || name.ptr == line.data() + line.size()) return std::nullopt;
        if (std::from_chars(name.ptr + 1, line.data() + line.size(), x[cell]).ec != std::errc()) return std::nullopt;
        ++found;
    }
    return found == cells ? std::optional(std::move(x)) : std::nullopt;
}
} // namespace

std::uint64_t countCrossings(const LevelOrder& order) {
    std::vector<std::uint32_t> place(order.cells.size());
    for (const auto& layer : order.layers)
        for (std::uint32_t i = 0; i < layer.size(); ++i) place[layer[i]] = i;
    std::map<std::uint32_t, std::vector<Link>> byRank;
    for (const auto& link : order.links) byRank[order.cells[link.upper].rank].push_back(link);
    std::uint64_t crossings = 0;
    for (const auto& [rank, links] : byRank)
        for (std::size_t a = 0; a < links.size(); ++a)
            for (std::size_t b = a + 1; b < links.size(); ++b) {
                const auto upper = std::int64_t{place[links[a].upper]} - place[links[b].upper];
                const auto lower = std::int64_t{place[links[a].lower]} - place[links[b].lower];
                crossings += upper * lower < 0;
            }
    return crossings;
}

std::optional<LevelOrder> orderByDot(const LevelOrder& order, std::chrono::milliseconds limit,
                                     const Progress& progress) {
    const auto before = countCrossings(order);
    if (before == 0 || order.rank.size() > kDotMaxItems || order.cells.size() - order.rank.size() > kDotMaxSpan)
        return std::nullopt;
    const auto answer = runFilter({"dot", "-Tplain"}, question(order), limit, progress);
    const auto x = answer ? placesIn(*answer, order.cells.size()) : std::nullopt;
    if (!x) return std::nullopt;
    LevelOrder better = order;
    for (auto& layer : better.layers)
        std::stable_sort(layer.begin(), layer.end(), [&](auto a, auto b) { return (*x)[a] < (*x)[b]; });
    better.crossings = countCrossings(better);
    return better.crossings < before ? std::optional(std::move(better)) : std::nullopt;
}

} // namespace fx
