// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/output.h"
#include "app/cli/session.h"
#include "app/cli/text_verb.h"
#include "app/cli/verbs.h"
#include "core/base/json_writer.h"
#include "core/codegen/graph_json.h"
#include "core/codegen/module_source.h"
#include "core/io/files/replaced_file.h"
#include "core/io/ir_json/ir_json.h"
#include "core/io/open.h"
#include "core/io/verify/compare_models.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace app {
namespace {

struct Options {
    std::string model, output;
    bool noVerify = false;
};

fx::Error refused(const std::string& what, const std::string& hint) {
    return fx::Error(fx::ErrorKind::Refused, what).hinting(hint);
}

std::string source(const fx::GraphModule& module, const std::string& model) {
    const std::string name = model == "-" ? "standard input" : std::filesystem::path(model).filename().string();
    return fx::moduleSource(module, "Written by lancet " LANCET_VERSION " from " + oneLine(name) + ". Weights are not in it.");
}

/// Returns true when what was written is read back and is the same.
bool writeSource(Session&, const fx::GraphModule& module, const Options& options) {
    const std::string text = source(module, options.model);
    fx::ReplacedFile file(options.output);
    file.write(text);
    file.commit();
    if (options.noVerify) return false;
    std::ifstream written(options.output, std::ios::binary);
    const std::string back((std::istreambuf_iterator<char>(written)), std::istreambuf_iterator<char>());
    if (back != text) throw refused("what was written to " + options.output + " reads differently", "the disk or another program changed it");
    return true;
}

bool writeDescription(Session& session, const fx::GraphModule& module, const Options& options) {
    fx::writeIrJson(module, options.output, session.progress());
    if (options.noVerify) return false;
    const auto back = fx::openModel(options.output, {}, session.progress());
    const auto differences = fx::compareModels(module, *back, 1, session.progress());
    if (differences.empty()) return true;
    throw refused("what was written reads differently: " + differences.front().what,
                  "the file is kept for a look; --no-verify leaves out this comparison")
        .in(options.output)
        .onNode(differences.front().node)
        .onModule(differences.front().modulePath);
}

/// What an extension writes, or why it is not written.
struct Target {
    const char* extension;
    bool (*write)(Session&, const fx::GraphModule&, const Options&); ///< null: refused
    const char* reason;
};
constexpr Target kTargets[] = {
    {".json", writeDescription, nullptr},
    {".py", writeSource, nullptr},
    {".pt", nullptr, "this version does not write .pt files"},
    {".pt2", nullptr, "a graph of modules cannot become an exported program without an export, and this version does not write .pt2 files"},
    {".ts", nullptr, "this version does not write TorchScript files"},
    {".lancet", nullptr, "this version does not write project files"},
    {"/", nullptr, "this version does not write folders"},
};

const Target& targetOf(const std::string& output) {
    for (const Target& target : kTargets)
        if (output.size() > std::string_view(target.extension).size() && output.ends_with(target.extension)) return target;
    throw fx::Error(fx::ErrorKind::Usage, "the extension of " + output + " names no format that can be written")
        .hinting("write it as .json (graph and weights) or .py (source only)");
}

int convert(Session& session, const Options& options) {
    if (options.output == "-") {
        if (session.json()) throw fx::Error(fx::ErrorKind::Usage, "-o - and --json both want standard output");
        writeOutput(source(*session.openWarning(options.model), options.model));
        return kDone;
    }
    const Target& target = targetOf(options.output);
    if (!target.write) throw refused(target.reason, "it writes .json (graph and weights) and .py (source only)").in(options.output);
    const auto module = session.json() ? session.open(options.model) : session.openWarning(options.model);
    const bool verified = target.write(session, *module, options);
    if (!session.json()) return kDone;
    fx::JsonWriter json;
    json.beginObject(fx::JsonWriter::Layout::Lines);
    for (const char* key : {"created", "erased", "changed"}) json.key(key).beginArray().endArray();
    json.key("written").string(options.output).key("verified").boolean(verified);
    writeWarnings(json, module->warnings);
    session.printLine(json.endObject().text());
    return kDone;
}

Action declare(CLI::App& cli) {
    auto options = std::make_shared<Options>();
    declareModel(cli, options->model);
    cli.add_option("-o,--output", options->output, "the file to write: .json (graph, with weights in .safetensors beside it) or .py "
                                                   "(source only); - prints the source")->required()->type_name("FILE");
    cli.add_flag("--no-verify", options->noVerify, "do not read the file back and compare");
    return [options](Session& session) { return convert(session, *options); };
}

} // namespace

const Verb kConvertVerb = {"convert", "read one format, write another", "lancet convert resources/samples/simple_net.pt -o net.json", declare};

} // namespace app
