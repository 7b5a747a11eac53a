// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/custom_config.h"
#include "core/quant/qconfig_mapping.h"

namespace fx::quant {

/// The mode of quantisation: everything before running, activations at run time, weights alone, or everything during
/// training.
enum class Mode : std::uint8_t { Static, Dynamic, WeightOnly, Qat };
std::string_view modeName(Mode mode); ///< "weight-only"
/// The inverse of `modeName`; nullopt for unknown names.
std::optional<Mode> modeFromName(std::string_view name);

/// True if the value of --qconfig is JSON text, not a file name or the name of a QConfig.
bool isJsonText(const std::string& given);

/// Returns the rules of a mode. Static and qat use torch.ao's default mapping of the backend (embeddings in qat use
/// `default_embedding_qat_qconfig`). Dynamic uses `default_dynamic_qconfig`, and `float_qparams_weight_only_qconfig`
/// for embeddings. Weight-only quantises embeddings alone. `json` is the value of --qconfig: a file, JSON text, or the
/// name of a QConfig for all nodes; empty for the defaults. Throws Error{Refused, File}.
QConfigMapping mappingFor(Backend backend, Mode mode, const std::string& json);
/// Reads `prepare_custom_config` from the same `json`. Throws Error{Refused, File}.
CustomConfig customFor(const std::string& json);

} // namespace fx::quant
