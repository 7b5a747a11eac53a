// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/inputs/input_spec.h"
#include "core/remote/run_message.h"

namespace ui {

/// Returns the request to run `model` with the inputs of the document. Reads inputs from files, so call it off the GUI
/// thread. Throws fx::Error.
fx::remote::RunRequest requestToRun(const std::shared_ptr<const fx::GraphModule>& model,
                                    const fx::InputDescription& inputs, const fx::Progress& progress);

} // namespace ui
