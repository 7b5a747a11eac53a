// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/shapes/shapes.h"
#include "core/engine/for_each_tensor.h"

#include "core/base/plain_number.h"
#include "core/base/python_text.h"
#include "core/engine/dispatch.h"
#include "core/engine/outside.h"
#include "core/engine/shapes/cpu_fallback.h"
#include "core/shapes/blame.h"

#include <ATen/core/ivalue.h>
#include <c10/util/strides.h>

#include <algorithm>
#include <chrono>

namespace fx::engine {
namespace {

/// Constants up to this many elements are computed with their values.
constexpr std::int64_t kSmallRun = 1 << 14;
constexpr int kMaxDepth = 64;

Value withoutValues(const Value& value, int depth = 0) {
    if (depth > kMaxDepth) return value;
    if (value.isTensor())
        return value.tensor().is_meta() || value.tensor().is_quantized() ? value : Value(metaTwin(value.tensor()));
    if (const Items* items = value.items()) {
        auto out = std::make_shared<Items>(*items);
        for (Value& item : out->items) item = withoutValues(item, depth + 1);
        return out;
    }
    if (const Mapping* mapping = value.mapping()) {
        auto out = std::make_shared<Mapping>(*mapping);
        for (auto& entry : out->items) entry.second = withoutValues(entry.second, depth + 1);
        return out;
    }
    return value;
}

RunInputs withoutValues(const RunInputs& inputs) {
    RunInputs out = inputs;
    for (Value& value : out.positional) value = withoutValues(value);
    for (auto& entry : out.named) entry.second = withoutValues(entry.second);
    return out;
}

// ── calls with tensors of both devices ──

struct StackSummary {
    bool meta = false, real = false, quantized = false;
    std::int64_t elements = 0;

    void add(const at::Tensor& tensor) {
        if (!tensor.defined()) return;
        (tensor.is_meta() ? meta : real) = true;
        quantized = quantized || at::isQIntType(tensor.scalar_type());
        elements += tensor.numel();
    }
};

StackSummary summaryOf(const std::vector<c10::IValue>& stack) {
    StackSummary out;
    for (const c10::IValue& value : stack) {
        if (value.isTensor()) out.add(value.toTensor());
        else if (value.isTensorList())
            for (const at::Tensor& tensor : value.toTensorVector()) out.add(tensor);
        else if (value.isOptionalTensorList())
            for (const auto& tensor : value.toOptionalTensorVector()) out.add(tensor.value_or(at::Tensor()));
    }
    return out;
}

at::Tensor toMeta(const at::Tensor& tensor) {
    const bool stays = !tensor.defined() || tensor.is_meta() || tensor.is_quantized() ||
                       tensor.unsafeGetTensorImpl()->is_wrapped_number();
    return stays ? tensor : metaTwin(tensor);
}

c10::IValue toMeta(const c10::IValue& value) {
    if (value.isDevice()) return at::Device(at::kMeta);
    return mapIValue(value, [](const at::Tensor& tensor) { return toMeta(tensor); });
}

/// The largest product of a list of integers among the arguments: what a factory makes.
std::int64_t requested(const std::vector<c10::IValue>& stack) {
    std::int64_t most = 0;
    for (const c10::IValue& value : stack) {
        if (!value.isIntList()) continue;
        double product = 1;
        for (const std::int64_t size : value.toIntVector()) product *= static_cast<double>(size);
        most = std::max(most, product > 1e15 ? std::int64_t{1} << 50 : static_cast<std::int64_t>(product));
    }
    return most;
}

/// Constants of the factories: with values while they are small.
void placeFactory(const Kernel& kernel, std::vector<c10::IValue>& stack) {
    const int device = deviceArgument(kernel);
    if (device < 0) return;
    c10::IValue& entry = stack[static_cast<std::size_t>(device)];
    const bool small = !InferenceOnly::active() && requested(stack) <= kSmallRun;
    if (!small) entry = at::Device(at::kMeta);
    else if (entry.isDevice() && entry.toDevice().is_meta()) entry = at::Device(at::kCPU);
}

/// Tensors with values stay so among themselves while they are small; beside a meta tensor they lose them.
OperatorCall placeCall(const Kernel& kernel, std::vector<c10::IValue>& stack) {
    const StackSummary summary = summaryOf(stack);
    if (!summary.meta && !summary.real) return placeFactory(kernel, stack), nullptr;
    const bool small = !InferenceOnly::active() && summary.elements <= kSmallRun;
    if (!summary.meta && small && requested(stack) <= kSmallRun * 16) return nullptr;
    for (c10::IValue& value : stack) value = toMeta(value);
    // To LibTorch a meta tensor of a quantised type is not quantised: its kernels fail or give another type.
    return summary.quantized && runsOnPlaceholders(handleOf(kernel)) ? runOnPlaceholders : nullptr;
}

/// Operators are called as above while it lives.
class ShapeCalls {
public:
    ShapeCalls() : m_outer(std::exchange(stackFilter(), placeCall)) { registerMetaKernels(); }
    ~ShapeCalls() { stackFilter() = m_outer; }
    ShapeCalls(const ShapeCalls&) = delete;
    ShapeCalls& operator=(const ShapeCalls&) = delete;

private:
    StackFilter m_outer;
};

// ── the run ──

/// The description of a result that is a number.
std::optional<ValueInfo> numberInfo(const Value& value) {
    ValueInfo info;
    info.isTensor = false;
    if (const auto* flag = value.as<bool>()) info.dtype = "bool", info.sizes = {*flag ? "True" : "False"};
    else if (const auto* number = value.as<std::int64_t>()) info.dtype = "int", info.sizes = {std::to_string(*number)};
    else if (const auto* real = value.as<double>()) {
        info.dtype = "float";
        appendPythonFloat(info.sizes.emplace_back(), *real);
    } else return std::nullopt;
    return info;
}

class Recorder {
public:
    Recorder(const GraphModule& model, const ShapesOptions& options)
        : m_model(model), m_numbers(options.numbers), m_infos(model.graph.idLimit()) {
        m_hooks.gradients = options.gradients;
        m_hooks.before = options.before;
        m_hooks.after = [this](const Node& node, const Value& result) { record(node, result); };
        m_hooks.failed = [this](const Node& node, const fx::Error& error) { fail(node, error); };
    }
    NodeShapes run(const std::shared_ptr<const GraphModule>& model, TensorStore::Holds holds, const RunInputs& inputs) {
        Interpreter(model, std::make_shared<TensorStore>(holds)).run(inputs, m_hooks);
        return std::move(m_out);
    }

private:
    void record(const Node& node, const Value& result) {
        std::vector<ValueInfo> infos;
        forEachTensor(result, [&](const at::Tensor& tensor) {
            if (tensor.defined()) infos.push_back(infoOf(tensor));
        });
        if (const auto number = m_numbers ? numberInfo(result) : std::nullopt) infos.push_back(*number);
        if (!infos.empty()) m_infos[index(node.id())] = infos.front();
        m_out.nodes.emplace_back(node.name(), std::move(infos));
    }
    void fail(const Node& node, const fx::Error& error) {
        if (error.kind() == ErrorKind::Cancelled) throw error;
        ShapeFailure failure;
        failure.node = node.name(), failure.what = error.message(), failure.hint = error.hint;
        failure.needsValues = error.message().is("engine.needs_values") ||
                              error.message().is("engine.autocast_values") || error.message().is("engine.not_inferred");
        explainFailure(failure, m_model, node,
                       [this](NodeId id) { return m_infos[index(id)] ? &*m_infos[index(id)] : nullptr; });
        m_out.failures.push_back(std::move(failure));
    }

    const GraphModule& m_model;
    const bool m_numbers;
    RunHooks m_hooks;
    std::vector<std::optional<ValueInfo>> m_infos; ///< by node id
    NodeShapes m_out;
};

NodeShapes onMeta(const std::shared_ptr<const GraphModule>& model, const RunInputs& inputs,
                  const ShapesOptions& options) {
    const ShapeCalls calls;
    return Recorder(*model, options).run(model, TensorStore::Holds::Shapes, withoutValues(inputs));
}

NodeShapes withValues(const std::shared_ptr<const GraphModule>& model, const RunInputs& inputs,
                      const ShapesOptions& options) {
    NodeShapes out = Recorder(*model, options).run(model, TensorStore::Holds::All, inputs);
    out.ran = true;
    return out;
}

bool anyNeedsValues(const NodeShapes& shapes) {
    return std::any_of(shapes.failures.begin(), shapes.failures.end(),
                       [](const ShapeFailure& failure) { return failure.needsValues; });
}

} // namespace

Value recordedValue(const ValueInfo& info) {
    const auto unknown = [] { return fx::Error(ErrorKind::File, Message("engine.unknown_input")); };
    const auto sizes = plainNumbers(info.sizes), strides = plainNumbers(info.strides);
    if (info.isTensor) {
        const auto type = scalarType(info.dtype);
        if (!type || !sizes || !strides) throw unknown();
        const auto rowMajor = c10::contiguous_strides(*sizes);
        const bool isGiven = strides->size() == sizes->size();
        return metaTensor(*sizes, isGiven ? at::IntArrayRef(*strides) : at::IntArrayRef(rowMajor), *type);
    }
    const std::string text = info.sizes.size() == 1 ? info.sizes.front() : std::string();
    if (info.dtype == "bool" && (text == "True" || text == "False")) return Value(text == "True");
    if (info.dtype == "int" && sizes) return Value(sizes->front());
    const auto real = info.dtype == "float" ? plainNumber<double>(text) : std::nullopt;
    if (!real) throw unknown();
    return Value(*real);
}

Value shapeOnly(const std::vector<std::int64_t>& sizes, at::ScalarType type) {
    return metaTensor(sizes, c10::contiguous_strides(sizes), type);
}

ValueInfo infoOf(const at::Tensor& tensor) {
    ValueInfo out;
    out.dtype = scalarTypeName(tensor.scalar_type());
    for (const std::int64_t size : tensor.sizes()) out.sizes.push_back(std::to_string(size));
    if (tensor.layout() == at::kStrided)
        for (const std::int64_t stride : tensor.strides()) out.strides.push_back(std::to_string(stride));
    out.device = "cpu";
    out.requiresGrad = !tensor.is_inference() && tensor.requires_grad();
    return out;
}

NodeShapes nodeShapes(const std::shared_ptr<const GraphModule>& model, const RunInputs& inputs,
                      const ShapesOptions& options) {
    const auto start = std::chrono::steady_clock::now();
    NodeShapes out = onMeta(model, inputs, options);
    if (anyNeedsValues(out) && options.values) out = withValues(model, options.values(), options);
    // Models that write their parameters in place run without gradients only.
    if (!out.failures.empty() && options.gradients)
        if (NodeShapes again = nodeShapes(model, inputs, {false, options.values, options.before});
            again.failures.size() < out.failures.size())
            out = std::move(again);
    out.millis = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return out;
}

} // namespace fx::engine
