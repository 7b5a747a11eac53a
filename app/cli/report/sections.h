// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/cli/report/page.h"
#include "core/diag/progress.h"
#include "core/edit/diff.h"
#include "core/remote/message.h"
#include "core/remote/verify_report.h"
#include "core/timing/timing_result.h"

#include <memory>

namespace app {

/// What a report tells. A part that was not asked for is empty; for one that could not be made, `missing` has the
/// error.
struct Report {
    std::string name, otherName; ///< as the user wrote them
    std::shared_ptr<const fx::GraphModule> model, other;
    std::optional<fx::ModelDiff> diff;
    std::optional<fx::remote::RunResult> outputs;
    std::optional<fx::VerifyReport> verify;
    std::optional<fx::timing::BenchResult> times;
    struct Missing {
        std::string part;
        fx::Error error;
    };
    std::vector<Missing> missing;
    bool ran = true; ///< false: the user did not want the models to run
};

/// The report as a page. Long code and lists are cut and large groups closed, and the page says how to see the rest.
std::string pageOf(const Report& report, const fx::Progress& progress);

} // namespace app
