// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/cli/report/page.h"
#include "core/diag/progress.h"
#include "core/diff/diff.h"
#include "core/remote/run_message.h"
#include "core/remote/verify_report.h"
#include "core/timing/timing_result.h"

#include <memory>

namespace app {

/// The content of a report. Parts that were not requested are empty; for parts that failed, `missing` has the error.
struct Report {
    std::string name, otherName;                         ///< as the user wrote them
    std::shared_ptr<const fx::GraphModule> model, other; ///< `other`: null: a report on one model
    std::optional<fx::ModelDiff> diff;                   ///< differences between the models
    std::optional<fx::remote::RunResult> outputs;        ///< outputs of the model
    std::optional<fx::VerifyReport> verify;              ///< comparison of the outputs
    std::optional<fx::timing::BenchResult> times;        ///< times of the models
    /// A part that could not be created.
    struct Missing {
        std::string part;
        fx::Error error;
    };
    std::vector<Missing> missing; ///< failed parts
    bool ran = true;              ///< false: the user did not want to run the models
};

/// Returns the report as a page. Truncates long code and lists and closes large groups; the page says how to see the
/// rest.
std::string pageOf(const Report& report, const fx::Progress& progress);

} // namespace app
