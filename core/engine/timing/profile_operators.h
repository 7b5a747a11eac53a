// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/timing/operator_profile.h"

namespace fx::engine {

/// Runs about fifty operators once for each dtype and layout and records the kernels that oneDNN runs. Sizes are those
/// of a small but real layer at a batch of four, because ATen does not use oneDNN for tiny convolutions. Takes one to
/// two seconds. Throws Error{Cancelled}.
timing::OperatorProfile profileOperators(const Progress& progress = {});

} // namespace fx::engine
