// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/session.h"

#include "app/cli/error_report.h"
#include "app/cli/interrupt.h"
#include "app/cli/output.h"
#include "app/cli/verb.h"
#include "app/cli/worker_engine.h"
#include "core/base/listed.h"
#include "core/base/visible_text.h"
#include "core/codegen/graph_json.h"
#include "core/files/leftovers.h"
#include "core/io/file_kind.h"
#include "core/io/ir_json/ir_json.h"
#include "core/json/message_json.h"
#include "core/model_files/foresee.h"
#include "core/model_files/load_weights.h"
#include "core/model_files/open.h"
#include "core/own/allowed_pythons.h"
#include "core/reader/reader_client.h"
#include "core/remote/script_message.h"
#include "core/sandbox/sandbox.h"
#include "core/torchscript/torchscript.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <unistd.h>

namespace app {
namespace {

/// Prints what Python prints, line by line, which could pretend to be said by Lancet.
class PythonLines {
public:
    explicit PythonLines(bool quiet) : m_quiet(quiet) {}
    void operator()(std::string_view text) {
        constexpr std::size_t kLongest = 4096;
        for (const char c : text) {
            if (c != '\n' && m_line.size() < kLongest) {
                m_line += c;
                continue;
            }
            if (!m_quiet) std::fprintf(stderr, "python: %s\n", fx::visibleLine(m_line).c_str());
            m_line.assign(c == '\n' ? "" : std::string(1, c));
        }
    }
    void end() {
        if (!m_line.empty()) (*this)("\n");
    }

private:
    bool m_quiet;
    std::string m_line;
};

} // namespace

void CommonOptions::declare(CLI::App& cli) {
    cli.add_flag("--json", json, "print only the result, as JSON, to standard output");
    cli.add_flag("--quiet", quiet, "suppress warnings and progress");
    cli.add_option("--threads", threads, "number of threads; 0 for all CPUs")
        ->check(CLI::Range(0, 4096))
        ->type_name("N");
    cli.add_option("--seed", seed, "random seed")->type_name("N");
    oneOf(cli.add_option("--device", device, "device to compute on"), {"cpu"});
    source.declare(cli);
}

Session::Session(CommonOptions options, CallFiles files, std::stop_token stop)
    : m_options(std::move(options)),
      m_files(std::move(files)), m_readers{fx::reader::pythonReader(), fx::remote::scriptsByWorker(workerOptions()),
                                           [this](const fx::Progress&) { // starts a worker when a constructor computes
                                               static const RunOptions plain;
                                               return std::make_unique<WorkerEngine>(*this, plain);
                                           }},
      m_calls(m_readers, m_options.source.paths), m_stop(std::move(stop)) {
    m_calls.leaveToPython([this](const std::string& source) { return pythonFor(source) != nullptr; });
}

fx::Progress Session::progress() const { return progress({}); }

fx::Progress Session::progress(std::function<Report(std::string_view, double)> worded) const {
    if (m_options.quiet || isatty(STDERR_FILENO) == 0) return fx::Progress(m_stop);
    return fx::Progress(m_stop, [shown = -1, worded = std::move(worded)](std::string_view doing, double part) mutable {
        const auto [what, done] = worded ? worded(doing, part) : Report(doing, part);
        const int percent = static_cast<int>(done.value_or(0) * 100);
        if (percent == shown) return;
        shown = percent;
        if (!done) return void(std::fprintf(stderr, "\r\033[K%s", fx::visibleLine(what).c_str()));
        std::fprintf(stderr, "\r\033[K%s %d %%%s", fx::visibleLine(what).c_str(), percent,
                     percent >= 100 ? "\r\033[K" : "");
    });
}

std::string Session::file(const std::string& model) {
    if (model != "-") return std::filesystem::absolute(model).string();
    if (!m_input) m_input = std::make_unique<StandardInput>(progress());
    return m_input->path();
}

std::shared_ptr<fx::GraphModule> Session::open(const std::string& model, fx::NewWeights weights, const Adjust& adjust) {
    if (m_options.source.asksPython() && fx::kindOfModel(model) == fx::FileKind::Source) {
        if (adjust) throw fx::Error(fx::ErrorKind::Usage, fx::Message("python.trace_first", {{"model", model}}));
        return traceOwn(model);
    }
    try {
        return openHere(model, weights, adjust);
    } catch (const fx::Error& refusal) {
        const bool mayAsk = fx::isOutsideScope(refusal) && m_options.source.python.empty() && model != "-" && !adjust;
        if (auto traced = mayAsk ? traceAllowed(model, refusal) : nullptr) return traced;
        throw;
    }
}

std::shared_ptr<fx::GraphModule> Session::openHere(const std::string& model, fx::NewWeights weights,
                                                   const Adjust& adjust) {
    fx::OpenOptions options = m_options.source.openOptions(m_options.seed);
    options.source.weights = weights;
    options.readers = m_readers;
    if (adjust) adjust(options.source);
    if (model != "-") {
        fx::removeLeftovers(std::filesystem::absolute(model).parent_path());
        auto module = inAskedMode(openFile(model, options));
        if (const auto source = fx::splitSourcePath(model); source && module->format == fx::Format::Python) {
            if (!source->name.empty()) options.source.name = source->name;
            m_calls.knows(module->path, options.source);
            m_targets.insert_or_assign(module->path, model);
        }
        m_formats.insert_or_assign(model, module->format);
        return module;
    }
    auto module = inAskedMode(openFile(file(model), options));
    module->path.clear();
    return module;
}

std::shared_ptr<fx::GraphModule> Session::openFile(const std::string& path, const fx::OpenOptions& options) const {
    const fx::ModelFile found = fx::findModel(path, options.keepsContent);
    auto module = fx::openModel(found, options, progress());
    const fx::WeightsFiles weights{options.source.weightsFiles, options.source.strictWeights};
    if (!weights.files.empty() && takesWeights(path, found.kind))
        fx::loadWeights(*module, weights, progress(), fx::SharedNames::All, m_readers);
    return module;
}

void Session::compares(const std::vector<std::string>& models) {
    m_onlySourceTakesWeights = std::any_of(models.begin(), models.end(), [this](const std::string& model) {
        return model != "-" && fx::kindOfModel(file(model)) == fx::FileKind::Source;
    });
}

bool Session::takesWeights(const std::string& path, fx::FileKind kind) const {
    if (kind == fx::FileKind::Source || m_options.source.weights.empty()) return false; // tracing loads them
    if (m_onlySourceTakesWeights) warn({fx::Message("cli.weights_for_source", {{"model", path}}), {}, {}, {}});
    return !m_onlySourceTakesWeights;
}

std::shared_ptr<fx::GraphModule> Session::inAskedMode(std::shared_ptr<fx::GraphModule> module) const {
    const fx::RunMode mode = m_options.source.mode();
    return mode == fx::RunMode::AsSaved ? module : fx::inMode(*module, mode == fx::RunMode::Train);
}

std::shared_ptr<fx::GraphModule> Session::traceOwn(const std::string& model, std::vector<fx::OwnInput> inputs) {
    const SourceArguments& source = m_options.source;
    if (source.remembersPython && !fx::sandboxSupport().holds())
        throw fx::Error(fx::ErrorKind::Refused, fx::Message("python.remembers_sandboxed"));
    const std::string folder = fx::ownFolder(model);
    const fx::PythonEnvironment python = source.python == "auto"
                                             ? fx::findPython(folder, progress())
                                             : fx::describePython(source.python, folder, progress());
    if (!python.launcher.empty() && !m_options.quiet)
        std::fprintf(stderr, "lancet: ran with your rights, to find the interpreter: %s\n",
                     fx::visibleLine(python.launcher).c_str());
    const fx::OwnTrace traced = traceBy(python, model, std::move(inputs));
    if (!m_options.quiet)
        std::fprintf(stderr, "lancet: traced by Python %s, PyTorch %s, %s: %s\n", traced.python.c_str(),
                     traced.torch.c_str(), traced.sandboxed ? "in the sandbox" : "with your rights",
                     fx::visibleLine(traced.program).c_str());
    if (source.remembersPython) remember(traced);
    return traced.module;
}

void Session::remember(const fx::OwnTrace& traced) const {
    const fx::AllowedPythons allowed;
    allowed.allow(traced.program);
    if (!m_options.quiet)
        std::fprintf(stderr,
                     "lancet: remembered: it traces by itself what Lancet cannot; to forget it, remove its line "
                     "in %s\n",
                     fx::visibleLine(allowed.file()).c_str());
}

std::shared_ptr<fx::GraphModule> Session::traceAllowed(const std::string& model, const fx::Error& refusal) {
    const std::string folder = fx::ownFolder(model);
    const auto program = fx::AllowedPythons().forFolder(folder);
    if (!program) return nullptr;
    try {
        const auto python = fx::describePython(*program, folder, progress(), fx::Scripts::Refuse);
        if (!python.sandboxed) return nullptr;
        const fx::OwnTrace traced = traceBy(python, model, {});
        traced.module->warnings.push_back( // with the model it reaches every verb, also those that print its warnings
            {fx::Message("python.traced_by_itself", {{"python", traced.python},
                                                     {"torch", traced.torch},
                                                     {"program", traced.program},
                                                     {"reason", refusal.message().argument("reason")}}),
             {},
             {},
             {}});
        return traced.module;
    } catch (const fx::Error& error) {
        if (error.kind() == fx::ErrorKind::Cancelled) throw;
        warn({fx::Message("python.refused_too", {{"program", *program}, {"reason", error.what()}}), {}, {}, {}});
        return nullptr;
    }
}

fx::OwnTrace Session::traceBy(const fx::PythonEnvironment& python, const std::string& model,
                              std::vector<fx::OwnInput> inputs) {
    const SourceArguments& source = m_options.source;
    const fx::OwnPython request{.target = model,
                                .init = source.init.empty() ? "null" : source.init,
                                .concrete = source.openOptions(m_options.seed).source.concreteText,
                                .inputs = std::move(inputs),
                                .paths = source.paths,
                                .weights = source.weights,
                                .strictWeights = !source.noStrict,
                                .leafs = source.leafs,
                                .wrapped = source.wrapped,
                                .proxyBuffers = source.proxyBuffers,
                                .shapesConstant = source.shapesConstant,
                                .seed = m_options.seed};
    m_traces.push_back(std::make_unique<fx::TemporaryFolder>());
    PythonLines lines(m_options.quiet);
    fx::OwnTrace traced = fx::traceWithPython(request, python, m_traces.back()->path(), std::ref(lines), progress());
    lines.end();
    const bool isFile = fx::ownTarget(model).file.ends_with(".py");
    if (isFile && traced.module->format == fx::Format::GraphModule) { // as if Lancet had traced it
        traced.module->format = fx::Format::Python;
        traced.module->path = std::filesystem::absolute(fx::ownTarget(model).file).string();
        fx::SourceOptions options = source.openOptions(m_options.seed).source;
        options.name = fx::ownTarget(model).name;
        m_calls.knows(traced.module->path, std::move(options));
        m_targets.insert_or_assign(traced.module->path, model);
    }
    m_formats.insert_or_assign(model, traced.module->format);
    traced.module = inAskedMode(std::move(traced.module));
    return traced;
}

std::shared_ptr<const fx::GraphModule> Session::completed(const std::shared_ptr<const fx::GraphModule>& model,
                                                          const fx::Progress& progress) const {
    auto completed = m_calls.completed(model, progress);
    const std::vector<std::string> calls = fx::callsInPython(*completed);
    if (const auto count = fx::tracedCalls(*model, *completed))
        warn({fx::Message("call.traced", {{"count", count}}), {}, {}, {}});
    for (const auto& [source, python] : m_pythons)
        if (python && !calls.empty())
            warn({fx::Message("python.calls_run", {{"count", calls.size()},
                                                   {"python", python->python},
                                                   {"torch", python->torch},
                                                   {"names", fx::listed(calls, 5)}}),
                  {},
                  {},
                  {}});
    return completed;
}

const fx::PythonEnvironment* Session::pythonFor(const std::string& source) const {
    const auto [known, isNew] = m_pythons.try_emplace(source);
    if (!isNew) return known->second ? &*known->second : nullptr;
    const std::string folder = std::filesystem::path(source).parent_path().string();
    const std::string& asked = m_options.source.python;
    if (asked == "auto") known->second = fx::findPython(folder, progress());
    else if (m_options.source.asksPython()) known->second = fx::describePython(asked, folder, progress());
    else if (const auto allowed = asked.empty() ? fx::AllowedPythons().forFolder(folder) : std::nullopt)
        known->second = fx::describePython(*allowed, folder, progress(), fx::Scripts::Refuse);
    return known->second ? &*known->second : nullptr;
}

fx::remote::OwnPythonEnds Session::startPython(const std::string& source) const {
    constexpr std::chrono::seconds kMostForCall{300}; // the first one imports the source and PyTorch
    const auto known = m_pythons.find(source);
    // A file may pretend that its calls run in Python.
    if (known == m_pythons.end() || !known->second)
        throw fx::Error(fx::ErrorKind::Refused, fx::Message("python.calls_unknown"));
    const SourceArguments& options = m_options.source;
    const auto target = m_targets.find(source);
    fx::OwnPython request;
    if (target != m_targets.end()) request.target = target->second;
    if (!options.init.empty()) request.init = options.init;
    request.paths = options.paths;
    request.seed = m_options.seed;
    auto calls = std::make_shared<fx::OwnCalls>(request, *known->second, PythonLines(m_options.quiet));
    const auto [to, from] = calls->takeEnds();
    return {to, from, kMostForCall, std::move(calls)};
}

void Session::keepFormat(const std::string& model, const std::string& output) const {
    const auto known = m_formats.find(model);
    const fx::Format written = fx::formatOf(fx::savedAs(output));
    if (known == m_formats.end() || known->second == written || !isModelReplaced(model, output)) return;
    throw fx::Error(fx::ErrorKind::Usage,
                    fx::Message("cli.output_other_format", {{"option", "--output"},
                                                            {"output", output},
                                                            {"from", fx::formatName(known->second)},
                                                            {"to", fx::formatName(written)}}));
}

std::shared_ptr<fx::GraphModule> Session::openWarning(const std::string& model, fx::NewWeights weights,
                                                      const Adjust& adjust) {
    auto module = open(model, weights, adjust);
    for (const fx::Warning& warning : module->warnings) warn(warning);
    return module;
}

fx::remote::ModelRef Session::workerModel(const std::string& model, bool asItself) {
    fx::remote::ModelRef out = workerModelAsSaved(model, asItself && m_options.source.mode() == fx::RunMode::AsSaved);
    out.mode = m_options.source.mode();
    return out;
}

fx::remote::ModelRef Session::workerModelAsSaved(const std::string& model, bool asItself) {
    const std::string path = file(model);
    const fx::FileKind kind = fx::kindOfModel(path);
    const bool mayComplete = !m_options.source.paths.empty(), loads = takesWeights(path, kind);
    if (kind != fx::FileKind::Source && !fx::mayCallFiles(kind) && !mayComplete && !loads &&
        !m_options.source.shapesScripts())
        return path;
    auto module = openWarning(model);
    std::erase_if(module->warnings, [](const fx::Warning& each) { // openWarning has reported them
        return !each.what.is("graphmodule.forward_hooks");
    });
    if (asItself && !loads && module->format == fx::Format::TorchScript && fx::script::methodOf(*module) == "forward")
        return fx::script::fileItself(*module);
    return fx::script::runnable(module);
}

void Session::onlyPrints() const {
    endAtOnce([copy = m_input ? m_input->path() : std::string()] { ::unlink(copy.c_str()); });
    progress().check(); // one that came before
}

void Session::printLine(std::string_view text) const {
    if (json()) return printExact(text);
    writeVisible(text);
    writeVisible("\n");
}

void Session::printExact(std::string_view text) const {
    writeOutput(text);
    writeOutput("\n");
}

void Session::warn(const fx::Warning& warning) const {
    const std::string line = warningText(warning);
    if (!m_toldLines.insert(line).second) return;
    m_told.push_back(warning);
    if (!m_options.quiet) std::cerr << "lancet: warning: " << shownLine(line) << '\n';
}

std::string warningText(const fx::Warning& warning) {
    std::string line;
    if (!warning.node.empty()) line += fx::visibleName(warning.node) + ": ";
    if (!warning.what.argument(fx::kSaidBy).empty()) line += "the file says: ";
    line += warning.what.text();
    if (const std::string hint = hintText(warning.what.hint(), warning.what.commandLineHint()); !hint.empty())
        line += "; " + hint;
    if (!warning.where.empty()) line += " (" + warning.where + ")";
    return fx::visibleLine(line);
}

void writeWarnings(fx::JsonWriter& json, const fx::Warnings& warnings) {
    json.key("warnings").beginArray();
    for (const fx::Warning& warning : warnings) {
        json.beginObject().key("what").string(warning.what.text());
        fx::writeMessageData(json, warning.what);
        json.key("hint");
        fx::writeTextOrNull(json, hintText(warning.what.hint(), warning.what.commandLineHint()));
        json.key("node");
        fx::writeTextOrNull(json, warning.node);
        json.key("module_path");
        fx::writeTextOrNull(json, warning.modulePath);
        json.key("where");
        fx::writeTextOrNull(json, warning.where);
        json.endObject();
    }
    json.endArray();
}

} // namespace app
