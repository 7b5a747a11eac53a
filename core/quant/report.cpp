// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/report.h"

#include "core/quant/module_values.h"
#include "core/quant/qconfig_json.h"
#include "core/tensor/elements.h"

#include <cmath>

namespace fx::quant {
namespace {

std::string_view roleName(Placement::Role role) {
    switch (role) {
    case Placement::Role::Input: return "input";
    case Placement::Role::Weight: return "weight";
    case Placement::Role::Output: break;
    }
    return "output";
}

std::string_view reasonName(Unquantised::Reason reason) {
    switch (reason) {
    case Unquantised::Reason::NoPattern: return "no_pattern";
    case Unquantised::Reason::NoQConfig: return "no_qconfig";
    case Unquantised::Reason::NotSupported: break;
    }
    return "not_supported";
}

void writeRule(JsonWriter& json, const NodeQConfig& rule) {
    json.key("rule").beginObject().key("kind").string(ruleName(rule.kind)).key("key").string(rule.key).endObject();
}

void writePlacement(JsonWriter& json, const Placement& placement) {
    json.beginObject().key("name").string(placement.observer).key("observed").string(placement.observed);
    json.key("for").string(placement.cause).key("role").string(roleName(placement.role));
    json.key("pattern").string(placement.pattern);
    writeRule(json, placement.rule);
    const ObserverTraits traits = traitsOf(*placement.spec);
    json.key("type").string(observerType(traits.kind)).key("spec").raw(toJson(*placement.spec));
    json.key("dtype").string(traits.dtype).key("quant_min");
    if (traits.quantMin) json.integer(*traits.quantMin);
    else json.null();
    json.key("quant_max");
    if (traits.quantMax) json.integer(*traits.quantMax);
    else json.null();
    json.key("users").beginArray();
    for (const std::string& user : placement.users) json.string(user);
    json.endArray().key("shared_with");
    if (placement.sharedWith.empty()) json.null();
    else json.string(placement.sharedWith);
    json.endObject();
}

/// Observers begin with an infinite minimum, or one without channels.
bool sawNothing(const Module& observer) {
    const Module* inner = observer.child("activation_post_process");
    const TensorPtr least = tensorOf(inner ? *inner : observer, "min_val");
    if (!least || !least->storage || least->storage->isExpression()) return false;
    const std::vector<double> values = elementValues(*least);
    return values.empty() || (values.size() == 1 && std::isinf(values[0]) && values[0] > 0);
}

} // namespace

void writeReport(JsonWriter& json, const PreparedModel& prepared) {
    json.key("observers").beginArray(JsonWriter::Layout::Lines);
    for (const Placement& placement : prepared.placements) writePlacement(json, placement);
    json.endArray().key("unquantised").beginArray(JsonWriter::Layout::Lines);
    for (const Unquantised& node : prepared.unquantised) {
        json.beginObject().key("node").string(node.node).key("reason").string(reasonName(node.reason));
        writeRule(json, node.rule);
        json.endObject();
    }
    json.endArray();
}

Warnings unseenObservers(const PreparedModel& prepared) {
    std::vector<std::string> unseen;
    PathResolver paths(*prepared.model.root); // those of standalone modules are further in
    for (const Placement& each : prepared.placements)
        if (const Module* observer = paths.resolve(each.observer).module; observer && sawNothing(*observer))
            unseen.push_back(each.observer);
    if (unseen.empty()) return {};
    return {{Message("quant.saw_nothing", {{"count", unseen.size()}, {"first", unseen.front()}}), {}, {}, {}}};
}

} // namespace fx::quant
