// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/graph_json.h"

#include "core/base/plain_number.h"
#include "core/ir/argument_codec.h"
#include "core/ir/print.h"

namespace fx {
namespace {

/// What has no common form is shown as Python prints it.
class ShownArguments final : public ArgumentWriter {
public:
    ShownArguments(JsonWriter& json, const Graph& graph) : ArgumentWriter(json), m_graph(graph) {}

protected:
    std::string_view nameOf(NodeId node) const override { return m_graph.node(node).name(); }
    void writeOther(const Argument& argument) override { writeText("repr", reprOf(m_graph, argument)); }
    void writeTypeOf(const Sequence& sequence) override { json().key("type").string(sequence.type->qualifiedName); }

private:
    const Graph& m_graph;
};

/// A size as a number where it is one, else as written ("s77").
void writeSize(JsonWriter& json, const std::string& size) {
    if (const auto number = plainNumber(size)) json.integer(*number);
    else json.string(size);
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
    ShownArguments(json, graph).writeItems(node.args());
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
    ShownArguments(json, graph).write(argument);
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
