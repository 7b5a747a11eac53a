// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/compilation/compilation.h"
#include "app/cli/edit_result.h"
#include "app/cli/file_options.h"
#include "app/cli/output.h"
#include "app/cli/save.h"
#include "app/cli/session.h"
#include "app/cli/verbs.h"
#include "core/base/counted.h"
#include "core/base/visible_text.h"
#include "core/codegen/graph_json.h"
#include "core/files/replaced_file.h"
#include "core/json/json_document.h"
#include "core/model_files/save_project.h"

namespace app {
namespace {

struct CompilationOptions {
    SaveRequest save; ///< `model`: the dump
    std::string stage;
    bool guards = false; ///< they can be most of a log
};

void writeSymbols(fx::JsonWriter& json, const fx::Compilation& compilation) {
    json.key("symbols").beginArray();
    for (const fx::CompilationSymbol& symbol : compilation.symbols) {
        json.beginObject().key("name").string(symbol.name).key("hint").string(symbol.hint);
        json.key("range").string(symbol.range).key("source").string(symbol.source).endObject();
    }
    json.endArray();
}

/// The guards of a compilation: the lines of the tree that test something, in older logs the "code" of a list.
std::vector<std::string> guardsOf(const fx::Compilation& compilation) {
    std::vector<std::string> out;
    if (compilation.guards.isEmpty() || compilation.guards.bytes == 0) return out;
    const std::string text = compilation.guards.read();
    if (text.starts_with('[')) {
        const auto list = fx::JsonDocument::parse(text);
        for (const fx::JsonValue guard : list->root())
            if (const fx::JsonValue code = guard.find("code"); code.exists() && code.isString())
                out.emplace_back(code.asText());
        return out;
    }
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::size_t start = text.find("+- ", at);
        const bool tests = start < end && text.compare(start + 3, 16, "RootGuardManager") != 0;
        if (tests) out.push_back(text.substr(start + 3, end - start - 3));
        at = end + 1;
    }
    return out;
}

void writeCompilation(fx::JsonWriter& json, const fx::Compilation& compilation, bool withGuards) {
    json.beginObject().key("id").string(compilation.id).key("function");
    fx::writeTextOrNull(json, compilation.function);
    json.key("graph_break");
    fx::writeTextOrNull(json, joined(compilation.graphBreaks, "\n"));
    json.key("recompile");
    fx::writeTextOrNull(json, joined(compilation.recompiles, "\n"));
    json.key("failure");
    fx::writeTextOrNull(json, compilation.failure);
    json.key("stack").strings(compilation.stack);
    writeSymbols(json, compilation);
    if (withGuards) json.key("guards").strings(guardsOf(compilation));
    json.key("shape_guards").strings(compilation.shapeGuards);
    json.key("stages").beginArray(fx::JsonWriter::Layout::Lines);
    for (const fx::CompilationStage& stage : compilation.stages) {
        json.beginObject().key("id").string(stage.id).key("name").string(stage.name).key("nodes");
        if (stage.nodes) json.integer(static_cast<std::int64_t>(*stage.nodes));
        else json.null();
        json.endObject();
    }
    json.endArray().endObject();
}

std::string dumpJson(const fx::CompilationDump& dump, bool withGuards) {
    fx::JsonWriter json;
    json.beginObject(fx::JsonWriter::Layout::Lines).key("producer");
    fx::writeTextOrNull(json, dump.producer);
    json.key("compilations").beginArray(fx::JsonWriter::Layout::Lines);
    for (const fx::Compilation& compilation : dump.compilations) writeCompilation(json, compilation, withGuards);
    json.endArray();
    writeWarnings(json, dump.warnings);
    json.endObject();
    return json.text();
}

/// The lines of a reason, indented; long ones on their first lines only.
std::string indented(const char* label, const std::string& text) {
    constexpr int kMaxLines = 3;
    std::string out;
    int count = 0;
    for (std::size_t at = 0; at < text.size() && count < kMaxLines; ++count) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        out += (count == 0 ? "  " + std::string(label) + ": " : std::string("    ")) +
               fx::visibleLine(text.substr(at, end - at)) + "\n";
        at = end + 1;
    }
    return out;
}

std::string compilationText(const fx::Compilation& compilation, bool withGuards) {
    std::string out = fx::visibleName(compilation.id);
    if (!compilation.function.empty()) out += "  " + fx::visibleName(compilation.function);
    out += "\n";
    for (const std::string& reason : compilation.recompiles) out += indented("recompiled", reason);
    for (const std::string& reason : compilation.graphBreaks) out += indented("graph break", reason);
    if (!compilation.failure.empty()) out += indented("failed", compilation.failure);
    for (const fx::CompilationSymbol& symbol : compilation.symbols)
        out += "  symbol: " +
               fx::visibleName(symbol.name + " = " + symbol.hint + " in " + symbol.range + ", " + symbol.source) + "\n";
    if (withGuards)
        for (const std::string& guard : guardsOf(compilation)) out += "  guard: " + fx::visibleLine(guard) + "\n";
    for (const fx::CompilationStage& stage : compilation.stages) {
        std::string line = "  " + fx::visibleName(stage.id);
        if (stage.nodes) {
            line.resize(std::max<std::size_t>(line.size() + 2, 48), ' ');
            line += grouped(static_cast<long long>(*stage.nodes));
            line += fx::formOf(*stage.nodes, " node", " nodes");
        }
        out += line + "\n";
    }
    return out;
}

std::string dumpText(const fx::CompilationDump& dump, bool withGuards) {
    std::string out;
    for (const fx::Compilation& compilation : dump.compilations) out += compilationText(compilation, withGuards);
    if (!out.empty()) out.pop_back();
    return out;
}

int list(Session& session, const CompilationOptions& options) {
    const fx::CompilationDump dump = fx::readCompilationDump(options.save.model, session.progress());
    if (!session.json())
        for (const fx::Warning& warning : dump.warnings) session.warn(warning);
    session.printLine(session.json() ? dumpJson(dump, options.guards) : dumpText(dump, options.guards));
    return kDone;
}

/// Writes the text of a stage as it is in the dump.
void writeText(const std::string& output, const std::string& text) {
    if (output.empty() || output == "-") return writeOutput(text);
    fx::ReplacedFile file(output);
    file.write(text);
    file.commit();
}

int takeOut(Session& session, const CompilationOptions& options) {
    SaveRequest save = options.save;
    if (save.output.empty() || save.output == "-" || save.output.ends_with(".py")) {
        if (session.json() && (save.output.empty() || save.output == "-"))
            throw fx::Error(fx::ErrorKind::Usage, fx::Message("cli.stdout_twice"));
        const fx::CompilationDump dump = fx::readCompilationDump(save.model, session.progress());
        const fx::CompilationStage& stage = dump.stage(options.stage);
        const std::string text = stage.text.read();
        fx::Warnings warnings;
        if (stage.text.isDamaged(text)) warnings.push_back(fx::damagedText(stage));
        writeText(save.output, text);
        if (session.json()) session.printLine(editResultJson({}, save.output, false, warnings));
        else
            for (const fx::Warning& warning : warnings) session.warn(warning);
        return kDone;
    }
    checkOutput(save.output);
    save.model += "#" + options.stage;
    const auto module = session.json() ? session.open(save.model) : session.openWarning(save.model);
    if (save.output.ends_with(".lancet")) save.project = fx::projectOf(module, session.progress());
    const bool verified = saveModel(session, *module, save);
    if (session.json()) session.printLine(editResultJson({}, save.output, verified, session.andTold(module->warnings)));
    return kDone;
}

Action declareCompilation(CLI::App& cli) {
    auto options = std::make_shared<CompilationOptions>();
    reads(cli.add_option("PATH", options->save.model, "log or folder of TORCH_TRACE, or folder of TORCH_COMPILE_DEBUG"))
        ->required();
    auto* const stage =
        cli.add_option("--stage", options->stage, "print the text of this stage, or save it with --output")
            ->type_name("ID");
    cli.add_flag("--guards", options->guards, "list the guards as well");
    options->save.declare(cli, Writes::Model);
    cli.get_option("--output")->needs(stage);
    return [options](Session& session) {
        return options->stage.empty() ? list(session, *options) : takeOut(session, *options);
    };
}

} // namespace

const Verb kCompilationVerb = {"compilation",
                               "list what torch.compile dumped: graph breaks and the graphs of each stage",
                               "lancet compilation resources/samples/compilation", declareCompilation};

} // namespace app
