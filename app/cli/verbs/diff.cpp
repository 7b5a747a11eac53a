// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/results/diff_text.h"
#include "app/cli/session.h"
#include "app/cli/text_verb.h"
#include "app/cli/verbs.h"

namespace app {
namespace {

struct DiffOptions {
    std::string a, b;
    fx::DiffOptions diff;
};

std::string diffText(const fx::ModelDiff& diff, const fx::Graph& a, const fx::Graph& b) {
    std::string text;
    for (const std::string& line : diffLines(diff, a, b)) text += line + "\n";
    return text + diffCounts(diff);
}

int diff(Session& session, const DiffOptions& options) {
    if (options.a == "-" && options.b == "-") throw fx::Error(fx::ErrorKind::Usage, fx::Message("cli.stdin_twice"));
    session.compares({options.a, options.b});
    const auto a = session.openWarning(options.a), b = session.openWarning(options.b);
    const fx::ModelDiff found = fx::diffModels(*a, *b, options.diff, session.progress());
    session.printLine(session.json() ? diffJson(found, a->graph, b->graph) : diffText(found, a->graph, b->graph));
    return found.equal() ? kDone : kAnswerIsNo;
}

Action declareDiff(CLI::App& cli) {
    auto options = std::make_shared<DiffOptions>();
    cli.add_option("A", options->a, "first model; - for standard input")->required();
    cli.add_option("B", options->b, "second model")->required();
    cli.add_flag("--no-values{false}", options->diff.values, "skip the values of tensors");
    return [options](Session& session) { return diff(session, *options); };
}

} // namespace

const Verb kDiffVerb = {"diff", "compare two models",
                        "lancet diff resources/samples/simple_net.pt resources/samples/my_module.pt", declareDiff};

} // namespace app
