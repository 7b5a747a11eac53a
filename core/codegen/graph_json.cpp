// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/graph_json.h"

#include "core/base/python_text.h"
#include "core/ir/print.h"

#include <charconv>
#include <cmath>

namespace fx {
namespace {

void writeRepr(JsonWriter& json, const Graph& graph, const Argument& argument) {
    json.beginObject().key("repr").string(reprOf(graph, argument)).endObject();
}

void writeItems(JsonWriter& json, const Graph& graph, const std::vector<Argument>& items) {
    json.beginArray();
    for (const Argument& item : items) writeArgument(json, graph, item);
    json.endArray();
}

void writeSequence(JsonWriter& json, const Graph& graph, const Sequence& sequence) {
    if (sequence.kind == Sequence::Kind::List) return writeItems(json, graph, sequence.items);
    json.beginObject().key("tuple");
    writeItems(json, graph, sequence.items);
    if (sequence.type) json.key("type").string(sequence.type->qualifiedName);
    json.endObject();
}

void writeDict(JsonWriter& json, const Graph& graph, const Dict& dict) {
    json.beginObject().key("dict").beginArray();
    for (const auto& [key, value] : dict.items) {
        json.beginArray();
        writeArgument(json, graph, key);
        writeArgument(json, graph, value);
        json.endArray();
    }
    json.endArray().endObject();
}

void writeSlice(JsonWriter& json, const Graph& graph, const Slice& slice) {
    json.beginObject().key("slice");
    writeItems(json, graph, {slice.start, slice.stop, slice.step});
    json.endObject();
}

void writeFloat(JsonWriter& json, const Graph& graph, double value) {
    if (!std::isfinite(value)) return writeRepr(json, graph, value);
    std::string text;
    appendPythonFloat(text, value);
    json.raw(text);
}

/// A size as a number where it is one, else as written ("s77").
void writeSize(JsonWriter& json, const std::string& size) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(size.data(), size.data() + size.size(), number);
    if (error == std::errc() && end == size.data() + size.size()) {
        json.integer(number);
    } else {
        json.string(size);
    }
}

void writeShape(JsonWriter& json, const ValueInfo& value) {
    if (!value.isTensor) {
        json.null();
        return;
    }
    json.beginArray();
    for (const std::string& size : value.sizes) writeSize(json, size);
    json.endArray();
}

void writeDtype(JsonWriter& json, const ValueInfo& value) {
    constexpr std::string_view prefix = "torch.";
    if (value.dtype.empty()) {
        json.null();
    } else {
        json.string(value.dtype.starts_with(prefix) ? std::string_view(value.dtype).substr(prefix.size())
                                                    : std::string_view(value.dtype));
    }
}

/// One value as `write` does, several as a list of them, none as null.
void writeValues(JsonWriter& json, const std::vector<ValueInfo>& values, void (*write)(JsonWriter&, const ValueInfo&)) {
    if (values.empty()) {
        json.null();
    } else if (values.size() == 1) {
        write(json, values.front());
    } else {
        json.beginArray();
        for (const ValueInfo& value : values) write(json, value);
        json.endArray();
    }
}

void writeNode(JsonWriter& json, const Graph& graph, const Node& node) {
    json.beginObject();
    json.key("name").string(node.name()).key("op").string(opName(node.op())).key("target").string(node.target());
    json.key("args");
    writeItems(json, graph, node.args());
    json.key("kwargs").beginObject();
    for (const auto& [name, value] : node.kwargs()) {
        json.key(name);
        writeArgument(json, graph, value);
    }
    json.endObject().key("users").beginArray();
    for (const NodeId user : node.users()) json.string(graph.node(user).name());
    json.endArray().key("type");
    writeTextOrNull(json, node.type() ? node.type()->repr() : std::string());
    json.key("module_path");
    writeTextOrNull(json, modulePathOf(node));
    json.key("source");
    writeTextOrNull(json, sourceLineOf(node));
    writeValueInfo(json, node);
    json.endObject();
}

} // namespace

void writeTextOrNull(JsonWriter& json, std::string_view text) {
    if (text.empty()) {
        json.null();
    } else {
        json.string(text);
    }
}

void writeArgument(JsonWriter& json, const Graph& graph, const Argument& argument) {
    if (argument.isNone()) {
        json.null();
    } else if (const auto* truth = argument.as<bool>()) {
        json.boolean(*truth);
    } else if (const auto* number = argument.as<std::int64_t>()) {
        json.integer(*number);
    } else if (const auto* real = argument.as<double>()) {
        writeFloat(json, graph, *real);
    } else if (argument.isNode()) {
        json.beginObject().key("node").string(graph.node(argument.node()).name()).endObject();
    } else if (const auto* text = argument.as<std::string>()) {
        json.string(*text);
    } else if (const auto* wide = argument.as<BigInt>()) {
        json.raw(wide->digits);
    } else if (const auto* sequence = argument.as<Sequence>()) {
        writeSequence(json, graph, *sequence);
    } else if (const auto* dict = argument.as<Dict>()) {
        writeDict(json, graph, *dict);
    } else if (const auto* slice = argument.as<Slice>()) {
        writeSlice(json, graph, *slice);
    } else {
        writeRepr(json, graph, argument);
    }
}

void writeValueInfo(JsonWriter& json, const Node& node) {
    json.key("shape");
    writeValues(json, node.meta().values, writeShape);
    json.key("dtype");
    writeValues(json, node.meta().values, writeDtype);
}

std::string_view modulePathOf(const Node& node) {
    const auto& stack = node.meta().moduleStack;
    if (!stack.empty()) return stack.back().path;
    return node.op() == Op::CallModule ? std::string_view(node.target()) : std::string_view();
}

std::string sourceLineOf(const Node& node) {
    const std::string& trace = node.meta().stackTrace;
    constexpr std::string_view opening = "File \"", middle = "\", line ";
    const std::size_t at = trace.rfind(opening);
    const std::size_t split = at == std::string::npos ? at : trace.find(middle, at);
    if (split == std::string::npos) return {};
    const std::size_t lineEnd = trace.find('\n', split);
    std::string place =
        trace.substr(split + middle.size(), lineEnd == std::string::npos ? lineEnd : lineEnd - split - middle.size());
    if (const std::size_t comma = place.find(", in "); comma != std::string::npos) place.replace(comma, 5, " in ");
    std::string result = trace.substr(at + opening.size(), split - at - opening.size()) + ":" + place;
    if (lineEnd == std::string::npos) return result;
    const std::size_t codeStart = trace.find_first_not_of(" \t\n", lineEnd);
    if (codeStart == std::string::npos) return result;
    const std::size_t codeEnd = trace.find('\n', codeStart);
    return result + ", code: " + trace.substr(codeStart, codeEnd == std::string::npos ? codeEnd : codeEnd - codeStart);
}

void writeGraph(JsonWriter& json, const Graph& graph) {
    json.beginObject(JsonWriter::Layout::Lines).key("nodes").beginArray(JsonWriter::Layout::Lines);
    for (const Node& node : graph.nodes()) writeNode(json, graph, node);
    json.endArray().endObject();
}

} // namespace fx
