// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/quantize_request.h"
#include "app/cli/show.h"
#include "app/cli/text_verb.h"
#include "core/codegen/graph_json.h"
#include "core/files/replaced_file.h"

namespace app {
namespace {

std::string answerJson(const QuantizeRequest& request, const QuantizeAnswer& answer, const fx::Warnings& warnings,
                       const std::function<void(fx::JsonWriter&)>& members) {
    fx::JsonWriter json;
    json.beginObject(fx::JsonWriter::Layout::Lines);
    members(json);
    if (!request.show.empty()) json.key(request.show).string(shownText(answer.model, request.show));
    json.key("written");
    fx::writeTextOrNull(json, answer.written ? request.save.output : "");
    json.key("verified").boolean(answer.verified);
    writeWarnings(json, warnings);
    return json.endObject().text();
}

} // namespace

int answerQuantize(Session& session, const QuantizeRequest& request, const QuantizeAnswer& answer,
                   const std::function<void(fx::JsonWriter&)>& members) {
    if (session.json() || !request.report.empty()) {
        const std::string json = answerJson(request, answer, session.andTold(answer.warnings), members);
        if (!request.report.empty()) {
            fx::ReplacedFile file(request.report);
            file.write(json + "\n");
            file.commit();
        }
        if (session.json()) return session.printLine(json), kDone;
    }
    for (const fx::Warning& warning : answer.warnings) session.warn(warning);
    if (request.show.empty()) session.printLine(answer.summary);
    else session.printExact(shownText(answer.model, request.show));
    return kDone;
}

} // namespace app
