// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/text_verb.h"

#include "app/cli/file_options.h"
#include "app/cli/session.h"

namespace app {

Action declareTextVerb(CLI::App& cli, ModelText text, ModelText json) {
    auto model = std::make_shared<std::string>();
    declareModel(cli, *model);
    return [model, text, json](Session& session) {
        const auto module = session.openWarning(*model, fx::NewWeights::ShapesOnly);
        session.onlyPrints();
        session.printExact(session.json() ? json(*module) : text(*module));
        return kDone;
    };
}

void declareModel(CLI::App& cli, std::string& model) {
    reads(cli.add_option("MODEL", model, "model file or folder; - for standard input"))->required();
}

} // namespace app
