// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/constants/call_errors.h"
#include "core/trace/constants/size_errors.h"
#include "core/trace/numbers/python_numbers.h"

#include <algorithm>
#include <cmath>

namespace fx::trace {
namespace {

template<class T> const T* argumentAs(const Value* value) {
    const auto* argument = value ? value->as<Argument>() : nullptr;
    return argument ? argument->as<T>() : nullptr;
}

std::string_view typeOfFill(const Value& value) {
    if (value.isNone()) return "NoneType";
    if (argumentAs<std::string>(&value)) return "str";
    if (value.as<ValueDict>()) return "dict";
    const auto* sequence = value.as<ValueSequence>();
    return !sequence ? "" : sequence->list ? "list" : "tuple";
}

void requireNoNegative(std::string_view name, const std::optional<Sizes>& sizes) {
    if (!sizes) return;
    const auto negative = std::find_if(sizes->begin(), sizes->end(), [](std::int64_t size) { return size < 0; });
    if (negative == sizes->end()) return;
    if (name == "zeros") raiseAs("RuntimeError", "zeros: Dimension size must be non-negative.");
    raiseAs("RuntimeError",
            "Trying to create tensor with negative dimension " + std::to_string(*negative) + ": " + sizesText(*sizes));
}

void requireSizes(std::string_view name, const TensorCall& call) {
    const Value* named = keywordOf(call.kwargs, "size");
    const bool isFirst = name == "full";
    if (named) return requireNoNegative(name, sizesFrom({*named}));
    if (!call.args.empty()) requireNoNegative(name, isFirst ? sizesFrom({call.args[0]}) : sizesFrom(call.args));
}

void requireFilled(std::string_view name, const TensorCall& call) {
    const Value* value = call.at(1, "fill_value");
    const std::string_view type = value ? typeOfFill(*value) : "";
    if (!type.empty())
        raiseAs("TypeError", "full(): argument 'fill_value' (position 2) must be Number, not " + std::string(type));
    requireSizes(name, call);
}

/// linspace and logspace
void requireSteps(std::string_view name, const TensorCall& call) {
    static constexpr std::string_view kBounds[] = {"start", "end"};
    for (std::size_t i = 0; i < std::size(kBounds); ++i) {
        const Value* bound = call.at(i, kBounds[i]);
        const auto* tensor = bound ? bound->as<TensorValue>() : nullptr;
        if (tensor && tensor->shapeKnown && !tensor->tensor->sizes.empty())
            raiseAs("RuntimeError", std::string(name) + " only supports 0-dimensional start and end tensors, but got " +
                                        std::string(kBounds[i]) + " with " +
                                        std::to_string(tensor->tensor->sizes.size()) + " dimension(s).");
    }
    if (call.integer(2, "steps").value_or(0) < 0) raiseAs("RuntimeError", "number of steps must be non-negative");
}

void requireIdentity(std::string_view, const TensorCall& call) {
    const auto n = call.integer(0, "n"), m = call.integer(1, "m");
    if (n && *n < 0) raiseAs("RuntimeError", "n must be greater or equal to 0, got " + std::to_string(*n));
    if (m && *m < 0) raiseAs("RuntimeError", "m must be greater or equal to 0, got " + std::to_string(*m));
}

void requirePermutation(std::string_view name, const TensorCall& call) {
    if (const auto n = call.integer(0, "n")) requireNoNegative(name, Sizes{*n});
}

/// The bounds of torch.arange.
void requireBounds(std::string_view, const TensorCall& call) {
    if (call.args.empty() || call.args.size() > 3) return;
    const bool isNamed = std::any_of(call.kwargs.begin(), call.kwargs.end(), [](const auto& word) {
        return word.first == "start" || word.first == "end" || word.first == "step";
    });
    std::vector<double> bounds;
    for (const Value& arg : call.args) {
        const auto number = plainReal(arg);
        if (isNamed || !number) return;
        bounds.push_back(*number);
    }
    const double start = bounds.size() == 1 ? 0 : bounds[0], end = bounds[bounds.size() == 1 ? 0 : 1],
                 step = bounds.size() == 3 ? bounds[2] : 1;
    if (step == 0) raiseAs("RuntimeError", "step must be nonzero");
    if (!std::isfinite(start) || !std::isfinite(end))
        raiseAs("RuntimeError", "unsupported range: " + numberText(start) + " -> " + numberText(end));
    if (step > 0 ? start > end : start < end)
        raiseAs("RuntimeError", "upper bound and lower bound inconsistent with step sign");
}

void requireDrawn(std::string_view, const TensorCall& call) {
    if (call.args.size() < 2 || call.args.size() > 3 || !call.args.back().as<ValueSequence>()) return;
    const auto bounds = sizesFrom(Values(call.args.begin(), call.args.end() - 1));
    if (!bounds || keywordOf(call.kwargs, "low") || keywordOf(call.kwargs, "high")) return;
    const std::int64_t low = bounds->size() == 2 ? (*bounds)[0] : 0, high = bounds->back();
    if (low >= high)
        raiseAs("RuntimeError", "random_ expects 'from' to be less than 'to', but got from=" + std::to_string(low) +
                                    " >= to=" + std::to_string(high));
}

bool isSkipped(const Sizes& sizes) { return sizes == Sizes{0}; }

/// cat and stack
void requireList(std::string_view name, const TensorCall& call) {
    const Value* given = call.at(0, "tensors");
    const auto* list = given ? given->as<ValueSequence>() : nullptr;
    if (!list) return;
    const bool stacks = name == "stack";
    if (list->items.empty())
        raiseAs(stacks ? "RuntimeError" : "ValueError",
                stacks ? "stack expects a non-empty TensorList" : "torch.cat(): expected a non-empty list of Tensors");
    const TensorCall inner{list->items, call.kwargs};
    std::vector<const Sizes*> all;
    for (std::size_t i = 0; i < list->items.size(); ++i) all.push_back(inner.sizes(i));
    const Value* word = call.at(1, "dim");
    const auto* number = argumentAs<std::int64_t>(word);
    if (std::find(all.begin(), all.end(), nullptr) != all.end() || (word && !number)) return;
    const std::int64_t dim = number ? *number : 0;
    if (stacks) return void(requireDimension(dim, all.front()->size() + 1));
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i]->empty())
            raiseAs("RuntimeError",
                    "zero-dimensional tensor (at position " + std::to_string(i) + ") cannot be concatenated");
    std::erase_if(all, [](const Sizes* each) { return isSkipped(*each); });
    if (all.empty()) return;
    (void)requireDimension(dim, all.front()->size());
    for (const Sizes* each : all)
        if (each->size() != all.front()->size())
            raiseAs("RuntimeError", "Tensors must have same number of dimensions: got " +
                                        std::to_string(all.front()->size()) + " and " + std::to_string(each->size()));
}

std::string tupleText(const Sizes& sizes) {
    const std::string inner = sizesText(sizes);
    return "(" + inner.substr(1, inner.size() - 2) + (sizes.size() == 1 ? ",)" : ")");
}

void requireCommon(std::string_view, const TensorCall& call) {
    Sizes common;
    for (std::size_t i = 0; i < call.args.size(); ++i) {
        const auto sizes = sizesFrom({call.args[i]});
        if (!sizes || std::any_of(sizes->begin(), sizes->end(), [](std::int64_t size) { return size < 0; })) return;
        if (sizes->size() > common.size()) common.insert(common.begin(), sizes->size() - common.size(), 1);
        for (std::size_t back = 1; back <= sizes->size(); ++back) {
            const std::int64_t size = (*sizes)[sizes->size() - back];
            std::int64_t& wanted = common[common.size() - back];
            if (size == 1 || size == wanted) continue;
            if (wanted != 1)
                raiseAs("RuntimeError", "Attempting to broadcast a dimension of length " + std::to_string(size) +
                                            " at -" + std::to_string(back) + "! Mismatching argument at index " +
                                            std::to_string(i) + " had " + tupleText(*sizes) +
                                            "; but expected shape should be broadcastable to " + sizesText(common));
            wanted = size;
        }
    }
}

struct FactoryRule {
    std::string_view name;
    void (*require)(std::string_view name, const TensorCall& call);
};
constexpr FactoryRule kFactoryRules[] = {{"arange", requireBounds},  {"broadcast_shapes", requireCommon},
                                         {"cat", requireList},       {"concat", requireList},
                                         {"empty", requireSizes},    {"eye", requireIdentity},
                                         {"full", requireFilled},    {"linspace", requireSteps},
                                         {"logspace", requireSteps}, {"ones", requireSizes},
                                         {"rand", requireSizes},     {"randint", requireDrawn},
                                         {"randn", requireSizes},    {"randperm", requirePermutation},
                                         {"stack", requireList},     {"zeros", requireSizes}};

} // namespace

void requireFactory(std::string_view name, const TensorCall& call) {
    const auto* rule = std::find_if(std::begin(kFactoryRules), std::end(kFactoryRules),
                                    [&](const FactoryRule& each) { return each.name == name; });
    if (rule != std::end(kFactoryRules)) rule->require(name, call);
}

} // namespace fx::trace
