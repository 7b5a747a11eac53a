// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/file_options.h"
#include "app/cli/input_options.h"
#include "app/cli/output.h"
#include "app/cli/verbs.h"
#include "core/files/replaced_file.h"
#include "core/remote/bench_message.h"
#include "core/remote/worker_client.h"
#include "core/timing/timing_json.h"
#include "core/timing/timing_text.h"

namespace app {
namespace {

struct BenchOptions {
    std::vector<std::string> models;
    RunOptions run;
    double seconds = 10;
    bool perNode = false;
    std::string csv;
};

fx::remote::BenchRequest requestOf(Session& session, const BenchOptions& options) {
    if (options.models.size() > 1) session.compares(options.models);
    fx::remote::BenchRequest out;
    out.run = options.run.request(session, session.workerModel(options.models.front()));
    for (std::size_t i = 1; i < options.models.size(); ++i)
        out.others.push_back(session.workerModel(options.models[i]));
    out.names = options.models;
    out.seconds = options.seconds;
    out.nodes = options.perNode || !options.csv.empty();
    return out;
}

int bench(Session& session, const BenchOptions& options) {
    fx::remote::WorkerClient worker(session.workerOptions());
    const fx::timing::BenchResult result =
        fx::remote::bench(worker, requestOf(session, options), options.run.limit(), session.progress());
    if (!options.csv.empty()) {
        fx::ReplacedFile file(options.csv);
        file.write(fx::timing::toCsv(result.reports.front()));
        file.commit();
    }
    if (session.json()) {
        session.printLine(fx::timing::toJson(result));
        return kDone;
    }
    for (const fx::Message& each : result.warnings) session.warn({each, {}, {}, {}});
    writeVisible(fx::timing::toText(result));
    return kDone;
}

Action declareBench(CLI::App& cli) {
    auto options = std::make_shared<BenchOptions>();
    reads(cli.add_option("MODEL", options->models, "models; each is timed against the first"))
        ->required()
        ->type_name("A [B...]");
    options->run.declare(cli);
    cli.add_option("--seconds", options->seconds, "total seconds to measure; longer runs resolve smaller differences")
        ->check(CLI::Range(0.1, 86400.0))
        ->capture_default_str();
    cli.add_flag("--per-node", options->perNode,
                 "also report each node: time, oneDNN primitives and share of the machine's ceiling");
    writes(cli.add_option("--csv", options->csv, "write the nodes of the first model to this file"))->type_name("FILE");
    return [options](Session& session) { return bench(session, *options); };
}

} // namespace

const Verb kBenchVerb = {"bench", "time models against each other",
                         "lancet bench resources/samples/resnet.pt --input x=1x3x64x64 --per-node", declareBench};

} // namespace app
