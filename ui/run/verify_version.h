// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/inputs/input_spec.h"
#include "core/remote/verify_report.h"
#include "ui/run/worker_service.h"

namespace ui {

/// Runs both versions on the same inputs in the worker and compares them. Reads inputs from files. Throws fx::Error.
fx::VerifyReport verifyVersion(const WorkerCall& call, const std::shared_ptr<const fx::GraphModule>& original,
                               const std::shared_ptr<const fx::GraphModule>& version,
                               const fx::InputDescription& inputs, const fx::Tolerances& tolerances);

/// Like `verifyVersion`, with half a minute for further inputs. Another `round` draws other inputs. Reports its
/// progress.
fx::VerifyReport searchVersion(const WorkerCall& call, const std::shared_ptr<const fx::GraphModule>& original,
                               const std::shared_ptr<const fx::GraphModule>& version,
                               const fx::InputDescription& inputs, const fx::Tolerances& tolerances,
                               std::int64_t round);

/// Runs the probes that can decide an inconclusive `verifyVersion`, for `fx::addProbes`. Takes several times as long.
std::vector<fx::Probe> probeVersion(const WorkerCall& call, const std::shared_ptr<const fx::GraphModule>& original,
                                    const std::shared_ptr<const fx::GraphModule>& version,
                                    const fx::InputDescription& inputs, const fx::Tolerances& tolerances);

} // namespace ui
