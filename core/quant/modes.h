// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/custom_config.h"
#include "core/quant/qconfig_mapping.h"

namespace fx::quant {

/// What is quantised when: all before running, activations while running, weights alone, or all while training.
enum class Mode : std::uint8_t { Static, Dynamic, WeightOnly, Qat };
std::string_view modeName(Mode mode); ///< "weight-only"
std::optional<Mode> modeFromName(std::string_view name);

/// Whether what --qconfig gives is JSON itself, not the name of a file or of a QConfig.
bool isJsonText(const std::string& given);

/// The rules of a mode: torch.ao's default mapping of the backend for static and qat (embeddings get
/// `default_embedding_qat_qconfig`); `default_dynamic_qconfig` (and
/// for embeddings `float_qparams_weight_only_qconfig`) for dynamic; embeddings alone for weight-only. `json` is what
/// --qconfig gives: a file, JSON, or the name of a QConfig for all; empty for none. Throws Error{Refused, File}.
QConfigMapping mappingFor(Backend backend, Mode mode, const std::string& json);
/// What the same `json` says under `prepare_custom_config`. Throws Error{Refused, File}.
CustomConfig customFor(const std::string& json);

} // namespace fx::quant
