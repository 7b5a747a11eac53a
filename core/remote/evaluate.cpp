// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/evaluate.h"

#include "core/base/joined_path.h"
#include "core/base/visible_text.h"
#include "core/module/module_editor.h"
#include "core/pysrc/expression_names.h"
#include "core/remote/json_fields.h"
#include "core/remote/tree_json.h"

#include <algorithm>
#include <set>

namespace fx::remote {
namespace {

/// What is to be computed, and where it stands.
struct Work {
    std::vector<std::string> sources, paths; ///< of each storage: its text, a place of a tensor that has it
    std::unordered_map<const Storage*, std::size_t> storages; ///< index into these
    std::set<std::string> modules;

    void add(const std::string& path, const std::string& name, const TensorPtr& tensor,
             const std::function<bool(const TensorRef&)>& wanted) {
        if (!tensor->storage || !tensor->storage->isExpression() || (wanted && !wanted(*tensor))) return;
        modules.insert(path);
        if (!storages.emplace(tensor->storage.get(), sources.size()).second) return;
        sources.push_back(tensor->storage->expressionSource());
        paths.push_back(joinedPath(path, name));
    }
};

TensorPtr withValues(const TensorRef& before, const TensorRef& values) {
    TensorRef out = before;
    out.dtype = values.dtype;
    out.dtypeText.clear();
    out.sizes = values.sizes;
    out.strides = values.strides;
    out.offset = values.offset;
    out.storage = values.storage;
    out.origin = {};
    return std::make_shared<const TensorRef>(std::move(out));
}

} // namespace

Frame toFrame(const EvaluateRequest& request, std::uint32_t number) {
    JsonWriter json;
    Frame frame{FrameKind::Request, number, {}, {}, {}};
    json.beginObject().key("verb").string("evaluate").key("seed").string(std::to_string(request.seed));
    json.key("expressions").strings(request.expressions);
    json.key("paths").strings(request.paths);
    writeModel(json.key("model"), request.model, frame);
    frame.json = json.endObject().text();
    return frame;
}

EvaluateRequest evaluateRequest(const Frame& frame) {
    const auto document = JsonDocument::parse(frame.json);
    EvaluateRequest out;
    out.seed = std::strtoull(std::string(document->root().at("seed").asText()).c_str(), nullptr, 10);
    out.expressions = document->root().at("expressions").texts(), out.paths = document->root().at("paths").texts();
    out.model = readModel(document->root().at("model"));
    return out;
}

Frame toFrame(const std::vector<TensorPtr>& tensors, std::uint32_t number) {
    ValueTree list;
    list.kind = ValueTree::Kind::List;
    for (const TensorPtr& tensor : tensors) list.items.push_back(ValueTree::of(tensor));
    return toFrame(RunResult{std::move(list), 0, {}}, number);
}

std::vector<TensorPtr> evaluateResult(const Frame& frame) {
    std::vector<TensorPtr> out;
    for (const ValueTree& item : runResult(frame).output.items) out.push_back(tensorOf(item));
    return out;
}

GraphModule evaluated(const GraphModule& model, WorkerClient& worker, std::uint64_t seed, const Progress& progress,
                      const std::function<bool(const TensorRef&)>& wanted) {
    Work work;
    forEachModule(*model.root, [&](const std::string& path, const Module& module) {
        forEachOwnTensor(
            module, [&](const std::string& name, const TensorPtr& tensor) { work.add(path, name, tensor, wanted); });
    });
    GraphModule out = model;
    if (work.sources.empty()) return out;
    EvaluateRequest request{work.sources, seed, {}, work.paths};
    if (std::any_of(work.sources.begin(), work.sources.end(),
                    [](const std::string& source) { return !py::namesIn(source).reads.empty(); }))
        request.model = std::make_shared<const GraphModule>(model);
    const std::vector<TensorPtr> values =
        evaluateResult(worker.call(toFrame(request, worker.nextNumber()), {}, progress));
    if (values.size() != work.sources.size()) throw Error(ErrorKind::Run, Message("remote.tensor_count"));
    std::unordered_map<const TensorRef*, TensorPtr> made;
    ModuleEditor editor(out);
    for (const std::string& path : work.modules)
        forEachOwnTensor(*editor.writable(path), [&](const std::string&, TensorPtr& tensor) {
            const auto source = work.storages.find(tensor->storage.get());
            if (source == work.storages.end()) return;
            const TensorRef& value = *values[source->second];
            if (tensor->storage->byteCount() > 0 && tensor->sizes != value.sizes)
                throw Error(ErrorKind::Run, Message("remote.expression_sizes"))
                    .onModule(path)
                    .quoting(visibleExcerpt(work.sources[source->second]));
            auto& replacement = made[tensor.get()];
            if (!replacement) replacement = withValues(*tensor, value);
            tensor = replacement;
        });
    return out;
}

} // namespace fx::remote
