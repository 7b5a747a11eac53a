// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/compilation/trace_record.h"

#include <algorithm>
#include <array>

namespace fx {
namespace {
constexpr std::array<std::string_view, 11> kKeys = {"str",
                                                    "dynamo_start",
                                                    "dynamo_output_graph",
                                                    "inductor_output_code",
                                                    "dynamo_cpp_guards_str",
                                                    "dynamo_guards",
                                                    "create_symbol",
                                                    "guard_added",
                                                    "create_unbacked_symbol",
                                                    "guard_added_fast",
                                                    "compilation_metrics"};
constexpr std::array<std::string_view, 5> kArtifacts = {"dynamo_graph_break_reason", "recompile_reasons",
                                                        "torch_version", "inductor_provenance_tracking_node_mappings",
                                                        "fx_graph_runnable"};

template<class Names> bool contains(const Names& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// The text between the quotes that start at `at`; names in records have no escapes.
std::string_view quoted(std::string_view text, std::size_t at) {
    if (at >= text.size() || text[at] != '"') return {};
    const std::size_t end = text.find('"', at + 1);
    return end == std::string_view::npos ? std::string_view{} : text.substr(at + 1, end - at - 1);
}

std::string numberAt(JsonValue object, std::string_view key) {
    const JsonValue value = object.find(key);
    return value.exists() && value.kind() == JsonValue::Kind::Int ? std::to_string(value.asInt()) : std::string();
}
} // namespace

std::optional<RecordHead> recordHead(std::string_view line) {
    constexpr std::string_view kStart = "] {\"";
    // The prefix has few words: no need to search a long line of something else.
    const std::size_t bracket = line.substr(0, 1000).find(kStart);
    if (bracket == std::string_view::npos) return std::nullopt;
    RecordHead head;
    head.json = line.substr(bracket + 2);
    head.endsWithCr = head.json.ends_with('\r');
    if (head.endsWithCr) head.json.pop_back();
    head.key = quoted(head.json, 1);
    if (head.key.empty()) return std::nullopt;
    const std::string_view prefix = line.substr(0, bracket);
    const std::size_t file = prefix.rfind(' ');
    const std::size_t process = file == std::string_view::npos ? file : prefix.rfind(' ', file - 1);
    if (process != std::string_view::npos) head.process = prefix.substr(process + 1, file - process - 1);
    constexpr std::string_view kArtifact = "{\"artifact\": {\"name\": ";
    if (head.json.starts_with(kArtifact)) head.name = quoted(head.json, kArtifact.size());
    head.isRunnable = head.name == "fx_graph_runnable";
    head.isOfInterest = contains(kKeys, head.key) || contains(kArtifacts, head.name);
    return head;
}

std::optional<std::string> compileIdOf(JsonValue record) {
    const auto part = [&](std::string_view key) {
        const JsonValue value = record.find(key);
        return value.exists() && !value.isNull() ? std::to_string(value.asInt()) : std::string();
    };
    const std::string autograd = part("compiled_autograd_id"), frame = part("frame_id");
    const std::string compile = part("frame_compile_id");
    std::string id = autograd.empty() ? "" : "!" + autograd;
    if (!frame.empty()) id += (id.empty() ? "" : "/") + frame + "/" + (compile.empty() ? "0" : compile);
    return id.empty() ? std::nullopt : std::optional(id);
}

std::string textAt(JsonValue object, std::string_view key) {
    const JsonValue value = object.find(key);
    return value.exists() && value.isString() ? std::string(value.asText()) : std::string();
}

void InternedFiles::intern(const std::string& process, JsonValue pair) {
    auto item = pair.needArray().begin();
    if (pair.size() != 2) return;
    const JsonValue name = *item;
    const JsonValue number = *++item;
    m_names.insert_or_assign(process + " " + std::to_string(number.asInt()), std::string(name.asText()));
}

std::string InternedFiles::frame(const std::string& process, JsonValue frame) const {
    const std::string file = numberAt(frame.needObject(), "filename");
    const auto known = m_names.find(process + " " + file);
    std::string text = known != m_names.end() ? known->second : textAt(frame, "filename");
    text += ":" + numberAt(frame, "line") + " in " + textAt(frame, "name");
    const std::string code = textAt(frame, "loc");
    return code.empty() ? text : text + ": " + code;
}

std::string functionOf(std::string_view frame) {
    const std::size_t in = frame.find(" in ");
    if (in == std::string_view::npos) return std::string(frame);
    std::string_view name = frame.substr(in + 4);
    name = name.substr(0, name.find(": "));
    return std::string(name) + " (" + std::string(frame.substr(0, in)) + ")";
}

} // namespace fx
