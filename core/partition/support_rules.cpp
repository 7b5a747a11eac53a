// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/partition/support_rules.h"

#include "core/files/read_text.h"
#include "core/json/json_writer.h"
#include "core/tensor/tensor_ref.h"
#include "core/timing/operator_profile.h"

#include <filesystem>

namespace fx {
namespace {

constexpr int kMaxDepth = 50; ///< of "any" and "all"

std::string dtypeNamed(const JsonValue& json) {
    const std::string_view given = json.asText();
    const std::string name = given.starts_with("torch.") ? std::string(given) : "torch." + std::string(given);
    if (!dtypeFromName(name)) throw json.error(Message("rules.unknown_dtype", {{"dtype", given}}));
    return name;
}

std::string glob(const JsonValue& json) {
    if (json.asText().empty()) throw json.error(Message("rules.empty_text"));
    return std::string(json.asText());
}

Op callOp(const JsonValue& json) {
    const auto op = opFromName(json.asText());
    if (!op) throw json.error(Message("rules.unknown_op", {{"op", json.asText()}}));
    if (*op == Op::Placeholder || *op == Op::Output)
        throw json.error(Message("rules.op_never", {{"op", json.asText()}}));
    return *op;
}

} // namespace

std::string SupportRule::text() const {
    JsonWriter json;
    json.beginObject();
    if (op) json.key("op").string(opName(*op));
    for (const auto& [key, value] :
         {std::pair("target", &target), std::pair("module_type", &moduleType), std::pair("name", &name)})
        if (*value) json.key(key).string(**value);
    if (!dtypes.empty()) {
        json.key("dtype").beginArray();
        for (const std::string& dtype : dtypes) json.string(std::string_view(dtype).substr(6)); // behind "torch."
        json.endArray();
    }
    return json.endObject().text();
}

SupportRules SupportRules::parseText(std::string text) {
    const auto document = JsonDocument::parse(std::move(text), {}, JsonDocument::Positions::Keep);
    return parse(document->root());
}

SupportRules SupportRules::parse(const JsonValue& json) {
    SupportRules rules;
    rules.m_root = rules.clause(json, 0);
    return rules;
}

SupportRules::Clause SupportRules::clause(const JsonValue& json, int depth) {
    if (depth > kMaxDepth) throw json.error(Message("rules.too_deep", {{"limit", kMaxDepth}}));
    json.needObject();
    Clause result;
    result.place = json.error({}).where;
    const JsonValue any = json.find("any"), all = json.find("all"), profile = json.find("profile");
    for (const JsonValue member : json) {
        const std::string_view key = member.key();
        const bool lists = key == "supported" || key == "unsupported";
        if (!lists && key != "any" && key != "all" && key != "profile")
            throw member.error(Message("rules.unknown_key", {{"key", key}}));
        if (!lists && json.size() > 1) throw member.error(Message("rules.alone", {{"key", key}}));
    }
    if (profile.exists()) return this->profile(profile, depth);
    if (any.exists() || all.exists()) {
        result.kind = any.exists() ? Clause::Kind::Any : Clause::Kind::All;
        for (const JsonValue part : (any.exists() ? any : all).needArray())
            result.parts.push_back(clause(part, depth + 1));
        if (result.parts.empty()) throw(any.exists() ? any : all).error(Message("rules.empty_list"));
        return result;
    }
    const JsonValue supported = json.find("supported"), unsupported = json.find("unsupported");
    if (!supported.exists() && !unsupported.exists()) throw json.error(Message("rules.missing"));
    result.everything = !supported.exists();
    if (supported.exists()) result.supported = ruleList(supported);
    if (unsupported.exists()) result.unsupported = ruleList(unsupported);
    return result;
}

SupportRules::Clause SupportRules::profile(const JsonValue& name, int depth) {
    const std::string known = "onednn", path = timing::profilePath(known);
    if (name.asText() != known) throw name.error(Message("rules.unknown_profile", {{"name", name.asText()}}));
    std::error_code failed;
    if (path.empty() || !std::filesystem::exists(path, failed))
        throw Error(ErrorKind::Refused, Message("rules.no_profile")).at(name.error({}).where);
    const auto document = JsonDocument::parse(readTextFile(path));
    m_profile = known;
    Clause result = clause(document->root().at("rules"), depth + 1);
    m_profile.clear();
    result.place = "profile " + known;
    return result;
}

std::vector<std::size_t> SupportRules::ruleList(const JsonValue& json) {
    std::vector<std::size_t> places;
    for (const JsonValue each : json.needArray()) {
        places.push_back(m_rules.size());
        m_rules.push_back(rule(each));
    }
    return places;
}

SupportRule SupportRules::rule(const JsonValue& json) {
    SupportRule result;
    result.place = m_profile.empty() ? json.error({}).where : "profile " + m_profile;
    result.profile = m_profile;
    for (const JsonValue member : json.needObject()) {
        const std::string_view key = member.key();
        if (key == "op") result.op = callOp(member);
        else if (key == "target") result.target = glob(member);
        else if (key == "module_type") result.moduleType = glob(member);
        else if (key == "name") result.name = glob(member);
        else if (key == "dtype")
            for (const JsonValue each : member.needArray()) result.dtypes.push_back(dtypeNamed(each));
        else if (key == "reason") result.reason = member.asText();
        else throw member.error(Message("rules.unknown_rule_key", {{"key", key}}));
    }
    if (json.size() == 0) throw json.error(Message("rules.empty_rule"));
    if (const JsonValue dtype = json.find("dtype"); dtype.exists() && result.dtypes.empty())
        throw dtype.error(Message("rules.empty_list"));
    if (result.moduleType && result.op && *result.op != Op::CallModule)
        throw json.find("module_type").error(Message("rules.module_type", {{"op", opName(*result.op)}}));
    return result;
}

} // namespace fx
