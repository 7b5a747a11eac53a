// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/trace/constants/constant_sizes.h"

namespace fx::trace {

/// The arguments of an operation; `self` is the first tensor.
struct TensorCall {
    const Values& args;
    const KeywordValues& kwargs;

    /// Returns the argument at `place` or with this name, or null. PyTorch takes numpy's names, too.
    const Value* at(std::size_t place, std::string_view name) const {
        if (place < args.size()) return &args[place];
        const Value* value = keywordOf(kwargs, name);
        const std::string_view other = name == "dim" ? "axis" : name == "keepdim" ? "keepdims" : "";
        return value || other.empty() ? value : keywordOf(kwargs, other);
    }
    /// Returns the argument at `place` if it is a tensor, else null.
    const TensorValue* tensor(std::size_t place) const {
        return place < args.size() ? args[place].as<TensorValue>() : nullptr;
    }
    /// Returns the sizes of the tensor at `place`, or null if they are unknown.
    const Sizes* sizes(std::size_t place) const {
        const auto* value = tensor(place);
        return value && value->shapeKnown ? &value->tensor->sizes : nullptr;
    }
    /// Returns the dtype of the tensor at `place`; Float32 for other values.
    DType dtype(std::size_t place = 0) const { return tensor(place) ? tensor(place)->tensor->dtype : DType::Float32; }
    /// Returns an integer argument; nullopt if it is missing or not an integer.
    std::optional<std::int64_t> integer(std::size_t place, std::string_view name) const {
        const auto* value = at(place, name);
        return value ? integerOf(*value) : std::nullopt;
    }
    /// Returns a dimension argument as an index below `rank`; nullopt if it is out of range.
    std::optional<std::size_t> dimension(std::size_t place, std::string_view name, std::size_t rank) const {
        auto dim = integer(place, name);
        if (dim && *dim < 0) *dim += static_cast<std::int64_t>(rank);
        return dim && *dim >= 0 && *dim < static_cast<std::int64_t>(rank)
                   ? std::optional(static_cast<std::size_t>(*dim))
                   : std::nullopt;
    }
    /// Returns true if the argument is a true bool or a non-zero integer.
    bool isTrue(std::size_t place, std::string_view name) const { return integer(place, name).value_or(0) != 0; }
    /// Returns the keyword argument `dtype`.
    std::optional<DType> dtypeGiven() const {
        const Value* value = keywordOf(kwargs, "dtype");
        const auto* constant = value && value->as<Argument>() ? value->as<Argument>()->as<TorchConstant>() : nullptr;
        return constant ? dtypeFromName(constant->name) : std::nullopt;
    }
};

} // namespace fx::trace
