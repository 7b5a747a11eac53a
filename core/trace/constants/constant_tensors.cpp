// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/constants/constant_tensors.h"

#include "core/base/one_of.h"
#include "core/ops/catalogue.h"
#include "core/tensor/promotion.h"
#include "core/trace/constants/constant_shapes.h"
#include "core/trace/constants/constant_types.h"
#include "core/trace/constants/literal_tensors.h"
#include "core/trace/constants/same_tensor.h"
#include "core/trace/constants/size_errors.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace fx::trace {
namespace {
std::optional<double> real(const Value& value) {
    if (const auto number = integerOf(value)) return static_cast<double>(*number);
    const auto* argument = value.as<Argument>();
    const auto* number = argument ? argument->as<double>() : nullptr;
    return number ? std::optional(*number) : std::nullopt;
}
/// The text of `a = a + a` doubles with each line.
constexpr std::size_t kMaxSource = 64 << 10;

/// A tensor of known or unknown sizes that `source` would compute.
Value result(const std::string& source, const std::optional<Sizes>& sizes, DType dtype) {
    if (source.size() > kMaxSource) throw CannotFollow(Message("trace.constant_too_deep"));
    auto tensor = std::make_shared<TensorRef>();
    tensor->dtype = dtype;
    // What is too large for 64 bits to count, PyTorch refuses to make.
    std::optional<std::int64_t> room = static_cast<std::int64_t>(elementSize(dtype));
    if (sizes)
        for (const std::int64_t size : *sizes)
            room = size < 0 ? std::nullopt : product(room, std::max<std::int64_t>(size, 1));
    const bool known = sizes && room;
    if (known) tensor->sizes = *sizes;
    tensor->strides = stridesInRows(tensor->sizes);
    const std::int64_t bytes = known ? tensor->elementCount() * static_cast<std::int64_t>(elementSize(dtype)) : 0;
    tensor->storage = Storage::expression(source, static_cast<std::uint64_t>(bytes));
    return {TensorValue{tensor, known}};
}

/// What an operation gives, each part with the text that would compute it. Operators of torch.ops give lists where
/// functions and methods give tuples.
Value resultOf(const std::string& source, const ConstantResult& given, bool asList = false) {
    if (!given.isTuple) return result(source, given.tensors[0].sizes, given.tensors[0].dtype);
    Values parts;
    for (std::size_t i = 0; i < given.tensors.size(); ++i)
        parts.push_back(result(source + "[" + std::to_string(i) + "]", given.tensors[i].sizes, given.tensors[i].dtype));
    return asList ? listOf(std::move(parts)) : tupleOf(std::move(parts));
}

std::string callText(const std::string& callee, const Values& args, const KeywordValues& kwargs) {
    std::string out = callee + "(";
    const char* separator = "";
    for (const auto& arg : args) out += std::exchange(separator, ", ") + textOf(arg);
    for (const auto& [key, value] : kwargs) out += std::exchange(separator, ", ") + key + "=" + textOf(value);
    return out + ")";
}

std::optional<DType> dtypeOfKeyword(const KeywordValues& kwargs) {
    const auto* value = keywordOf(kwargs, "dtype");
    const auto* argument = value ? value->as<Argument>() : nullptr;
    const auto* constant = argument ? argument->as<TorchConstant>() : nullptr;
    return constant ? std::optional(dtypeFromName(constant->name).value_or(DType::Other)) : std::nullopt;
}

/// What torch.full infers from a number.
DType dtypeOf(const Value& value) {
    if (const auto* tensor = value.as<TensorValue>()) return tensor->tensor->dtype;
    const auto* argument = value.as<Argument>();
    if (argument && argument->as<bool>()) return DType::Bool;
    if (argument && argument->as<std::int64_t>()) return DType::Int64;
    if (argument && argument->as<Complex>()) return DType::Complex64;
    return DType::Float32;
}

std::optional<Sizes> arangeSizes(const Values& args) {
    std::array<double, 3> bounds{0, 0, 1}; // start, end, step
    std::size_t at = args.size() == 1 ? 1 : 0;
    for (const auto& arg : args) {
        const auto number = real(arg);
        if (!number || at == 3) return std::nullopt;
        bounds[at++] = *number;
    }
    if (args.empty() || bounds[2] == 0) return std::nullopt;
    const double count = std::max(0.0, std::ceil((bounds[1] - bounds[0]) / bounds[2]));
    constexpr double kTooMany = 9223372036854775808.0;
    return count < kTooMany ? std::optional(Sizes{static_cast<std::int64_t>(count)}) : std::nullopt;
}

std::optional<Sizes> factorySizes(ops::PythonFunction::Factory factory, const Values& args,
                                  const KeywordValues& kwargs) {
    using Factory = ops::PythonFunction::Factory;
    const auto sizeKeyword = [&]() -> std::optional<Sizes> {
        const auto* size = keywordOf(kwargs, "size");
        return size ? sizesFrom({*size}) : std::nullopt;
    };
    const auto at = [&](std::size_t i) { return i < args.size() ? integerOf(args[i]) : std::nullopt; };
    switch (factory) {
    case Factory::Sizes: return args.empty() ? sizeKeyword() : sizesFrom(args);
    case Factory::Full:
    case Factory::Strided:
    case Factory::Permuted: return args.empty() ? sizeKeyword() : sizesFrom({args[0]});
    case Factory::Arange: {
        const bool isNamed = keywordOf(kwargs, "start") || keywordOf(kwargs, "end") || keywordOf(kwargs, "step");
        return isNamed ? std::nullopt : arangeSizes(args);
    }
    case Factory::Steps: return at(2) ? std::optional(Sizes{*at(2)}) : std::nullopt;
    case Factory::Eye:
        return at(0) && !keywordOf(kwargs, "m") ? std::optional(Sizes{*at(0), at(1).value_or(*at(0))}) : std::nullopt;
    case Factory::Tensor:
        if (args.empty()) return std::nullopt;
        if (const auto* copied = args[0].as<TensorValue>())
            return copied->shapeKnown ? std::optional(copied->tensor->sizes) : std::nullopt;
        return literalTensor(args[0], dtypeOfKeyword(kwargs)).sizes;
    case Factory::RandInt: return args.size() < 2 ? sizeKeyword() : sizesFrom({args.back()});
    case Factory::RandPerm:
    case Factory::Window: return at(0) ? std::optional(Sizes{*at(0)}) : std::nullopt;
    case Factory::Like: {
        const auto* tensor = args.empty() ? nullptr : args[0].as<TensorValue>();
        return tensor && tensor->shapeKnown ? std::optional(tensor->tensor->sizes) : std::nullopt;
    }
    case Factory::Range:
    case Factory::Indices:
    case Factory::None: break;
    }
    return std::nullopt;
}

DType factoryDtype(ops::PythonFunction::Factory factory, const Values& args) {
    using Factory = ops::PythonFunction::Factory;
    switch (factory) {
    case Factory::Full: return args.size() > 1 ? dtypeOf(args[1]) : DType::Float32;
    case Factory::Arange: {
        const bool integral =
            std::all_of(args.begin(), args.end(), [](const Value& arg) { return integerOf(arg).has_value(); });
        return integral ? DType::Int64 : DType::Float32;
    }
    case Factory::Tensor:
        return args.empty()                ? DType::Float32
               : args[0].as<TensorValue>() ? dtypeOf(args[0])
                                           : literalTensor(args[0]).dtype;
    case Factory::Like: return args.empty() ? DType::Float32 : dtypeOf(args[0]);
    case Factory::RandInt:
    case Factory::RandPerm:
    case Factory::Indices: return DType::Int64;
    default: return DType::Float32;
    }
}

Values valuesOf(const Sizes& sizes) {
    Values out;
    for (const auto size : sizes) out.push_back({Argument(size)});
    return out;
}
void requireShape(const TensorValue& tensor) {
    if (!tensor.shapeKnown) throw CannotFollow(Message("trace.unknown_size", {{"value", textOf(Value{tensor})}}));
}

} // namespace

std::string_view operationName(const Callable& callable) {
    if (callable.kind != Callable::Kind::OpOverload && callable.kind != Callable::Kind::OpPacket) return callable.name;
    std::string_view path = callable.qualifiedName; // torch.ops.aten.sum.dim_IntList
    for (int i = 0; i < 3; ++i) path.remove_prefix(std::min(path.find('.') + 1, path.size()));
    return path.substr(0, path.find('.'));
}

/// Questions about tensors and types that need no values: torch.is_tensor, torch.numel, torch.broadcast_shapes...
static std::optional<Value> answerFor(const std::string& name, const Values& args) {
    const auto* tensor = args.empty() ? nullptr : args[0].as<TensorValue>();
    if (name == "is_tensor") return Value{Argument(tensor != nullptr)};
    if (name == "broadcast_shapes") {
        std::vector<Sizes> shapes;
        std::vector<const Sizes*> all;
        for (const auto& arg : args)
            if (auto sizes = sizesFrom({arg})) shapes.push_back(std::move(*sizes));
            else return std::nullopt;
        for (const auto& sizes : shapes) all.push_back(&sizes);
        if (const auto sizes = broadcast(all)) return tupleOf(valuesOf(*sizes));
        throw PythonError("RuntimeError: Shape mismatch: objects cannot be broadcast to a single shape");
    }
    if (name == "result_type" || name == "promote_types") {
        const auto type = [](const Value& value) {
            const auto* constant = value.as<Argument>() ? value.as<Argument>()->as<TorchConstant>() : nullptr;
            return constant ? dtypeFromName(constant->name).value_or(DType::Other) : DType::Other;
        };
        const DType found = name == "result_type" ? resultType(args)
                            : args.size() == 2    ? promoteTypes(type(args[0]), type(args[1]))
                                                  : DType::Other;
        if (found != DType::Other) return Value{Argument::dtype(dtypeName(found))};
    }
    if (tensor && (name == "numel" || name == "is_floating_point" || name == "is_complex"))
        return propertyOfConstant(*tensor, name + "()");
    return std::nullopt;
}

/// Python refuses arguments that no overload takes at their place; told of those kinds of values that few take.
static void refuseForeignArguments(std::string_view name, const Values& args) {
    const auto all = ops::overloads("aten::" + std::string(name));
    for (std::size_t i = 1; i < args.size(); ++i) {
        const auto* argument = args[i].as<Argument>();
        const bool isText = argument && argument->as<std::string>(), isComplex = argument && argument->as<Complex>();
        if ((!isText && !isComplex && !args[i].as<ValueDict>()) || all.empty()) continue;
        const auto takes = [&](const ops::Operator& op) {
            if (i >= op.arguments().size() || op.arguments()[i].isKeywordOnly()) return false;
            const std::string_view type = op.arguments()[i].type();
            const auto has = [&](std::string_view word) { return type.find(word) != std::string_view::npos; };
            return isText ? has("str") || has("Device") || has("Dimname")
                          : isComplex && (has("Scalar") || has("Tensor") || has("complex"));
        };
        if (std::none_of(all.begin(), all.end(), takes))
            throw PythonError("TypeError: " + std::string(name) + "(): argument (position " + std::to_string(i) +
                              ") cannot be " + textOf(args[i]));
    }
}

Value constantFromFunction(const FunctionValue& function, const Values& args, const KeywordValues& kwargs) {
    if (auto answer = answerFor(function.callable->name, args)) return *answer;
    if (givesSameTensor(ops::semanticsOfFunction(function.callable->qualifiedName), args, kwargs)) return args[0];
    const std::string source = callText(function.callable->qualifiedName, args, kwargs);
    const auto known =
        function.known ? function.known : ops::findFunction("torch." + std::string(operationName(*function.callable)));
    const auto factory = known ? known->factory() : ops::PythonFunction::Factory::None;
    const bool isOperator =
        function.callable->kind == Callable::Kind::OpOverload || function.callable->kind == Callable::Kind::OpPacket;
    if (factory == ops::PythonFunction::Factory::None)
        return resultOf(source, constantResult(operationName(*function.callable), args, kwargs), isOperator);
    const auto given = dtypeOfKeyword(kwargs);
    return result(source, factorySizes(factory, args, kwargs), given ? *given : factoryDtype(factory, args));
}

std::optional<Value> propertyOfConstant(const TensorValue& self, std::string_view name) {
    const TensorRef& tensor = *self.tensor;
    // The dtype of an operation without rules is a guess, as its sizes are unknown.
    static constexpr std::string_view kOfDtype[] = {"dtype", "itemsize",     "element_size()",
                                                    "real",  "is_complex()", "is_floating_point()"};
    if (!self.shapeKnown && fx::isOneOf(name, kOfDtype)) requireShape(self);
    const auto number = [](auto value) { return Value{Argument(static_cast<std::int64_t>(value))}; };
    const auto flag = [](bool value) { return Value{Argument(value)}; };
    const bool integral = tensor.dtype == DType::Int8 || tensor.dtype == DType::UInt8 || tensor.dtype == DType::Int16 ||
                          tensor.dtype == DType::Int32 || tensor.dtype == DType::Int64 || tensor.dtype == DType::Bool;
    const bool complex =
        tensor.dtype == DType::Complex32 || tensor.dtype == DType::Complex64 || tensor.dtype == DType::Complex128;
    if (name == "dtype")
        return Value{Argument::dtype(tensor.dtype == DType::Other ? std::string_view(tensor.dtypeText)
                                                                  : dtypeName(tensor.dtype))};
    if (name == "device") return Value{Argument(Device{tensor.device, -1})};
    if (name == "layout") return Value{Argument(TorchConstant{TorchConstant::Kind::Layout, tensor.layout})};
    if (name == "requires_grad") return flag(self.object().requiresGrad);
    if (name == "is_leaf") return flag(true);
    if (name == "is_cuda" || name == "is_quantized" || name == "is_sparse" || name == "is_meta") return flag(false);
    if (name == "itemsize" || name == "element_size()") return number(elementSize(tensor.dtype));
    if (name == "is_complex()") return flag(complex);
    if (name == "real" && !complex) return Value{self};
    if (name == "is_floating_point()") return flag(!integral && !complex);
    static constexpr std::array<std::string_view, 12> kOfShape = {
        "shape",      "size()", "ndim",     "dim()",           "ndimension()",     "numel()",
        "nelement()", "nbytes", "stride()", "is_contiguous()", "storage_offset()", "data_ptr()"};
    if (std::find(kOfShape.begin(), kOfShape.end(), name) == kOfShape.end()) return std::nullopt;
    requireShape(self);
    if (name == "shape" || name == "size()") return box(ValueSequence{.items = valuesOf(tensor.sizes), .isSize = true});
    if (name == "ndim" || name == "dim()" || name == "ndimension()") return number(tensor.sizes.size());
    if (name == "numel()" || name == "nelement()") return number(tensor.elementCount());
    if (name == "nbytes") return number(tensor.byteCount());
    if ((name == "stride()" || name == "is_contiguous()" || name == "storage_offset()") && !hasKnownStrides(tensor))
        throw CannotFollow(Message("trace.unknown_layout", {{"value", textOf(Value{self})}}));
    if (name == "stride()") return tupleOf(valuesOf(tensor.strides));
    if (name == "is_contiguous()") return flag(tensor.isContiguous());
    if (name == "storage_offset()") return number(tensor.offset);
    throw CannotFollow(Message("trace.unknown_address", {{"value", textOf(Value{self})}}));
}

std::optional<Value> transposeOfConstant(const TensorValue& self, std::string_view name) {
    const bool whole = name == "T" || name == "H", matrix = name == "mT" || name == "mH";
    if (!whole && !matrix) return std::nullopt;
    std::optional<Sizes> sizes;
    if (self.shapeKnown) {
        sizes = self.tensor->sizes;
        requireMatrices(name, *sizes);
        if (!sizes->empty()) std::reverse(whole ? sizes->begin() : sizes->end() - 2, sizes->end());
    }
    return result(textOf(Value{self}) + "." + std::string(name), sizes, self.tensor->dtype);
}

Value constantFromMethod(const TensorValue& self, const std::string& name, const Values& args,
                         const KeywordValues& kwargs) {
    const TensorRef& tensor = *self.tensor;
    if (args.empty() && kwargs.empty())
        if (auto property = propertyOfConstant(self, name + "()")) return *property;
    if (name == "size") {
        requireShape(self);
        Values sizes = valuesOf(tensor.sizes);
        auto dim = integerOf(args.empty() ? kwargs.front().second : args[0]).value_or(0);
        if (dim < 0) dim += static_cast<std::int64_t>(sizes.size());
        if (dim < 0 || dim >= static_cast<std::int64_t>(sizes.size()))
            throw PythonError("IndexError: Dimension out of range");
        return sizes[static_cast<std::size_t>(dim)];
    }
    if (name == "item" || name == "tolist")
        throw CannotFollow(Message("trace.unknown_value", {{"value", textOf(Value{self})}}));
    const std::string source = callText(textOf(Value{self}) + "." + name, args, kwargs);
    Values operands = args;
    operands.insert(operands.begin(), Value{self});
    if (givesSameTensor(ops::semanticsOfMethod(name), operands, kwargs)) return {self};
    refuseForeignArguments(name, operands);
    return resultOf(source, constantResult(name, operands, kwargs));
}

Value constantFromOperator(std::string_view op, const Value& left, const Value& right) {
    const std::string source = "operator." + std::string(op) + "(" + textOf(left) + ", " + textOf(right) + ")";
    if (op == "getitem") {
        const auto* tensor = left.as<TensorValue>();
        return result(source, tensor && tensor->shapeKnown ? indexedSizes(tensor->tensor->sizes, right) : std::nullopt,
                      tensor ? tensor->tensor->dtype : DType::Float32);
    }
    const std::string_view name = op == "truediv"    ? "div"
                                  : op == "floordiv" ? "floor_divide"
                                  : op == "mod"      ? "remainder"
                                                     : op;
    return resultOf(source, constantResult(name, {left, right}, {}));
}

} // namespace fx::trace
