// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/inputs/input_spec.h"
#include "core/remote/verify_report.h"
#include "ui/run/worker_service.h"

namespace ui {

/// Runs both versions on the same inputs in the worker and compares. Inputs from files are read here. Throws fx::Error.
fx::VerifyReport verifyVersion(const WorkerCall& call, const std::shared_ptr<const fx::GraphModule>& original,
                               const std::shared_ptr<const fx::GraphModule>& version,
                               const fx::InputDescription& inputs, const fx::Tolerances& tolerances);

/// What trying further shows when `verifyVersion` was inconclusive: for `fx::addProbes`. Takes several times as long.
std::vector<fx::Probe> probeVersion(const WorkerCall& call, const std::shared_ptr<const fx::GraphModule>& original,
                                    const std::shared_ptr<const fx::GraphModule>& version,
                                    const fx::InputDescription& inputs, const fx::Tolerances& tolerances);

} // namespace ui
