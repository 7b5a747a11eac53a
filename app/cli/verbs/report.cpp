// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/file_options.h"
#include "app/cli/report/sections.h"

#include "app/cli/input_options.h"
#include "app/cli/output.h"
#include "app/cli/results/diff_text.h"
#include "app/cli/results/run_text.h"
#include "app/cli/results/verify_text.h"
#include "app/cli/text_verb.h"
#include "app/cli/verbs.h"
#include "core/files/replaced_file.h"
#include "core/json/message_json.h"
#include "core/remote/bench_message.h"
#include "core/remote/verify_message.h"
#include "core/timing/timing_json.h"

#include <filesystem>

namespace app {
namespace {

struct ReportOptions {
    std::string model, other, output;
    RunOptions run;
    double seconds = 5;
    bool runs = true;
};

void check(const Session& session, const ReportOptions& options) {
    if (options.output == "-") {
        if (session.json()) throw fx::Error(fx::ErrorKind::Usage, fx::Message("cli.stdout_twice"));
        return;
    }
    const std::string extension = std::filesystem::path(options.output).extension().string();
    if (extension != ".html" && extension != ".htm")
        throw fx::Error(fx::ErrorKind::Usage, fx::Message("cli.report_format", {{"output", options.output}}));
    if (options.model == "-" && options.other == "-")
        throw fx::Error(fx::ErrorKind::Usage, fx::Message("cli.stdin_twice"));
}

void measureNumbers(Session& session, const ReportOptions& options, Report& report, fx::remote::WorkerClient& worker) {
    fx::remote::RunRequest run = options.run.request(session, session.workerModel(options.model));
    if (!report.other) {
        report.outputs = worker.run(run, options.run.limit(), session.progress());
        return;
    }
    fx::remote::VerifyRequest request;
    request.run = std::move(run);
    request.other = session.workerModel(options.other);
    report.verify = fx::remote::verify(worker, request, options.run.limit(), session.progress());
    if (report.verify->verdict == fx::Verdict::Inconclusive)
        fx::addProbes(*report.verify, fx::remote::probe(worker, request, options.run.limit(), session.progress()));
}

void measureTimes(Session& session, const ReportOptions& options, Report& report, fx::remote::WorkerClient& worker) {
    fx::remote::BenchRequest request;
    request.run = options.run.request(session, session.workerModel(options.model));
    request.names = {options.model};
    if (report.other) {
        request.others.push_back(session.workerModel(options.other));
        request.names.push_back(options.other);
    }
    request.seconds = options.seconds, request.nodes = true, request.ceiling = false;
    report.times = fx::remote::bench(worker, request, options.run.limit(), session.progress());
}

/// A model that does not run still has a report, which says why. Wrong options are errors all the same.
template<class Measure>
void attempt(Session& session, const ReportOptions& options, Report& report, const char* part, Measure measure) {
    try {
        fx::remote::WorkerClient worker(session.workerOptions());
        measure(session, options, report, worker);
    } catch (const fx::Error& error) {
        const bool given = !options.run.inputs.empty() || !options.run.inputsFile.empty();
        session.progress().check();
        if (given && error.kind() == fx::ErrorKind::Usage) throw;
        report.missing.push_back({part, error});
    }
}

void writePart(fx::JsonWriter& json, const char* key, const std::string& text) {
    json.key(key);
    if (text.empty()) json.null();
    else json.raw(text);
}

std::string resultJson(const ReportOptions& options, const Report& report, const fx::Warnings& warnings) {
    fx::JsonWriter json;
    json.beginObject(fx::JsonWriter::Layout::Lines).key("written").string(options.output);
    writePart(json, "diff", report.diff ? diffJson(*report.diff, report.model->graph, report.other->graph) : "");
    writePart(json, "run", report.outputs ? outputsJson(*report.outputs, {}) : "");
    writePart(json, "verify", report.verify ? verifyJson(*report.verify, {}) : "");
    writePart(json, "bench", report.times ? fx::timing::toJson(*report.times) : "");
    json.key("missing").beginArray();
    for (const Report::Missing& each : report.missing) {
        json.beginObject().key("part").string(each.part).key("what").string(each.error.what());
        fx::writeMessageData(json, each.error.message());
        json.endObject();
    }
    json.endArray();
    writeWarnings(json, warnings);
    return json.endObject().text();
}

int report(Session& session, const ReportOptions& options) {
    check(session, options);
    if (!options.other.empty()) session.compares({options.model, options.other});
    Report report;
    report.name = options.model, report.otherName = options.other, report.ran = options.runs;
    report.model = session.openWarning(options.model);
    if (!options.other.empty()) {
        report.other = session.openWarning(options.other);
        report.diff = fx::diffModels(*report.model, *report.other, {}, session.progress());
    }
    if (options.runs) {
        attempt(session, options, report, "numbers", measureNumbers);
        const auto* told = report.verify    ? &report.verify->warnings
                           : report.outputs ? &report.outputs->warnings
                                            : nullptr;
        for (const fx::Warning& warning : told ? *told : fx::Warnings()) session.warn(warning);
        attempt(session, options, report, "timings", measureTimes);
    }
    const std::string page = pageOf(report, session.progress());
    if (options.output == "-") return writeOutput(page), kDone;
    fx::ReplacedFile file(options.output);
    file.write(page);
    file.commit();
    if (session.json()) session.printLine(resultJson(options, report, session.andTold({})));
    return kDone;
}

Action declareReport(CLI::App& cli) {
    auto options = std::make_shared<ReportOptions>();
    declareModel(cli, options->model);
    reads(cli.add_option("--against", options->other, "also compare with this model: differences, results and times"))
        ->type_name("B");
    writes(cli.add_option("-o,--output", options->output, "output file: .html; - for standard output"))
        ->required()
        ->type_name("FILE");
    options->run.declare(cli);
    cli.add_option("--seconds", options->seconds, "total seconds to measure times")
        ->check(CLI::Range(0.1, 86400.0))
        ->capture_default_str();
    cli.add_flag("--no-run{false}", options->runs, "do not run the models: no results and no times");
    return [options](Session& session) { return report(session, *options); };
}

} // namespace

const Verb kReportVerb = {"report", "write a page about a model: picture, code, differences, results and times",
                          "lancet report resources/samples/resnet.pt --input x=1x3x64x64 -o resnet.html",
                          declareReport};

} // namespace app
