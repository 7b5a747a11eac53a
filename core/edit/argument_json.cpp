// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/argument_json.h"

#include "core/ir/argument_codec.h"
#include "core/trace/value_source.h"

#include <algorithm>

namespace fx {
namespace {

Error refused(const JsonValue& json, const Message& what) { return Error(ErrorKind::Refused, what).at(json.path()); }

/// Reads the values of steps; `{"repr": "..."}` is Python.
class StepArguments final : public ArgumentReader {
public:
    explicit StepArguments(const Graph& graph) : m_graph(graph) {}

protected:
    NodeId nodeNamed(JsonValue name) override { return nodeFromJson(name, m_graph); }
    CallablePtr tupleType(JsonValue) override { return nullptr; } // a step gives the values, torch.fx a plain tuple
    std::optional<Argument> readOther(JsonValue object, std::string_view form) override {
        return form == "repr" && object.size() == 1 ? std::optional(fromRepr(*object.begin())) : std::nullopt;
    }
    std::string_view otherForms() const override { return "repr"; }
    Error problem(JsonValue at, const Message& what) const override { return refused(at, what); }

private:
    static Argument fromRepr(JsonValue json) {
        const std::string text(json.isString() ? json.asText() : "torch.float32");
        const std::string hint =
            R"({"repr": "..."} takes a value as Python prints it: torch.float32, inf, device('cpu'); a text is )"
            R"(written plainly: )" +
            JsonWriter().string(text).text();
        if (!json.isString()) throw refused(json, Message("edit.expected_text")).hinting(hint);
        try {
            return valueFromSource(text);
        } catch (Error& error) { throw error.at(json.path()).hinting(hint); }
    }

    const Graph& m_graph;
};

/// Names that a user may have meant: those that begin alike.
std::string nearNames(const Graph& graph, std::string_view wanted) {
    constexpr std::size_t kShown = 5;
    std::string names;
    std::size_t found = 0;
    for (const Node& node : graph.nodes()) {
        if (!node.name().starts_with(wanted.substr(0, 3)) || ++found > kShown) continue;
        names += (names.empty() ? "" : ", ") + node.name();
    }
    return names.empty() ? "check the spelling" : "there is " + names + (found > kShown ? ", ..." : "");
}

/// A dict as a value, with texts as keys.
bool isPairs(const JsonValue& json) {
    if (!json.exists() || !json.isArray() || json.size() == 0) return false;
    return std::all_of(json.begin(), json.end(), [](const JsonValue& pair) {
        return pair.isArray() && pair.size() == 2 && (*pair.begin()).isString();
    });
}

} // namespace

Argument argumentFromJson(const JsonValue& json, const Graph& graph) { return StepArguments(graph).read(json); }

std::vector<Argument> argumentsFromJson(const JsonValue& json, const Graph& graph) {
    const JsonValue tuple = json.isObject() ? json.find("tuple") : JsonValue();
    const JsonValue list = tuple.exists() ? tuple : json;
    if (!list.isArray()) throw refused(list, Message("edit.expected_list"));
    return StepArguments(graph).readItems(list, -1);
}

Kwargs kwargsFromJson(const JsonValue& json, const Graph& graph) {
    const char* const instead = R"(write the keyword arguments by name, {"dim": 1})";
    if (!json.isObject()) throw refused(json, Message("edit.expected_keywords")).hinting(instead);
    if (isPairs(json.find("dict")) && json.size() == 1)
        throw refused(json, Message("edit.dict_as_keywords")).hinting(instead);
    Kwargs kwargs;
    StepArguments values(graph);
    for (const JsonValue item : json) kwargs.emplace_back(std::string(item.key()), values.read(item));
    return kwargs;
}

NodeId nodeFromJson(const JsonValue& json, const Graph& graph) {
    const std::string name(json.asText());
    const NodeId id = graph.find(name);
    if (id == kNoNode)
        throw refused(json, Message("edit.unknown_node", {{"name", name}}))
            .onNode(name)
            .hinting(nearNames(graph, name));
    return id;
}

} // namespace fx
