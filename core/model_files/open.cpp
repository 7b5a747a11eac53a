// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/open.h"

#include "core/io/compilation/compilation.h"
#include "core/io/compile_text/compile_text.h"
#include "core/io/graphmodule/folder_reader.h"
#include "core/io/graphmodule/torch_file.h"
#include "core/io/ir_json/ir_json.h"
#include "core/io/open_archive.h"
#include "core/io/pt2/pt2.h"
#include "core/model_files/load_weights.h"
#include "core/model_files/project/project.h"
#include "core/passes/tensor_engine.h"
#include "core/python/tracing/trace_file.h"
#include "core/textpasses/computing.h"
#include "core/textpasses/file_classes.h"
#include "core/torchscript/called_file.h"
#include "core/torchscript/torchscript.h"
#include "core/trace/retrace.h"

#include <filesystem>

namespace fx {

namespace {

[[noreturn]] void refuse(const std::string& path, const Message& what) { throw Error(ErrorKind::File, what).in(path); }

std::shared_ptr<GraphModule> openFolder(std::string path, const OpenOptions& options, const Progress& progress) {
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    namespace fs = std::filesystem;
    const auto has = [&](const char* name) {
        std::error_code failed; // a link that leads to itself: opening it reports why
        return fs::status(fs::path(path) / name, failed).type() != fs::file_type::not_found;
    };
    if (has("module.py")) return readFolder(path, readWrittenCode, retraceSavedCode, progress, options.keepsContent);
    if (has("saved_model.pb")) refuse(path, Message("open.saved_model"));
    if (has("config.json")) refuse(path, Message("open.weights_folder"));
    refuse(path, Message("open.no_module_py"));
}

/// The file that `to_folder` writes all weights to, for a folder: it is what lancet-reader may read.
std::string weightsInFolder(const std::string& name) {
    namespace fs = std::filesystem;
    const WeightsFile weights = splitWeightsFile(name);
    std::error_code ignored;
    const fs::path inside = fs::path(weights.path) / "state_dict.pt";
    if (!fs::is_directory(weights.path, ignored) || !fs::exists(inside, ignored)) return name;
    return inside.string() + (weights.key.empty() ? "" : '#' + weights.key);
}

/// `net.py` and `net.py:Net`.
std::shared_ptr<GraphModule> openSource(const SourcePath& source, const OpenOptions& options,
                                        const Progress& progress) {
    SourceOptions with = options.source;
    if (!source.name.empty()) with.name = source.name;
    for (std::string& weights : with.weightsFiles) weights = weightsInFolder(weights);
    with.fx = fxClasses(with.notes);
    with.reader = options.readers.python.get();
    std::unique_ptr<TensorEngine> engine;
    if (options.readers.engine) engine = options.readers.engine(progress);
    if (engine) with.machine = computing(*engine), with.engine = engine.get();
    if (!with.weightsFiles.empty())
        with.load = [&](GraphModule& made) {
            loadConstructed(made, {with.weightsFiles, with.strictWeights}, progress, options.readers);
        };
    return traceFile(source.file, with, progress);
}

std::shared_ptr<GraphModule> openDescription(const std::string& path, const OpenOptions& options,
                                             const Progress& progress) {
    auto read = readIrJson(path, progress, options.keepsContent);
    script::findCalledFiles(*read, path);
    return read;
}

/// Sets the options for a model of a file with several. Refuses files that have one.
OpenOptions withPart(const ModelFile& found, OpenOptions options) {
    if (found.part.empty()) return options;
    if (found.kind == FileKind::Project) refuse(found.path, Message("open.project_has_one"));
    if (found.kind == FileKind::TorchSave) refuse(found.path, Message("open.has_one_model"));
    options.modelName = found.part;
    return options;
}

std::shared_ptr<TorchFile> torchFile(const ModelFile& found, const Progress& progress) {
    return found.archive ? TorchFile::open(*found.archive, progress) : TorchFile::open(found.file, progress);
}

std::shared_ptr<GraphModule> openFound(const ModelFile& found, const OpenOptions& given, const Progress& progress) {
    if (found.kind == FileKind::Source) return openSource({found.path, found.part}, given, progress);
    const OpenOptions options = withPart(found, given);
    switch (found.kind) {
    case FileKind::TorchSave: return openTorchSave(torchFile(found, progress), progress);
    case FileKind::Pt2: return readPt2(*found.archive, options, progress);
    case FileKind::TorchScript: return script::readTorchScript(*found.archive, options, progress);
    case FileKind::Project: return readProject(*found.archive, openArchive, progress, options.readers).current;
    default: break;
    }
    if (!found.part.empty()) return openStage(found.path, found.part, progress);
    switch (found.kind) {
    case FileKind::IrJson:
    case FileKind::Recipe:
        return openDescription(found.path, options, progress); // reports that a recipe is not a graph
    case FileKind::CompileText: return readCompileFile(found.path);
    case FileKind::Folder: return openFolder(found.path, options, progress);
    case FileKind::Dump: refuse(found.path, Message("compile.stage_needed"));
    default: throw describeOther(*found.file, found.archive ? &*found.archive : nullptr);
    }
}

FileKind kindOfFolder(const std::string& path) {
    namespace fs = std::filesystem;
    for (const char* name : {"module.py", "saved_model.pb", "config.json"}) {
        std::error_code failed;
        if (fs::status(fs::path(path) / name, failed).type() != fs::file_type::not_found) return FileKind::Folder;
    }
    return isCompilationDump(path) ? FileKind::Dump : FileKind::Folder;
}

ModelFile foundAt(const std::string& path, const std::string& part, bool keepsContent) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) // a dump may be large, and its stages are opened one by one
        return {part.empty() ? kindOfFolder(path) : FileKind::Dump, path, part};
    const auto source = splitSourcePath(path);
    if (source && !source->name.empty() && !std::filesystem::exists(path, ignored))
        return {FileKind::Source, source->file, source->name, DataFile::open(source->file)};
    ModelFile found{FileKind::Other, path, part, DataFile::open(path)};
    if (ZipArchive::looksLikeZip(*found.file)) {
        if (keepsContent) found.file->keepContent();
        found.archive = ZipArchive::open(found.file);
    }
    found.kind = fileKind(*found.file, found.archive ? &*found.archive : nullptr);
    if (found.kind != FileKind::Other || found.archive) return found;
    if (isCompilationDump(path)) found.kind = FileKind::Dump;
    else if (source) found.kind = FileKind::Source;
    return found;
}

/// Adds the MODEL to errors without a file.
template<class Action> auto about(const std::string& model, const Action& action) {
    try {
        return action();
    } catch (Error& error) {
        if (error.kind() == ErrorKind::File && error.file.empty()) error.in(model);
        throw;
    } catch (const std::bad_alloc&) { throw Error(ErrorKind::File, Message("open.no_memory")).in(model); }
}

} // namespace

ModelFile findModel(const std::string& model, bool keepsContent) {
    return about(model, [&] {
        const auto stage = splitStagePath(model);
        return stage ? foundAt(stage->first, stage->second, keepsContent) : foundAt(model, {}, keepsContent);
    });
}

FileKind kindOfModel(const std::string& model) {
    try {
        return findModel(model).kind;
    } catch (const Error&) { return FileKind::Other; }
}

std::shared_ptr<GraphModule> openModel(const ModelFile& found, const OpenOptions& options, const Progress& progress) {
    const bool isStage = !found.part.empty() && found.kind != FileKind::Source;
    return about(found.path + (isStage ? '#' + found.part : ""), [&] { return openFound(found, options, progress); });
}

std::shared_ptr<GraphModule> openModel(const std::string& path, const OpenOptions& options, const Progress& progress) {
    return openModel(findModel(path, options.keepsContent), options, progress);
}

} // namespace fx
