// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/calls.h"

namespace fx::engine {

/// `torch.signal.windows.*`, which PyTorch has as Python source; null for other names.
CallForm signalWindow(std::string_view qualifiedName);

} // namespace fx::engine
