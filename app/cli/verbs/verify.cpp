// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/file_options.h"
#include "app/cli/input_options.h"
#include "app/cli/results/verify_text.h"
#include "app/cli/text_verb.h"
#include "app/cli/verbs.h"
#include "core/io/values/value_file.h"
#include "core/remote/verify_message.h"

#include <algorithm>

namespace app {
namespace {

using fx::Verdict;

struct VerifyOptions {
    std::string a, b;
    RunOptions options;
    std::optional<double> rtol, atol;
    std::vector<std::string> types; ///< DTYPE=RTOL,ATOL
    bool probes = true, thorough = false;
    double searchSeconds = 0;
    std::string saved; ///< file for inputs that show a difference; empty: none
};

constexpr double kFirstRound = 5, kLongestRound = 60; ///< seconds of a search that goes on

/// `float16=1e-2,1e-3`
std::pair<std::string, fx::Tolerance> parseTolerance(const std::string& text) {
    const std::size_t equals = text.find('='), comma = text.find(',');
    const auto type = dtypeSpelled(text.substr(0, equals));
    fx::Tolerance out;
    char *endR = nullptr, *endA = nullptr;
    if (equals != text.npos && comma != text.npos && equals < comma)
        out = {std::strtod(text.c_str() + equals + 1, &endR), std::strtod(text.c_str() + comma + 1, &endA)};
    const bool good = endR == text.c_str() + comma && endA && *endA == '\0' && out.rtol >= 0 && out.atol >= 0;
    if (!good || !type) throw fx::Error(fx::ErrorKind::Usage, fx::Message("cli.tolerance", {{"text", text}}));
    return {*type, out};
}

/// A search without an end has no percentage.
fx::Progress searchProgress(const VerifyOptions& request, const Session& session) {
    if (!request.thorough) return session.progress();
    return session.progress([](std::string_view what, double done) {
        return Session::Report(what, done < 1 ? std::nullopt : std::optional(done));
    });
}

/// Searches on until the models differ, the seconds are over, or Ctrl+C: what is known by then stays in the report.
/// `thorough`: in rounds of growing length.
void searchOn(fx::remote::WorkerClient& worker, fx::remote::VerifyRequest asked, const VerifyOptions& request,
              const Session& session, fx::VerifyReport& report) {
    const fx::Progress progress = searchProgress(request, session);
    asked.searchSeconds = request.thorough ? kFirstRound : request.searchSeconds;
    for (bool goesOn = true; goesOn && report.agrees() && report.code != fx::VerdictReason::SameModel;) {
        ++asked.searchRound;
        fx::VerifyReport next = fx::remote::verify(worker, asked, request.options.limit(), progress);
        goesOn = request.thorough && next.furtherInputs > 0;
        next.furtherInputs += report.furtherInputs, next.furtherSeconds += report.furtherSeconds;
        report = std::move(next);
        asked.searchSeconds = std::min(2 * asked.searchSeconds, kLongestRound);
    }
}

/// What one run tells, and then what the user asked for beyond that, which Ctrl+C may end.
fx::VerifyReport verified(fx::remote::WorkerClient& worker, const fx::remote::VerifyRequest& asked,
                          const VerifyOptions& request, const Session& session) {
    fx::VerifyReport report = fx::remote::verify(worker, asked, request.options.limit(), session.progress());
    const bool searches = request.thorough || request.searchSeconds > 0;
    try {
        if (searches) searchOn(worker, asked, request, session, report);
        if (report.verdict == Verdict::Inconclusive && request.probes)
            fx::addProbes(report, fx::remote::probe(worker, asked, request.options.limit(), session.progress()));
    } catch (const fx::Error& error) {
        if (!searches || error.kind() != fx::ErrorKind::Cancelled) throw;
        session.progress().report({}, 1); // its line goes
    }
    return report;
}

void saveCounterexample(fx::VerifyReport& report, const std::string& path) {
    if (path.empty()) return;
    if (report.counterexample) fx::writeValueFile(*report.counterexample, path);
    else report.remarks.push_back(fx::Message("cli.no_counterexample", {{"file", path}}));
}

int verify(Session& session, const VerifyOptions& request) {
    session.compares({request.a, request.b});
    fx::remote::VerifyRequest asked;
    asked.run = request.options.request(session, session.workerModel(request.a, true));
    asked.other = session.workerModel(request.b);
    asked.tolerances = {request.rtol, request.atol, {}};
    for (const std::string& type : request.types) asked.tolerances.types.push_back(parseTolerance(type));
    fx::remote::WorkerClient worker(session.workerOptions());
    fx::VerifyReport report = verified(worker, asked, request, session);
    for (const fx::Warning& warning : report.warnings) session.warn(warning);
    tellGuesses(session, report.guessed);
    saveCounterexample(report, request.saved);
    session.printLine(session.json() ? verifyJson(report, session.andTold({})) : verifyText(report));
    return report.agrees() ? kDone : kAnswerIsNo;
}

Action declareVerify(CLI::App& cli) {
    auto request = std::make_shared<VerifyOptions>();
    cli.add_option("A", request->a, "original model")->required();
    cli.add_option("B", request->b, "model to check")->required();
    request->options.declare(cli);
    cli.add_option("--rtol", request->rtol,
                   "relative tolerance for all dtypes (default: as torch.testing.assert_close)")
        ->check(CLI::NonNegativeNumber);
    cli.add_option("--atol", request->atol, "absolute tolerance for all dtypes")->check(CLI::NonNegativeNumber);
    cli.add_option("--tolerance", request->types, "DTYPE=RTOL,ATOL for one dtype; repeatable");
    cli.add_option("--search", request->searchSeconds,
                   "seconds for further inputs of both models (default: as many as cost little)")
        ->check(CLI::PositiveNumber);
    cli.add_flag("--thorough", request->thorough, "try further inputs until they differ or you press Ctrl+C");
    writes(cli.add_option("--save-inputs", request->saved,
                          "file for inputs that show a difference, for torch.load and --inputs"));
    cli.add_flag("--no-probe{false}", request->probes,
                 "after an inconclusive verdict, do not try other seeds and inputs of other scales");
    return [request](Session& session) { return verify(session, *request); };
}

} // namespace

const Verb kVerifyVerb = {"verify", "compare the results of two models on the same inputs",
                          "lancet verify resources/samples/resnet.pt resources/samples/resnet.pt --input x=1x3x64x64",
                          declareVerify};

} // namespace app
