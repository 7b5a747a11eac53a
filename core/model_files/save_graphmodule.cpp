// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/save_graphmodule.h"

#include "core/codegen/hiding_names.h"
#include "core/diff/written_check.h"
#include "core/files/replaced_file.h"
#include "core/io/graphmodule/folder_writer.h"
#include "core/io/graphmodule/graphmodule_reader.h"
#include "core/io/graphmodule/graphmodule_writer.h"
#include "core/model_files/after_loading.h"
#include "core/model_files/foresee.h"
#include "core/model_files/plain_holders.h"
#include "core/model_files/plain_inputs.h"
#include "core/model_files/read_back.h"
#include "core/model_files/traceable_lists.h"
#include "core/model_files/unlift.h"
#include "core/torchscript/torchscript.h"

namespace fx {
namespace {

/// What PyTorch has after loading the file that will be written.
GraphModule loadedAgain(const GraphModule& model, const std::string& path, const GenerateCode& generate,
                        bool isFolder) {
    try {
        return afterLoading(model, generate, isFolder ? readWrittenCode : retraceSavedCode);
    } catch (const Error& error) {
        if (keptCode(model)) return model; // a folder then has the code that the model came with
        if (error.kind() == ErrorKind::File) throw asRefusal(error, path, kSaveAsGraph);
        throw;
    }
}

/// Python has no class for them.
void refuseScriptBlocks(const GraphModule& model) {
    forEachModule(*model.root, [](const std::string& path, const Module& module) {
        if (script::isScriptBlock(module))
            throw Error(ErrorKind::Refused, Message("script.block_in_python", {{"path", path}})).onModule(path);
        if (script::isFileObject(module) || script::isScriptFile(module))
            throw Error(ErrorKind::Refused,
                        Message("script.object_in_python", {{"path", path}, {"class", module.qualifiedType()}}))
                .onModule(path);
    });
}

/// As it is written. Throws for what Python has no class for.
GraphModule plain(const GraphModule& model, bool isFolder) {
    refuseScriptBlocks(model);
    GraphModule written = withPlainHolders(withPlainInputs(unliftedForTracing(model)));
    if (isFolder || !keptCode(written)) renameHidingNames(written.graph);
    return written;
}

/// Another file than the exported program: one that PyTorch could not load, or would run otherwise, is not written.
/// The code of a folder is not traced again.
void refuseUnloadable(const GraphModule& model, const Progress& progress) {
    for (const Foreseen& each : foresee(model, SavedAs::GraphModule, progress)) {
        if (each.kind != Foreseen::Kind::Refused || each.what.is("foresee.failed")) continue; // which writing throws
        Error refusal(ErrorKind::Refused, each.what);
        throw each.nodes.empty() ? refusal : refusal.onNode(each.nodes.front());
    }
}

SaveReport saveAndCompare(const GraphModule& given, const std::string& path, bool verify, const Progress& progress,
                          bool isFolder) {
    const GraphModule model = plain(given, isFolder);
    if (isLifted(given) && !isFolder) refuseUnloadable(given, progress);
    std::optional<SavedCode> code; // made once: to be traced again, and to be written
    const GenerateCode generate = [&](const GraphModule& each) {
        if (&each != &model) return codeForSaving(each);
        if (!code) code = codeForSaving(each);
        return *code;
    };
    // What was loaded and not edited is what loading it again gives; a folder has code that is made anew.
    const GraphModule loaded = isFolder || !keptCode(model) ? loadedAgain(model, path, generate, isFolder) : model;
    const auto compare = [&] {
        if (verify)
            requireSame(loaded, *readBack(path, kSaveAsGraph, {}, progress), path, progress,
                        isFolder ? DiffScope::TensorFiles : DiffScope::Files);
    };
    SaveReport report;
    if (isFolder) {
        report.warnings = writeFolder(model, path, generate, progress, compare);
    } else {
        KeptFile before(path);
        report.warnings = writeGraphModule(model, path, generate, progress);
        compare();
        before.forget();
    }
    report.verified = verify;
    return report;
}

} // namespace

SaveReport saveGraphModule(const GraphModule& model, const std::string& path, bool verify, const Progress& progress) {
    return saveAndCompare(model, path, verify, progress, false);
}

void checkSavable(const GraphModule& model, bool isFolder, const Progress& progress) {
    const auto check = isFolder ? checkFolder : checkGraphModule;
    check(plain(model, isFolder), codeForSaving, progress);
}

void checkTarget(const std::string& path) {
    if (path.ends_with('/')) return checkFolderTarget(path);
    const ReplacedFile untouched(path);
}

SaveReport saveFolder(const GraphModule& model, const std::string& folder, bool verify, const Progress& progress) {
    const std::string lost = lostInFolder(*model.root);
    SaveReport report = saveAndCompare(model, folder, verify && lost.empty(), progress, true);
    if (!lost.empty()) report.warnings.push_back({Message("saving.not_compared"), {}, {}, {}});
    return report;
}

} // namespace fx
