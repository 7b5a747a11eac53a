// SPDX-License-Identifier: GPL-3.0-or-later
// Tensors that constructors make: parameters, factories, torch.nn.init.
#include "core/make/source_tensors.h"
#include "core/python/python_interpreter.h"
#include "core/trace/constants/constant_sizes.h"

#include <algorithm>

namespace fx::python {
using trace::CannotFollow;
using trace::PythonError;

TensorPtr Tensors::tensorOf(const Value& value) {
    const auto* tensor = tensorIn(value);
    if (!tensor) raise("TypeError", "expected a tensor, got " + repr(value));
    checkData(*tensor);
    const bool isKnown = tensor->shapeKnown && !(tensor->tensor->storage && tensor->tensor->storage->isExpression());
    if (m_in.needsValues && !isKnown)
        throw CannotFollow(Message("make.unknown_values", {{"value", trace::textOf(value.get<Traced>().value)}}));
    return tensor->tensor;
}

TensorPtr Tensors::keptOf(const Value& value) {
    TensorPtr tensor = tensorOf(value);
    const trace::TensorValue& given = *tensorIn(value);
    const bool isAsKept = !tensor->isParameter && tensor->requiresGrad == given.object().requiresGrad;
    if (!given.data || isAsKept) return tensor;
    if (traces()) return trace::objectOf(given);
    if (!m_in.machine || given.data->requiresGrad)
        throw CannotFollow(Message("trace.not_computed", {{"function", "Tensor.data"}}));
    return tensorIn(call(attribute(value, "detach"), {}))->tensor;
}

void Tensors::share(const TensorPtr& to, const TensorPtr& from) {
    if (m_in.machine) return m_in.machine->share(to, from);
    if (to != from && SharedMemory::canShare(*from)) m_memory.join(to, m_memory.blockOf(from));
}

void Tensors::exchange(const TensorPtr& tensor, const std::shared_ptr<const Storage>& content) {
    if (m_in.machine) return m_in.machine->exchange(tensor, content);
    m_memory.exchange(*tensor, content);
}

void Tensors::assignData(const trace::TensorValue& tensor, const Value& from) {
    const trace::TensorValue& given = *tensorIn(from);
    checkData(given);
    if (given.tensor != tensor.tensor) {
        const auto known = m_dataOf.find(tensor.tensor.get());
        if (known != m_dataOf.end()) m_oldData.insert(m_oldData.end(), known->second.begin(), known->second.end());
        m_dataOf.erase(tensor.tensor.get());
        std::erase_if(m_oldData, [](const auto& each) { return each.expired(); });
    }
    if (m_in.machine) return m_in.machine->assign(tensor.tensor, given.tensor);
    const_cast<TensorRef&>(tensor.object()).storage = given.tensor->storage;
    share(tensor.tensor, given.tensor);
}

trace::TensorValue Tensors::dataOf(const trace::TensorValue& tensor) {
    trace::TensorValue data = trace::dataOf(tensor);
    WeakTensors& all = m_dataOf[tensor.tensor.get()];
    std::erase_if(all, [](const auto& each) { return each.expired(); });
    all.push_back(data.data);
    return data;
}

void Tensors::checkData(const trace::TensorValue& tensor) const {
    const auto isOld = [&](const auto& each) { return each.lock() == tensor.data; };
    if (tensor.data && std::any_of(m_oldData.begin(), m_oldData.end(), isOld))
        throw CannotFollow(Message("trace.not_computed", {{"function", "Tensor.data"}}));
}

Value Tensors::makeParameter(const Values& args, const Keywords& kwargs) {
    Value data = args.empty() ? Value() : args[0], grad = args.size() > 1 ? args[1] : Value(true);
    for (const auto& [key, value] : kwargs) (key == "data" ? data : grad) = value;
    if (isProxy(data)) throw PythonError("TypeError: cannot create a Parameter of a Proxy");
    if (m_in.machine && tensorIn(data)) m_in.machine->settle(tensorOf(data)); // what was written to it so far
    auto parameter = std::make_shared<TensorRef>(data.isSet() && !data.isNone() ? *tensorOf(data)
                                                                                : *m_in.random().filled({0}, 0, true));
    parameter->isParameter = true;
    parameter->requiresGrad = truth(grad);
    if (parameter->requiresGrad)
        trace::requireDifferentiable(
            parameter->dtype, "RuntimeError: Only Tensors of floating point and complex dtype can require gradients");
    if (const auto* given = tensorIn(data)) share(parameter, given->tensor);
    return traced({trace::TensorValue{parameter, data.isSet() && tensorIn(data) ? tensorIn(data)->shapeKnown : true}});
}

namespace {
/// `randint(low=0, high=5, size=(2,))`: what is given by name in its place.
void placeRange(trace::Values& args, trace::KeywordValues& kwargs) {
    const auto take = [&](std::string_view name) -> std::optional<trace::Value> {
        const auto found =
            std::find_if(kwargs.begin(), kwargs.end(), [&](const auto& each) { return each.first == name; });
        if (found == kwargs.end()) return std::nullopt;
        const trace::Value value = found->second;
        kwargs.erase(found);
        return value;
    };
    const bool hasSize = std::any_of(
        args.begin(), args.end(), [](const auto& each) { return each.template as<trace::ValueSequence>() != nullptr; });
    if (const auto low = take("low")) args.insert(args.begin(), *low);
    if (const auto high = take("high"))
        args.insert(args.begin() + static_cast<std::ptrdiff_t>(args.size() - (hasSize ? 1 : 0)), *high);
    if (const auto size = take("size")) args.push_back(*size);
}

/// `arange(0, 14, step=2)`: start, end and step in their places.
void placeBounds(trace::Values& args, trace::KeywordValues& kwargs) {
    static constexpr std::string_view kNames[] = {"start", "end", "step"};
    const auto isBound = [](const auto& each) {
        return std::find(std::begin(kNames), std::end(kNames), each.first) != std::end(kNames);
    };
    if (std::none_of(kwargs.begin(), kwargs.end(), isBound)) return;
    trace::Values bounds{{Argument(0)}, trace::none(), {Argument(1)}};
    for (std::size_t i = 0; i < args.size() && i < 3; ++i) bounds[args.size() == 1 ? 1 : i] = args[i];
    for (const auto& [key, value] : kwargs)
        for (std::size_t i = 0; i < 3; ++i)
            if (key == kNames[i]) bounds[i] = value;
    std::erase_if(kwargs, isBound);
    args = std::move(bounds);
}
} // namespace

/// A call of which only the sizes and the type matter: the program's generator stays as it is.
trace::Value Tensors::calledWithoutDrawing(const trace::Value& target, const trace::Values& args,
                                           const trace::KeywordValues& kwargs) {
    struct Restore {
        TensorMachine* machine;
        TorchGenerator* random;
        ~Restore() {
            if (machine) machine->random = random;
        }
    } restore{m_in.machine, m_in.machine ? std::exchange(m_in.machine->random, nullptr) : nullptr};
    return tracer().call(target, args, kwargs);
}

std::optional<Value> Tensors::constructorTensor(const trace::FunctionValue& function, trace::Values args,
                                                trace::KeywordValues kwargs) {
    if (!trace::isTensorFactory(function.path)) return std::nullopt;
    if (function.path == "torch.arange") placeBounds(args, kwargs);
    if (function.path == "torch.randint") placeRange(args, kwargs);
    const bool isDrawn = function.path.starts_with("torch.rand");
    const trace::Value target = trace::box(trace::FunctionValue(function));
    const trace::Value shaped =
        isDrawn ? calledWithoutDrawing(target, args, kwargs) : tracer().call(target, args, kwargs);
    if (shaped.isProxy()) return fromTrace(shaped);
    const trace::Value filled = trace::filledFactory(function.path, shaped, args, m_in.random());
    const auto *made = filled.as<trace::TensorValue>(), *known = shaped.as<trace::TensorValue>();
    if (isDrawn && m_in.machine && made && known && made->tensor == known->tensor)
        return fromTrace(tracer().call(target, args, kwargs));
    if (!traces() || isDrawn || !made || !known || made->tensor == known->tensor) return fromTrace(filled);
    // Further constants are made of it by what computes it: `torch.eye(3).flatten()`.
    trace::TensorValue named = *made;
    named.read = std::make_shared<const std::string>(trace::textOf(shaped));
    return fromTrace(trace::Value{std::move(named)});
}

Value Tensors::initFunction(std::string_view name, Values& args, Keywords& kwargs) {
    const trace::GradModeScope initialises(m_in.gradients);
    trace::Values traceArgs;
    trace::KeywordValues traceKwargs;
    for (const auto& [key, value] : kwargs) {
        if (key == "tensor") args.insert(args.begin(), value);
        else traceKwargs.emplace_back(key, toOperand(value, false));
    }
    if (args.empty() || !tensorIn(args[0])) raise("TypeError", std::string(name) + "() expects a tensor");
    for (const Value& arg : args) traceArgs.push_back(toOperand(arg, false));
    const TensorPtr tensor = tensorOf(args[0]);
    if (tensor->device == "meta") return args[0];
    // Of another tensor, which the machine writes to, as it does to what it computes with.
    const bool mayBePart = m_in.machine && (!tensor->isParameter || m_in.machine->isInUse(tensor));
    if (m_in.machine && !mayBePart) m_in.machine->settle(tensor);
    const bool isComputed =
        !tensor->isParameter && tensor->storage && tensor->storage->isExpression() && !isShapeOnly(*tensor);
    if (isComputed && !m_in.machine) call(attribute(args[0], "zero_"), {}); // is refused for a part of another tensor
    // What does not lie in rows is drawn in another order.
    const bool isDrawn = name.ends_with("uniform_") || name.ends_with("normal_");
    const bool liesInRows =
        mayBePart ? !isDrawn || m_in.machine->liesInRows(tensor) : tensor->isContiguous() && tensor->offset == 0;
    const auto computed = [&]() -> const Value* {
        return m_in.machine ? run(*ownFile("torch.nn.init")).names.find("_computed_" + std::string(name)) : nullptr;
    };
    if (!liesInRows)
        if (const Value* own = computed()) return call(*own, std::move(args), std::move(kwargs));
    if (!liesInRows) throw CannotFollow(Message("trace.writes_view_at_load", {{"function", name}}));
    auto drawn = std::make_shared<TensorRef>(*tensor);
    if (mayBePart) drawn->offset = 0, drawn->strides = trace::stridesInRows(drawn->sizes), drawn->isParameter = false;
    const auto values = trace::initialValues(name, *drawn, traceArgs, traceKwargs, m_in.random());
    if (!values)
        if (const Value* own = computed()) return call(*own, std::move(args), std::move(kwargs));
    if (!values) throw CannotFollow(Message("make.unsupported_init", {{"name", name}}));
    if (mayBePart) {
        drawn->storage = values;
        call(attribute(tensor->isParameter ? attribute(args[0], "data") : args[0], "copy_"),
             {traced({trace::TensorValue{drawn}})});
        return args[0];
    }
    // Tensors are shared by whoever holds them: the storage is exchanged in place.
    if (!m_in.machine && m_memory.shared(*tensor) &&
        static_cast<std::uint64_t>(tensor->byteCount()) != tensor->storage->byteCount())
        throw CannotFollow(Message("trace.writes_view_at_load", {{"function", name}}));
    exchange(tensor, values);
    return args[0];
}

std::optional<Value> Tensors::fillMethod(const trace::BoundMethod& method, const Values& args, const Keywords& kwargs) {
    struct Fill {
        std::string_view method, function;
        std::pair<std::string_view, std::string_view> names[2]; ///< of the method's arguments and the function's
    };
    static constexpr Fill kFills[] = {{"uniform_", "uniform_", {{"from", "a"}, {"to", "b"}}},
                                      {"normal_", "normal_", {{"mean", "mean"}, {"std", "std"}}},
                                      {"zero_", "zeros_", {}},
                                      {"fill_", "constant_", {{"value", "val"}}}};
    const auto found = std::find_if(std::begin(kFills), std::end(kFills),
                                    [&](const auto& each) { return each.method == method.name; });
    const auto* tensor = method.self.as<trace::TensorValue>();
    const bool hasNumbers =
        std::all_of(args.begin(), args.end(), [](const Value& each) { return each.isNumber(); }) &&
        std::all_of(kwargs.begin(), kwargs.end(), [](const auto& each) { return each.second.isNumber(); });
    if (!hasNumbers || found == std::end(kFills) || !tensor || !tensor->tensor->storage) return std::nullopt;
    const TensorRef& target = *tensor->tensor;
    const bool isWhole = TorchGenerator::draws(target.dtype) && target.offset == 0 && target.isContiguous() &&
                         target.storage->byteCount() == static_cast<std::uint64_t>(target.byteCount());
    if (!isWhole || (!target.isParameter && target.storage->isExpression())) return std::nullopt;
    trace::Values written{method.self};
    m_in.gradients.check({.name = method.name, .operands = written, .kwargs = {}});
    Values all{fromTrace(method.self)};
    all.insert(all.end(), args.begin(), args.end());
    Keywords named;
    for (const auto& [key, value] : kwargs) {
        const auto name = std::find_if(std::begin(found->names), std::end(found->names),
                                       [each = &key](const auto& pair) { return pair.first == *each; });
        if (name == std::end(found->names)) return std::nullopt;
        named.emplace_back(name->second, value);
    }
    return initFunction(found->function, all, named);
}

} // namespace fx::python
