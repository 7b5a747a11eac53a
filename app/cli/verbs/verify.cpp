// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/input_options.h"
#include "app/cli/results/verify_text.h"
#include "app/cli/text_verb.h"
#include "app/cli/verbs.h"
#include "core/remote/verify_message.h"

namespace app {
namespace {

using fx::Verdict;

struct VerifyOptions {
    std::string a, b;
    RunOptions options;
    std::optional<double> rtol, atol;
    std::vector<std::string> types; ///< DTYPE=RTOL,ATOL
    bool probes = true;
};

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

int verify(Session& session, const VerifyOptions& request) {
    fx::remote::VerifyRequest asked;
    asked.run = request.options.request(session, session.workerModel(request.a, true));
    asked.other = session.workerModel(request.b);
    asked.tolerances = {request.rtol, request.atol, {}};
    for (const std::string& type : request.types) asked.tolerances.types.push_back(parseTolerance(type));
    fx::remote::WorkerClient worker({});
    fx::VerifyReport report = fx::remote::verify(worker, asked, request.options.limit(), session.progress());
    if (report.verdict == Verdict::Inconclusive && request.probes)
        fx::addProbes(report, fx::remote::probe(worker, asked, request.options.limit(), session.progress()));
    for (const fx::Warning& warning : report.warnings) session.warn(warning);
    tellGuesses(session, report.guessed);
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
    cli.add_flag("--no-probe{false}", request->probes,
                 "after an inconclusive verdict, do not try other inputs and re-scaled weights");
    return [request](Session& session) { return verify(session, *request); };
}

} // namespace

const Verb kVerifyVerb = {"verify", "compare the results of two models on the same inputs",
                          "lancet verify resources/samples/resnet.pt resources/samples/resnet.pt --input x=1x3x64x64",
                          declareVerify};

} // namespace app
