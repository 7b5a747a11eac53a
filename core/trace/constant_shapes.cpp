// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/constant_shapes.h"

#include "core/ops/semantics.h"
#include "core/tensor/promotion.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>

namespace fx::trace {

std::optional<std::int64_t> integerOf(const Value& value) {
    const auto* argument = value.as<Argument>();
    if (!argument) return std::nullopt;
    if (const auto* number = argument->as<std::int64_t>()) return *number;
    if (const auto* flag = argument->as<bool>()) return *flag ? 1 : 0;
    return std::nullopt;
}

std::optional<Sizes> sizesFrom(const Values& args, std::size_t from) {
    if (args.size() <= from) return Sizes{};
    const auto* sequence = args[from].as<ValueSequence>();
    Sizes out;
    for (const auto& value :
         sequence ? sequence->items : Values(args.begin() + static_cast<std::ptrdiff_t>(from), args.end())) {
        const auto number = integerOf(value);
        if (!number) return std::nullopt;
        out.push_back(*number);
    }
    return out;
}

const Value* keywordOf(const KeywordValues& kwargs, std::string_view name) {
    for (const auto& [key, value] : kwargs)
        if (key == name) return &value;
    return nullptr;
}

std::optional<std::int64_t> product(std::optional<std::int64_t> a, std::optional<std::int64_t> b) {
    std::int64_t out = 0;
    return a && b && !__builtin_mul_overflow(*a, *b, &out) ? std::optional(out) : std::nullopt;
}

std::optional<std::int64_t> product(const Sizes& all) {
    std::optional<std::int64_t> out = 1;
    for (const std::int64_t size : all) out = product(out, size);
    return out;
}

Sizes stridesInRows(const Sizes& sizes) {
    constexpr auto kTooFar = std::numeric_limits<std::int64_t>::max();
    Sizes strides(sizes.size(), 1);
    for (std::size_t i = sizes.size(); i-- > 1;)
        strides[i - 1] = product(strides[i], std::max<std::int64_t>(sizes[i], 1)).value_or(kTooFar);
    return strides;
}

DType resultType(const Values& operands) {
    ResultType type;
    for (const auto& value : operands) {
        if (const auto* tensor = value.as<TensorValue>()) {
            type.addTensor(tensor->tensor->dtype, !tensor->shapeKnown || !tensor->tensor->sizes.empty());
        } else if (const auto* number = value.as<Argument>()) {
            if (number->as<bool>()) type.addNumber(DTypeKind::Bool);
            else if (number->as<std::int64_t>() || number->as<BigInt>()) type.addNumber(DTypeKind::Integer);
            else if (number->as<double>()) type.addNumber(DTypeKind::Float);
            else if (number->as<Complex>()) type.addNumber(DTypeKind::Complex);
        }
    }
    return type.get();
}

std::optional<Sizes> broadcast(const std::vector<const Sizes*>& all) {
    Sizes out;
    for (const Sizes* sizes : all) {
        if (sizes->size() > out.size()) out.insert(out.begin(), sizes->size() - out.size(), 1);
        for (std::size_t i = 0; i < sizes->size(); ++i) {
            auto& size = out[out.size() - sizes->size() + i];
            if (size == 1) size = (*sizes)[i];
            else if ((*sizes)[i] != 1 && (*sizes)[i] != size) return std::nullopt;
        }
    }
    return out;
}

namespace {

template<std::size_t N> bool isOneOf(std::string_view name, const std::array<std::string_view, N>& names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// The arguments of one operation; `self` is the first tensor.
struct Call {
    const Values& args;
    const KeywordValues& kwargs;

    const Value* at(std::size_t place, std::string_view name) const {
        return place < args.size() ? &args[place] : keywordOf(kwargs, name);
    }
    const TensorValue* tensor(std::size_t place) const {
        return place < args.size() ? args[place].as<TensorValue>() : nullptr;
    }
    const Sizes* sizes(std::size_t place) const {
        const auto* value = tensor(place);
        return value && value->shapeKnown ? &value->tensor->sizes : nullptr;
    }
    DType dtype(std::size_t place = 0) const { return tensor(place) ? tensor(place)->tensor->dtype : DType::Float32; }
    std::optional<std::int64_t> integer(std::size_t place, std::string_view name) const {
        const auto* value = at(place, name);
        return value ? integerOf(*value) : std::nullopt;
    }
    /// A dimension counted from the front, of `rank`.
    std::optional<std::size_t> dimension(std::size_t place, std::string_view name, std::size_t rank) const {
        auto dim = integer(place, name);
        if (dim && *dim < 0) *dim += static_cast<std::int64_t>(rank);
        return dim && *dim >= 0 && *dim < static_cast<std::int64_t>(rank)
                   ? std::optional(static_cast<std::size_t>(*dim))
                   : std::nullopt;
    }
    bool isTrue(std::size_t place, std::string_view name) const { return integer(place, name).value_or(0) != 0; }
    std::optional<DType> dtypeGiven() const {
        const Value* value = keywordOf(kwargs, "dtype");
        const auto* constant = value && value->as<Argument>() ? value->as<Argument>()->as<TorchConstant>() : nullptr;
        return constant ? dtypeFromName(constant->name) : std::nullopt;
    }
};

DType floating(DType dtype) { return dtypeKind(dtype) < DTypeKind::Float ? DType::Float32 : dtype; }
DType summed(DType dtype) { return dtypeKind(dtype) < DTypeKind::Float ? DType::Int64 : dtype; }

/// view and reshape: one -1 takes what is left.
std::optional<Sizes> reshaped(const Sizes& sizes, std::optional<Sizes> wanted) {
    if (!wanted) return std::nullopt;
    const auto open = std::find(wanted->begin(), wanted->end(), -1);
    if (open == wanted->end()) return wanted;
    *open = 1;
    const auto rest = product(*wanted), all = product(sizes);
    if (!rest || !all) return std::nullopt;
    *open = *rest == 0 ? 0 : *all / *rest;
    return wanted;
}

/// The dimensions that a reduction takes away: none given means all.
std::optional<Sizes> reduced(const Call& call) {
    const Sizes* sizes = call.sizes(0);
    const Value* given = call.at(1, "dim");
    if (!sizes) return std::nullopt;
    if (given && given->isNone()) given = nullptr;
    if (given && given->as<Argument>() && given->as<Argument>()->as<TorchConstant>()) given = nullptr; // sum(dtype)
    std::vector<bool> gone(sizes->size(), !given);
    const auto dims = given ? sizesFrom({*given}) : Sizes{};
    if (!dims) return std::nullopt;
    for (auto dim : *dims) {
        if (dim < 0) dim += static_cast<std::int64_t>(sizes->size());
        if (dim < 0 || dim >= static_cast<std::int64_t>(sizes->size())) return std::nullopt;
        gone[static_cast<std::size_t>(dim)] = true;
    }
    if (given && dims->empty()) gone.assign(sizes->size(), true);
    Sizes out;
    for (std::size_t i = 0; i < sizes->size(); ++i)
        if (!gone[i]) out.push_back((*sizes)[i]);
        else if (call.isTrue(2, "keepdim")) out.push_back(1);
    return out;
}

std::optional<Sizes> multiplied(const Call& call) {
    const Sizes *a = call.sizes(0), *b = call.sizes(1);
    if (!a || !b || a->empty() || b->empty()) return std::nullopt;
    Sizes left = *a, right = *b;
    if (left.size() == 1) left.insert(left.begin(), 1);
    if (right.size() == 1) right.push_back(1);
    const Sizes leftBatch(left.begin(), left.end() - 2), rightBatch(right.begin(), right.end() - 2);
    auto out = broadcast({&leftBatch, &rightBatch});
    if (!out || left.back() != right[right.size() - 2]) return std::nullopt;
    if (a->size() > 1) out->push_back(left[left.size() - 2]);
    if (b->size() > 1) out->push_back(right.back());
    return out;
}

/// cat and stack: the tensors of a list.
ConstantResult joined(const Call& call, bool stacks) {
    const auto* list = call.args.empty() ? nullptr : call.args[0].as<ValueSequence>();
    if (!list || list->items.empty()) return {{{std::nullopt, DType::Float32}}};
    const DType dtype = resultType(list->items);
    const Call inner{list->items, call.kwargs};
    if (!inner.sizes(0)) return {{{std::nullopt, dtype}}};
    Sizes out = *inner.sizes(0);
    const std::size_t rank = out.size() + (stacks ? 1 : 0);
    const auto dim = call.at(1, "dim") ? call.dimension(1, "dim", rank) : std::optional<std::size_t>(0);
    if (!dim || (rank == 0)) return {{{std::nullopt, dtype}}};
    if (stacks) {
        out.insert(out.begin() + static_cast<std::ptrdiff_t>(*dim), static_cast<std::int64_t>(list->items.size()));
        return {{{out, dtype}}};
    }
    out[*dim] = 0;
    for (std::size_t i = 0; i < list->items.size(); ++i) {
        const Sizes* sizes = inner.sizes(i);
        if (!sizes || sizes->size() != rank || __builtin_add_overflow(out[*dim], (*sizes)[*dim], &out[*dim]))
            return {{{std::nullopt, dtype}}};
    }
    return {{{out, dtype}}};
}

constexpr std::int64_t kMaxParts = 10'000;

/// `total / step`, rounded up.
std::int64_t partCount(std::int64_t total, std::int64_t step) { return total / step + (total % step > 0); }

/// chunk, split, split_with_sizes, unbind, and their unsafe forms.
ConstantResult cut(std::string_view name, const Call& call) {
    const Sizes* sizes = call.sizes(0);
    const bool unbinds = name == "unbind";
    const auto dim = sizes ? (call.at(unbinds ? 1 : 2, "dim") ? call.dimension(unbinds ? 1 : 2, "dim", sizes->size())
                                                              : std::optional<std::size_t>(0))
                           : std::nullopt;
    const ConstantResult unknown{{{std::nullopt, call.dtype()}}};
    if (!dim || sizes->empty()) return unknown;
    const std::int64_t total = (*sizes)[*dim];
    Sizes parts;
    const auto equalParts = [&](std::int64_t step) {
        if (partCount(total, step) > kMaxParts)
            throw CannotFollow(std::string(name) + " gives " + std::to_string(partCount(total, step)) +
                               " tensors, more than " + std::to_string(kMaxParts));
        for (std::int64_t left = total; left > 0; left -= std::min(left, step)) parts.push_back(std::min(left, step));
    };
    if (unbinds) {
        equalParts(1);
    } else if (const auto number = call.integer(1, name == "chunk" ? "chunks" : "split_size")) {
        if (*number <= 0) return unknown;
        equalParts(std::max<std::int64_t>(name == "chunk" ? partCount(total, *number) : *number, 1));
    } else if (const Value* list = call.at(1, name == "split_with_sizes" ? "split_sizes" : "split_size")) {
        const auto given = sizesFrom({*list});
        if (!given) return unknown;
        parts = *given;
    }
    ConstantResult out{{}, true};
    for (const auto part : parts) {
        Sizes each = *sizes;
        if (unbinds) each.erase(each.begin() + static_cast<std::ptrdiff_t>(*dim));
        else each[*dim] = part;
        out.tensors.push_back({each, call.dtype()});
    }
    return out;
}

std::optional<Sizes> expanded(const Sizes& sizes, std::optional<Sizes> wanted) {
    if (!wanted || wanted->size() < sizes.size()) return std::nullopt;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        auto& size = (*wanted)[wanted->size() - sizes.size() + i];
        if (size == -1) size = sizes[i];
    }
    return wanted;
}

std::optional<Sizes> permuted(const Sizes& sizes, const std::optional<Sizes>& order) {
    if (!order || order->size() != sizes.size()) return std::nullopt;
    Sizes out;
    for (auto dim : *order) {
        if (dim < 0) dim += static_cast<std::int64_t>(sizes.size());
        if (dim < 0 || dim >= static_cast<std::int64_t>(sizes.size())) return std::nullopt;
        out.push_back(sizes[static_cast<std::size_t>(dim)]);
    }
    return out;
}

std::optional<Sizes> squeezed(const Call& call, const Sizes& sizes) {
    Sizes out;
    const auto only = call.at(1, "dim") ? call.dimension(1, "dim", sizes.size()) : std::nullopt;
    if (call.at(1, "dim") && !only) return std::nullopt;
    for (std::size_t i = 0; i < sizes.size(); ++i)
        if (sizes[i] != 1 || (only && i != *only)) out.push_back(sizes[i]);
    return out;
}

/// torch.atleast_1d, 2d and 3d: the first two put dimensions in front, 3d has those of a vector or a matrix in the
/// middle or in front.
std::optional<Sizes> atLeast(std::string_view name, const Sizes& sizes) {
    const auto wanted = static_cast<std::size_t>(name[8] - '0');
    Sizes out = sizes;
    if (wanted == 3 && out.size() == 2) out.push_back(1);
    if (wanted == 3 && out.size() == 1) out = {1, out[0], 1};
    while (out.size() < wanted) out.insert(out.begin(), 1);
    return out;
}

/// Operations that change the sizes of one tensor and nothing else; nullopt for other names too.
std::optional<Sizes> moved(std::string_view name, const Call& call, const Sizes& sizes) {
    const auto rank = sizes.size();
    if (name == "view" || name == "reshape") return reshaped(sizes, sizesFrom(call.args, 1));
    if (name == "expand") return expanded(sizes, sizesFrom(call.args, 1));
    if (name == "permute") return permuted(sizes, sizesFrom(call.args, 1));
    if (name == "t") return Sizes(sizes.rbegin(), sizes.rend());
    if (name == "squeeze") return squeezed(call, sizes);
    if (name == "atleast_1d" || name == "atleast_2d" || name == "atleast_3d")
        return call.args.size() == 1 ? atLeast(name, sizes) : std::nullopt;
    if (name == "flatten" && call.args.size() == 1 && call.kwargs.empty()) return reshaped(sizes, Sizes{-1});
    if (name == "repeat") {
        auto times = sizesFrom(call.args, 1);
        if (!times || times->size() < rank) return std::nullopt;
        for (std::size_t i = 0; i < rank; ++i) {
            auto& size = (*times)[times->size() - rank + i];
            const auto repeated = product(size, sizes[i]);
            if (!repeated) return std::nullopt;
            size = *repeated;
        }
        return times;
    }
    if (name == "unsqueeze") {
        const auto dim = call.dimension(1, "dim", rank + 1);
        if (!dim) return std::nullopt;
        Sizes out = sizes;
        out.insert(out.begin() + static_cast<std::ptrdiff_t>(*dim), 1);
        return out;
    }
    if (name == "transpose" || name == "swapaxes" || name == "swapdims") {
        const auto a = call.dimension(1, "dim0", rank), b = call.dimension(2, "dim1", rank);
        if (!a || !b) return std::nullopt;
        Sizes out = sizes;
        std::swap(out[*a], out[*b]);
        return out;
    }
    if (name == "select" || name == "narrow") {
        const auto dim = call.dimension(1, "dim", rank);
        if (!dim) return std::nullopt;
        Sizes out = sizes;
        if (name == "select") out.erase(out.begin() + static_cast<std::ptrdiff_t>(*dim));
        else if (const auto length = call.integer(3, "length")) out[*dim] = *length;
        else return std::nullopt;
        return out;
    }
    return std::nullopt;
}

/// `tensor.double()` and the like.
std::optional<DType> conversion(std::string_view name) {
    static const std::map<std::string_view, DType> kTypes = {
        {"bfloat16", DType::BFloat16},  {"bool", DType::Bool},        {"byte", DType::UInt8},
        {"cdouble", DType::Complex128}, {"cfloat", DType::Complex64}, {"char", DType::Int8},
        {"double", DType::Float64},     {"float", DType::Float32},    {"half", DType::Float16},
        {"int", DType::Int32},          {"long", DType::Int64},       {"short", DType::Int16}};
    const auto found = kTypes.find(name);
    return found == kTypes.end() ? std::nullopt : std::optional(found->second);
}

/// What `to` and `type` convert to: a type among the arguments.
DType convertedBy(const Call& call) {
    for (const auto& arg : call.args) {
        const auto* constant = arg.as<Argument>() ? arg.as<Argument>()->as<TorchConstant>() : nullptr;
        if (constant && constant->kind == TorchConstant::Kind::Dtype)
            return dtypeFromName(constant->name).value_or(DType::Other);
    }
    if (const auto* other = call.tensor(1)) return other->tensor->dtype;
    return call.dtypeGiven().value_or(call.dtype());
}

DType pointwiseType(std::string_view name, const Values& args) {
    static constexpr std::array<std::string_view, 18> kQuestions = {
        "eq",          "ne",    "lt",    "le",       "gt",       "ge",       "logical_and", "logical_or", "logical_not",
        "logical_xor", "isnan", "isinf", "isfinite", "isposinf", "isneginf", "signbit",     "isclose",    "isreal"};
    static constexpr std::array<std::string_view, 44> kKeepIntegers = {"abs",
                                                                       "absolute",
                                                                       "add",
                                                                       "bitwise_and",
                                                                       "bitwise_left_shift",
                                                                       "bitwise_not",
                                                                       "bitwise_or",
                                                                       "bitwise_right_shift",
                                                                       "bitwise_xor",
                                                                       "ceil",
                                                                       "clamp",
                                                                       "clamp_max",
                                                                       "clamp_min",
                                                                       "clip",
                                                                       "floor",
                                                                       "floor_divide",
                                                                       "fmax",
                                                                       "fmin",
                                                                       "fmod",
                                                                       "gcd",
                                                                       "invert",
                                                                       "lcm",
                                                                       "and_",
                                                                       "or_",
                                                                       "xor",
                                                                       "lshift",
                                                                       "masked_fill",
                                                                       "maximum",
                                                                       "minimum",
                                                                       "mul",
                                                                       "multiply",
                                                                       "neg",
                                                                       "negative",
                                                                       "positive",
                                                                       "pow",
                                                                       "relu",
                                                                       "remainder",
                                                                       "round",
                                                                       "rshift",
                                                                       "rsub",
                                                                       "sign",
                                                                       "square",
                                                                       "sub",
                                                                       "subtract"};
    if (isOneOf(name, kQuestions)) return DType::Bool;
    if (name == "where") return resultType(args.empty() ? args : Values(args.begin() + 1, args.end()));
    if (name == "masked_fill") return args.empty() ? DType::Float32 : resultType({args[0]});
    const DType type = resultType(args);
    return isOneOf(name, kKeepIntegers) || name == "trunc" || name == "where" ? type : floating(type);
}

ConstantResult pointwise(std::string_view name, const Call& call) {
    std::vector<const Sizes*> sizes;
    for (std::size_t i = 0; i < call.args.size(); ++i)
        if (call.tensor(i)) sizes.push_back(call.sizes(i));
    const bool known =
        !sizes.empty() && std::none_of(sizes.begin(), sizes.end(), [](const auto* each) { return each == nullptr; });
    return {{{known ? broadcast(sizes) : std::nullopt, pointwiseType(name, call.args)}}};
}

} // namespace

ConstantResult constantResult(std::string_view name, const Values& args, const KeywordValues& kwargs) {
    static constexpr std::array<std::string_view, 16> kSame = {
        "clone",  "contiguous", "cpu",   "detach", "tril",           "triu",    "flip",         "roll",
        "fliplr", "flipud",     "alias", "rot90",  "requires_grad_", "view_as", "resolve_conj", "resolve_neg"};
    static constexpr std::array<std::string_view, 5> kAlong = {"softmax", "log_softmax", "cummax_values", "cumsum",
                                                               "cumprod"};
    static constexpr std::array<std::string_view, 13> kReductions = {
        "sum", "prod", "mean", "amax", "amin", "all", "any", "argmax", "argmin", "std", "var", "logsumexp", "nansum"};
    const Call call{args, kwargs};
    const Sizes* sizes = call.sizes(0);
    const auto one = [&](const std::optional<Sizes>& wanted, DType dtype) {
        return ConstantResult{{{wanted, call.dtypeGiven().value_or(dtype)}}};
    };
    const auto same = [&] { return sizes ? std::optional(*sizes) : std::nullopt; };
    if (const auto dtype = conversion(name)) return one(same(), *dtype);
    if (name == "to" || name == "type" || name == "type_as") return one(same(), convertedBy(call));
    if (isOneOf(name, kSame)) return one(same(), call.dtype());
    if (isOneOf(name, kAlong))
        return one(same(), name.starts_with("cum") ? summed(call.dtype()) : floating(call.dtype()));
    if (isOneOf(name, kReductions)) {
        const bool asks = name == "all" || name == "any", indexes = name.starts_with("arg"),
                   sums = name == "sum" || name == "prod" || name == "nansum";
        const bool keeps = name == "amax" || name == "amin";
        return one(reduced(call), asks      ? DType::Bool
                                  : indexes ? DType::Int64
                                  : sums    ? summed(call.dtype())
                                  : keeps   ? call.dtype()
                                            : floating(call.dtype()));
    }
    if ((name == "max" || name == "min") && args.size() == 1 && kwargs.empty()) return one(Sizes{}, call.dtype());
    if (name == "matmul" || name == "mm" || name == "bmm" || name == "mv" || name == "dot")
        return one(multiplied(call), call.dtype());
    if (name == "outer" && sizes && call.sizes(1) && sizes->size() == 1 && call.sizes(1)->size() == 1)
        return one(Sizes{sizes->front(), call.sizes(1)->front()}, resultType(args));
    if (name == "cat" || name == "concat" || name == "stack") return joined(call, name == "stack");
    static constexpr std::array<std::string_view, 4> kCuts = {"chunk", "split", "split_with_sizes", "unbind"};
    if (const auto safe = name.starts_with("unsafe_") ? name.substr(7) : name; isOneOf(safe, kCuts))
        return cut(safe, call);
    if (sizes)
        if (const auto wanted = moved(name, call, *sizes)) return one(wanted, call.dtype());
    if (ops::isPointwise(name) || name == "where") return pointwise(name, call);
    return one(std::nullopt, resultType(args));
}

namespace {

/// How many elements `slice` takes of `size`; nullopt when its bounds are no numbers.
std::optional<std::int64_t> sliceLength(const ValueSlice& slice, std::int64_t size) {
    const auto bound = [&](const Value& value, std::int64_t otherwise) -> std::optional<std::int64_t> {
        if (value.isNone()) return otherwise;
        auto at = integerOf(value);
        if (at && *at < 0) *at += size;
        return at ? std::optional(std::clamp<std::int64_t>(*at, 0, size)) : std::nullopt;
    };
    const auto start = bound(slice.start, 0), stop = bound(slice.stop, size);
    const auto step = slice.step.isNone() ? std::optional<std::int64_t>(1) : integerOf(slice.step);
    if (!start || !stop || !step || *step <= 0) return std::nullopt;
    return std::max<std::int64_t>(0, partCount(*stop - *start, *step));
}

bool isEllipsis(const Value& value) { return value.as<Argument>() && value.as<Argument>()->as<EllipsisValue>(); }

} // namespace

std::optional<Sizes> indexedSizes(const Sizes& sizes, const Value& key) {
    const auto* several = key.as<ValueSequence>();
    if (several && several->list) return std::nullopt;
    const Values keys = several ? several->items : Values{key};
    const auto taken =
        std::count_if(keys.begin(), keys.end(), [](const Value& each) { return !each.isNone() && !isEllipsis(each); });
    if (taken > static_cast<std::ptrdiff_t>(sizes.size())) return std::nullopt;
    Sizes out;
    std::size_t at = 0;
    for (const auto& each : keys) {
        if (each.isNone()) {
            out.push_back(1);
        } else if (isEllipsis(each)) {
            for (auto rest = sizes.size() - static_cast<std::size_t>(taken); rest > 0; --rest)
                out.push_back(sizes[at++]);
        } else if (const auto* slice = each.as<ValueSlice>()) {
            const auto length = sliceLength(*slice, sizes[at++]);
            if (!length) return std::nullopt;
            out.push_back(*length);
        } else if (each.as<Argument>() && each.as<Argument>()->as<std::int64_t>()) {
            ++at;
        } else {
            return std::nullopt;
        }
    }
    out.insert(out.end(), sizes.begin() + static_cast<std::ptrdiff_t>(at), sizes.end());
    return out;
}

} // namespace fx::trace
