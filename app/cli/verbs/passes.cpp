// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/session.h"
#include "app/cli/text_verb.h"
#include "app/cli/verbs.h"
#include "core/passes/pass_list.h"

#include <algorithm>

namespace app {
namespace {

int list(Session& session) {
    fx::JsonWriter json;
    json.beginObject(fx::JsonWriter::Layout::Lines).key("passes").beginArray(fx::JsonWriter::Layout::Lines);
    std::string text;
    for (const fx::Pass& pass : fx::allPasses()) {
        json.beginObject().key("name").string(pass.name).key("about").string(pass.about).key("settings").beginArray();
        text += std::string(pass.name) +
                std::string(std::max<std::size_t>(24, pass.name.size() + 1) - pass.name.size(), ' ') +
                std::string(pass.about) + "\n";
        for (const fx::PassSetting& setting : pass.settings) {
            json.beginObject()
                .key("name")
                .string(setting.name)
                .key("about")
                .string(setting.about)
                .key("default")
                .raw(setting.byDefault)
                .endObject();
            text += "    " + std::string(setting.name) + " (" + std::string(setting.byDefault) +
                    "): " + std::string(setting.about) + "\n";
        }
        json.endArray().key("available").boolean(pass.run != nullptr).endObject();
        if (!pass.run) text += "    not here: " + std::string(pass.reason) + "\n";
    }
    text.pop_back();
    session.printLine(session.json() ? json.endArray().endObject().text() : text);
    return kDone;
}

Action declareList(CLI::App&) {
    return [](Session& session) { return list(session); };
}

} // namespace

const Verb kPassesVerb = {"passes", "list the passes", "lancet passes", declareList};

} // namespace app
