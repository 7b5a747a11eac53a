// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/output.h"
#include "app/cli/print_script_facts.h"
#include "app/cli/results/model_facts.h"
#include "app/cli/session.h"
#include "app/cli/text_verb.h"
#include "app/cli/verbs.h"
#include "core/base/visible_text.h"
#include "core/codegen/graph_json.h"
#include "core/io/file_kind.h"

namespace app {
namespace {

std::string infoText(const fx::GraphModule& module) {
    std::string out;
    for (auto [label, value] : modelFacts(module)) {
        label.resize(12, ' ');
        out += (out.empty() ? "" : "\n") + label + value;
    }
    return out;
}

/// The warnings are part of the answer, so they are not told on standard error as well.
Action declareInfo(CLI::App& cli) {
    auto model = std::make_shared<std::string>();
    declareModel(cli, *model);
    return [model](Session& session) {
        try {
            const auto module = session.open(*model, fx::NewWeights::ShapesOnly);
            session.onlyPrints();
            session.printLine(session.json() ? factsJson(*module) : infoText(*module));
            return kDone;
        } catch (const fx::Error& error) {
            // Without a worker, or without a graph, the archive still tells something.
            const bool noGraph = error.kind() == fx::ErrorKind::Run || error.kind() == fx::ErrorKind::Refused;
            if (!noGraph || !fx::isTorchScript(*model)) throw;
            return printScriptFacts(session, *model, error);
        }
    };
}

} // namespace

const Verb kInfoVerb = {"info", "summarise a model", "lancet info resources/samples/resnet.pt", declareInfo};

} // namespace app
