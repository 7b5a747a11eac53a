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
#include "core/io/trust.h"

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

std::string trustJson(const fx::TrustCard& card) {
    fx::JsonWriter json;
    json.beginObject(fx::JsonWriter::Layout::Lines);
    json.key("pickles").strings(card.pickles).key("imports").strings(card.imports).key("calls").strings(card.calls);
    json.key("outside_torch").strings(card.outsideTorch).key("texts").integer(card.texts);
    json.key("weights_only").string(card.refusal ? "refuses" : "loads").key("reason");
    fx::writeTextOrNull(json, card.refusal ? card.refusal->text() : std::string());
    json.key("unread");
    fx::writeTextOrNull(json, card.unread);
    json.endObject();
    return json.text();
}

std::string namesText(const char* label, const std::vector<std::string>& names) {
    std::string out;
    for (const std::string& name : names) out += "\n" + std::string(label) + fx::visibleName(name);
    return out.empty() ? "\n" + std::string(label) + "none" : out;
}

std::string trustText(const fx::TrustCard& card) {
    std::string out = "weights_only  " + (card.refusal ? "refuses: " + fx::visibleLine(card.refusal->text()) : "loads");
    if (!card.unread.empty()) out += "\nnot read from " + fx::visibleLine(card.unread);
    out += namesText("outside torch ", card.outsideTorch);
    if (card.texts > 0)
        out += "\nruns text     " + grouped(card.texts) + (card.texts == 1 ? " GraphModule" : " GraphModules");
    return out + namesText("calls         ", card.calls) + namesText("imports       ", card.imports) +
           namesText("pickle        ", card.pickles);
}

int printTrust(Session& session, const std::string& model) {
    const fx::TrustCard card = fx::trustCard(session.file(model), session.progress());
    session.onlyPrints();
    session.printLine(session.json() ? trustJson(card) : trustText(card));
    return card.unread.empty() ? kDone : kAnswerIsNo;
}

/// The warnings are part of the answer, so they are not told on standard error as well.
Action declareInfo(CLI::App& cli) {
    auto model = std::make_shared<std::string>();
    auto trust = std::make_shared<bool>(false);
    declareModel(cli, *model);
    cli.add_flag("--trust", *trust, "list what torch.load would import and call, also for files that are no models");
    return [model, trust](Session& session) {
        if (*trust) return printTrust(session, *model);
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
