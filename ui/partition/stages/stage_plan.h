// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/partition/stage_line.h"
#include "ui/partition/partition_run.h"

#include <QCoreApplication>
#include <QString>

namespace ui {

/// The translations of texts about stages.
class StageText {
    Q_DECLARE_TR_FUNCTIONS(ui::StageText)
};

/// What stages are balanced by.
enum class StageMeasure : std::uint8_t { Estimated, Measured, Parameters, Calls };

struct StagePlan;

/// What to cut: `kept` names the first calls of the stages after the first; they are used if the model has them all.
/// The cuts of `before`, of an earlier version, are carried over.
struct StageRequest {
    int count = 2;
    StageMeasure measure = StageMeasure::Estimated;
    fx::NodeTimes measured;                               ///< empty if nodes were not timed
    std::unordered_map<std::string, std::string> symbols; ///< numbers for sizes that the file has as symbols
    std::vector<std::string> kept;
    std::shared_ptr<const StagePlan> before;
};

/// One version of a model as a line of calls, and its stages.
struct StagePlan {
    std::shared_ptr<const fx::GraphModule> model; ///< with the shapes that are shown
    std::shared_ptr<const fx::StageLine> line;
    std::shared_ptr<const DrawnGroups> groups;
    fx::StageLine::Cuts cuts; ///< as proposed, or those that were kept
    bool isKept = false;      ///< the latter
    bool isMeasured = false;  ///< the weights in `line` were measured; otherwise estimated, or calls if not timed
    QString note;             ///< why the stages are not balanced as requested, or empty
};

/// Cuts a model into stages. Any thread. Throws fx::Error{Cancelled, Refused}.
StagePlan planStages(std::shared_ptr<const fx::GraphModule> model, const StageRequest& request,
                     const fx::Progress& progress);

/// "3.1 ms (estimated)", "3.1 ms (measured)", "14 calls"
QString stageWeightText(const StagePlan& plan, double weight, bool withSource = true);
/// "2 tensors · 1.2 MB"
QString crossingText(const fx::StageCrossing& crossing);
/// "Stage 1 is the slowest: 12.4 ms, 1.12 times the mean of 11.1 ms."
QString balanceText(const StagePlan& plan, const fx::StageBalanceReport& balance);

} // namespace ui
