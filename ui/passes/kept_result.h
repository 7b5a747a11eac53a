// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/model_files/journal/pasted_files.h"
#include "ui/passes/pass_record.h"

namespace ui {

/// The step of a run of passes.
struct RecordedSteps {
    QByteArray steps;                           ///< a JSON array
    std::shared_ptr<const fx::PastedFile> file; ///< that the step reads, as long as this lives; may be null
    std::optional<fx::Message> problem = {};    ///< why the result is not kept
};

/// `isComputed`: the worker had a part in what the passes made, so the step keeps the result in `folder`: it can be
/// repeated where there is no worker, after a crash or when a project is opened. Off the GUI thread.
RecordedSteps stepsOf(const QByteArray& pipeline, const PassRecord& record, bool isComputed, const std::string& folder,
                      const fx::Progress& progress);

} // namespace ui
