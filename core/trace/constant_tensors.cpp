// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/constant_tensors.h"

#include "core/ops/catalogue.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace fx::trace {
namespace {
using Sizes = std::vector<std::int64_t>;

std::optional<std::int64_t> integer(const Value& value) {
    const auto* argument = value.as<Argument>();
    if (!argument) return std::nullopt;
    if (const auto* number = argument->as<std::int64_t>()) return *number;
    if (const auto* flag = argument->as<bool>()) return *flag ? 1 : 0;
    return std::nullopt;
}
std::optional<double> real(const Value& value) {
    if (const auto number = integer(value)) return static_cast<double>(*number);
    const auto* argument = value.as<Argument>();
    const auto* number = argument ? argument->as<double>() : nullptr;
    return number ? std::optional(*number) : std::nullopt;
}
std::optional<Sizes> integers(const Values& values) {
    Sizes out;
    for (const auto& value : values) {
        const auto number = integer(value);
        if (!number) return std::nullopt;
        out.push_back(*number);
    }
    return out;
}
/// `f(2, 3)` and `f((2, 3))` mean the same to functions that take sizes.
std::optional<Sizes> sizesFrom(const Values& args, std::size_t from = 0) {
    if (args.size() <= from) return Sizes{};
    if (const auto* sequence = args[from].as<ValueSequence>()) return integers(sequence->items);
    return integers(Values(args.begin() + static_cast<std::ptrdiff_t>(from), args.end()));
}
const Value* keyword(const KeywordValues& kwargs, std::string_view name) {
    for (const auto& [key, value] : kwargs)
        if (key == name) return &value;
    return nullptr;
}

/// A tensor of known or unknown sizes that `source` would compute.
Value result(const std::string& source, const std::optional<Sizes>& sizes, DType dtype) {
    auto tensor = std::make_shared<TensorRef>();
    tensor->dtype = dtype;
    const bool known = sizes && std::all_of(sizes->begin(), sizes->end(), [](auto size) { return size >= 0; });
    if (known) tensor->sizes = *sizes;
    tensor->strides.assign(tensor->sizes.size(), 1);
    for (std::size_t i = tensor->sizes.size(); i-- > 1;)
        tensor->strides[i - 1] = tensor->strides[i] * std::max<std::int64_t>(tensor->sizes[i], 1);
    const std::int64_t bytes = known ? tensor->elementCount() * static_cast<std::int64_t>(elementSize(dtype)) : 0;
    tensor->storage = Storage::expression(source, static_cast<std::uint64_t>(std::max<std::int64_t>(bytes, 0)));
    return {TensorValue{tensor, known}};
}

std::string callText(const std::string& callee, const Values& args, const KeywordValues& kwargs) {
    std::string out = callee + "(";
    const char* separator = "";
    for (const auto& arg : args) out += std::exchange(separator, ", ") + textOf(arg);
    for (const auto& [key, value] : kwargs) out += std::exchange(separator, ", ") + key + "=" + textOf(value);
    return out + ")";
}

DType dtypeGiven(const KeywordValues& kwargs, DType otherwise) {
    const auto* value = keyword(kwargs, "dtype");
    const auto* argument = value ? value->as<Argument>() : nullptr;
    const auto* constant = argument ? argument->as<TorchConstant>() : nullptr;
    return constant ? dtypeFromName(constant->name).value_or(DType::Other) : otherwise;
}

/// What torch.tensor, torch.full infer from a Python value.
DType dtypeOf(const Value& value) {
    if (const auto* sequence = value.as<ValueSequence>())
        return sequence->items.empty() ? DType::Float32 : dtypeOf(sequence->items.front());
    if (const auto* tensor = value.as<TensorValue>()) return tensor->tensor->dtype;
    const auto* argument = value.as<Argument>();
    if (argument && argument->as<bool>()) return DType::Bool;
    if (argument && argument->as<std::int64_t>()) return DType::Int64;
    if (argument && argument->as<Complex>()) return DType::Complex64;
    return DType::Float32;
}

Sizes sizesOfLiteral(const Value& value) {
    Sizes sizes;
    for (const auto* sequence = value.as<ValueSequence>(); sequence;) {
        sizes.push_back(static_cast<std::int64_t>(sequence->items.size()));
        sequence = sequence->items.empty() ? nullptr : sequence->items.front().as<ValueSequence>();
    }
    return sizes;
}

std::optional<Sizes> arangeSizes(const Values& args) {
    std::array<double, 3> bounds{0, 0, 1}; // start, end, step
    std::size_t at = args.size() == 1 ? 1 : 0;
    for (const auto& arg : args) {
        const auto number = real(arg);
        if (!number || at == 3) return std::nullopt;
        bounds[at++] = *number;
    }
    if (bounds[2] == 0) return std::nullopt;
    return Sizes{static_cast<std::int64_t>(std::max(0.0, std::ceil((bounds[1] - bounds[0]) / bounds[2])))};
}

std::optional<Sizes> factorySizes(ops::PythonFunction::Factory factory, const Values& args, const KeywordValues& kwargs) {
    using Factory = ops::PythonFunction::Factory;
    const auto sizeKeyword = [&]() -> std::optional<Sizes> {
        const auto* size = keyword(kwargs, "size");
        return size ? sizesFrom({*size}) : std::nullopt;
    };
    const auto at = [&](std::size_t i) { return i < args.size() ? integer(args[i]) : std::nullopt; };
    switch (factory) {
    case Factory::Sizes: return args.empty() ? sizeKeyword() : sizesFrom(args);
    case Factory::Full:
    case Factory::Strided:
    case Factory::Permuted: return args.empty() ? sizeKeyword() : sizesFrom({args[0]});
    case Factory::Arange: return arangeSizes(args);
    case Factory::Steps: return at(2) ? std::optional(Sizes{*at(2)}) : std::nullopt;
    case Factory::Eye: return at(0) ? std::optional(Sizes{*at(0), at(1).value_or(*at(0))}) : std::nullopt;
    case Factory::Tensor: return args.empty() ? std::nullopt : std::optional(sizesOfLiteral(args[0]));
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
        const bool integral = std::all_of(args.begin(), args.end(), [](const Value& arg) { return integer(arg).has_value(); });
        return integral ? DType::Int64 : DType::Float32;
    }
    case Factory::Tensor:
    case Factory::Like: return args.empty() ? DType::Float32 : dtypeOf(args[0]);
    case Factory::RandInt:
    case Factory::RandPerm:
    case Factory::Indices: return DType::Int64;
    default: return DType::Float32;
    }
}

std::optional<Sizes> broadcast(const std::vector<const TensorValue*>& tensors) {
    Sizes out;
    for (const auto* tensor : tensors) {
        if (!tensor->shapeKnown) return std::nullopt;
        const Sizes& sizes = tensor->tensor->sizes;
        if (sizes.size() > out.size()) out.insert(out.begin(), sizes.size() - out.size(), 1);
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            auto& size = out[out.size() - sizes.size() + i];
            if (size == 1)
                size = sizes[i];
            else if (sizes[i] != 1 && sizes[i] != size)
                return std::nullopt;
        }
    }
    return out;
}

std::vector<const TensorValue*> tensorsIn(const Values& values) {
    std::vector<const TensorValue*> out;
    for (const auto& value : values)
        if (const auto* tensor = value.as<TensorValue>()) out.push_back(tensor);
    return out;
}

bool isPointwise(std::string_view name) {
    const auto found = ops::overloads("aten::" + std::string(name));
    return std::any_of(found.begin(), found.end(), [](const auto& op) { return op.hasTag(ops::Tag::pointwise); });
}
bool isComparison(std::string_view name) {
    static constexpr std::array<std::string_view, 6> kNames = {"eq", "ge", "gt", "le", "lt", "ne"};
    return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

/// Pointwise functions broadcast; of others only the dtype is guessed.
Value pointwiseOrUnknown(const std::string& source, std::string_view name, const Values& operands) {
    const auto tensors = tensorsIn(operands);
    // Conditions and masks do not decide the type, as in torch.where.
    const auto deciding = std::find_if(tensors.begin(), tensors.end(), [](const auto* tensor) { return tensor->tensor->dtype != DType::Bool; });
    const DType promoted = deciding != tensors.end() ? (*deciding)->tensor->dtype : tensors.empty() ? DType::Float32 : DType::Bool;
    const DType dtype = isComparison(name) ? DType::Bool : promoted;
    return result(source, !tensors.empty() && isPointwise(name) ? broadcast(tensors) : std::nullopt, dtype);
}

Values valuesOf(const Sizes& sizes) {
    Values out;
    for (const auto size : sizes) out.push_back({Argument(size)});
    return out;
}
void requireShape(const TensorValue& tensor) {
    if (!tensor.shapeKnown) throw CannotFollow("the size of " + textOf(Value{tensor}) + " is not known without running it");
}

/// view and reshape: one -1 takes what is left.
std::optional<Sizes> reshaped(const TensorRef& tensor, std::optional<Sizes> wanted) {
    if (!wanted) return std::nullopt;
    std::int64_t rest = 1;
    std::int64_t* open = nullptr;
    for (auto& size : *wanted) {
        if (size == -1)
            open = &size;
        else
            rest *= size;
    }
    if (open) *open = rest == 0 ? 0 : tensor.elementCount() / rest;
    return wanted;
}

std::optional<Sizes> methodSizes(const TensorRef& tensor, std::string_view name, const Values& args) {
    static constexpr std::array<std::string_view, 10> kSame = {"clone",  "contiguous", "cpu",  "detach", "double",
                                                               "float",  "half",       "long", "to",     "type"};
    if (std::find(kSame.begin(), kSame.end(), name) != kSame.end()) return tensor.sizes;
    if (name == "view" || name == "reshape") return reshaped(tensor, sizesFrom(args));
    const auto rank = static_cast<std::int64_t>(tensor.sizes.size());
    const auto dimension = [&](std::size_t i, std::int64_t limit) -> std::optional<std::size_t> {
        auto dim = i < args.size() ? integer(args[i]) : std::nullopt;
        if (dim && *dim < 0) *dim += limit;
        return dim && *dim >= 0 && *dim < limit ? std::optional(static_cast<std::size_t>(*dim)) : std::nullopt;
    };
    Sizes sizes = tensor.sizes;
    if (name == "unsqueeze") {
        const auto dim = dimension(0, rank + 1);
        if (!dim) return std::nullopt;
        sizes.insert(sizes.begin() + static_cast<std::ptrdiff_t>(*dim), 1);
        return sizes;
    }
    if (name == "transpose") {
        const auto a = dimension(0, rank), b = dimension(1, rank);
        if (!a || !b) return std::nullopt;
        std::swap(sizes[*a], sizes[*b]);
        return sizes;
    }
    if (name == "t") return Sizes(sizes.rbegin(), sizes.rend());
    if (name == "flatten" && args.empty()) return Sizes{tensor.elementCount()};
    return std::nullopt;
}
} // namespace

/// Questions about tensors and types that need no values: torch.is_tensor, torch.numel, torch.broadcast_shapes...
static std::optional<Value> answerFor(const std::string& name, const Values& args) {
    const auto* tensor = args.empty() ? nullptr : args[0].as<TensorValue>();
    if (name == "is_tensor") return Value{Argument(tensor != nullptr)};
    if (tensor && (name == "numel" || name == "is_floating_point" || name == "is_complex")) return propertyOfConstant(*tensor, name + "()");
    return std::nullopt;
}

Value constantFromFunction(const FunctionValue& function, const Values& args, const KeywordValues& kwargs) {
    if (auto answer = answerFor(function.callable->name, args)) return *answer;
    const std::string source = callText(function.callable->qualifiedName, args, kwargs);
    const auto factory = function.known ? function.known->factory() : ops::PythonFunction::Factory::None;
    if (factory == ops::PythonFunction::Factory::None) return pointwiseOrUnknown(source, function.callable->name, args);
    return result(source, factorySizes(factory, args, kwargs), dtypeGiven(kwargs, factoryDtype(factory, args)));
}

std::optional<Value> propertyOfConstant(const TensorValue& self, std::string_view name) {
    const TensorRef& tensor = *self.tensor;
    const auto number = [](auto value) { return Value{Argument(static_cast<std::int64_t>(value))}; };
    const auto flag = [](bool value) { return Value{Argument(value)}; };
    const bool integral = tensor.dtype == DType::Int8 || tensor.dtype == DType::UInt8 || tensor.dtype == DType::Int16 || tensor.dtype == DType::Int32 ||
                          tensor.dtype == DType::Int64 || tensor.dtype == DType::Bool;
    const bool complex = tensor.dtype == DType::Complex32 || tensor.dtype == DType::Complex64 || tensor.dtype == DType::Complex128;
    if (name == "dtype") return Value{Argument::dtype(tensor.dtype == DType::Other ? std::string_view(tensor.dtypeText) : dtypeName(tensor.dtype))};
    if (name == "device") return Value{Argument(Device{tensor.device, -1})};
    if (name == "layout") return Value{Argument(TorchConstant{TorchConstant::Kind::Layout, tensor.layout})};
    if (name == "requires_grad") return flag(tensor.requiresGrad);
    if (name == "is_leaf") return flag(true);
    if (name == "is_cuda" || name == "is_quantized" || name == "is_sparse" || name == "is_meta") return flag(false);
    if (name == "itemsize" || name == "element_size()") return number(elementSize(tensor.dtype));
    if (name == "is_complex()") return flag(complex);
    if (name == "is_floating_point()") return flag(!integral && !complex);
    static constexpr std::array<std::string_view, 12> kOfShape = {"shape",   "size()",  "ndim",     "dim()",    "ndimension()",    "numel()",
                                                                  "nelement()", "nbytes", "stride()", "is_contiguous()", "storage_offset()", "data_ptr()"};
    if (std::find(kOfShape.begin(), kOfShape.end(), name) == kOfShape.end()) return std::nullopt;
    requireShape(self);
    if (name == "shape" || name == "size()") return tupleOf(valuesOf(tensor.sizes));
    if (name == "ndim" || name == "dim()" || name == "ndimension()") return number(tensor.sizes.size());
    if (name == "numel()" || name == "nelement()") return number(tensor.elementCount());
    if (name == "nbytes") return number(tensor.byteCount());
    if (name == "stride()") return tupleOf(valuesOf(tensor.strides));
    if (name == "is_contiguous()") return flag(true);
    if (name == "storage_offset()") return number(tensor.offset);
    throw CannotFollow("the address of " + textOf(Value{self}) + " is not known without running it");
}

Value constantFromMethod(const TensorValue& self, const std::string& name, const Values& args, const KeywordValues& kwargs) {
    const TensorRef& tensor = *self.tensor;
    if (args.empty() && kwargs.empty())
        if (auto property = propertyOfConstant(self, name + "()")) return *property;
    if (name == "size") {
        requireShape(self);
        Values sizes = valuesOf(tensor.sizes);
        auto dim = integer(args.empty() ? kwargs.front().second : args[0]).value_or(0);
        if (dim < 0) dim += static_cast<std::int64_t>(sizes.size());
        if (dim < 0 || dim >= static_cast<std::int64_t>(sizes.size())) throw PythonError("IndexError: Dimension out of range");
        return sizes[static_cast<std::size_t>(dim)];
    }
    if (name == "item" || name == "tolist") throw CannotFollow("the value of " + textOf(Value{self}) + " is not known without running it");
    const std::string source = callText(textOf(Value{self}) + "." + name, args, kwargs);
    if (self.shapeKnown) {
        if (const auto sizes = methodSizes(tensor, name, args)) return result(source, sizes, dtypeGiven(kwargs, tensor.dtype));
    }
    Values operands = args;
    operands.insert(operands.begin(), Value{self});
    return pointwiseOrUnknown(source, name, operands);
}

Value constantFromOperator(std::string_view op, const Value& left, const Value& right) {
    const std::string source = "operator." + std::string(op) + "(" + textOf(left) + ", " + textOf(right) + ")";
    if (op == "getitem") {
        const auto* tensor = left.as<TensorValue>();
        if (tensor && tensor->shapeKnown && integer(right) && !tensor->tensor->sizes.empty())
            return result(source, Sizes(tensor->tensor->sizes.begin() + 1, tensor->tensor->sizes.end()), tensor->tensor->dtype);
        return result(source, std::nullopt, tensor ? tensor->tensor->dtype : DType::Float32);
    }
    const std::string_view name = op == "truediv" ? "div" : op == "floordiv" ? "floor_divide" : op == "mod" ? "remainder" : op;
    return pointwiseOrUnknown(source, name, {left, right});
}

} // namespace fx::trace
