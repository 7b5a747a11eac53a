// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/report/sections.h"

#include "app/cli/error_report.h"
#include "app/cli/output.h"
#include "app/cli/results/diff_text.h"
#include "app/cli/results/model_facts.h"
#include "app/cli/results/verify_text.h"
#include "app/cli/session.h"
#include "core/base/counted.h"
#include "core/codegen/pytree_code.h"
#include "core/layout/layout.h"
#include "core/layout/svg.h"
#include "core/module/training_mode.h"
#include "core/tensor/tensor_statistics.h"
#include "core/timing/timing_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace app {
namespace {

constexpr std::size_t kMostLines = 2000;   ///< of code
constexpr std::size_t kMostChanges = 1000; ///< lines of a difference
constexpr std::size_t kMostOpened = 40;    ///< differing nodes whose groups a picture opens
constexpr std::size_t kMostDrawn = 2000;   ///< nodes of a picture with such groups
constexpr std::size_t kMostNodes = 20;     ///< rows of times

/// Four significant digits are enough to read.
std::string shortNumber(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.4g", value);
    return text;
}

std::string sizes(const std::vector<std::int64_t>& list) {
    std::string text;
    for (const std::int64_t size : list) text += (text.empty() ? "" : "×") + std::to_string(size);
    return text.empty() ? "scalar" : text;
}

void addFacts(Page& page, const std::string& name, const fx::GraphModule& model) {
    page.paragraph(name);
    std::vector<Page::Row> rows;
    for (const auto& [label, text] : modelFacts(model)) rows.push_back({label, text});
    page.table({}, rows, 2);
}

/// A picture with frames around `marked`, and their groups open unless that makes it too large.
void addPicture(Page& page, const std::string& name, const std::shared_ptr<const fx::GraphModule>& model,
                const std::vector<fx::NodeId>& marked, const fx::Progress& progress) {
    fx::Layout layout(model);
    fx::LayoutOptions options = fx::LayoutOptions::initialFor(*model);
    options.fullNames = true;
    fx::LayoutOptions opened = options;
    for (std::size_t i = 0; i < std::min(marked.size(), kMostOpened); ++i)
        for (const std::string& path : layout.groupsAround(marked[i])) opened.expanded.insert(path);
    fx::Picture picture = layout.layered(opened, progress);
    if (picture.nodes.size() > kMostDrawn) picture = layout.layered(opened = options, progress);
    if (auto refined = layout.refined(opened, progress)) picture = std::move(*refined);
    page.picture(name, fx::toSvg(picture, model->graph, fx::SvgTheme::Light, marked, nullptr, false));
    const auto closed = std::count_if(picture.groups.begin(), picture.groups.end(),
                                      [](const fx::GroupItem& group) { return !group.expanded; });
    if (closed > 0)
        page.note(grouped(closed) +
                  std::string(fx::formOf(static_cast<std::size_t>(closed), " group is closed", " groups are closed")) +
                  " in this picture of " + grouped(static_cast<long long>(model->graph.size())) +
                  " nodes. `lancet draw " + name +
                  " -o model.svg --expand PATH` opens a group, `--expand all` all of them.");
}

void addCode(Page& page, const std::string& name, const fx::GraphModule& model) {
    const std::string text = fx::generatePython(model).text;
    std::size_t end = 0, lines = 0;
    for (; lines < kMostLines && end < text.size(); ++lines) end = std::min(text.find('\n', end), text.size() - 1) + 1;
    page.code(std::string_view(text).substr(0, end));
    if (const auto rest = std::count(text.begin() + static_cast<std::ptrdiff_t>(end), text.end(), '\n'); rest > 0)
        page.note(grouped(rest) + " more lines are left out. `lancet code " + name + "` prints all of them.");
}

void addDifference(Page& page, const Report& report) {
    std::vector<std::string> lines = diffLines(*report.diff, report.model->graph, report.other->graph);
    page.paragraph(diffCounts(*report.diff));
    if (lines.empty()) return;
    const std::size_t all = lines.size();
    lines.resize(std::min(all, kMostChanges));
    page.differences(lines);
    if (all > kMostChanges)
        page.note(grouped(static_cast<long long>(all - kMostChanges)) +
                  " more differences are left out. `lancet diff " + report.name + " " + report.otherName +
                  "` prints all of them.");
}

/// Why a part is missing, and how to get it.
void addMissing(Page& page, const Report& report, std::string_view part) {
    for (const Report::Missing& each : report.missing) {
        if (each.part != part) continue;
        std::string text = each.error.what();
        if (!each.error.node.empty()) text += " (node " + each.error.node + ")";
        const std::string hint = hintText(each.error.hint, each.error.commandLineHint);
        page.note("Not measured: " + text + (hint.empty() ? "." : ". To get this part: " + hint + "."));
        return;
    }
    if (!report.ran) page.note("Not measured: the report was made with --no-run. Make it without to get this part.");
}

void addInputs(Page& page, const std::vector<std::string>& inputs, const std::vector<std::string>& guessed) {
    for (const std::string& input : inputs) page.paragraph("Input " + input);
    for (const std::string& input : guessed) page.note("Guessed the input " + input);
}

/// The mode of the models, with what to do where it matters.
void addMode(Page& page, std::string_view mode, const fx::Warnings& warnings) {
    if (mode.empty()) return;
    page.paragraph("Mode: " + std::string(mode == "train" ? "training" : "evaluation"));
    for (const fx::Warning& warning : warnings)
        if (fx::isModeWarning(warning.what)) page.note(warningText(warning));
}

void addVerdict(Page& page, const fx::VerifyReport& report) {
    page.paragraph(std::string("Verdict: ") + fx::verdictName(report.verdict) +
                   (report.identical ? ", graph and weights are the same" : ""));
    if (!report.reason.text().empty()) page.note(report.reason.text());
    std::vector<Page::Row> rows;
    for (const fx::OutputDifference& output : report.outputs)
        rows.push_back({std::to_string(rows.size()) + (output.path.empty() ? "" : " " + output.path),
                        output.value.dtype, sizes(output.value.sizes), differenceText(output.value)});
    page.table({"output", "dtype", "shape", "difference"}, rows, 4);
    if (report.first)
        page.paragraph("First difference: " + report.first->node + ": " + differenceText(report.first->value) +
                       (report.first->why.text().empty() ? "" : "; " + report.first->why.text()));
    for (const fx::Message& remark : report.remarks) page.note(remark.text());
    if (!report.modes.empty()) addMode(page, report.modes.front(), report.warnings);
    addInputs(page, report.inputs, report.guessed);
}

void addOutputs(Page& page, const fx::remote::RunResult& result) {
    std::vector<Page::Row> rows;
    forEachTensor(result.output, [&](const fx::TensorPtr& tensor) {
        const fx::TensorStatistics s = fx::computeStatistics(*tensor);
        const bool any = s.finite > 0;
        rows.push_back({std::to_string(rows.size()), std::string(fx::dtypeName(tensor->dtype)), sizes(tensor->sizes),
                        any ? shortNumber(s.min) : "", any ? shortNumber(s.max) : "", any ? shortNumber(s.mean) : "",
                        grouped(s.nans), grouped(s.infinities)});
    });
    page.table({"output", "dtype", "shape", "min", "max", "mean", "NaN", "infinite"}, rows, 3);
    addMode(page, result.mode, result.warnings);
    addInputs(page, {}, result.guessed);
}

void addNodeTimes(Page& page, const fx::timing::NodeReport& report, const std::string& name) {
    std::vector<const fx::timing::NodeTiming*> order;
    for (const auto& node : report.nodes) order.push_back(&node);
    std::stable_sort(order.begin(), order.end(), [](const auto* a, const auto* b) { return a->ms > b->ms; });
    std::vector<Page::Row> rows;
    double rest = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (i >= kMostNodes) rest += order[i]->share;
        else
            rows.push_back({order[i]->name, order[i]->target, fx::timing::durationText(order[i]->ms),
                            shortNumber(std::round(order[i]->share * 1000) / 10) + " %"});
    }
    page.paragraph("Longest nodes of " + name);
    page.table({"node", "target", "time", "share"}, rows, 2);
    if (order.size() > kMostNodes)
        page.paragraph("and " + grouped(static_cast<long long>(order.size() - kMostNodes)) + " more nodes, " +
                       shortNumber(std::round(rest * 1000) / 10) + " %");
}

void addTimes(Page& page, const fx::timing::BenchResult& result) {
    using fx::timing::durationText;
    std::vector<Page::Row> rows;
    for (const auto& each : result.variants)
        rows.push_back({each.model, durationText(each.medianMs),
                        durationText(each.q1Ms) + " to " + durationText(each.q3Ms), durationText(each.minMs),
                        durationText(each.coldMs), std::to_string(each.samplesMs.size())});
    page.table({"model", "median", "quartiles", "fastest sample", "first run", "samples"}, rows, 1);
    for (const auto& each : result.ratios)
        page.paragraph(result.variants[each.b].model + " against " + result.variants[each.a].model + ": " +
                       fx::timing::verdictText(each));
    for (const fx::Message& warning : result.warnings) page.note(warning.text());
    for (const auto& each : result.reports) addNodeTimes(page, each, result.variants[each.variant].model);
    const auto& machine = result.environment;
    page.paragraph(machine.processor + ", " + std::to_string(machine.threads) +
                   std::string(fx::formOf(static_cast<std::size_t>(machine.threads), " thread, ", " threads, ")) +
                   machine.library);
}

/// The nodes of one of the two models that the other lacks or has otherwise.
std::vector<fx::NodeId> differing(const std::optional<fx::ModelDiff>& diff, bool inA) {
    if (!diff) return {};
    std::vector<fx::NodeId> nodes = inA ? diff->removed : diff->added;
    for (const fx::NodeChange& change : diff->changed) nodes.push_back(inA ? change.a : change.b);
    return nodes;
}

} // namespace

std::string pageOf(const Report& report, const fx::Progress& progress) {
    const bool two = report.other != nullptr;
    Page page(two ? report.name + " (A) and " + report.otherName + " (B)" : report.name);
    const std::string a = two ? "A: " + report.name : report.name, b = "B: " + report.otherName;
    page.section("Facts");
    addFacts(page, a, *report.model);
    if (two) addFacts(page, b, *report.other);
    page.section("Picture");
    if (report.diff && !report.diff->equal()) page.paragraph("Frames mark nodes that differ.");
    addPicture(page, report.name, report.model, differing(report.diff, true), progress);
    if (two) addPicture(page, report.otherName, report.other, differing(report.diff, false), progress);
    if (two) {
        page.section("Difference");
        addDifference(page, report);
    }
    page.section("Numbers");
    if (report.verify) addVerdict(page, *report.verify);
    else if (report.outputs) addOutputs(page, *report.outputs);
    else addMissing(page, report, "numbers");
    page.section("Timings");
    if (report.times) addTimes(page, *report.times);
    else addMissing(page, report, "timings");
    page.section("Code");
    page.paragraph(a);
    addCode(page, report.name, *report.model);
    if (two) {
        page.paragraph(b);
        addCode(page, report.otherName, *report.other);
    }
    return page.text();
}

} // namespace app
