// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/torchscript/writing/script_terms.h"

#include <optional>

namespace fx::script {

/// `moduleBody` of MultiheadAttention and the Transformer modules, without dropout and added keys. Returns an empty
/// text if a script cannot express the settings, and nullopt for other classes.
std::optional<std::string> attentionBody(const Module& module, const Terms& inputs);

} // namespace fx::script
