// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/python_trace.h"

#include "core/files/read_text.h"
#include "core/files/temporary_folder.h"
#include "core/own/allowed_pythons.h"
#include "core/own/own_python.h"
#include "core/python/imports/sources.h"
#include "ui/document/document_source.h"

#include <utility>

namespace ui {
namespace {

bool isTextOf(const std::string& file, const QByteArray& text) {
    return fx::readTextFile(file, fx::python::Sources::kMaxBytes) == text.toStdString();
}

/// As the choices mean it for Lancet's own tracing.
fx::OwnPython requestOf(const std::string& file, const std::string& name, const SourceChoices& choices) {
    const fx::SourceOptions options = choices.options();
    fx::OwnPython request;
    const bool isNamed = !options.name.empty() && !options.name.starts_with('('); // else only arguments, or nothing
    request.target = file + ':' + (isNamed ? options.name : name + options.name);
    if (request.target.ends_with(':')) request.target.pop_back();
    request.concrete = options.concreteText;
    request.paths = options.paths;
    request.weights = options.weightsFiles;
    request.strictWeights = options.strictWeights;
    request.leafs = options.leafs;
    request.proxyBuffers = options.proxyBuffers;
    request.seed = options.seed;
    return request;
}

/// The same model, whose weights are in a folder.
std::shared_ptr<fx::GraphModule> keeping(std::shared_ptr<fx::TemporaryFolder> folder,
                                         std::shared_ptr<fx::GraphModule> module) {
    using Kept = std::pair<std::shared_ptr<fx::TemporaryFolder>, std::shared_ptr<fx::GraphModule>>;
    const auto kept = std::make_shared<Kept>(std::move(folder), std::move(module)); // the model goes first
    return {kept, kept->second.get()};
}

} // namespace

std::optional<PythonTrace> traceAllowed(const QString& path, const QByteArray& text, const std::string& name,
                                        const SourceChoices& choices, const fx::Progress& progress) {
    const std::string file = path.toStdString(), place = fx::ownFolder(file);
    const auto program = choices.followed.isEmpty() ? fx::AllowedPythons().forFolder(place) : std::nullopt;
    if (!program || !isTextOf(file, text)) return std::nullopt;
    progress.report("tracing with Python", 0);
    const auto python = fx::describePython(*program, place, progress, fx::Scripts::Refuse);
    if (!python.sandboxed) return std::nullopt;
    auto folder = std::make_shared<fx::TemporaryFolder>();
    fx::OwnTrace traced = fx::traceWithPython(requestOf(file, name, choices), python, folder->path(), {}, progress);
    if (!isTextOf(file, text)) return std::nullopt;                            // written meanwhile
    if (traced.module->format != fx::Format::GraphModule) return std::nullopt; // what torch.export makes has no code
    traced.module->path = file, traced.module->format = fx::Format::Python;    // as if Lancet had traced it
    return PythonTrace{keeping(std::move(folder), std::move(traced.module)),
                       QStringLiteral("Python %1, torch %2")
                           .arg(QString::fromStdString(traced.python), QString::fromStdString(traced.torch))};
}

} // namespace ui
