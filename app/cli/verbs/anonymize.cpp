// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/output.h"
#include "app/cli/save.h"
#include "app/cli/text_verb.h"
#include "app/cli/verbs.h"
#include "core/base/counted.h"
#include "core/codegen/graph_json.h"
#include "core/files/replaced_file.h"
#include "core/model_files/anonymise/anonymise.h"
#include "core/model_files/anonymise/exported_program.h"
#include "core/model_files/anonymise/written_texts.h"
#include "core/model_files/open.h"
#include "core/model_files/save_project.h"

#include <filesystem>
#include <fstream>

namespace app {
namespace {

struct AnonymizeRequest {
    SaveRequest save;
    std::string names; ///< the file of the table
};

/// "bug.names.json" for "bug.pt" and for the folder "bug/", in which it would be given away with the rest.
std::string tableBeside(std::string output) {
    while (output.size() > 1 && output.ends_with('/')) output.pop_back();
    return std::filesystem::path(output).replace_extension(".names.json").string();
}

/// The name of the file or folder.
std::string nameOf(std::string output) {
    while (output.size() > 1 && output.ends_with('/')) output.pop_back();
    return std::filesystem::path(output).filename().string();
}

/// The table up to its names, with the output that it belongs to: bug.pt and bug.json have tables of one name.
fx::JsonWriter begunTable(const std::string& output) {
    fx::JsonWriter json;
    json.beginObject(fx::JsonWriter::Layout::Lines).key("lancet_names").integer(1).key("of").string(nameOf(output));
    return json;
}

/// Returns true for the table of an existing output: the call is repeated, and both are written again.
bool isTableOf(const std::string& names, const std::string& output) {
    const std::string expected = begunTable(output).text();
    std::string start(expected.size(), ' ');
    std::ifstream(names).read(start.data(), static_cast<std::streamsize>(start.size()));
    return start == expected && std::filesystem::exists(output);
}

void writeTable(const fx::anonymise::Names& names, const std::string& output, const std::string& path) {
    fx::JsonWriter json = begunTable(output);
    json.key("names").beginObject(fx::JsonWriter::Layout::Lines);
    for (const auto& [old, current] : names.table()) json.key(current).string(old);
    json.endObject().endObject();
    fx::ReplacedFile file(path);
    file.write(json.text() + "\n");
    file.commit();
}

struct Written {
    fx::anonymise::Names names;
    bool verified = false;
};

Written written(Session& session, const fx::GraphModule& model, SaveRequest save) {
    if (save.output.ends_with(".pt2") && fx::anonymise::isProgram(model)) {
        Written out;
        fx::anonymise::writeProgram(model, save.output, out.names, session.progress());
        const auto back = fx::openModel(save.output, {}, session.progress());
        out.verified = back->graph.size() == model.graph.size();
        return out;
    }
    fx::AnonymousModel made = fx::anonymised(model, session.progress());
    save.model = "-"; // the new file does not name the old one
    if (save.output.ends_with(".lancet")) save.project = fx::projectOf(made.model, session.progress());
    const bool verified = saveModel(session, *made.model, save);
    return {std::move(made.names), verified};
}

int anonymize(Session& session, const AnonymizeRequest& request) {
    checkOutput(request.save.output);
    const auto model = session.json() ? session.open(request.save.model) : session.openWarning(request.save.model);
    const auto [names, verified] = written(session, *model, request.save);
    const SaveRequest& save = request.save;
    std::vector<std::string> skipped;
    const std::vector<std::string> left =
        fx::anonymise::survivingTexts(save.output, names, skipped, session.progress());
    for (const std::string& member : skipped)
        session.warn({fx::Message("anonymise.not_searched", {{"member", member}, {"file", save.output}}), {}, {}, {}});
    for (const std::string& text : left)
        session.warn({fx::Message("anonymise.survives", {{"text", text}, {"file", save.output}}), {}, {}, {}});
    writeTable(names, save.output, request.names);
    if (!session.json()) {
        session.printLine(fx::counted(names.table().size(), "name", "names") + " replaced; the table is in " +
                          request.names);
        return kDone;
    }
    fx::JsonWriter json;
    json.beginObject(fx::JsonWriter::Layout::Lines).key("written").string(save.output);
    json.key("names").string(request.names);
    json.key("replaced").integer(static_cast<std::int64_t>(names.table().size())).key("surviving").strings(left);
    json.key("verified").boolean(verified);
    writeWarnings(json, session.andTold(model->warnings));
    session.printLine(json.endObject().text());
    return kDone;
}

Action declareAnonymize(CLI::App& cli) {
    auto request = std::make_shared<AnonymizeRequest>();
    declareModel(cli, request->save.model);
    request->save.declare(cli, Writes::Model);
    cli.get_option("--output")->required();
    writes(cli.add_option("--names", request->names,
                          "file for the table of names; by default beside the output, as NAME.names.json"))
        ->type_name("FILE");
    return [request](Session& session) {
        if (request->names.empty()) {
            request->names = tableBeside(request->save.output);
            if (std::filesystem::exists(request->names) && !isTableOf(request->names, request->save.output))
                throw fx::Error(fx::ErrorKind::Usage, fx::Message("cli.table_exists", {{"file", request->names}}));
        }
        return anonymize(session, *request);
    };
}

} // namespace

const Verb kAnonymizeVerb = {"anonymize", "replace names, texts and weights, for a report of a bug",
                             "lancet anonymize resources/samples/simple_net.pt -o bug.pt", declareAnonymize};

} // namespace app
