// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/edit_result.h"
#include "app/cli/output.h"
#include "app/cli/save.h"
#include "app/cli/text_verb.h"
#include "app/cli/verbs.h"
#include "core/model_files/save_project.h"
#include "core/python/trace_file.h"

namespace app {
namespace {

int convert(Session& session, const SaveRequest& request) {
    if (request.output == "-") {
        if (session.json()) throw fx::Error(fx::ErrorKind::Usage, fx::Message("cli.stdout_twice"));
        writeOutput(sourceText(*session.openWarning(request.model), request.model));
        return kDone;
    }
    checkOutput(request.output);
    const auto module = session.json() ? session.open(request.model) : session.openWarning(request.model);
    SaveRequest save = request;
    if (request.output.ends_with(".lancet")) save.project = fx::projectOf(module, session.progress());
    const bool verified = saveModel(session, *module, save);
    if (session.json())
        session.printLine(editResultJson({}, request.output, verified, session.andTold(module->warnings)));
    return kDone;
}

Action declare(CLI::App& cli) {
    auto request = std::make_shared<SaveRequest>();
    declareModel(cli, request->model);
    request->declare(cli);
    cli.get_option("--output")->required();
    return [request](Session& session) { return convert(session, *request); };
}

Action declareTrace(CLI::App& cli) {
    const Action action = declare(cli);
    cli.get_option("MODEL")->description("Python source: FILE.py or FILE.py:NAME");
    cli.get_option("MODEL")->check([](const std::string& model) {
        return fx::splitSourcePath(model) ? std::string() : "expected FILE.py or FILE.py:NAME, got '" + model + "'";
    });
    return action;
}

} // namespace

const Verb kTraceVerb = {"trace", "trace Python source, as torch.fx.symbolic_trace",
                         "lancet trace resources/samples/two_branches.py:TwoBranches -o net.pt", declareTrace};
const Verb kConvertVerb = {"convert", "convert a model to another file format",
                           "lancet convert resources/samples/simple_net.pt -o net.json", declare};

} // namespace app
