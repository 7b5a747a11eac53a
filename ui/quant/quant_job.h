// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/inputs/input_spec.h"
#include "core/model_files/journal/pasted_files.h"
#include "ui/quant/quant_choices.h"
#include "ui/run/worker_service.h"

#include <QByteArray>

namespace ui {

/// What quantisation made of a version.
struct Quantised {
    std::shared_ptr<const fx::GraphModule> model;
    QByteArray steps;                           ///< the step `quantize`, which leads to `model`
    std::shared_ptr<const fx::PastedFile> file; ///< that the step reads, as long as this lives
    std::size_t observers = 0, shared = 0, unquantised = 0, batches = 0;
    fx::Warnings warnings;
};

/// Quantises a version as `lancet quantize` does; `inputs` are drawn where no file gives data. The result is written
/// into `folder`, so that recovery, projects and recipes have it without the worker. On the worker's thread. Throws
/// Error{Refused, File, Run, Cancelled}.
Quantised quantiseVersion(const WorkerCall& call, const std::shared_ptr<const fx::GraphModule>& version,
                          const QuantChoices& choices, const fx::InputDescription& inputs, const std::string& folder);

} // namespace ui
