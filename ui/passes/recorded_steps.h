// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/steps/step_list.h"
#include "core/journal/pasted_files.h"
#include "ui/passes/pass_record.h"

namespace ui {

/// The history step of a run of passes.
struct RecordedSteps {
    fx::StepList steps;
    std::shared_ptr<const fx::PastedFile> file; ///< the file that the step reads, kept alive by this; may be null
    std::optional<fx::Message> problem = {};    ///< why the result is not kept
};

/// Returns the step for a run of passes. `isComputed`: the result depends on the worker, so the step stores it in
/// `folder`, and can be repeated without a worker, after a crash or when a project is opened. Call it off the GUI
/// thread.
RecordedSteps stepsOf(const QByteArray& pipeline, const PassRecord& record, bool isComputed, const std::string& folder,
                      const fx::Progress& progress);

} // namespace ui
