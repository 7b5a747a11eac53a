// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/make/observer_spec.h"

#include <string_view>
#include <vector>

namespace fx::quant {

/// The observers of a layer's activations and its weight. Mirrors torch.ao's QConfig.
struct QConfig {
    ObserverPtr activation, weight;

    /// Mirrors torch.ao's `qconfig_equals`.
    bool operator==(const QConfig& other) const;
};
using QConfigPtr = std::shared_ptr<const QConfig>; ///< null is None: not quantised

/// True if both are None, or equal.
bool equalQConfigs(const QConfigPtr& a, const QConfigPtr& b);

/// Returns a torch.ao QConfig by name ("default_dynamic_qconfig"), or null.
QConfigPtr namedQConfig(std::string_view name);
/// Returns a torch.ao observer by name ("default_weight_observer"), or null.
ObserverPtr namedObserver(std::string_view name);
/// Returns the names that `namedQConfig` accepts, sorted.
std::vector<std::string_view> qconfigNames();
/// Returns the QConfig name closest to a misspelt one, or empty.
std::string nearestQConfig(std::string_view name);

} // namespace fx::quant
