// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/worker/context.h"
#include "core/remote/quant_message.h"

namespace app {

/// Runs a prepared model on the batches; its observers gather statistics. Throws Error{Usage} for a batch that does not
/// fit the model, and Error{Run} with the batch if it cannot be run or contains NaN.
fx::remote::Calibration calibrate(const fx::remote::CalibrateRequest& request, const Context& context);

} // namespace app
