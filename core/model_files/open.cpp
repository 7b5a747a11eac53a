// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/open.h"

#include "core/io/compilation/compilation.h"
#include "core/io/compile_text/compile_text.h"
#include "core/io/file_kind.h"
#include "core/io/graphmodule/folder_reader.h"
#include "core/io/ir_json/ir_json.h"
#include "core/io/open_archive.h"
#include "core/io/torchscript/called_file.h"
#include "core/io/torchscript/torchscript.h"
#include "core/model_files/load_weights.h"
#include "core/model_files/project/project.h"
#include "core/python/tracing/trace_file.h"
#include "core/textpasses/file_classes.h"
#include "core/trace/retrace.h"

#include <filesystem>

namespace fx {

namespace {

[[noreturn]] void refuse(const std::string& path, const Message& what) { throw Error(ErrorKind::File, what).in(path); }

std::shared_ptr<GraphModule> openFolder(std::string path, const OpenOptions& options, const Progress& progress) {
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    namespace fs = std::filesystem;
    const auto has = [&](const char* name) { return fs::exists(fs::path(path) / name); };
    if (has("module.py")) return readFolder(path, retraceSavedCode, progress, options.keepsContent);
    if (has("saved_model.pb")) refuse(path, Message("open.saved_model"));
    if (has("config.json")) refuse(path, Message("open.weights_folder"));
    if (isCompilationDump(path)) refuse(path, Message("compile.stage_needed"));
    refuse(path, Message("open.no_module_py"));
}

/// `net.py` and `net.py:Net`.
std::shared_ptr<GraphModule> openSource(const SourcePath& source, const OpenOptions& options,
                                        const Progress& progress) {
    SourceOptions with = options.source;
    if (!source.name.empty()) with.name = source.name;
    with.fx = fxClasses(with.notes);
    if (!with.weightsFile.empty())
        with.load = [&](GraphModule& made) { loadConstructed(made, with.weightsFile, progress); };
    return traceFile(source.file, with, progress);
}

std::shared_ptr<GraphModule> openDescription(const std::string& path, const OpenOptions& options,
                                             const Progress& progress) {
    auto read = readIrJson(path, progress, options.keepsContent);
    script::findCalledFiles(*read, path);
    return read;
}

/// Whether the file is an archive that may have several models, or methods. Refuses other archives, which have one
/// model.
bool hasModels(const std::string& path) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) return false;
    const auto file = DataFile::open(path);
    if (!ZipArchive::looksLikeZip(*file)) return false;
    const ZipArchive archive = ZipArchive::open(file);
    const FileKind kind = fileKind(*file, &archive);
    if (kind == FileKind::Project) refuse(path, Message("open.project_has_one"));
    if (kind == FileKind::TorchSave) refuse(path, Message("open.has_one_model"));
    return kind == FileKind::Pt2 || kind == FileKind::TorchScript;
}

std::shared_ptr<GraphModule> openAny(const std::string& path, const OpenOptions& options, const Progress& progress) {
    if (const auto part = splitStagePath(path)) {
        if (!hasModels(part->first)) return openStage(part->first, part->second, progress);
        OpenOptions with = options;
        with.modelName = part->second;
        return openAny(part->first, with, progress);
    }
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) return openFolder(path, options, progress);
    const auto source = splitSourcePath(path);
    if (source && !std::filesystem::exists(path, ignored)) return openSource(*source, options, progress);
    const auto file = DataFile::open(path);
    std::optional<ZipArchive> archive;
    if (ZipArchive::looksLikeZip(*file)) {
        if (options.keepsContent) file->keepContent();
        archive = ZipArchive::open(file);
    }
    switch (fileKind(*file, archive ? &*archive : nullptr)) {
    case FileKind::TorchSave:
    case FileKind::Pt2: return openArchive(*archive, options, progress);
    case FileKind::IrJson: return openDescription(path, options, progress);
    case FileKind::CompileText: return readCompileFile(path);
    case FileKind::TorchScript: return script::readTorchScript(*archive, options, progress);
    case FileKind::Project: return readProject(*archive, openArchive, progress).current;
    case FileKind::Other: break;
    }
    if (source && !archive) return openSource(*source, options, progress);
    if (!archive && isCompilationDump(path)) refuse(path, Message("compile.stage_needed"));
    throw describeOther(*file, archive ? &*archive : nullptr);
}

} // namespace

bool isPythonSource(const std::string& path) {
    const auto source = splitSourcePath(path);
    if (!source) return false;
    try {
        const auto file = DataFile::open(source->file);
        return !ZipArchive::looksLikeZip(*file) && fileKind(*file, nullptr) == FileKind::Other &&
               !isCompilationDump(source->file);
    } catch (const Error&) { return false; }
}

std::shared_ptr<GraphModule> openModel(const std::string& path, const OpenOptions& options, const Progress& progress) {
    try {
        return openAny(path, options, progress);
    } catch (Error& error) {
        if (error.kind() == ErrorKind::File && error.file.empty()) error.in(path);
        throw;
    } catch (const std::bad_alloc&) { throw Error(ErrorKind::File, Message("open.no_memory")).in(path); }
}

} // namespace fx
