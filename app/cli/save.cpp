// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/save.h"

#include "app/cli/file_options.h"
#include "app/cli/output.h"
#include "core/codegen/module_source.h"
#include "core/files/replaced_file.h"
#include "core/io/ir_json/ir_json.h"
#include "core/io/zip/checksums.h"
#include "core/model_files/foresee.h"
#include "core/model_files/save_description.h"
#include "core/model_files/save_graphmodule.h"
#include "core/model_files/save_project.h"
#include "core/model_files/save_pt2.h"
#include "core/remote/evaluate.h"
#include "core/remote/save_script.h"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace app {
namespace {

std::string source(const fx::GraphModule& module, const std::string& model) {
    const std::string name = model == "-" ? "standard input" : std::filesystem::path(model).filename().string();
    return fx::moduleSource(module,
                            "Written by lancet " LANCET_VERSION " from " + oneLine(name) + ". Weights are not in it.");
}

/// Returns true when what was written is read back and is the same.
bool writeSource(Session&, const fx::GraphModule& module, const SaveRequest& options) {
    const std::string text = source(module, options.model);
    fx::ReplacedFile file(options.output);
    file.write(text);
    file.commit();
    if (options.noVerify) return false;
    std::ifstream written(options.output, std::ios::binary);
    const std::string back((std::istreambuf_iterator<char>(written)), std::istreambuf_iterator<char>());
    if (back != text)
        throw fx::Error(fx::ErrorKind::Refused, fx::Message("cli.reads_differently", {{"file", options.output}}));
    return true;
}

bool writeDescription(Session& session, const fx::GraphModule& module, const SaveRequest& options) {
    if (const std::string weights = fx::foreignWeights(options.output, session.progress()); !weights.empty())
        throw fx::Error(fx::ErrorKind::Refused,
                        fx::Message("ir.foreign_weights", {{"weights", weights}, {"file", options.output}}))
            .in(options.output);
    return fx::saveDescription(module, options.output, !options.noVerify, session.progress()).verified;
}

bool writeGraphModuleFile(Session& session, const fx::GraphModule& module, const SaveRequest& options) {
    const fx::SaveReport report = fx::saveGraphModule(module, options.output, !options.noVerify, session.progress());
    for (const fx::Warning& warning : report.warnings) session.warn(warning);
    return report.verified;
}

bool writeFolder(Session& session, const fx::GraphModule& module, const SaveRequest& options) {
    const fx::SaveReport report = fx::saveFolder(module, options.output, !options.noVerify, session.progress());
    for (const fx::Warning& warning : report.warnings) session.warn(warning);
    return report.verified;
}

bool writeExport(Session& session, const fx::GraphModule& module, const SaveRequest& options) {
    // The format holds values; what pattern code computed is an expression until now. Its own records without bytes
    // stay zeros.
    fx::remote::WorkerClient worker({});
    const fx::GraphModule whole = fx::remote::evaluated(
        module, worker, session.options().seed, session.progress(),
        [](const fx::TensorRef& tensor) { return !tensor.storage->expressionSource().starts_with("torch.zeros(["); });
    const fx::SaveReport report = fx::savePt2(whole, options.output, !options.noVerify, session.progress());
    for (const fx::Warning& warning : report.warnings) session.warn(warning);
    return report.verified;
}

bool writeProjectFile(Session& session, const fx::GraphModule& module, const SaveRequest& options) {
    const fx::Project project = options.project ? *options.project : fx::projectApart(module, session.progress());
    return fx::saveProject(project, module, options.output, !options.noVerify, session.progress()).verified;
}

bool writeTorchScript(Session& session, const fx::GraphModule& module, const SaveRequest& options) {
    fx::remote::WorkerClient worker({});
    fx::remote::RunRequest inputs = options.inputs.request(session, {});
    if (options.batch) inputs.inputs = fx::argumentsOf(*options.batch, module.graph);
    const fx::SaveReport report =
        fx::remote::saveScript(worker, std::make_shared<const fx::GraphModule>(module), options.output,
                               std::move(inputs), !options.noVerify, session.progress());
    for (fx::Warning warning : report.warnings) {
        if (warning.what.is("script.not_compared") && options.takesQuantized)
            warning.what = fx::Message("script.not_compared_quantised");
        else if (warning.what.is("script.not_compared"))
            warning.what = fx::Message("script.not_compared",
                                       {{"how", options.takesInputs ? "with --inputs" : "to `lancet convert`"}});
        session.warn(warning);
    }
    return report.verified;
}

/// What an extension writes.
struct Target {
    const char* extension;
    bool (*write)(Session&, const fx::GraphModule&, const SaveRequest&);
};
constexpr Target kTargets[] = {
    {".json", writeDescription}, {".py", writeSource},      {".pt", writeGraphModuleFile},
    {".pt2", writeExport},       {".ts", writeTorchScript}, {".lancet", writeProjectFile},
    {"/", writeFolder},
};

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

const Target& targetOf(const std::string& output) {
    for (const Target& target : kTargets)
        if (output.size() > std::string_view(target.extension).size() && output.ends_with(target.extension))
            return target;
    throw fx::Error(fx::ErrorKind::Usage, fx::Message("cli.output_format", {{"output", output}}));
}

} // namespace

std::string sourceText(const fx::GraphModule& module, const std::string& model) { return source(module, model); }

void checkOutput(const std::string& output) { (void)targetOf(output); }

bool saveModel(Session& session, const fx::GraphModule& module, const SaveRequest& request) {
    checkOutput(request.output);
    session.keepFormat(request.model, request.output);
    if (!request.noVerify)
        if (const auto warning = fx::wrongChecksums(module.path, session.progress())) session.warn(*warning);
    const auto points = fx::foresee(module, fx::savedAs(request.output), session.progress());
    requireNothingLost(points, request);
    for (const fx::Foreseen& foreseen : points) // what cannot be written at all is refused by the writer
        if (foreseen.kind != fx::Foreseen::Kind::Refused) session.warn(fx::warningOf(foreseen));
    return targetOf(request.output).write(session, module, request);
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
