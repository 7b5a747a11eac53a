// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/json/json_writer.h"
#include "core/quant/constant_nodes.h"
#include "core/quant/prepare.h"

namespace fx::quant {

/// Writes the members `"observers"` (name, observed, for, role, pattern, rule, type, spec, dtype, quant_min,
/// quant_max, users, shared_with) and `"unquantised"` (node, reason, rule) into the open object.
void writeReport(JsonWriter& json, const PreparedModel& prepared);

/// An observer by its path, and the node whose value it observes.
struct ObservedPlace {
    std::string observer, observed; ///< path of the observer; name of the node
};
/// Returns the observers of values that depend on inputs, without shared ones. `Placement` is fx::quant::Placement or
/// pt2e::Placement.
template<typename Placement>
std::vector<ObservedPlace> activationPlaces(const Graph& graph, const std::vector<Placement>& placements) {
    std::vector<ObservedPlace> places;
    const ConstantNodes constants(graph);
    for (const Placement& each : placements) {
        const NodeId observed = graph.find(each.observed);
        const bool isConstant = observed != kNoNode && constants.contains(observed);
        if (each.sharedWith.empty() && !isConstant) places.push_back({each.observer, each.observed});
    }
    return places;
}
/// As above, for a model prepared in FX mode.
std::vector<ObservedPlace> activationPlaces(const PreparedModel& prepared);

/// True if an observer must see values before conversion but has seen none. Rules can request static observers in any
/// mode.
bool needsData(const Module& root, const std::vector<ObservedPlace>& places);

/// Warns about the data of a calibration: observers that saw no values because there were no batches or only empty
/// ones (their scale is 1, as in torch.ao), and observers that saw a single value, as in a batch of zeros, whose range
/// fits no other value.
Warnings calibrationWarnings(const Module& root, const std::vector<ObservedPlace>& places);

/// Returns the path of the first observer whose state does not fit its kind: per-channel ranges in a per-tensor
/// observer or the reverse, as after loading the state of a model prepared for another backend. Empty if all fit.
std::string misfitObserver(const Module& root);

} // namespace fx::quant
