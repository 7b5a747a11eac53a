// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/argument_json.h"

#include "core/trace/value_source.h"

namespace fx {
namespace {

Error refused(const JsonValue& json, const std::string& what) {
    return Error(ErrorKind::Refused, what).at(json.path());
}

/// Objects have one key, which says what they are.
Argument fromObject(const JsonValue& json, const Graph& graph, int depth);

Argument fromJson(const JsonValue& json, const Graph& graph, int depth) {
    if (depth > kMaxArgumentDepth) throw refused(json, "values nest deeper than " + std::to_string(kMaxArgumentDepth));
    switch (json.kind()) {
    case JsonValue::Kind::Null: return {};
    case JsonValue::Kind::Bool: return json.asBool();
    case JsonValue::Kind::Int: return json.asInt();
    case JsonValue::Kind::BigInt: return BigInt{std::string(json.digits())};
    case JsonValue::Kind::Float: return json.asDouble();
    case JsonValue::Kind::String: return json.asText();
    case JsonValue::Kind::Array: {
        std::vector<Argument> items;
        for (const JsonValue item : json) items.push_back(fromJson(item, graph, depth + 1));
        return Argument::list(std::move(items));
    }
    case JsonValue::Kind::Object: break;
    }
    return fromObject(json, graph, depth);
}

Argument dictFrom(const JsonValue& json, const Graph& graph, int depth) {
    std::vector<std::pair<Argument, Argument>> items;
    for (const JsonValue pair : json.needArray()) {
        if (!pair.isArray() || pair.size() != 2) throw refused(pair, "an entry of a dict is [key, value]");
        std::vector<Argument> both;
        for (const JsonValue part : pair) both.push_back(fromJson(part, graph, depth + 1));
        items.emplace_back(std::move(both[0]), std::move(both[1]));
    }
    return Argument::dict(std::move(items));
}

Argument fromObject(const JsonValue& json, const Graph& graph, int depth) {
    if (const auto node = json.find("node"); node.exists() && json.size() == 1) return nodeFromJson(node, graph);
    if (const auto tuple = json.find("tuple"); tuple.exists()) {
        std::vector<Argument> items;
        for (const JsonValue item : tuple.needArray()) items.push_back(fromJson(item, graph, depth + 1));
        return Argument::tuple(std::move(items));
    }
    if (const auto dict = json.find("dict"); dict.exists() && json.size() == 1) return dictFrom(dict, graph, depth);
    if (const auto slice = json.find("slice"); slice.exists() && json.size() == 1) {
        std::vector<Argument> parts;
        for (const JsonValue part : slice.needArray()) parts.push_back(fromJson(part, graph, depth + 1));
        if (parts.size() != 3) throw refused(slice, "a slice has three parts");
        return Argument::slice(parts[0], parts[1], parts[2]);
    }
    if (const auto repr = json.find("repr"); repr.exists() && json.size() == 1) return valueFromSource(repr.asText());
    throw refused(json, "this object is no value").hinting("write {\"node\": ...}, {\"tuple\": ...}, {\"dict\": ...}, {\"slice\": ...} or {\"repr\": ...}");
}

/// Names that a user may have meant: those that begin alike.
std::string nearNames(const Graph& graph, std::string_view wanted) {
    constexpr std::size_t kShown = 5;
    std::string names;
    std::size_t found = 0;
    for (const Node& node : graph.nodes()) {
        if (!node.name().starts_with(wanted.substr(0, 3)) || ++found > kShown) continue;
        names += (names.empty() ? "" : ", ") + node.name();
    }
    return names.empty() ? "the verb graph prints the names" : "there is " + names + (found > kShown ? ", ..." : "");
}

} // namespace

Argument argumentFromJson(const JsonValue& json, const Graph& graph) { return fromJson(json, graph, 0); }

std::vector<Argument> argumentsFromJson(const JsonValue& json, const Graph& graph) {
    const JsonValue tuple = json.isObject() ? json.find("tuple") : JsonValue();
    std::vector<Argument> args;
    for (const JsonValue item : (tuple.exists() ? tuple : json).needArray()) args.push_back(fromJson(item, graph, 0));
    return args;
}

Kwargs kwargsFromJson(const JsonValue& json, const Graph& graph) {
    Kwargs kwargs;
    for (const JsonValue item : json.needObject()) kwargs.emplace_back(std::string(item.key()), fromJson(item, graph, 0));
    return kwargs;
}

NodeId nodeFromJson(const JsonValue& json, const Graph& graph) {
    const std::string name(json.asText());
    const NodeId id = graph.find(name);
    if (id == kNoNode) throw refused(json, "there is no node '" + name + "'").onNode(name).hinting(nearNames(graph, name));
    return id;
}

} // namespace fx
