// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/json/json_writer.h"
#include "core/quant/constant_nodes.h"
#include "core/quant/prepare.h"

namespace fx::quant {

/// Writes the members `"observers"` (name, observed, for, role, pattern, rule, type, settings, users, shared_with) and
/// `"unquantised"` (node, reason, rule) into the object that is open.
void writeReport(JsonWriter& json, const PreparedModel& prepared);

/// An observer by its path, and the node whose value it sees.
struct ObservedPlace {
    std::string observer, observed;
};
/// Of what depends on inputs: one each, not those that are shared. `Placement` is that of prepare, or that of pt2e.
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
std::vector<ObservedPlace> activationPlaces(const PreparedModel& prepared);

/// Whether an observer is to see values before the model is converted, and has seen none: whatever the mode, rules may
/// ask for static observers.
bool needsData(const Module& root, const std::vector<ObservedPlace>& places);

/// What is wrong with the data of a calibration: observers that saw no values, since there was none, or since batches
/// have no elements (their scale is 1, as in torch.ao), and those that saw one value only, as in a batch of zeros:
/// their range fits nothing else.
Warnings calibrationWarnings(const Module& root, const std::vector<ObservedPlace>& places);

/// The path of an observer whose state is that of another kind, one range for each channel in place of one for all or
/// the other way round, as after loading the state of a model that was prepared for another backend; else empty.
std::string misfitObserver(const Module& root);

} // namespace fx::quant
