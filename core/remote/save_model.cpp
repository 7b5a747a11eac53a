// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/save_model.h"

#include "core/codegen/module_source.h"
#include "core/files/replaced_file.h"
#include "core/io/ir_json/ir_json.h"
#include "core/io/zip/checksums.h"
#include "core/model_files/save_description.h"
#include "core/model_files/save_project.h"
#include "core/model_files/save_pt2.h"
#include "core/partition/inline.h"
#include "core/remote/evaluate.h"
#include "core/remote/save_script.h"

#include <fstream>
#include <iterator>

namespace fx::remote {
namespace {

SaveReport saveSource(const GraphModule& model, const std::string& path, const SaveOptions& options) {
    const std::string text = moduleSource(model, options.note);
    ReplacedFile file(path);
    file.write(text);
    file.commit();
    if (!options.verify) return {};
    std::ifstream written(path, std::ios::binary);
    const std::string back((std::istreambuf_iterator<char>(written)), std::istreambuf_iterator<char>());
    if (back != text) throw Error(ErrorKind::Refused, Message("saving.reads_differently", {{"file", path}}));
    SaveReport report;
    report.verified = true;
    return report;
}

SaveReport saveBesideWeights(const GraphModule& model, const std::string& path, const SaveOptions& options,
                             const Progress& progress) {
    if (!options.overForeignWeights)
        if (const std::string weights = foreignWeights(path, progress); !weights.empty())
            throw Error(ErrorKind::Refused, Message("ir.foreign_weights", {{"weights", weights}, {"file", path}}))
                .in(path);
    return saveDescription(model, path, options.verify, progress);
}

/// The format holds values; constants that a pattern's code computed are expressions until now. The model's own
/// records without bytes stay zeros.
SaveReport saveExport(const GraphModule& model, const std::string& path, const SaveOptions& options,
                      const Progress& progress) {
    WorkerClient worker(options.worker);
    const GraphModule whole = evaluated(model, worker, options.seed, progress, [](const TensorRef& tensor) {
        return !tensor.storage->expressionSource().starts_with("torch.zeros([");
    });
    return savePt2(whole, path, options.verify, progress);
}

/// The model with the operators of calls that only Python source defines: a script has no other words for them.
std::shared_ptr<const GraphModule> inlined(const std::shared_ptr<const GraphModule>& model, const WorkerOptions& worker,
                                           const Progress& progress) {
    const auto completed = worker.complete ? worker.complete(model, progress) : model;
    if (completed == model) return model;
    const auto whole = std::make_shared<GraphModule>(*completed);
    const auto isAdded = [&](const Node& node) {
        if (node.op() != Op::CallModule) return false;
        const PathTarget target = resolvePath(*whole->root, node.target());
        return target.module && target.module->graphModule &&
               resolvePath(*model->root, node.target()).kind == PathTarget::Kind::Missing;
    };
    for (NodeId id = whole->graph.first(); id != kNoNode;) {
        const NodeId before = whole->graph.prev(id), next = whole->graph.next(id);
        if (!isAdded(whole->graph.node(id))) {
            id = next;
            continue;
        }
        inlineModule(*whole, id);
        id = before == kNoNode ? whole->graph.first() : whole->graph.next(before); // of what came instead
    }
    return whole;
}

SaveReport write(const std::shared_ptr<const GraphModule>& model, const std::string& path, SaveOptions& options,
                 const Progress& progress) {
    switch (savedAs(path)) {
    case SavedAs::Description: return saveBesideWeights(*model, path, options, progress);
    case SavedAs::Source: return saveSource(*model, path, options);
    case SavedAs::Pt2: return saveExport(*model, path, options, progress);
    case SavedAs::Folder: return saveFolder(*model, path, options.verify, progress);
    case SavedAs::Project:
        return saveProject(options.project ? *options.project : projectApart(*model, progress), *model, path,
                           options.verify, progress);
    case SavedAs::TorchScript: {
        WorkerClient worker(options.worker);
        return saveScript(worker, inlined(model, options.worker, progress), path, std::move(options.inputs),
                          options.verify, progress);
    }
    case SavedAs::GraphModule: break;
    }
    return saveGraphModule(*model, path, options.verify, progress);
}

} // namespace

SaveReport saveModel(const std::shared_ptr<const GraphModule>& model, const std::string& path, SaveOptions options,
                     const Progress& progress) {
    std::optional<Warning> checksums;
    if (options.verify) checksums = wrongChecksums(model->path, progress); // before the file may be replaced
    SaveReport report = write(model, path, options, progress);
    if (checksums) report.warnings.insert(report.warnings.begin(), std::move(*checksums));
    return report;
}

} // namespace fx::remote
