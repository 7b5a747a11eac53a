// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/report.h"

#include "core/quant/qconfig_json.h"

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

} // namespace fx::quant
