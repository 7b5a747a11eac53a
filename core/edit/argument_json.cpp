// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/argument_json.h"

#include "core/json/json_writer.h"
#include "core/trace/value_source.h"

#include <algorithm>

namespace fx {
namespace {

Error refused(const JsonValue& json, const std::string& what) {
    return Error(ErrorKind::Refused, what).at(json.path());
}

/// An array, or what to write instead.
JsonValue arrayIn(const JsonValue& json, const char* instead) {
    if (json.isArray()) return json;
    throw refused(json, "this is no list of values").hinting(std::string("write ") + instead);
}

constexpr const char* kDict = R"({"dict": [["key", 1]]}, a list of keys and values)";

/// Objects have one key, which says what they are.
Argument fromObject(const JsonValue& json, const Graph& graph, int depth);
std::vector<Argument> itemsFrom(const JsonValue& json, const Graph& graph, int depth);

Argument fromJson(const JsonValue& json, const Graph& graph, int depth) {
    if (depth > kMaxArgumentDepth) throw refused(json, "values nest deeper than " + std::to_string(kMaxArgumentDepth));
    switch (json.kind()) {
    case JsonValue::Kind::Null: return {};
    case JsonValue::Kind::Bool: return json.asBool();
    case JsonValue::Kind::Int: return json.asInt();
    case JsonValue::Kind::BigInt: return BigInt{std::string(json.digits())};
    case JsonValue::Kind::Float: return json.asDouble();
    case JsonValue::Kind::String: return json.asText();
    case JsonValue::Kind::Array: return Argument::list(itemsFrom(json, graph, depth));
    case JsonValue::Kind::Object: break;
    }
    return fromObject(json, graph, depth);
}

Argument dictFrom(const JsonValue& json, const Graph& graph, int depth) {
    std::vector<std::pair<Argument, Argument>> items;
    for (const JsonValue pair : arrayIn(json, kDict)) {
        if (!pair.isArray() || pair.size() != 2)
            throw refused(pair, "an entry of a dict is [key, value]").hinting(std::string("write ") + kDict);
        std::vector<Argument> both;
        for (const JsonValue part : pair) both.push_back(fromJson(part, graph, depth + 1));
        items.emplace_back(std::move(both[0]), std::move(both[1]));
    }
    return Argument::dict(std::move(items));
}

std::vector<Argument> itemsFrom(const JsonValue& json, const Graph& graph, int depth) {
    std::vector<Argument> items;
    for (const JsonValue item : json) items.push_back(fromJson(item, graph, depth + 1));
    return items;
}

Argument fromRepr(const JsonValue& json) {
    const std::string text(json.isString() ? json.asText() : "torch.float32");
    const std::string hint =
        R"({"repr": "..."} takes a value as Python prints it: torch.float32, inf, device('cpu'); a text is )"
        R"(written plainly: )" +
        JsonWriter().string(text).text();
    if (!json.isString()) throw refused(json, "this is no text").hinting(hint);
    try {
        return valueFromSource(text);
    } catch (Error& error) { throw error.at(json.path()).hinting(hint); }
}

Argument fromObject(const JsonValue& json, const Graph& graph, int depth) {
    const JsonValue only = json.size() == 1 ? *json.begin() : JsonValue();
    const std::string_view key = only.exists() ? only.key() : std::string_view();
    if (key == "node" && !only.isString())
        throw refused(only, "this is no name of a node").hinting(R"(write {"node": "relu"})");
    if (key == "node") return nodeFromJson(only, graph);
    if (const JsonValue tuple = json.find("tuple"); tuple.exists()) // of a named tuple the type stands beside it
        return Argument::tuple(itemsFrom(arrayIn(tuple, R"({"tuple": [1, 2]})"), graph, depth));
    if (key == "dict") return dictFrom(only, graph, depth);
    if (key == "repr") return fromRepr(only);
    if (key == "slice") {
        constexpr const char* kSlice = R"({"slice": [start, stop, step]}, with null for what is left out)";
        const std::vector<Argument> parts = itemsFrom(arrayIn(only, kSlice), graph, depth);
        if (parts.size() != 3) throw refused(only, "a slice has three parts").hinting(std::string("write ") + kSlice);
        return Argument::slice(parts[0], parts[1], parts[2]);
    }
    throw refused(json, "this object is no value")
        .hinting("write {\"node\": ...}, {\"tuple\": ...}, {\"dict\": ...}, {\"slice\": ...} or {\"repr\": ...}");
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

/// A dict as `fromObject` takes it, with texts as keys.
bool isPairs(const JsonValue& json) {
    if (!json.exists() || !json.isArray() || json.size() == 0) return false;
    return std::all_of(json.begin(), json.end(), [](const JsonValue& pair) {
        return pair.isArray() && pair.size() == 2 && (*pair.begin()).isString();
    });
}

} // namespace

Argument argumentFromJson(const JsonValue& json, const Graph& graph) { return fromJson(json, graph, 0); }

std::vector<Argument> argumentsFromJson(const JsonValue& json, const Graph& graph) {
    const JsonValue tuple = json.isObject() ? json.find("tuple") : JsonValue();
    return itemsFrom(arrayIn(tuple.exists() ? tuple : json, R"(the arguments as [{"node": "relu"}, 1])"), graph, -1);
}

Kwargs kwargsFromJson(const JsonValue& json, const Graph& graph) {
    const char* const instead = R"(write the keyword arguments by name, {"dim": 1})";
    if (!json.isObject()) throw refused(json, "this is no object of keyword arguments").hinting(instead);
    if (isPairs(json.find("dict")) && json.size() == 1)
        throw refused(json, "{\"dict\": ...} is a value, here it would be an argument called dict").hinting(instead);
    Kwargs kwargs;
    for (const JsonValue item : json) kwargs.emplace_back(std::string(item.key()), fromJson(item, graph, 0));
    return kwargs;
}

NodeId nodeFromJson(const JsonValue& json, const Graph& graph) {
    const std::string name(json.asText());
    const NodeId id = graph.find(name);
    if (id == kNoNode)
        throw refused(json, "there is no node '" + name + "'").onNode(name).hinting(nearNames(graph, name));
    return id;
}

} // namespace fx
