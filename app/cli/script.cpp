// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/script.h"

#include "app/cli/verb.h"
#include "core/io/zip/zip_archive.h"
#include "core/remote/script_message.h"
#include "core/remote/worker_client.h"

#include <algorithm>
#include <filesystem>

namespace app {
namespace {

using fx::remote::ScriptDescription;

/// Loading calls methods of that name, and opening a file never runs code of it.
void refuseCodeOnLoading(const std::string& path) {
    constexpr std::uint64_t kMostCode = 64 << 20;
    const fx::ZipArchive archive = fx::ZipArchive::open(fx::DataFile::open(path));
    for (const fx::ZipMember& member : archive.members())
        if (member.name.ends_with(".py") &&
            archive.readText(member, kMostCode).find("def __setstate__") != std::string::npos)
            throw fx::Error(fx::ErrorKind::Refused, fx::Message("cli.script_code")).in(path).at(member.name);
}

ScriptDescription described(Session& session, const std::string& path) {
    refuseCodeOnLoading(path);
    fx::remote::WorkerClient worker({});
    return fx::remote::scriptDescription(
        worker.call(fx::remote::describeScriptFrame(std::filesystem::absolute(path).string(), worker.nextNumber()), {},
                    session.progress()));
}

const std::string& graphOf(const ScriptDescription& script) {
    static const std::string kNone;
    const auto forward = std::find_if(script.methods.begin(), script.methods.end(),
                                      [](const auto& method) { return method.name == "forward"; });
    return forward == script.methods.end() ? kNone : forward->graph;
}

/// Each node is a line with what it gives.
std::int64_t nodeCount(const std::string& graph) {
    std::int64_t count = 0;
    for (std::size_t at = graph.find(" = "); at != graph.npos; at = graph.find(" = ", graph.find('\n', at))) ++count;
    return count;
}

struct Totals {
    std::int64_t tensors = 0, elements = 0, bytes = 0;
};

Totals totals(const ScriptDescription& script, bool parameters) {
    Totals out;
    for (const ScriptDescription::Tensor& tensor : script.tensors) {
        if (tensor.isParameter != parameters) continue;
        std::int64_t elements = 1;
        for (const std::int64_t size : tensor.sizes) elements *= size;
        const auto type = fx::dtypeFromName(tensor.dtype);
        ++out.tensors, out.elements += elements,
            out.bytes += elements * static_cast<std::int64_t>(type ? fx::elementSize(*type) : 0);
    }
    return out;
}

fx::Warning notEditable() { return {fx::Message("cli.script_not_editable"), {}, {}, {}}; }

std::string infoJson(const ScriptDescription& script) {
    fx::JsonWriter json;
    json.beginObject(fx::JsonWriter::Layout::Lines)
        .key("format")
        .string("torchscript")
        .key("dialect")
        .string("torchscript")
        .key("producer")
        .null();
    json.key("class_name")
        .string(script.className)
        .key("nodes")
        .beginObject()
        .key("total")
        .integer(nodeCount(graphOf(script)))
        .endObject();
    for (const auto& [key, parameters] : {std::pair("parameters", true), std::pair("buffers", false)}) {
        const Totals sum = totals(script, parameters);
        json.key(key)
            .beginObject()
            .key("tensors")
            .integer(sum.tensors)
            .key("elements")
            .integer(sum.elements)
            .key("bytes")
            .integer(sum.bytes)
            .endObject();
    }
    json.key("methods").beginArray();
    for (const auto& method : script.methods) json.string(method.name);
    json.endArray();
    writeWarnings(json, {notEditable()});
    json.endObject();
    return json.text();
}

std::string infoText(const ScriptDescription& script) {
    std::string out = "format      torchscript\nclass       " + script.className + "\nmethods     ";
    for (const auto& method : script.methods) out += (&method == &script.methods.front() ? "" : ", ") + method.name;
    out += "\nnodes       " + std::to_string(nodeCount(graphOf(script))) + " in forward, its calls inlined";
    for (const auto& [name, parameters] : {std::pair("parameters  ", true), std::pair("buffers     ", false)}) {
        const Totals sum = totals(script, parameters);
        out += std::string("\n") + name + std::to_string(sum.tensors) + " tensors, " + std::to_string(sum.elements) +
               " elements, " + std::to_string(sum.bytes) + " bytes";
    }
    return out + "\nwarning     " + notEditable().what.text();
}

} // namespace

int printScriptInfo(Session& session, const std::string& path) {
    const ScriptDescription script = described(session, path);
    session.printLine(session.json() ? infoJson(script) : infoText(script));
    return kDone;
}

int printScriptGraph(Session& session, const std::string& path) {
    std::string graph = graphOf(described(session, path));
    if (graph.ends_with('\n')) graph.pop_back();
    session.warn(notEditable());
    session.printLine(graph);
    return kDone;
}

} // namespace app
