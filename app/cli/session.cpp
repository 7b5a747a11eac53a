// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/session.h"

#include "app/cli/error_report.h"
#include "app/cli/output.h"
#include "app/cli/verb.h"
#include "app/cli/worker_engine.h"
#include "core/codegen/graph_json.h"
#include "core/io/torchscript/torchscript.h"
#include "core/json/message_json.h"
#include "core/model_files/foresee.h"
#include "core/model_files/open.h"
#include "core/textpasses/computing.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <unistd.h>

namespace app {

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

fx::Progress Session::progress() const { return progress({}); }

fx::Progress Session::progress(std::function<Report(std::string_view, double)> worded) const {
    if (m_options.quiet || isatty(STDERR_FILENO) == 0) return fx::Progress(m_stop);
    return fx::Progress(m_stop, [shown = -1, worded](std::string_view doing, double part) mutable {
        const auto [what, done] = worded ? worded(doing, part) : Report(doing, part);
        const int percent = static_cast<int>(done * 100);
        if (percent == shown) return;
        shown = percent;
        std::fprintf(stderr, "\r\033[K%.*s %d %%%s", static_cast<int>(what.size()), what.data(), percent,
                     percent >= 100 ? "\r\033[K" : "");
    });
}

std::string Session::file(const std::string& model) {
    if (model != "-") return std::filesystem::absolute(model).string();
    if (!m_input) m_input = std::make_unique<StandardInput>(progress());
    return m_input->path();
}

std::shared_ptr<fx::GraphModule> Session::open(const std::string& model, fx::NewWeights weights, const Adjust& adjust) {
    fx::OpenOptions options = m_options.source.openOptions(m_options.seed);
    options.source.weights = weights;
    if (adjust) adjust(options.source);
    static const RunOptions plain;
    WorkerEngine engine(*this, plain); // starts a worker when a constructor computes
    options.source.machine = fx::computing(engine);
    if (model != "-") {
        auto module = fx::openModel(model, options, progress());
        m_formats.insert_or_assign(model, module->format);
        return module;
    }
    auto module = fx::openModel(file(model), options, progress());
    module->path.clear();
    return module;
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
    const std::string path = file(model);
    if (!fx::isPythonSource(path) && !m_options.source.shapesScripts()) return path;
    auto module = openWarning(model);
    if (asItself && module->format == fx::Format::TorchScript && fx::script::methodOf(*module) == "forward")
        return fx::script::fileItself(*module);
    return module;
}

void Session::printLine(std::string_view text) const {
    writeOutput(text);
    writeOutput("\n");
}

void Session::warn(const fx::Warning& warning) const {
    const std::string line = warningText(warning);
    if (std::any_of(m_told.begin(), m_told.end(), [&](const fx::Warning& told) { return warningText(told) == line; }))
        return;
    m_told.push_back(warning);
    if (!m_options.quiet) std::cerr << "lancet: warning: " << line << '\n';
}

std::string warningText(const fx::Warning& warning) {
    std::string line;
    if (!warning.node.empty()) line += warning.node + ": ";
    line += warning.what.text();
    if (const std::string hint = hintText(warning.what.hint(), warning.what.commandLineHint()); !hint.empty())
        line += "; " + hint;
    if (!warning.where.empty()) line += " (" + warning.where + ")";
    return oneLine(line);
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
