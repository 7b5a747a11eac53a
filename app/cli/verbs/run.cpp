// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/file_options.h"
#include "app/cli/input_options.h"
#include "app/cli/results/run_text.h"
#include "app/cli/text_verb.h"
#include "app/cli/verbs.h"
#include "core/io/values/value_file.h"

namespace app {
namespace {

struct RunVerbOptions {
    std::string model, output;
    RunOptions options;
};

int run(Session& session, const RunVerbOptions& request) {
    if (request.output == "-" || request.options.inputsFile == "-")
        throw fx::Error(fx::ErrorKind::Usage, fx::Message("cli.run_stdin"));
    fx::remote::WorkerClient worker(session.workerOptions());
    fx::remote::ModelRef model = session.workerModel(request.model);
    const fx::remote::Frame frame =
        toFrame(request.options.request(session, std::move(model)), worker.nextNumber(), worker.local());
    const fx::remote::RunResult result =
        fx::remote::runResult(worker.call(frame, request.options.limit(), session.progress()));
    for (const fx::Warning& warning : result.warnings) session.warn(warning);
    tellGuesses(session, result.guessed);
    if (!request.output.empty()) fx::writeValueFile(result.output, request.output, session.progress());
    if (session.json() || request.output.empty())
        session.printLine(session.json() ? outputsJson(result, session.andTold({})) : outputsText(result));
    return kDone;
}

Action declareRun(CLI::App& cli) {
    auto request = std::make_shared<RunVerbOptions>();
    declareModel(cli, request->model);
    request->options.declare(cli);
    writes(cli.add_option("-o,--output", request->output, "output file for the model's results, for torch.load"));
    return [request](Session& session) { return run(session, *request); };
}

} // namespace

const Verb kRunVerb = {"run", "run a model once",
                       "lancet run resources/samples/resnet.pt --input x=1x3x64x64 -o out.pt", declareRun};

} // namespace app
