// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/json/json_document.h"
#include "core/quant/custom_config.h"
#include "core/quant/qconfig_mapping.h"

namespace fx::quant {

/// Reads `{"type": "torch.ao.quantization.observer.MinMaxObserver", "dtype": "torch.qint8", ...}` or the name of a
/// torch.ao observer ("default_weight_observer"); returns null for JSON null. Throws Error{Refused} with the position
/// in the JSON.
ObserverPtr observerFromJson(const JsonValue& json);

/// Reads a name ("default_dynamic_qconfig"), `{"activation": OBSERVER, "weight": OBSERVER}` or null.
QConfigPtr qconfigFromJson(const JsonValue& json);

/// Reads a QConfigMapping in the layout of torch.ao's `to_dict()`:
///
///     {"base": "default", "": QCONFIG, "object_type": [["torch.nn.Linear", QCONFIG]], "module_name_regex": [...],
///      "module_name": [...], "module_name_object_type_order": [["path", "torch.nn.Linear", 0, QCONFIG]]}
///
/// With `"base": "none"` only these rules apply; otherwise they are added to those of `base`. Lists may also be
/// objects.
QConfigMapping mappingFromJson(const JsonValue& json, const QConfigMapping& base);

/// Throws Error{File} if an object anywhere in `root` repeats a key, since one of the rules would be lost.
void requireKeysOnce(const JsonValue& root);

/// Reads the member `prepare_custom_config` of the same JSON, which `mappingFromJson` ignores, with the keys of
/// torch.ao's `PrepareCustomConfig.from_dict`:
///
///     {"prepare_custom_config": {"input_quantized_idxs": [0], "output_quantized_idxs": [0],
///                                "preserved_attributes": ["scale"], "non_traceable_module_name": ["block.0"],
///                                "non_traceable_module_class": ["Block"],
///                                "standalone_module_name": [["head", MAPPING, null, PREPARE_CUSTOM_CONFIG, "x86"]],
///                                "standalone_module_class": [["Block"]]}}
CustomConfig customFromJson(const JsonValue& json);

/// Writes an observer, a QConfig or a mapping in the form that the functions above read.
std::string toJson(const ObserverSpec& spec);
std::string toJson(const QConfigPtr& qconfig);
std::string toJson(const QConfigMapping& mapping);

} // namespace fx::quant
