// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/partition/stages/stage_plan.h"

#include "core/shapes/time_estimate.h"
#include "core/timing/timing_text.h"
#include "ui/document/node_facts.h"
#include "ui/partition/stages/carried_cuts.h"
#include "ui/widgets/unbroken.h"

#include <QLocale>

namespace ui {

namespace {

/// The cuts before these calls; nullopt if one is missing or they are out of order.
std::optional<fx::StageLine::Cuts> cutsBefore(const std::vector<std::string>& names, const StagePlan& plan) {
    fx::StageLine::Cuts cuts;
    for (const std::string& name : names) {
        const fx::NodeId node = plan.model->graph.find(name);
        if (node == fx::kNoNode) return std::nullopt;
        cuts.push_back(plan.line->placeOf(node));
    }
    return plan.line->isValid(cuts) ? std::optional(cuts) : std::nullopt;
}

/// The cuts that the request wants to keep; empty if the model has not what they need.
fx::StageLine::Cuts keptCuts(const StageRequest& request, const StagePlan& plan) {
    if (request.before)
        return CarriedCuts(*request.before->model, *request.before->line, *plan.model,
                           *plan.line)(request.before->cuts);
    return cutsBefore(request.kept, plan).value_or(fx::StageLine::Cuts());
}

/// The model with numbers instead of symbolic sizes, so that bytes and times can be counted.
std::shared_ptr<const fx::GraphModule> withNumbers(std::shared_ptr<const fx::GraphModule> model,
                                                   const std::unordered_map<std::string, std::string>& symbols) {
    if (symbols.empty()) return model;
    auto result = std::make_shared<fx::GraphModule>(*model);
    for (const fx::Node& node : model->graph.nodes()) {
        auto meta = std::make_shared<fx::NodeMeta>(node.meta());
        bool changed = false;
        for (fx::ValueInfo& value : meta->values)
            for (std::string& size : value.sizes)
                if (const auto number = symbols.find(size); number != symbols.end())
                    size = number->second, changed = true;
        if (changed) result->graph.setMeta(node.id(), std::move(meta));
    }
    return result;
}

fx::SplitAssignment balanced(const StagePlan& plan, const StageRequest& request, const fx::NodeTimes& times) {
    const auto count = std::min(static_cast<std::size_t>(request.count), plan.line->size());
    const auto balance = request.measure == StageMeasure::Parameters               ? fx::StageBalance::Parameters
                         : request.measure == StageMeasure::Calls || times.empty() ? fx::StageBalance::Nodes
                                                                                   : fx::StageBalance::Time;
    return fx::splitIntoStages(*plan.model, count, balance, times);
}

} // namespace

StagePlan planStages(std::shared_ptr<const fx::GraphModule> model, const StageRequest& request,
                     const fx::Progress& progress) {
    StagePlan plan;
    plan.model = withNumbers(std::move(model), request.symbols);
    plan.isMeasured = !request.measured.empty();
    const fx::NodeTimes times = plan.isMeasured ? request.measured : fx::estimatedTimes(*plan.model);
    progress.check();
    plan.line = std::make_shared<const fx::StageLine>(*plan.model, times);
    plan.groups = std::make_shared<const DrawnGroups>(drawnGroups(*plan.model, progress));
    const bool wantsTime = request.measure == StageMeasure::Estimated || request.measure == StageMeasure::Measured;
    if (wantsTime && times.empty())
        plan.note = StageText::tr("Shapes are unknown, so times cannot be estimated; the stages have equal numbers of "
                                  "calls. Set the inputs, or measure.");
    plan.cuts = keptCuts(request, plan);
    plan.isKept = !plan.cuts.empty();
    if (plan.isKept) return plan;
    if (request.before || !request.kept.empty())
        plan.note = StageText::tr("These cuts are new: the model no longer has the calls of the earlier ones.");
    if (plan.line->size() > 0) plan.cuts = plan.line->cutsOf(balanced(plan, request, times));
    return plan;
}

QString stageWeightText(const StagePlan& plan, double weight, bool withSource) {
    if (!plan.line->isTimed()) {
        const auto calls = std::llround(weight);
        return calls == 1 ? StageText::tr("1 call") : StageText::tr("%1 calls").arg(QLocale().toString(calls));
    }
    const QString time = unbroken(fx::timing::durationText(weight));
    if (!withSource) return time;
    return (plan.isMeasured ? StageText::tr("%1 (measured)") : StageText::tr("%1 (estimated)")).arg(time);
}

QString crossingText(const fx::StageCrossing& crossing) {
    const QString text = crossing.numbers > 0
                             ? (crossing.values == 1 ? StageText::tr("1 number") : StageText::tr("%1 values"))
                         : crossing.values == 1 ? StageText::tr("1 tensor")
                                                : StageText::tr("%1 tensors");
    const QString values = crossing.values == 1 ? text : text.arg(crossing.values);
    if (crossing.bytesKnown) return values + QStringLiteral(" · ") + byteText(crossing.bytes);
    return values +
           (crossing.bytes > 0 ? QStringLiteral(" · ≥ ") + byteText(crossing.bytes) : StageText::tr(" · ? bytes"));
}

QString balanceText(const StagePlan& plan, const fx::StageBalanceReport& balance) {
    if (balance.weights.size() < 2) return {};
    const QString largest = stageWeightText(plan, balance.weights[balance.largest], false);
    const QString mean =
        plan.line->isTimed() ? stageWeightText(plan, balance.mean, false) : QLocale().toString(balance.mean, 'f', 1);
    return (plan.line->isTimed() ? StageText::tr("Stage %1 is the slowest: %2, %3 times the mean of %4.")
                                 : StageText::tr("Stage %1 is the largest: %2, %3 times the mean of %4."))
        .arg(balance.largest)
        .arg(largest, QLocale().toString(balance.ratio, 'f', 2), mean);
}

} // namespace ui
