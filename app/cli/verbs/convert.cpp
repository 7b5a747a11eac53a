// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/edit_result.h"
#include "app/cli/input_options.h"
#include "app/cli/output.h"
#include "app/cli/save.h"
#include "app/cli/text_verb.h"
#include "app/cli/verbs.h"
#include "core/model_files/foresee.h"
#include "core/model_files/save_project.h"
#include "core/python/own/own_python.h"
#include "core/python/tracing/trace_file.h"

#include <cstdio>
#include <filesystem>

namespace app {
namespace {

int write(Session& session, const SaveRequest& request, const std::shared_ptr<fx::GraphModule>& module) {
    SaveRequest save = request;
    if (request.output.ends_with(".lancet")) save.project = fx::projectOf(module, session.progress());
    const bool verified = saveModel(session, *module, save);
    if (session.json())
        session.printLine(editResultJson({}, request.output, verified, session.andTold(module->warnings)));
    return kDone;
}

int convert(Session& session, const SaveRequest& request) {
    if (request.output == "-") {
        if (session.json()) throw fx::Error(fx::ErrorKind::Usage, fx::Message("cli.stdout_twice"));
        writeOutput(sourceText(*session.openWarning(request.model), request.model));
        return kDone;
    }
    checkOutput(request.output);
    if (request.inputs.isGiven() && fx::savedAs(request.output) != fx::SavedAs::TorchScript)
        throw fx::Error(fx::ErrorKind::Usage, fx::Message("cli.inputs_without_script", {{"file", request.output}}));
    const auto module = session.json() ? session.open(request.model) : session.openWarning(request.model);
    return write(session, request, module);
}
Action declareConvert(CLI::App& cli) {
    auto request = std::make_shared<SaveRequest>();
    declareModel(cli, request->model);
    request->declare(cli);
    cli.get_option("--output")->required();
    request->takesInputs = true;
    reads(cli.add_option("--inputs", request->inputs.inputsFile,
                         "for .ts: inputs saved by torch.save; they give the types of inputs, and the file is run with "
                         "them before it replaces an old one"));
    cli.add_option("--input", request->inputs.inputs,
                   "for .ts: random input NAME=SHAPE[:DTYPE] to run the file with; repeatable");
    return [request](Session& session) { return convert(session, *request); };
}

/// The user's own interpreter, if one was asked for: nothing else starts Python.
struct OwnOptions {
    std::string python;
    std::vector<std::string> inputs;
};

/// A folder for the result, which goes with the process that reads it.
struct ScratchFolder {
    std::string path = (std::filesystem::temp_directory_path() / "lancet-python-XXXXXX").string();
    ScratchFolder() {
        if (!::mkdtemp(path.data()))
            throw fx::Error(fx::ErrorKind::Run, fx::Message("python.no_folder", {{"path", path}}));
    }
    ~ScratchFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(path, ignored);
    }
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
};

int traceOwn(Session& session, const SaveRequest& request, const OwnOptions& own) {
    if (request.output != "-") checkOutput(request.output);
    const SourceArguments& source = session.options().source;
    fx::OwnPython asked{own.python,
                        request.model,
                        source.init.empty() ? "null" : source.init,
                        source.concrete.empty() ? "null" : source.concrete,
                        {},
                        source.paths,
                        source.weights,
                        session.options().seed};
    for (const std::string& text : own.inputs) {
        const auto input = parseInput(text);
        const std::string dtype = input.dtype.substr(input.dtype.rfind('.') + 1);
        asked.inputs.push_back({input.name, input.sizes, dtype});
    }
    source.openOptions(0); // checks the JSON
    const ScratchFolder folder;
    const auto told = [&](std::string_view text) {
        if (!session.options().quiet) std::fwrite(text.data(), 1, text.size(), stderr);
    };
    const fx::OwnTrace traced = fx::traceWithPython(asked, folder.path, told, session.progress());
    const auto module = session.open(traced.file);
    if (request.output != "-") return write(session, request, module);
    if (session.json()) throw fx::Error(fx::ErrorKind::Usage, fx::Message("cli.stdout_twice"));
    writeOutput(sourceText(*module, request.model));
    return kDone;
}

Action declareTrace(CLI::App& cli) {
    auto request = std::make_shared<SaveRequest>();
    auto own = std::make_shared<OwnOptions>();
    declareModel(cli, request->model);
    request->declare(cli);
    cli.get_option("--output")->required();
    cli.add_option("--python", own->python,
                   "use this interpreter, which has PyTorch, instead of reading the source: MODEL is MODULE:NAME, and "
                   "its code runs")
        ->type_name("PYTHON");
    cli.add_option("--input", own->inputs,
                   "with --python: NAME=SHAPE[:DTYPE] for torch.export, used where symbolic_trace "
                   "refuses")
        ->type_name("SPEC");
    cli.get_option("MODEL")->description("Python source: FILE.py or FILE.py:NAME; with --python also MODULE:NAME");
    return [request, own](Session& session) {
        if (!own->python.empty()) return traceOwn(session, *request, *own);
        if (!own->inputs.empty()) throw fx::Error(fx::ErrorKind::Usage, fx::Message("python.input_without_python"));
        if (!fx::splitSourcePath(request->model))
            throw fx::Error(fx::ErrorKind::Usage, fx::Message("python.not_source", {{"model", request->model}}));
        return convert(session, *request);
    };
}

} // namespace

const Verb kTraceVerb = {"trace", "trace Python source, as torch.fx.symbolic_trace",
                         "lancet trace resources/samples/two_branches.py:TwoBranches -o net.pt", declareTrace};
const Verb kConvertVerb = {"convert", "convert a model to another file format",
                           "lancet convert resources/samples/simple_net.pt -o net.json", declareConvert};

} // namespace app
