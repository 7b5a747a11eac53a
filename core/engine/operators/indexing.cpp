// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/calls.h"
#include "core/engine/dispatch.h"
#include "core/trace/numbers/python_numbers.h"

#include <ATen/TensorIndexing.h>

namespace fx::engine {
namespace {

using at::indexing::TensorIndex;

/// Tensors inside a list of indices stand for the one number that they hold.
Value withNumbers(const Value& value) {
    if (value.isTensor()) {
        if (value.tensor().numel() != 1 || !at::isIntegralType(value.tensor().scalar_type(), true))
            throw raised("TypeError: only integer tensors of a single element can be converted to an index");
        return value.tensor().item().toLong();
    }
    const Items* items = value.items();
    if (!items) return value;
    Values out;
    for (const Value& item : items->items) out.push_back(withNumbers(item));
    return Value::list(std::move(out));
}

/// A list or tuple of numbers as a tensor: `x[[0, 2]]`.
at::Tensor tensorOf(const Value& value) {
    if (value.isTensor()) return value.tensor();
    if (value.items()->items.empty())
        return callFunction("torch.tensor", Arguments{{value}, {{"dtype", at::kLong}}}).tensor();
    return callFunction("torch.tensor", {withNumbers(value)}).tensor();
}

std::optional<c10::SymInt> bound(const Value& value) {
    if (value.isNone()) return std::nullopt;
    if (value.isTensor()) return c10::SymInt(value.tensor().item().toLong());
    if (const auto number = value.integer()) return c10::SymInt(*number);
    throw raised("TypeError: slice indices must be integers or None, not " + typeText(value));
}

TensorIndex indexOf(const Value& value) {
    if (value.isNone()) return at::indexing::None;
    if (value.as<EllipsisValue>()) return at::indexing::Ellipsis;
    if (const auto* flag = value.as<bool>()) return *flag;
    if (const auto* number = value.as<std::int64_t>()) return *number;
    if (const SliceOf* slice = value.slice())
        return at::indexing::Slice(bound(slice->start), bound(slice->stop), bound(slice->step));
    if (value.isTensor() || value.items()) return tensorOf(value);
    throw raised("IndexError: only integers, slices, ellipsis, None and tensors are indices of a tensor, not " +
                 typeText(value));
}

/// The way Python reads `x[[...]]`: a list of slices, tensors or lists is a tuple of indices, one of numbers is one
/// index.
bool isTupleOfIndices(const Items& items) {
    if (items.kind != Items::Kind::List) return true;
    if (items.items.size() >= 32) return false;
    return std::any_of(items.items.begin(), items.items.end(), [](const Value& item) {
        return item.isTensor() || item.items() || item.slice() || item.as<EllipsisValue>() || item.isNone();
    });
}

std::vector<TensorIndex> indicesOf(const Value& key) {
    std::vector<TensorIndex> out;
    const Items* items = key.items();
    if (!items || !isTupleOfIndices(*items)) return {indexOf(key)};
    for (const Value& item : items->items) out.push_back(indexOf(item));
    return out;
}

std::int64_t position(const Value& key, std::size_t size) {
    const auto index = key.isTensor() ? std::optional(key.tensor().item().toLong()) : key.integer();
    if (!index) throw raised("TypeError: indices must be integers or slices, not " + typeText(key));
    const auto count = static_cast<std::int64_t>(size);
    const std::int64_t place = *index < 0 ? *index + count : *index;
    if (place < 0 || place >= count)
        throw raised("IndexError: index " + std::to_string(*index) + " is out of range of " + std::to_string(size) +
                     " items");
    return place;
}

/// Python's slice.indices: where a slice of `count` items starts, and how many it has.
Value sliced(const Items& items, const SliceOf& slice) {
    const auto count = static_cast<std::int64_t>(items.items.size());
    const auto step = bound(slice.step) ? bound(slice.step)->expect_int() : 1;
    if (step == 0) throw raised("ValueError: slice step cannot be zero");
    const auto clamp = [&](const std::optional<c10::SymInt>& given, std::int64_t fallback) {
        if (!given) return fallback;
        std::int64_t value = given->expect_int();
        if (value < 0) value += count;
        return std::clamp(value, step < 0 ? std::int64_t{-1} : std::int64_t{0}, step < 0 ? count - 1 : count);
    };
    const std::int64_t start = clamp(bound(slice.start), step < 0 ? count - 1 : 0);
    const std::int64_t stop = clamp(bound(slice.stop), step < 0 ? -1 : count);
    Values out;
    for (std::int64_t i = start; step < 0 ? i > stop : i < stop; i += step)
        out.push_back(items.items[static_cast<std::size_t>(i)]);
    const auto kind = items.kind == Items::Kind::Named ? Items::Kind::Tuple : items.kind;
    return Value::sequence(kind, std::move(out));
}

Value* entryOf(Mapping& mapping, const Value& key) {
    for (auto& [name, value] : mapping.items)
        if (truthOf(binaryOf("eq", name, key))) return &value;
    return nullptr;
}

} // namespace

Value subscriptOf(const Value& object, const Value& key) {
    if (object.isTensor()) return object.tensor().index(indicesOf(key));
    if (const Items* items = object.items()) {
        if (key.slice()) return sliced(*items, *key.slice());
        return items->items[static_cast<std::size_t>(position(key, items->items.size()))];
    }
    if (Mapping* mapping = object.mapping()) {
        if (const Value* value = entryOf(*mapping, key)) return *value;
        throw raised("KeyError: the dict has no such key");
    }
    if (const std::string* text = object.text(); text && key.integer())
        return std::string(1, (*text)[static_cast<std::size_t>(position(key, text->size()))]);
    throw raised("TypeError: a " + typeText(object) + " cannot be indexed");
}

void assignSubscript(const Value& object, const Value& key, const Value& value) {
    if (object.isTensor()) {
        // Numbers fill; other values are brought to the type of the tensor, as Python's item assignment does.
        const at::Tensor source =
            value.isTensor()
                ? value.tensor()
                : callFunction("torch.tensor", Arguments{{value}, {{"dtype", object.tensor().scalar_type()}}}).tensor();
        at::Tensor target = object.tensor();
        target.index_put_(indicesOf(key), source);
        return;
    }
    if (Items* items = object.items(); items && items->kind == Items::Kind::List) {
        items->items[static_cast<std::size_t>(position(key, items->items.size()))] = value;
        return;
    }
    Mapping* mapping = object.mapping();
    if (!mapping) throw raised("TypeError: a " + typeText(object) + " does not take item assignment");
    if (Value* entry = entryOf(*mapping, key)) *entry = value;
    else mapping->items.emplace_back(key, value);
}

} // namespace fx::engine
