// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/edit_result.h"
#include "app/cli/input_options.h"
#include "app/cli/output.h"
#include "app/cli/save.h"
#include "app/cli/text_verb.h"
#include "app/cli/verbs.h"
#include "core/model_files/foresee.h"
#include "core/model_files/save_project.h"
#include "core/python/tracing/trace_file.h"

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

int traceOwn(Session& session, const SaveRequest& request, const std::vector<std::string>& inputs) {
    if (request.output != "-") checkOutput(request.output);
    std::vector<fx::OwnInput> examples;
    for (const std::string& text : inputs) {
        const auto input = parseInput(text);
        examples.push_back({input.name, input.sizes, input.dtype.substr(input.dtype.rfind('.') + 1)});
    }
    const auto module = session.traceOwn(request.model, std::move(examples));
    if (request.output != "-") return write(session, request, module);
    if (session.json()) throw fx::Error(fx::ErrorKind::Usage, fx::Message("cli.stdout_twice"));
    writeOutput(sourceText(*module, request.model));
    return kDone;
}

Action declareTrace(CLI::App& cli) {
    auto request = std::make_shared<SaveRequest>();
    auto inputs = std::make_shared<std::vector<std::string>>();
    declareModel(cli, request->model);
    request->declare(cli);
    cli.get_option("--output")->required();
    cli.add_option("--input", *inputs,
                   "with --python: NAME=SHAPE[:DTYPE] for torch.export, used where symbolic_trace "
                   "refuses")
        ->type_name("SPEC");
    cli.get_option("MODEL")->description("Python source: FILE.py or FILE.py:NAME; with --python also MODULE:NAME");
    return [request, inputs](Session& session) {
        if (session.options().source.asksPython()) return traceOwn(session, *request, *inputs);
        if (!inputs->empty()) throw fx::Error(fx::ErrorKind::Usage, fx::Message("python.input_without_python"));
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
