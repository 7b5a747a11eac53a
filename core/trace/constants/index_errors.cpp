// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/constants/call_errors.h"
#include "core/trace/constants/dtype_texts.h"
#include "core/trace/constants/size_errors.h"

#include <algorithm>

namespace fx::trace {
namespace {

bool isDots(const Value& value) { return value.as<Argument>() && value.as<Argument>()->as<EllipsisValue>(); }

/// A number in a key; unset for True and False, which add a dimension.
std::optional<std::int64_t> placeIn(const Value& key) {
    const auto* argument = key.as<Argument>();
    const auto* number = argument ? argument->as<std::int64_t>() : nullptr;
    return number ? std::optional(*number) : std::nullopt;
}

void requirePlace(std::int64_t place, std::int64_t size, std::size_t dim) {
    if (place < -size || place >= size)
        raiseAs("IndexError", "index " + std::to_string(place) + " is out of bounds for dimension " +
                                  std::to_string(dim) + " with size " + std::to_string(size));
}

void requireStep(const ValueSlice& slice) {
    const auto step = placeIn(slice.step);
    if (!step || *step > 0) return;
    raiseAs("ValueError", *step == 0 ? "slice step cannot be zero" : "step must be greater than zero");
}

void requireKind(const Value& key) {
    const auto* argument = key.as<Argument>();
    if (!argument && !key.as<ValueDict>()) return;
    const auto refuse = [](const std::string& type) {
        raiseAs("IndexError",
                "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid "
                "indices (got " +
                    type + ")");
    };
    if (!argument) refuse("dict");
    if (argument->as<std::string>()) raiseAs("TypeError", "new(): invalid data type 'str'");
    if (argument->as<double>()) refuse("float");
    if (argument->as<Complex>()) refuse("complex");
}

bool isBasic(const Value& key) { return placeIn(key) || key.isNone() || isDots(key) || key.as<ValueSlice>(); }

/// Sizes without leading ones.
Sizes withoutFront(const Sizes& sizes) {
    return {std::find_if(sizes.begin(), sizes.end(), [](std::int64_t size) { return size != 1; }), sizes.end()};
}

} // namespace

void requireIndex(const Sizes& sizes, const Value& key) {
    const auto* several = key.as<ValueSequence>();
    if (several && several->list) return;
    if (!several && sizes.empty() && placeIn(key)) {
        if (*placeIn(key) != 0) requirePlace(*placeIn(key), 0, 0);
        raiseAs("IndexError", "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or `tensor.item<T>()` in "
                              "C++ to convert a 0-dim tensor to a number");
    }
    if (const auto* slice = key.as<ValueSlice>(); slice && sizes.empty()) {
        requireStep(*slice);
        raiseAs("IndexError", "slice() cannot be applied to a 0-dim tensor.");
    }
    const Values keys = several ? several->items : Values{key};
    // Keys that are tensors or lists take as many dimensions as they have, if they are masks.
    const bool allBasic = std::all_of(keys.begin(), keys.end(), isBasic);
    const auto taken = static_cast<std::size_t>(std::count_if(
        keys.begin(), keys.end(), [](const Value& each) { return placeIn(each) || each.as<ValueSlice>(); }));
    if (taken > sizes.size())
        raiseAs("IndexError", "too many indices for tensor of dimension " + std::to_string(sizes.size()));
    std::size_t at = 0;
    if (std::count_if(keys.begin(), keys.end(), isDots) > 1) return;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (const auto place = placeIn(keys[i])) {
            requirePlace(*place, sizes[at++], i);
        } else if (const auto* slice = keys[i].as<ValueSlice>()) {
            requireStep(*slice);
            ++at;
        } else if (isDots(keys[i])) {
            if (!allBasic) return;
            at += sizes.size() - taken;
        } else if (!keys[i].isNone()) {
            requireKind(keys[i]);
            return;
        }
    }
}

void requireAssignable(const Sizes& sizes, const Value& key, const Value& value) {
    requireIndex(sizes, key);
    const auto* tensor = value.as<TensorValue>();
    const auto target = indexedSizes(sizes, key);
    if (!tensor || !tensor->shapeKnown || !target || tensor->tensor->sizes == *target) return;
    const Sizes plain = withoutFront(tensor->tensor->sizes);
    if (plain.size() > target->size())
        raiseAs("RuntimeError", "expand(" + typeText(tensor->tensor->dtype) + "{" + sizesText(plain) +
                                    "}, size=" + sizesText(*target) + "): the number of sizes provided (" +
                                    std::to_string(target->size()) +
                                    ") must be greater or equal to the number of dimensions in the tensor (" +
                                    std::to_string(plain.size()) + ")");
    requireExpansion(plain, *target);
}

} // namespace fx::trace
