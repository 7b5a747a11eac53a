// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/trace/constants/constant_sizes.h"

namespace fx::trace {

/// The arguments of one operation; `self` is the first tensor.
struct TensorCall {
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

} // namespace fx::trace
