// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/save_graphmodule.h"

#include "core/io/after_loading.h"
#include "core/io/files/replaced_file.h"
#include "core/io/graphmodule/folder_writer.h"
#include "core/io/graphmodule/graphmodule_reader.h"
#include "core/io/graphmodule/graphmodule_writer.h"
#include "core/io/open.h"
#include "core/io/unlift.h"
#include "core/io/verify/compare_models.h"

namespace fx {
namespace {

using Write = Warnings (*)(const GraphModule& model, const std::string& path, const GenerateCode& generate, const Progress& progress);

SaveReport saveAndCompare(const GraphModule& given, const std::string& path, bool verify, const Progress& progress, Write write, TreeComparison trees) {
    const GraphModule model = unlifted(given);
    // What was loaded and not edited is what loading it again gives.
    const bool edited = !keptCode(model);
    const GraphModule loaded = edited ? afterLoading(model) : model;
    SaveReport report;
    KeptFile before(path);
    report.warnings = write(model, path, codeForSaving, progress);
    if (verify) requireSame(loaded, *openModel(path, {}, progress), path, progress, trees);
    before.forget();
    report.verified = verify;
    return report;
}

} // namespace

SaveReport saveGraphModule(const GraphModule& model, const std::string& path, bool verify, const Progress& progress) {
    return saveAndCompare(model, path, verify, progress, writeGraphModule, TreeComparison::Modules);
}

SaveReport saveFolder(const GraphModule& model, const std::string& folder, bool verify, const Progress& progress) {
    const std::string lost = lostInFolder(*model.root);
    SaveReport report = saveAndCompare(model, folder, verify && lost.empty(), progress, writeFolder, TreeComparison::TensorsByPath);
    if (!lost.empty()) report.warnings.push_back({"what was written was not compared, since a folder does not keep all of it", {}, {}, {}});
    return report;
}

} // namespace fx
