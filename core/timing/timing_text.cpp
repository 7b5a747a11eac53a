// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/timing_text.h"

#include "core/base/counted.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>

namespace fx::timing {
namespace {

#ifdef __GNUC__
__attribute__((format(printf, 1, 2)))
#endif
std::string
format(const char* how, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, how);
    std::vsnprintf(text, sizeof text, how, arguments);
    va_end(arguments);
    return text;
}

/// Rows of cells in columns as wide as they must be; the first `left` columns lean to the left.
class Table {
public:
    explicit Table(std::size_t left) : m_left(left) {}
    void add(std::vector<std::string> cells) { m_rows.push_back(std::move(cells)); }

    std::string text() const {
        std::vector<std::size_t> widths;
        for (const auto& row : m_rows) {
            widths.resize(std::max(widths.size(), row.size()));
            for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
        }
        std::string out;
        for (const auto& row : m_rows) {
            std::string line;
            for (std::size_t i = 0; i < row.size(); ++i) {
                const std::string space(widths[i] - width(row[i]), ' ');
                const bool left = i < m_left || i + 1 == widths.size();
                line += (i > 0 ? "  " : "") + (left ? row[i] + space : space + row[i]);
            }
            out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
        }
        return out;
    }

private:
    /// Characters of UTF-8 text.
    static std::size_t width(const std::string& text) {
        return static_cast<std::size_t>(
            std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
    }
    std::size_t m_left;
    std::vector<std::vector<std::string>> m_rows;
};

std::string percent(double share) { return format("%.1f %%", share * 100); }

std::string letter(std::size_t place) {
    return place < 26 ? std::string(1, static_cast<char>('A' + place)) : "model " + std::to_string(place + 1);
}

std::string variantsText(const BenchResult& result) {
    Table table(2);
    table.add({"", "model", "median", "quartiles", "fastest sample", "first run", "samples"});
    std::size_t place = 0;
    for (const VariantTiming& each : result.variants)
        table.add({letter(place++), each.model, durationText(each.medianMs),
                   durationText(each.q1Ms) + " to " + durationText(each.q3Ms), durationText(each.minMs),
                   durationText(each.coldMs),
                   std::to_string(each.samplesMs.size()) + " of " + counted(each.runsPerBlock, "run", "runs")});
    return table.text();
}

std::string whatRan(const NodeTiming& node) {
    std::string out;
    for (const Primitive& each : node.primitives) {
        const std::string text = each.library == "oneDNN"
                                     ? (each.isReorder() ? "reorder " : each.kind + " ") + each.implementation
                                     : each.library + " " + each.kind;
        if (out.find(text) == out.npos) out += (out.empty() ? "" : ", ") + text;
    }
    return out;
}

std::string shortTarget(const NodeTiming& node) {
    constexpr std::string_view kModules = "torch.nn.modules.";
    return node.target.starts_with(kModules) ? node.target.substr(node.target.rfind('.') + 1) : node.target;
}

std::string nodesText(const NodeReport& report, std::size_t most, bool ceiling) {
    std::vector<const NodeTiming*> order;
    for (const NodeTiming& each : report.nodes) order.push_back(&each);
    std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) { return a->ms > b->ms; });
    const std::size_t shown = std::min(most, order.size());
    Table table(2);
    table.add(
        {"node", "target", "time", "share", "GFLOP/s", "GB/s", ceiling ? "of ceiling" : "", "format", "what ran"});
    for (std::size_t i = 0; i < shown; ++i) {
        const NodeTiming& each = *order[i];
        const bool timed = each.ms > 0;
        table.add({each.name, shortTarget(each), durationText(each.ms), percent(each.share),
                   timed && each.flops && *each.flops > 0 ? format("%.1f", *each.flops / each.ms / 1e6) : "",
                   timed && each.bytes && *each.bytes > 0 ? format("%.1f", *each.bytes / each.ms / 1e6) : "",
                   each.ceilingShare && *each.ceilingShare > 0
                       ? format("%.0f %% %s", *each.ceilingShare * 100, each.memoryBound ? "memory " : "compute")
                       : "",
                   each.memoryFormat, whatRan(each)});
    }
    std::string out = table.text();
    double rest = 0;
    for (std::size_t i = shown; i < order.size(); ++i) rest += order[i]->share;
    if (shown < order.size())
        out += "and " + counted(order.size() - shown, "more node", "more nodes") + ", " + percent(rest) + "\n";
    return out;
}

/// Why the nodes do not add up to the median above them.
std::string gapText(const VariantTiming& variant, const NodeReport& report) {
    if (!differsFromMedian(variant, report)) return {};
    const double gap = variant.medianMs - report.sumMs;
    return "the median run takes " + durationText(std::abs(gap)) + (gap > 0 ? " more" : " less") +
           " than its nodes together: they are timed in runs of their own, of which the fastest third counts\n";
}

std::string typesText(const NodeReport& report) {
    Table table(1);
    table.add({"type", "nodes", "time", "share"});
    for (const TypeTotal& each : report.types)
        if (each.share >= 0.001 || report.types.size() <= 10)
            table.add({each.target, std::to_string(each.count), durationText(each.ms), percent(each.share)});
    return table.text();
}

std::string environmentText(const Environment& e) {
    std::string out = "machine     " + e.processor + ", " +
                      counted(static_cast<std::size_t>(e.threads), "thread", "threads") + " on " +
                      std::to_string(e.processors) + " processors, " + e.isa;
    if (!e.governor.empty()) out += ", governor " + e.governor;
    if (e.frequencyMhz > 0) out += format(", %.0f MHz", e.frequencyMhz);
    out += "\nlibrary     " + e.library + ", oneDNN " + (e.oneDnn.empty() ? "unknown" : e.oneDnn) +
           (e.oneDnnIsa.empty() ? "" : " (" + e.oneDnnIsa + ")") + ", " + e.blas + ", denormals " +
           (e.denormalsFlushed ? "flushed" : "kept") + "\n";
    out += format("load        others %.2f processors, load average %.2f, stolen %.1f %%, a model against itself "
                  "within ±%.1f %%\n",
                  e.otherLoad, e.loadAverage, e.stealShare * 100, e.noiseFloor * 100);
    if (e.ceiling)
        out += format("ceiling     %.1f GFLOP/s, %.1f GB/s%s\n", e.ceiling->gflops, e.ceiling->gbytes,
                      e.ceiling->cached ? " (the best that was ever measured here)" : "");
    return out;
}

} // namespace

std::string durationText(double ms) {
    const double value = ms < 1e-3 ? ms * 1e6 : ms < 1 ? ms * 1e3 : ms < 1e3 ? ms : ms / 1e3;
    const char* const unit = ms < 1e-3 ? "ns" : ms < 1 ? "µs" : ms < 1e3 ? "ms" : "s";
    const int digits = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
    return format("%.*f %s", digits, value, unit);
}

bool differsFromMedian(const VariantTiming& variant, const NodeReport& report) {
    constexpr double kNoted = 0.05;
    return std::abs(variant.medianMs - report.sumMs) > kNoted * variant.medianMs;
}

std::string verdictText(const RatioTiming& ratio) {
    const std::string numbers =
        format(" (ratio %.3f, 95 %% interval %.3f to %.3f)", ratio.ratio, ratio.ci95.low, ratio.ci95.high);
    if (ratio.verdict == Verdict::Same) return "same" + numbers;
    if (ratio.verdict == Verdict::TooNoisy)
        return "too noisy to tell" + numbers + (ratio.why.text().empty() ? "" : ": " + ratio.why.text());
    if (ratio.ratio >= 2) return format("%.2f times as slow", ratio.ratio) + numbers;
    return percent(std::abs(ratio.ratio - 1)) + (ratio.verdict == Verdict::Slower ? " slower" : " less time: faster") +
           numbers;
}

std::string toText(const BenchResult& result, std::size_t mostNodes) {
    std::string out = variantsText(result);
    for (const RatioTiming& each : result.ratios)
        out += letter(each.b) + " against " + letter(each.a) + ": " + verdictText(each) + "\n";
    for (const NodeReport& report : result.reports) {
        out += "\nnodes of " + letter(report.variant) + ": together " + durationText(report.sumMs) + ", " +
               percent(report.sumMs / report.wholeMs) + " of the whole of " + durationText(report.wholeMs) + ", " +
               counted(report.runs, "run", "runs") + ", " + counted(report.reorders, "reorder", "reorders") +
               " between memory formats\n";
        out += gapText(result.variants[report.variant], report);
        out += nodesText(report, mostNodes, result.environment.ceiling.has_value()) + "\n" + typesText(report);
    }
    return out + "\n" + environmentText(result.environment);
}

} // namespace fx::timing
