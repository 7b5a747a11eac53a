// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/constants/constant_shapes.h"

#include "core/ops/semantics.h"
#include "core/trace/constants/constant_types.h"
#include "core/trace/constants/moved_sizes.h"
#include "core/trace/constants/size_errors.h"

#include <algorithm>
#include <initializer_list>

namespace fx::trace {
namespace {

bool isOneOf(std::string_view name, std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// The dimensions that a reduction takes away: none given means all.
std::optional<Sizes> reduced(std::string_view name, const TensorCall& call) {
    const Sizes* sizes = call.sizes(0);
    const Value* given = call.at(1, "dim");
    const bool isUnbiased = given && given->as<Argument>() && given->as<Argument>()->as<bool>();
    if ((name == "std" || name == "var") && (isUnbiased || call.args.size() > 2)) // `unbiased` stands before `keepdim`
        return std::nullopt;
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

std::optional<Sizes> multiplied(const TensorCall& call) {
    const Sizes *a = call.sizes(0), *b = call.sizes(1);
    if (!a || !b || a->empty() || b->empty()) return std::nullopt;
    Sizes left = *a, right = *b;
    requireProduct(left, right);
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
ConstantResult joined(const TensorCall& call, bool stacks) {
    const auto* list = call.args.empty() ? nullptr : call.args[0].as<ValueSequence>();
    if (!list || list->items.empty()) return {{{std::nullopt, DType::Float32}}};
    const DType dtype = resultType(list->items);
    const TensorCall inner{list->items, call.kwargs};
    std::vector<const Sizes*> all;
    for (std::size_t i = 0; i < list->items.size(); ++i) all.push_back(inner.sizes(i));
    if (std::find(all.begin(), all.end(), nullptr) != all.end()) return {{{std::nullopt, dtype}}};
    Sizes out = *all.front();
    const std::size_t rank = out.size() + (stacks ? 1 : 0);
    const auto dim = call.at(1, "dim") ? call.dimension(1, "dim", rank) : std::optional<std::size_t>(0);
    if (!dim || (rank == 0)) return {{{std::nullopt, dtype}}};
    if (stacks) {
        requireSameSizes(all);
        out.insert(out.begin() + static_cast<std::ptrdiff_t>(*dim), static_cast<std::int64_t>(list->items.size()));
        return {{{out, dtype}}};
    }
    out[*dim] = 0;
    for (const Sizes* sizes : all)
        if (sizes->size() != rank || __builtin_add_overflow(out[*dim], (*sizes)[*dim], &out[*dim]))
            return {{{std::nullopt, dtype}}};
    requireJoined(all, *dim);
    return {{{out, dtype}}};
}

constexpr std::int64_t kMaxParts = 10'000;

/// chunk, split, split_with_sizes, unbind, and their unsafe forms.
ConstantResult cut(std::string_view name, const TensorCall& call) {
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
            throw CannotFollow(Message("trace.too_many_parts",
                                       {{"name", name}, {"count", partCount(total, step)}, {"limit", kMaxParts}}));
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

/// Functions whose tensors broadcast in any case; those of other pointwise functions may have sizes of their own.
bool broadcasts(std::string_view name) {
    return isOneOf(name, {"add", "sub", "mul", "div", "true_divide", "floor_divide", "remainder", "fmod", "pow", "eq",
                          "ne", "lt", "le", "gt", "ge", "maximum", "minimum", "where"});
}

ConstantResult pointwise(std::string_view name, const TensorCall& call) {
    std::vector<const Sizes*> sizes;
    const bool isNamed = std::any_of(call.kwargs.begin(), call.kwargs.end(),
                                     [](const auto& each) { return each.second.template as<TensorValue>(); });
    for (std::size_t i = 0; i < call.args.size(); ++i)
        if (call.tensor(i)) sizes.push_back(call.sizes(i));
    const bool givesIndices = name == "where" && call.args.size() == 1;
    const bool known = !givesIndices && !sizes.empty() && !isNamed &&
                       std::none_of(sizes.begin(), sizes.end(), [](const auto* each) { return each == nullptr; });
    if (known && broadcasts(name)) requireBroadcast(sizes);
    return {{{known ? broadcast(sizes) : std::nullopt, pointwiseType(name, call.args, call.kwargs)}}};
}

/// What a reduction makes of a dtype; nullopt for other operations.
std::optional<DType> reducedType(std::string_view name, DType dtype) {
    if (isOneOf(name, {"all", "any"})) return dtype == DType::UInt8 ? dtype : DType::Bool;
    if (isOneOf(name, {"argmax", "argmin"})) return DType::Int64;
    if (isOneOf(name, {"sum", "prod", "nansum"})) return summed(dtype);
    if (isOneOf(name, {"amax", "amin"})) return dtype;
    if (isOneOf(name, {"std", "var"})) return realDtype(floating(dtype));
    if (isOneOf(name, {"mean", "logsumexp"})) return floating(dtype);
    return std::nullopt;
}

/// The dtype of what has the sizes of its first argument and does not work element by element; nullopt for others.
std::optional<DType> sameSizesType(std::string_view name, const TensorCall& call) {
    if (const auto dtype = conversionMethod(name)) return dtype;
    if (isOneOf(name, {"to", "type", "type_as"})) return convertedBy(call);
    if (isOneOf(name, {"clone", "contiguous", "cpu", "detach", "tril", "triu", "flip", "roll", "fliplr", "flipud",
                       "alias", "requires_grad_", "resolve_conj", "resolve_neg"}))
        return call.dtype();
    if (isOneOf(name, {"cumsum", "cumprod"})) return summed(call.dtype());
    if (isOneOf(name, {"softmax", "log_softmax"})) return floating(call.dtype());
    return std::nullopt;
}

} // namespace

ConstantResult constantResult(std::string_view name, const Values& args, const KeywordValues& kwargs) {
    const TensorCall call{args, kwargs};
    const Sizes* sizes = call.sizes(0);
    const auto one = [&](const std::optional<Sizes>& wanted, DType dtype) {
        return ConstantResult{{{wanted, call.dtypeGiven().value_or(dtype)}}};
    };
    if (isOneOf(name, {"view_as", "rot90"}))
        return one(sizes ? movedSizes(name, call, *sizes) : std::nullopt, call.dtype());
    if (const auto dtype = sameSizesType(name, call)) return one(sizes ? std::optional(*sizes) : std::nullopt, *dtype);
    if (const auto dtype = reducedType(name, call.dtype())) return one(reduced(name, call), *dtype);
    if (isOneOf(name, {"max", "min"}) && args.size() == 1 && kwargs.empty()) return one(Sizes{}, call.dtype());
    if (isOneOf(name, {"max", "min"}) && (call.at(1, "dim") || args.size() == 1) && !call.tensor(1)) {
        if (!call.integer(1, "dim")) return {{{std::nullopt, call.dtype()}}}; // `other` by name
        const auto wanted = reduced(name, call);
        return {{{wanted, call.dtype()}, {wanted, DType::Int64}}, true};
    }
    if (name == "frexp") {
        const auto own = sizes ? std::optional(*sizes) : std::nullopt;
        return {{{own, floating(call.dtype())}, {own, DType::Int32}}, true};
    }
    if (isOneOf(name, {"matmul", "mm", "bmm", "mv", "dot"})) return one(multiplied(call), call.dtype());
    if (name == "outer" && sizes && call.sizes(1) && sizes->size() == 1 && call.sizes(1)->size() == 1)
        return one(Sizes{sizes->front(), call.sizes(1)->front()}, resultType(args));
    if (isOneOf(name, {"cat", "concat", "stack"})) return joined(call, name == "stack");
    if (const auto safe = name.starts_with("unsafe_") ? name.substr(7) : name;
        isOneOf(safe, {"chunk", "split", "split_with_sizes", "unbind"}))
        return cut(safe, call);
    if (sizes)
        if (const auto wanted = movedSizes(name, call, *sizes)) return one(wanted, call.dtype());
    if (ops::isPointwise(name) || name == "where") return pointwise(name, call);
    return one(std::nullopt, unlistedType(name, resultType(args)));
}

} // namespace fx::trace
