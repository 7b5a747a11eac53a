// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/timing/operator_profile.h"

namespace fx::engine {

/// Runs each of some fifty operators once for every dtype and layout and takes down what oneDNN ran for it. Sizes are
/// those of a small but real layer at a batch of four: ATen sends tiny convolutions elsewhere. Takes a second or two.
/// Throws Error{Cancelled}.
timing::OperatorProfile profileOperators(const Progress& progress = {});

} // namespace fx::engine
