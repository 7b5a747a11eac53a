// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/own/own_answer.h"

#include "core/base/utf8.h"
#include "core/diag/error.h"
#include "core/files/read_text.h"
#include "core/io/ir_json/ir_json.h"
#include "core/json/json_document.h"
#include "core/model_files/open.h"

#include <string_view>
#include <utility>
#include <vector>

namespace fx {
namespace {

/// A text of the child; empty if it has none.
std::string textOf(JsonValue object, const char* key) {
    const JsonValue value = object.find(key);
    return value.exists() ? std::string(value.asText()) : std::string();
}

/// A text of the child that is shown; it may be as long as its source likes.
std::string shownText(JsonValue object, const char* key) {
    constexpr std::size_t kMostShown = 2000;
    const std::string text = textOf(object, key);
    return text.size() <= kMostShown ? text : std::string(wholeCharacters(text, kMostShown)) + "…";
}

Error refusal(JsonValue result, const OwnPython& request, const PythonEnvironment& python) {
    const std::string step = textOf(result, "step"), reason = shownText(result, "error");
    const std::string needs = shownText(result, "needs_inputs");
    Error error(ErrorKind::Refused,
                step == "torch"       ? Message("python.no_torch", {{"python", python.program}, {"reason", reason}})
                : step == "import"    ? Message("python.not_imported", {{"target", request.target}, {"reason", reason}})
                : step == "construct" ? Message("python.not_made", {{"target", request.target}, {"reason", reason}})
                : step == "save"      ? Message("python.not_kept", {{"target", request.target}, {"reason", reason}})
                : !needs.empty()
                    ? Message("python.needs_inputs", {{"reason", reason}, {"detail", needs}})
                    : Message("python.not_exported", {{"refused", shownText(result, "refused")}, {"reason", reason}}));
    return error.at(shownText(result, "where"));
}

std::vector<std::string_view> inputsOf(const Graph& graph) {
    std::vector<std::string_view> inputs;
    for (const Node& node : graph.nodes())
        if (node.op() == Op::Placeholder) inputs.push_back(node.target());
    return inputs;
}

/// Whether the inputs of a graph are those of a model's code. A nested one is a single input there: `x` for `x_1`,
/// `x_2`.
bool hasInputsOf(const Graph& graph, const GraphModule& model) {
    const auto inputs = inputsOf(graph);
    std::size_t at = 0;
    for (const std::string_view whole : inputsOf(model.graph)) {
        const std::string part = std::string(whole) + '_';
        while (at < inputs.size() && (inputs[at] == whole || inputs[at].starts_with(part))) ++at;
    }
    return at == inputs.size();
}

/// The node whose module or attribute the model does not have, or that is used before it is defined; null if none.
const Node* misplaced(const Graph& graph, const GraphModule& model) {
    if (const auto problems = lint(graph); !problems.empty()) return &graph.node(problems.front().node);
    PathResolver paths(*model.root);
    for (const Node& node : graph.nodes()) {
        if (node.op() != Op::CallModule && node.op() != Op::GetAttr) continue;
        const auto kind = paths.resolve(node.target()).kind;
        if (kind == PathTarget::Kind::Missing || (node.op() == Op::CallModule && kind != PathTarget::Kind::Module))
            return &node;
    }
    return nullptr;
}

/// Reading a saved GraphModule traces its code again, as PyTorch does; this is what torch.fx recorded. It takes the
/// place of the graph, so that it must be one of this model: parts of the model name inputs and nodes of its graph.
void takeGraph(GraphModule& model, JsonValue result) {
    Graph graph = std::move(readIrDescription({textOf(result, "graph"), {}}, model.path)->graph);
    const auto bad = [](const char* what) {
        return Error(ErrorKind::File, Message("python.other_graph", {{"detail", what}}));
    };
    if (!hasInputsOf(graph, model)) throw bad("it has other inputs");
    if (const Node* node = misplaced(graph, model)) throw bad("a node does not fit").at(node->name());
    model.graph = std::move(graph);
    model.tracerClass.clear();
    model.root->origin = {}; // the code in the file is not what this graph generates
}

/// Opens only the two formats that the child writes: a child that was taken over could send a project, whose Python
/// Lancet would follow.
std::shared_ptr<GraphModule> modelOf(const OwnAnswer& answer, JsonValue result, const Progress& progress) {
    const ModelFile found = findModel(answer.model, true);
    if (found.kind != FileKind::TorchSave && found.kind != FileKind::Pt2)
        throw Error(ErrorKind::File, Message("python.other_model", {{"format", "another kind of file"}}));
    OpenOptions options;
    options.keepsContent = true;
    auto model = openModel(found, options, progress);
    const bool isTraced = model->format == Format::GraphModule, hasGraph = result.find("graph").exists();
    if (!isTraced && (model->format != Format::Pt2 || hasGraph))
        throw Error(ErrorKind::File, Message("python.other_model", {{"format", formatName(model->format)}}));
    if (hasGraph) takeGraph(*model, result);
    return model;
}

} // namespace

OwnTrace readAnswer(const OwnAnswer& answer, int code, const OwnPython& request, const PythonEnvironment& python,
                    const Progress& progress) {
    try {
        const std::string text = readTextFile(answer.result);
        if (text.empty())
            throw Error(ErrorKind::Run, Message("python.no_result", {{"program", python.program}, {"code", code}}));
        const auto document = JsonDocument::parse(text);
        const JsonValue root = document->root();
        if (root.find("error").exists()) throw refusal(root, request, python);
        OwnTrace out{modelOf(answer, root, progress), python.python, python.torch, python.program, python.sandboxed};
        // What traced may be another PyTorch than the one that the interpreter found without the source.
        if (const std::string version = plainVersion(textOf(root, "torch")); !version.empty()) out.torch = version;
        return out;
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::File) throw;
        throw Error(ErrorKind::Run,
                    Message("python.bad_result", {{"program", python.program}, {"reason", error.what()}}));
    }
}

} // namespace fx
