// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/quant_worker.h"

#include "core/base/joined_path.h"
#include "core/module/module_editor.h"
#include "core/quant/module_values.h"
#include "core/remote/shapes_message.h"
#include "core/tensor/elements.h"
#include "core/trace/callables.h"

#include <algorithm>

namespace fx::remote {
namespace {

/// A model without inputs whose graph does the arithmetic: modules, tensors, and the list that it returns.
class Jobs {
public:
    Jobs() { m_model.root->className = "GraphModule", m_model.root->classModule = "torch.fx.graph_module"; }

    NodeId module(const std::shared_ptr<const Module>& module, const std::vector<NodeId>& seen) {
        const std::string name = "observer_" + std::to_string(m_count++);
        m_model.root->children.push_back({name, std::make_shared<Module>(*module)});
        for (const NodeId node : seen) m_model.graph.createNode(Op::CallModule, name, {Argument(node)});
        return m_model.graph.createNode(Op::GetAttr, name);
    }
    NodeId tensor(const TensorPtr& tensor) {
        const std::string name = "tensor_" + std::to_string(m_count++);
        m_model.root->buffers.push_back({name, tensor});
        return m_model.graph.createNode(Op::GetAttr, name);
    }
    NodeId call(const char* function, std::vector<Argument> arguments) {
        return m_model.graph.callFunction(resolveCallable(function), std::move(arguments));
    }
    NodeId method(const char* name, std::vector<Argument> arguments) {
        return m_model.graph.createNode(Op::CallMethod, name, std::move(arguments));
    }
    void give(NodeId node) { m_results.emplace_back(node); }
    GraphModule take() {
        m_model.graph.output(Argument::list(std::move(m_results)));
        return std::move(m_model);
    }

private:
    GraphModule m_model;
    std::size_t m_count = 0;
    std::vector<Argument> m_results;
};

std::vector<quant::QParams> qparamsOf(const std::vector<ValueTree>& results, std::size_t asked) {
    requireCount(results.size(), asked);
    std::vector<quant::QParams> out;
    for (const ValueTree& pair : results) {
        requireCount(pair.items.size(), 2);
        out.push_back({tensorOf(pair.items[0]), tensorOf(pair.items[1])});
    }
    return out;
}

Module::Slot* bufferNamed(Module& module, std::string_view name) {
    const auto slot = std::find_if(module.buffers.begin(), module.buffers.end(),
                                   [&](const Module::Slot& each) { return each.name == name; });
    return slot == module.buffers.end() ? nullptr : &*slot;
}

void giveBatches(RunRequest& run, std::span<const std::vector<ValueTree>> batches) {
    if (batches.empty()) return;
    ValueTree list;
    list.kind = ValueTree::Kind::List;
    for (const std::vector<ValueTree>& batch : batches) {
        ValueTree arguments;
        arguments.kind = ValueTree::Kind::Tuple;
        arguments.items = batch;
        list.items.push_back(std::move(arguments));
    }
    run.inputs = std::move(list);
    run.random.clear();
}

} // namespace

void putStates(GraphModule& prepared, const Calibration& calibration) {
    ModuleEditor editor(prepared);
    const auto put = [&](const std::string& path, const TensorPtr& tensor) {
        Module* module = editor.writable(parentPath(path));
        if (Module::Slot* slot = module ? bufferNamed(*module, path.substr(path.rfind('.') + 1)) : nullptr)
            slot->tensor = tensor;
    };
    for (const ObserverState& state : calibration.observers)
        for (const auto& [name, tensor] : state.buffers) put(state.path + "." + name, tensor);
    for (const auto& [path, tensor] : calibration.buffers) put(path, tensor);
}

std::vector<ValueTree> QuantWorker::run(GraphModule model) {
    m_worker.start(m_progress);
    RunRequest request;
    request.threads = m_run.threads;
    request.model = std::make_shared<const GraphModule>(std::move(model));
    return runResult(call([&](auto number, bool local) { return toFrame(request, number, local); }, m_progress))
        .output.items;
}

Frame QuantWorker::call(const std::function<Frame(std::uint32_t number, bool local)>& request,
                        const Progress& progress) {
    using std::chrono::milliseconds;
    Frame frame = request(m_worker.nextNumber(), m_worker.local());
    if (!m_start || m_limit.count() <= 0) return m_worker.call(std::move(frame), m_limit, progress);
    const Error late(ErrorKind::Cancelled, Message("remote.timeout", {{"time", secondsText(m_limit)}}));
    const auto left = std::chrono::ceil<milliseconds>(*m_start + m_limit - std::chrono::steady_clock::now());
    if (left.count() <= 0) throw late;
    try {
        return m_worker.call(std::move(frame), left, progress);
    } catch (const Error& error) {
        if (!error.message().is("remote.timeout")) throw;
        throw Error(late).onNode(error.node);
    }
}

std::size_t QuantWorker::calibrate(GraphModule& prepared, std::span<const std::vector<ValueTree>> batches,
                                   const Progress& progress) {
    m_worker.start(progress);
    CalibrateRequest request;
    request.run = m_run, request.draws = kDraws, request.details = m_details;
    request.run.model = std::make_shared<const GraphModule>(prepared);
    giveBatches(request.run, batches);
    m_calibration =
        calibrationOf(call([&](auto number, bool local) { return toFrame(request, number, local); }, progress));
    putStates(prepared, m_calibration);
    return m_calibration.batches;
}

LayerErrors QuantWorker::layerErrors(const std::shared_ptr<const GraphModule>& original,
                                     const std::shared_ptr<const GraphModule>& quantised,
                                     std::span<const std::vector<ValueTree>> batches, const Progress& progress) {
    LayerErrorsRequest request;
    request.run = m_run, request.draws = kDraws;
    request.run.model = original, request.other = quantised;
    giveBatches(request.run, batches);
    m_worker.start(progress);
    return layerErrorsOf(call([&](auto number, bool local) { return toFrame(request, number, local); }, progress));
}

Warnings QuantWorker::linearFoldWarnings(const quant::PreparedModel& prepared,
                                         const std::shared_ptr<const GraphModule>& model,
                                         std::span<const std::vector<ValueTree>> batches, const Progress& progress) {
    if (prepared.linearFolds.empty()) return {};
    NodeShapes shapes;
    try {
        ShapesRequest request{.run = m_run};
        request.run.model = model;
        if (!batches.empty()) {
            ValueTree arguments;
            arguments.kind = ValueTree::Kind::Tuple, arguments.items = batches.front();
            request.run.inputs = std::move(arguments);
            request.run.random.clear();
        }
        m_worker.start(progress);
        shapes = shapesResult(call([&](auto number, bool local) { return toFrame(request, number, local); }, progress));
    } catch (const Error& error) {
        // No inputs, or the model does not run.
        if (error.kind() != ErrorKind::Usage && error.kind() != ErrorKind::Run) throw;
    }
    return quant::linearFoldWarnings(prepared, *model, shapes);
}

std::vector<quant::QParams> QuantWorker::qparams(std::span<const std::shared_ptr<const Module>> observers) {
    if (observers.empty()) return {};
    Jobs jobs;
    for (const auto& observer : observers)
        jobs.give(jobs.method("calculate_qparams", {Argument(jobs.module(observer, {}))}));
    return qparamsOf(run(jobs.take()), observers.size());
}

/// Some observers fail on NaN and infinity with a message that names neither the weight nor its values.
void QuantWorker::refuseWithoutNumbers(std::span<const quant::WeightJob> jobs) {
    Jobs work;
    for (const quant::WeightJob& job : jobs)
        work.give(work.method("all", {Argument(work.call("torch.isfinite", {Argument(work.tensor(job.weight))}))}));
    const std::vector<ValueTree> finite = run(work.take());
    requireCount(finite.size(), jobs.size());
    for (std::size_t i = 0; i < jobs.size(); ++i)
        if (elementValues(*tensorOf(finite[i])).at(0) == 0)
            throw Error(ErrorKind::Run, Message("quant.weight_values", {{"module", jobs[i].owner}}))
                .onModule(jobs[i].owner);
}

std::vector<quant::QParams> QuantWorker::observe(std::span<const quant::WeightJob> jobs) {
    if (jobs.empty()) return {};
    Jobs work;
    for (const quant::WeightJob& job : jobs)
        work.give(work.method("calculate_qparams",
                              {Argument(work.module(job.observer, std::vector(job.times, work.tensor(job.weight))))}));
    try {
        return qparamsOf(run(work.take()), jobs.size());
    } catch (const Error& error) {
        if (error.kind() == ErrorKind::Run) refuseWithoutNumbers(jobs);
        throw;
    }
}

std::vector<TensorPtr> QuantWorker::quantize(std::span<const quant::QuantizeJob> jobs) {
    if (jobs.empty()) return {};
    Jobs work;
    for (const quant::QuantizeJob& job : jobs) {
        const NodeId tensor = work.tensor(job.tensor);
        if (job.dtype == "torch.float16") {
            // Packed weights unpack to float32; torch.load reads no others.
            const NodeId half = work.method("to", {Argument(tensor), Argument::dtype(job.dtype)});
            work.give(work.method("to", {Argument(half), Argument::dtype("torch.float32")}));
            continue;
        }
        const NodeId scale = work.tensor(job.qparams.scale), zero = work.tensor(job.qparams.zeroPoint);
        if (job.qscheme.starts_with("torch.per_channel"))
            work.give(work.call("torch.quantize_per_channel", {Argument(tensor), Argument(scale), Argument(zero),
                                                               Argument(job.axis), Argument::dtype(job.dtype)}));
        else
            work.give(work.call("torch.quantize_per_tensor",
                                {Argument(tensor), Argument(scale), Argument(zero), Argument::dtype(job.dtype)}));
    }
    std::vector<TensorPtr> out;
    for (const ValueTree& result : run(work.take())) out.push_back(tensorOf(result));
    requireCount(out.size(), jobs.size());
    return out;
}

} // namespace fx::remote
