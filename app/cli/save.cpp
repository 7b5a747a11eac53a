// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/save.h"

#include "app/cli/file_options.h"
#include "core/base/visible_text.h"
#include "core/codegen/module_source.h"
#include "core/model_files/foresee.h"
#include "core/remote/save_model.h"

#include <filesystem>

namespace app {
namespace {

std::string noteOf(const std::string& model) {
    const std::string name = model == "-" ? "standard input" : std::filesystem::path(model).filename().string();
    return "Written by lancet " LANCET_VERSION " from " + fx::visibleLine(name) + ". Weights are not in it.";
}

fx::remote::SaveOptions optionsOf(Session& session, const fx::GraphModule& module, const SaveRequest& request) {
    fx::remote::SaveOptions options;
    options.verify = !request.noVerify;
    options.note = noteOf(request.model);
    options.project = request.project;
    options.seed = session.options().seed;
    options.worker = session.workerOptions();
    if (fx::savedAs(request.output) != fx::SavedAs::TorchScript) return options;
    options.inputs = request.inputs.request(session, {});
    if (request.batch) options.inputs.inputs = fx::argumentsOf(*request.batch, module.graph);
    return options;
}

/// A warning of saving in terms of the verb's options.
fx::Warning worded(fx::Warning warning, const SaveRequest& request) {
    if (!warning.what.is("script.not_compared")) return warning;
    if (request.takesQuantized) warning.what = fx::Message("script.not_compared_quantised");
    else
        warning.what = fx::Message("script.not_compared",
                                   {{"reason", warning.what.argument("reason")},
                                    {"how", request.takesInputs ? "with --inputs" : "to `lancet convert`"}});
    return warning;
}

/// The methods, attributes and extra files of a TorchScript file are nowhere else once it is replaced.
void requireNothingLost(const std::vector<fx::Foreseen>& points, const SaveRequest& request) {
    if (fx::savedAs(request.output) != fx::SavedAs::TorchScript || !isModelReplaced(request.model, request.output))
        return;
    std::string lost;
    for (const fx::Foreseen& foreseen : points)
        if (foreseen.kind == fx::Foreseen::Kind::Lost) lost += (lost.empty() ? "" : "; ") + foreseen.what.text();
    if (!lost.empty())
        throw fx::Error(fx::ErrorKind::Refused, fx::Message("cli.replaced_loses", {{"lost", lost}})).in(request.output);
}

} // namespace

std::string sourceText(const fx::GraphModule& module, const std::string& model) {
    return fx::moduleSource(module, noteOf(model));
}

void checkOutput(const std::string& output) {
    for (const std::string_view ending : {".json", ".py", ".pt", ".pt2", ".ts", ".lancet", "/"})
        if (output.size() > ending.size() && output.ends_with(ending)) return;
    throw fx::Error(fx::ErrorKind::Usage, fx::Message("cli.output_format", {{"output", output}}));
}

bool saveModel(Session& session, const fx::GraphModule& module, const SaveRequest& request) {
    checkOutput(request.output);
    session.keepFormat(request.model, request.output);
    const auto points = fx::foresee(module, fx::savedAs(request.output), session.progress());
    requireNothingLost(points, request);
    for (const fx::Foreseen& foreseen : points) // what cannot be written at all is refused by the writer
        if (foreseen.kind != fx::Foreseen::Kind::Refused) session.warn(fx::warningOf(foreseen));
    const std::shared_ptr<const fx::GraphModule> model(std::shared_ptr<void>(), &module); // for this call
    const fx::SaveReport report =
        fx::remote::saveModel(model, request.output, optionsOf(session, module, request), session.progress());
    for (const fx::Warning& warning : report.warnings) session.warn(worded(warning, request));
    return report.verified;
}

void SaveRequest::declare(CLI::App& cli, Writes what) {
    writes(cli.add_option("-o,--output", output,
                          "output file: .pt (torch.load), .pt2 (exported programs only), .ts (torch.jit.load), NAME/ "
                          "(to_folder), .json (graph, with "
                          "weights in .safetensors), .lancet (project) or .py (source only)"),
           what)
        ->type_name("FILE");
    cli.add_flag("--no-verify", noVerify, "skip reading the file back and comparing it");
}

} // namespace app
