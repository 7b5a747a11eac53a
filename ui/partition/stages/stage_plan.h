// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/partition/stage_line.h"
#include "ui/partition/partition_run.h"

#include <QCoreApplication>
#include <QString>

namespace ui {

/// The translation context of texts about stages.
class StageText {
    Q_DECLARE_TR_FUNCTIONS(ui::StageText)
};

/// The weight that stages balance.
enum class StageMeasure : std::uint8_t { Estimated, Measured, Parameters, Calls };

struct StagePlan;

/// The input of planning. `kept` are the first calls of the stages after the first, by name; they are used if the model
/// has all of them. The cuts of `before`, of an earlier version, are carried over.
struct StageRequest {
    int count = 2;                                        ///< number of stages
    StageMeasure measure = StageMeasure::Estimated;       ///< weight of a call
    fx::NodeTimes measured;                               ///< empty if nodes were not timed
    std::unordered_map<std::string, std::string> symbols; ///< values of symbolic sizes in the file
    std::vector<std::string> kept;                        ///< see above
    std::shared_ptr<const StagePlan> before;              ///< null: no earlier version
};

/// One version of a model as a line of calls, and its stages.
struct StagePlan {
    std::shared_ptr<const fx::GraphModule> model; ///< with the displayed shapes
    std::shared_ptr<const fx::StageLine> line;    ///< the calls with their weights
    std::shared_ptr<const DrawnGroups> groups;    ///< groups of the layout
    fx::StageLine::Cuts cuts;                     ///< as proposed, or as kept
    bool isKept = false;                          ///< the cuts were kept
    /// The weights in `line` were measured; otherwise they are estimates, or calls if there are no times.
    bool isMeasured = false;
    QString note; ///< why the stages are not balanced as requested, or empty
};

/// Cuts a model into stages. Thread-safe. Throws fx::Error{Cancelled, Refused}.
StagePlan planStages(std::shared_ptr<const fx::GraphModule> model, const StageRequest& request,
                     const fx::Progress& progress);

/// Formats a weight: "3.1 ms (estimated)", "3.1 ms (measured)", "14 calls".
QString stageWeightText(const StagePlan& plan, double weight, bool withSource = true);
/// Formats the values that cross a cut: "2 tensors · 1.2 MB".
QString crossingText(const fx::StageCrossing& crossing);
/// Describes the balance: "Stage 1 is the slowest: 12.4 ms, 1.12 times the mean of 11.1 ms."
QString balanceText(const StagePlan& plan, const fx::StageBalanceReport& balance);

} // namespace ui
