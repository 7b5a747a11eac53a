// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/tracing/trace_remedy.h"

#include "core/json/json_writer.h"
#include "core/python/python_interpreter.h"

#include <map>
#include <unordered_set>

namespace fx::python {

namespace {
/// A default as JSON; nothing for values that JSON or a shell's quotes do not take.
std::string jsonOf(const Argument& value) {
    JsonWriter json;
    if (const auto* truth = value.as<bool>()) json.boolean(*truth);
    else if (const auto* integer = value.as<std::int64_t>()) json.integer(*integer);
    else if (const auto* text = value.as<std::string>()) json.string(*text);
    else return {};
    return json.text().find('\'') == std::string::npos ? json.text() : std::string();
}

/// `{"embed": false}` if inputs with such defaults alone decide a branch; nothing otherwise.
std::string decidingDefaults(const Graph& graph, std::string_view decidedBy) {
    std::vector<NodeId> open;
    if (const NodeId node = graph.find(decidedBy); node != kNoNode) open.push_back(node);
    std::unordered_set<NodeId> met(open.begin(), open.end());
    std::map<std::string, std::string> defaults;
    while (!open.empty()) {
        const Node& node = graph.node(open.back());
        open.pop_back();
        if (node.op() != Op::Placeholder && node.op() != Op::CallFunction && node.op() != Op::CallMethod) return {};
        for (const NodeId input : node.inputs())
            if (met.insert(input).second) open.push_back(input);
        if (node.op() != Op::Placeholder) continue;
        const std::string value = node.args().empty() ? std::string() : jsonOf(node.args()[0]);
        if (value.empty()) return {};
        defaults.emplace(node.target(), value);
    }
    std::string out;
    for (const auto& [name, value] : defaults) out += (out.empty() ? "{\"" : ", \"") + name + "\": " + value;
    return out.empty() ? out : out + "}";
}
} // namespace

std::optional<Message> remedyOf(Interpreter& in, const Message& why, const std::vector<Place>& calls) {
    if (!why.is("python.control_flow") && !why.is("python.iterated")) return std::nullopt;
    if (const std::string decidedBy = why.argument("node"); !decidedBy.empty())
        if (const std::string json = decidingDefaults(in.tracer().graph(), decidedBy); !json.empty())
            return Message("trace.fix_default", {{"json", json}});
    if (const ModuleFrame& module = in.stack().failedModule; !module.path.empty())
        return Message("trace.keep_as_leaf",
                       {{"path", module.path}, {"type", module.type.substr(module.type.rfind('.') + 1)}});
    if (calls.size() > 1 && calls.back().file) {
        const std::string name(calls[calls.size() - 2].function);
        const Value module = in.importModule(calls.back().file->name, true);
        auto* file = module.as<SourceFile>();
        const Value* function = file ? in.run(*file).names.find(name) : nullptr;
        if (function && function->as<Function>()) return Message("trace.wrap_function", {{"name", name}});
    }
    return Message("trace.fix_inputs");
}

} // namespace fx::python
