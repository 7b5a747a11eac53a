// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/save_model.h"

#include "core/codegen/module_source.h"
#include "core/files/read_text.h"
#include "core/files/replaced_file.h"
#include "core/io/ir_json/ir_json.h"
#include "core/io/pt2/pt2_writer.h"
#include "core/io/zip/checksums.h"
#include "core/model_files/save_description.h"
#include "core/model_files/save_project.h"
#include "core/model_files/save_pt2.h"
#include "core/module/exported_signature.h"
#include "core/module/read_only.h"
#include "core/partition/inline.h"
#include "core/passes/fresh_values.h"
#include "core/remote/evaluate.h"
#include "core/remote/save_script.h"
#include "core/remote/shapes_message.h"
#include "core/tensor/storage.h"

namespace fx::remote {
namespace {

bool holds(const std::string& path, const std::string& text) {
    const auto file = DataFile::open(path);
    return file->size() == text.size() && readText(*file, text.size()) == text;
}

SaveReport saveSource(const GraphModule& model, const std::string& path, const SaveOptions& options) {
    const std::string text = moduleSource(model, options.note);
    KeptFile before(path);
    ReplacedFile file(path);
    file.write(text);
    file.commit();
    if (options.verify && !holds(path, text))
        throw Error(ErrorKind::Refused, Message("saving.reads_differently", {{"file", path}}));
    before.forget();
    SaveReport report;
    report.verified = options.verify;
    return report;
}

/// Asks a worker for unknown values, and for nothing else.
class ValueEngine final : public TensorEngine {
public:
    ValueEngine(WorkerClient& worker, const Progress& progress) : m_worker(worker), m_progress(progress) {}
    NodeShapes partShapes(const GraphModule& part, bool gradients) override {
        return remote::partShapes(m_worker, part, gradients, {}, m_progress);
    }
    NodeShapes shapes(const GraphModule&) override { return {}; }
    std::vector<ValueTree> values(const GraphModule&) override { return {}; }
    std::vector<onednn::LayerTimes> layerTimes(const GraphModule&) override { return {}; }
    onednn::WholeTimes wholeTimes(const GraphModule&, const GraphModule&) override { return {}; }

private:
    WorkerClient& m_worker;
    const Progress& m_progress;
};

SaveReport saveBesideWeights(const GraphModule& model, const std::string& path, const SaveOptions& options,
                             const Progress& progress) {
    if (!options.overForeignWeights)
        if (const std::string weights = foreignWeights(path, progress); !weights.empty())
            throw Error(ErrorKind::Refused, Message("ir.foreign_weights", {{"weights", weights}, {"file", path}}))
                .in(path);
    if (!ExportedSignature::of(model)) return saveDescription(model, path, options.verify, progress);
    GraphModule whole = model;
    WorkerClient worker(options.worker);
    ValueEngine engine(worker, progress);
    const auto failures = computeUnknownValues(whole, engine, [&] { return pt2GraphAsRead(whole, progress); });
    SaveReport report = saveDescription(whole, path, options.verify, progress);
    for (Warning& warning : unknownValueWarnings(failures, whole.graph)) report.warnings.push_back(std::move(warning));
    return report;
}

/// The format holds values; constants that a pattern's code computed are expressions until now. The model's own
/// records without bytes stay zeros.
SaveReport saveExport(const GraphModule& model, const std::string& path, const SaveOptions& options,
                      const Progress& progress) {
    WorkerClient worker(options.worker);
    GraphModule whole = evaluated(model, worker, options.seed, progress, [](const TensorRef& tensor) {
        return !tensor.storage->expressionSource().starts_with("torch.zeros([");
    });
    ValueEngine engine(worker, progress);
    computeUnknownValues(whole, engine, [&] { return pt2GraphAsRead(whole, progress); }); // the writer warns of others
    return savePt2(whole, path, options.verify, progress);
}

/// The model with calls that only Python source defines replaced by their operators, which are all that a script has.
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
        id = before == kNoNode ? whole->graph.first() : whole->graph.next(before); // the first that replaces it
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
    requireChangeable(*model);
    std::optional<Warning> checksums;
    if (options.verify) checksums = wrongChecksums(model->path, progress); // before the file may be replaced
    SaveReport report = write(model, path, options, progress);
    if (checksums) report.warnings.insert(report.warnings.begin(), std::move(*checksums));
    return report;
}

} // namespace fx::remote
