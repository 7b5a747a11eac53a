// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/inputs/input_spec.h"
#include "core/remote/message.h"

namespace ui {

/// Runs `model` with what the document says of its inputs. Those from files are read here, so not on the GUI thread.
/// Throws fx::Error.
fx::remote::RunRequest requestToRun(const std::shared_ptr<const fx::GraphModule>& model,
                                    const fx::InputDescription& inputs, const fx::Progress& progress);

} // namespace ui
