// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/qconfig_json.h"

#include "core/base/python_text.h"
#include "core/json/json_writer.h"
#include "core/ops/near_names.h"
#include "core/quant/backend_config.h"

#include <algorithm>
#include <initializer_list>
#include <unordered_set>

namespace fx::quant {
namespace {

Message unknownKey(std::string_view key, std::initializer_list<std::string_view> known) {
    return Message("quant.unknown_key", {{"key", key}, {"near", ops::nearestOf(key, known)}});
}

Message unknownQConfig(std::string_view name) {
    const std::string near = nearestQConfig(name);
    return near.empty() ? Message("quant.unknown_qconfig", {{"name", name}})
                        : Message("quant.misspelt_qconfig", {{"name", name}, {"near", near}});
}

bool isQScheme(std::string_view text) { return text.starts_with("torch.per_"); }

Argument settingFromJson(const JsonValue& json) {
    switch (json.kind()) {
    case JsonValue::Kind::Null: return {};
    case JsonValue::Kind::Bool: return json.asBool();
    case JsonValue::Kind::Int: return json.asInt();
    case JsonValue::Kind::Float: return json.asDouble();
    case JsonValue::Kind::String: {
        const std::string_view text = json.asText();
        if (isQScheme(text)) return TorchConstant{TorchConstant::Kind::QScheme, std::string(text)};
        if (text.starts_with("torch.")) return Argument::dtype(text);
        return text;
    }
    default: throw json.error(Message("quant.setting_kind"));
    }
}

ObserverPtr knownObserver(const JsonValue& json) {
    const std::string_view name = json.asText();
    if (const ObserverPtr known = namedObserver(name)) return known;
    if (const auto kind = observerKind(name))
        return std::make_shared<ObserverSpec>(ObserverSpec{std::string(observerType(*kind)), {}, {}});
    throw json.error(Message("quant.unknown_observer", {{"type", name}}));
}

/// The entries of `[[key, value], ...]` or `{"key": value}`.
template<class Visit> void forEachRule(const JsonValue& rules, const Visit& visit) {
    if (rules.isObject()) {
        for (const JsonValue value : rules) visit(value.key(), qconfigFromJson(value));
        return;
    }
    for (const JsonValue rule : rules.needArray()) {
        if (!rule.isArray() || rule.size() != 2) throw rule.error(Message("quant.rule_form"));
        auto part = rule.begin();
        const std::string_view key = (*part).asText();
        visit(key, qconfigFromJson(*++part));
    }
}

void readOrders(const JsonValue& rules, QConfigMapping& mapping) {
    for (const JsonValue rule : rules.needArray()) {
        if (!rule.isArray() || rule.size() != 4) throw rule.error(Message("quant.order_form"));
        std::vector<JsonValue> parts;
        for (const JsonValue part : rule) parts.push_back(part);
        mapping.setModuleNameObjectTypeOrder(parts[0].asText(), parts[1].asText(), parts[2].asInt(),
                                             qconfigFromJson(parts[3]));
    }
}

std::string jsonText(std::string_view text) { return JsonWriter().string(text).text(); }

std::string settingJson(const Argument& value) {
    if (value.isNone()) return "null";
    if (const bool* flag = value.as<bool>()) return *flag ? "true" : "false";
    if (const auto* number = value.as<std::int64_t>()) return std::to_string(*number);
    if (const double* number = value.as<double>()) {
        std::string out;
        appendPythonFloat(out, *number);
        return out;
    }
    if (const auto* constant = value.as<TorchConstant>()) return jsonText(constant->name);
    if (const auto* text = value.as<std::string>()) return jsonText(*text);
    return "null";
}

std::string rulesJson(const QConfigMapping::Rules& rules) {
    std::string out = "[";
    for (const auto& [key, qconfig] : rules) {
        if (out.size() > 1) out += ", ";
        out += "[" + jsonText(key) + ", " + toJson(qconfig) + "]";
    }
    return out + "]";
}

std::vector<std::int64_t>* numbersOf(CustomConfig& custom, std::string_view key) {
    if (key == "input_quantized_idxs") return &custom.quantizedInputs;
    return key == "output_quantized_idxs" ? &custom.quantizedOutputs : nullptr;
}

std::vector<std::string>* namesOf(CustomConfig& custom, std::string_view key) {
    if (key == "preserved_attributes") return &custom.preserved;
    if (key == "non_traceable_module_name") return &custom.untracedNames;
    return key == "non_traceable_module_class" ? &custom.untracedClasses : nullptr;
}

CustomConfig customMembers(const JsonValue& given, bool isOuter);

/// `[name, mapping, example inputs, prepare_custom_config, backend]` as in torch.ao; what stands last may be left out.
StandaloneModule readStandalone(const JsonValue& entry, bool isClass) {
    std::vector<JsonValue> parts;
    for (const JsonValue part : entry.needArray()) parts.push_back(part);
    if (parts.empty() || parts.size() > 5) throw entry.error(Message("quant.standalone_form"));
    StandaloneModule read;
    read.name = parts[0].asText(), read.isClass = isClass;
    if (parts.size() > 1 && !parts[1].isNull()) read.mapping = mappingFromJson(parts[1], {});
    if (parts.size() > 3 && !parts[3].isNull())
        read.custom = std::make_shared<const CustomConfig>(customMembers(parts[3], false));
    if (parts.size() < 5 || parts[4].isNull()) return read;
    read.backend = BackendConfig::find(parts[4].asText());
    if (!read.backend) throw parts[4].error(Message("quant.unknown_backend", {{"name", parts[4].asText()}}));
    return read;
}

/// What to say of a member of PrepareCustomConfig that is not read.
Message unsupportedMember(std::string_view key) {
    const char* reason = "";
    if (key.starts_with("standalone_module_")) reason = "standalone modules do not nest";
    if (key == "float_to_observed_custom_module_class") reason = "it needs classes in Python";
    return *reason ? Message("quant.member_unsupported", {{"member", key}, {"reason", reason}})
                   : unknownKey(key, {"input_quantized_idxs", "output_quantized_idxs", "preserved_attributes",
                                      "non_traceable_module_name", "non_traceable_module_class",
                                      "standalone_module_name", "standalone_module_class"});
}

/// `isOuter`: standalone modules do not nest.
CustomConfig customMembers(const JsonValue& given, bool isOuter) {
    CustomConfig custom;
    for (const JsonValue value : given.needObject()) {
        const std::string_view key = value.key();
        if (std::vector<std::int64_t>* numbers = numbersOf(custom, key)) {
            *numbers = value.integers();
        } else if (std::vector<std::string>* names = namesOf(custom, key)) {
            *names = value.texts();
        } else if (isOuter && (key == "standalone_module_name" || key == "standalone_module_class")) {
            for (const JsonValue entry : value.needArray())
                custom.standalone.push_back(readStandalone(entry, key.ends_with("class")));
        } else {
            throw value.error(unsupportedMember(key));
        }
    }
    return custom;
}

} // namespace

ObserverPtr observerFromJson(const JsonValue& json) {
    if (json.isNull()) return {};
    if (json.isString()) return knownObserver(json);
    auto spec = std::make_shared<ObserverSpec>();
    const JsonValue type = json.needObject().at("type");
    const ObserverPtr base = knownObserver(type);
    *spec = *base;
    for (const JsonValue value : json) {
        if (value.key() == "type") continue;
        if (value.key() == "observer") {
            spec->observer = observerFromJson(value);
            continue;
        }
        const auto old = std::find_if(spec->settings.begin(), spec->settings.end(),
                                      [&](const auto& each) { return each.first == value.key(); });
        if (old != spec->settings.end()) old->second = settingFromJson(value);
        else spec->settings.emplace_back(value.key(), settingFromJson(value));
    }
    try {
        traitsOf(*spec);
    } catch (const Error& error) { throw json.error(error.message()); }
    return spec;
}

QConfigPtr qconfigFromJson(const JsonValue& json) {
    if (json.isNull()) return {};
    if (json.isString()) {
        const QConfigPtr known = namedQConfig(json.asText());
        if (!known) throw json.error(unknownQConfig(json.asText()));
        return known;
    }
    for (const JsonValue value : json.needObject())
        if (value.key() != "activation" && value.key() != "weight")
            throw value.error(unknownKey(value.key(), {"activation", "weight"}));
    return std::make_shared<QConfig>(
        QConfig{observerFromJson(json.at("activation")), observerFromJson(json.at("weight"))});
}

QConfigMapping mappingFromJson(const JsonValue& json, const QConfigMapping& base) {
    QConfigMapping mapping;
    const JsonValue start = json.needObject().find("base");
    if (!start.exists() || start.asText() == "default") mapping = base;
    else if (start.asText() != "none") throw start.error(Message("quant.unknown_base", {{"name", start.asText()}}));
    for (const JsonValue value : json) {
        const std::string_view key = value.key();
        if (key == "base" || key == "prepare_custom_config") continue;
        if (key.empty() || key == "global") mapping.setGlobal(qconfigFromJson(value));
        else if (key == "object_type")
            forEachRule(value, [&](std::string_view name, QConfigPtr q) { mapping.setObjectType(name, std::move(q)); });
        else if (key == "module_name_regex")
            forEachRule(value,
                        [&](std::string_view name, QConfigPtr q) { mapping.setModuleNameRegex(name, std::move(q)); });
        else if (key == "module_name")
            forEachRule(value, [&](std::string_view name, QConfigPtr q) { mapping.setModuleName(name, std::move(q)); });
        else if (key == "module_name_object_type_order") readOrders(value, mapping);
        else
            throw value.error(unknownKey(key, {"base", "global", "object_type", "module_name_regex", "module_name",
                                               "module_name_object_type_order", "prepare_custom_config"}));
    }
    return mapping;
}

void requireKeysOnce(const JsonValue& root) {
    std::vector<JsonValue> open{root};
    while (!open.empty()) {
        const JsonValue json = open.back();
        open.pop_back();
        std::unordered_set<std::string_view> keys;
        for (const JsonValue value : json) {
            if (json.isObject() && !keys.insert(value.key()).second)
                throw value.error(Message("quant.twice", {{"key", value.key()}}));
            if (value.isObject() || value.isArray()) open.push_back(value);
        }
    }
}

CustomConfig customFromJson(const JsonValue& json) {
    const JsonValue given = json.needObject().find("prepare_custom_config");
    return given.exists() ? customMembers(given, true) : CustomConfig();
}

std::string toJson(const ObserverSpec& spec) {
    std::string out = "{\"type\": " + jsonText(spec.type);
    for (const auto& [name, value] : spec.settings) out += ", " + jsonText(name) + ": " + settingJson(value);
    if (spec.observer) out += ", \"observer\": " + toJson(*spec.observer);
    return out + "}";
}

std::string toJson(const QConfigPtr& qconfig) {
    if (!qconfig) return "null";
    const auto observer = [](const ObserverPtr& spec) { return spec ? toJson(*spec) : std::string("null"); };
    return "{\"activation\": " + observer(qconfig->activation) + ", \"weight\": " + observer(qconfig->weight) + "}";
}

std::string toJson(const QConfigMapping& mapping) {
    std::string out = "{\"\": " + toJson(mapping.global());
    if (!mapping.objectTypes().empty()) out += ", \"object_type\": " + rulesJson(mapping.objectTypes());
    if (!mapping.regexes().empty()) out += ", \"module_name_regex\": " + rulesJson(mapping.regexes());
    if (!mapping.names().empty()) out += ", \"module_name\": " + rulesJson(mapping.names());
    if (!mapping.orders().empty()) {
        out += ", \"module_name_object_type_order\": [";
        for (const auto& order : mapping.orders()) {
            if (out.back() != '[') out += ", ";
            out += "[" + jsonText(order.module) + ", " + jsonText(order.objectType) + ", " +
                   std::to_string(order.index) + ", " + toJson(order.qconfig) + "]";
        }
        out += "]";
    }
    return out + "}";
}

} // namespace fx::quant
