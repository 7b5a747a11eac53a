// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/torchscript/writing/script_terms.h"

#include <optional>

namespace fx::script {

/// `moduleBody` of MultiheadAttention and the Transformer modules, without dropout and added keys.
/// Empty if the settings have no words in a script; nullopt for other classes.
std::optional<std::string> attentionBody(const Module& module, const Terms& inputs);

} // namespace fx::script
