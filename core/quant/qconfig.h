// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/quant/observer_spec.h"

#include <string_view>
#include <vector>

namespace fx::quant {

/// How a layer is quantised: the observers of its activations and of its weight. Mirrors torch.ao's QConfig.
struct QConfig {
    ObserverPtr activation, weight;

    /// torch.ao `qconfig_equals`.
    bool operator==(const QConfig& other) const;
};
using QConfigPtr = std::shared_ptr<const QConfig>; ///< null is None: not quantised

/// Whether both are None, or equal.
bool equalQConfigs(const QConfigPtr& a, const QConfigPtr& b);

/// A QConfig of torch.ao by its name ("default_dynamic_qconfig"), or null.
QConfigPtr namedQConfig(std::string_view name);
/// An observer of torch.ao by its name ("default_weight_observer"), or null.
ObserverPtr namedObserver(std::string_view name);
/// All such names, sorted.
std::vector<std::string_view> qconfigNames();
/// The one that a misspelt name may mean, or empty.
std::string nearestQConfig(std::string_view name);
std::vector<std::string_view> observerNames();

} // namespace fx::quant
