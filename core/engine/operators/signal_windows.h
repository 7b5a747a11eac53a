// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/calls.h"

namespace fx::engine {

/// Returns the form of a function of `torch.signal.windows`, which PyTorch implements in Python; null for other names.
CallForm signalWindow(std::string_view qualifiedName);

} // namespace fx::engine
