// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/report.h"

#include "core/base/listed.h"
#include "core/quant/module_values.h"
#include "core/quant/qconfig_json.h"
#include "core/tensor/elements.h"

#include <algorithm>
#include <cmath>
#include <optional>

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
    case Unquantised::Reason::ReusesInput: return "reuses_input";
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
    json.key("users").strings(placement.users).key("shared_with");
    if (placement.sharedWith.empty()) json.null();
    else json.string(placement.sharedWith);
    json.endObject();
}

enum class Seen : std::uint8_t { Unknown, Nothing, OneValue, Values };

/// Observers begin with an infinite minimum, or one without channels. Those of dynamic quantisation see values when the
/// model runs.
Seen seenBy(const Module& observer) {
    if (isObserver(observer) && traitsOf(observer).isDynamic) return Seen::Unknown;
    const Module* child = observer.child("activation_post_process");
    const Module& inner = child ? *child : observer;
    const auto valuesOf = [&](const char* name) -> std::optional<std::vector<double>> {
        const TensorPtr tensor = inner.tensor(name);
        if (!tensor || !tensor->storage || tensor->storage->isExpression()) return std::nullopt;
        return elementValues(*tensor);
    };
    const auto least = valuesOf("min_val"), greatest = valuesOf("max_val");
    if (!least || !greatest) return Seen::Unknown;
    if (least->empty() || (least->size() == 1 && std::isinf(least->front()) && least->front() > 0))
        return Seen::Nothing;
    return *least == *greatest ? Seen::OneValue : Seen::Values;
}

/// "x (activation_post_process_0), conv1 (activation_post_process_1) and 3 more"
std::string placesText(const std::vector<ObservedPlace>& places) {
    constexpr std::size_t kShown = 3;
    std::vector<std::string> texts;
    for (const ObservedPlace& place : places) texts.push_back(place.observed + " (" + place.observer + ")");
    return listed(texts, kShown);
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

std::vector<ObservedPlace> activationPlaces(const PreparedModel& prepared) {
    return activationPlaces(prepared.model.graph, prepared.placements);
}

bool needsData(const Module& root, const std::vector<ObservedPlace>& places) {
    PathResolver paths(root);
    return std::any_of(places.begin(), places.end(), [&](const ObservedPlace& place) {
        const Module* observer = paths.resolve(place.observer).module;
        return observer && seenBy(*observer) == Seen::Nothing;
    });
}

Warnings calibrationWarnings(const Module& root, const std::vector<ObservedPlace>& places) {
    std::vector<ObservedPlace> unseen, constant;
    PathResolver paths(root); // those of standalone modules are further in
    for (const ObservedPlace& place : places) {
        const Module* observer = paths.resolve(place.observer).module;
        const Seen seen = observer ? seenBy(*observer) : Seen::Unknown;
        if (seen == Seen::Nothing) unseen.push_back(place);
        if (seen == Seen::OneValue) constant.push_back(place);
    }
    Warnings warnings;
    if (!unseen.empty())
        warnings.push_back(
            {Message("quant.saw_nothing", {{"count", unseen.size()}, {"first", unseen.front().observer}}), {}, {}, {}});
    if (!constant.empty())
        warnings.push_back(
            {Message("quant.saw_one_value", {{"count", constant.size()}, {"places", placesText(constant)}}),
             {},
             {},
             {}});
    return warnings;
}

std::string misfitObserver(const Module& root) {
    std::string found;
    forEachModule(root, [&](const std::string& path, const Module& module) {
        const TensorPtr least = isObserver(module) ? module.tensor("min_val") : nullptr;
        if (!found.empty() || !least) return;
        const bool isPerChannel = traitsOf(module).isPerChannel();
        if (isPerChannel ? least->sizes.empty() : !least->sizes.empty() && least->sizes[0] > 1) found = path;
    });
    return found;
}

} // namespace fx::quant
