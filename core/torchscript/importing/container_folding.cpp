// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/torchscript/importing/container_folding.h"

#include <algorithm>

namespace fx::script {
namespace {

constexpr std::int64_t kMostNumber = 1LL << 31; ///< of ranges, so that nothing overflows

Symbol withDepth(Symbol container) {
    container.depth = deepest(*container.items) + 1;
    return container;
}

/// The length of a list, tuple or dict.
std::optional<Symbol> length(const Symbol& whole) {
    if (!whole.isContainer()) return std::nullopt;
    const auto size = static_cast<std::int64_t>(whole.items->size());
    return Symbol::of(Argument(whole.is == Symbol::Is::Dict ? size / 2 : size));
}

std::optional<Symbol> slice(const Symbol& whole, const Node& node) {
    if (!whole.isContainer() || !node.bounds) throw Unsupported(Message("script.unknown_object"));
    const auto size = static_cast<std::int64_t>(whole.items->size());
    const auto from = std::clamp<std::int64_t>(node.bounds->first, 0, size),
               to = std::clamp<std::int64_t>(node.bounds->second, from, size);
    Symbol slice;
    slice.is = Symbol::Is::Tuple, slice.depth = whole.depth;
    slice.items = std::make_shared<std::vector<Symbol>>(whole.items->begin() + from, whole.items->begin() + to);
    return slice;
}

/// `a[i]` and `dict[key]`.
std::optional<Symbol> element(const Symbol& whole, const Symbol& key) {
    const auto* index = key.as<std::int64_t>();
    if (whole.is == Symbol::Is::Dict) {
        for (std::size_t i = 0; i + 1 < whole.items->size(); i += 2)
            if ((*whole.items)[i].isSame(key)) return (*whole.items)[i + 1];
        return std::nullopt;
    }
    if (whole.isContainer() && index) return partOf(whole, *index, false);
    return std::nullopt;
}

/// `OrderedDict()`, or one of pairs.
std::optional<Symbol> newDict(const CallFrame& frame, const Node& node) {
    if (node.inputs.size() > 1) return std::nullopt;
    Symbol dict;
    dict.is = Symbol::Is::Dict;
    dict.items = std::make_shared<std::vector<Symbol>>();
    const Symbol* pairs = node.inputs.empty() ? nullptr : &frame.value(node.inputs[0]);
    if (pairs && pairs->is != Symbol::Is::List) return std::nullopt;
    for (std::size_t i = 0; pairs && i < pairs->items->size(); ++i) {
        const Symbol& pair = (*pairs->items)[i];
        if (pair.is != Symbol::Is::Tuple || pair.items->size() != 2 || !pair.items->front().literal())
            return std::nullopt;
        for (std::size_t known = 0; known < dict.items->size(); known += 2)
            if ((*dict.items)[known].isSame(pair.items->front())) return std::nullopt;
        dict.items->insert(dict.items->end(), pair.items->begin(), pair.items->end());
    }
    return withDepth(std::move(dict));
}

/// `dict.keys()`, `values()` and `items()`.
std::optional<Symbol> dictView(const Symbol& dict, std::string_view name) {
    if (dict.is != Symbol::Is::Dict) return std::nullopt;
    std::vector<Symbol> items;
    for (std::size_t i = 0; i + 1 < dict.items->size(); i += 2) {
        const Symbol &key = (*dict.items)[i], &item = (*dict.items)[i + 1];
        if (name != "aten::items") {
            items.push_back(name == "aten::keys" ? key : item);
            continue;
        }
        Symbol pair;
        pair.is = Symbol::Is::Tuple;
        pair.items = std::make_shared<std::vector<Symbol>>(std::vector<Symbol>{key, item});
        items.push_back(withDepth(std::move(pair)));
    }
    return withDepth(Symbol::listOf(std::move(items)));
}

/// `key in dict` and `item in list`.
std::optional<Symbol> contains(const Symbol& whole, const Symbol& key) {
    if (!whole.isContainer() || key.asTensor) return std::nullopt;
    const bool isDict = whole.is == Symbol::Is::Dict;
    bool known = true;
    for (std::size_t i = 0; i < whole.items->size(); i += isDict ? 2 : 1) {
        const Symbol& other = (*whole.items)[i];
        const bool isNumber = other.as<double>() || key.as<double>(); // nan, and 1.0 in [1]
        if (!isNumber && !other.asTensor && other.isSame(key) && (isDict || other.literal()))
            return Symbol::of(Argument(true));
        known = known && !isNumber && !other.asTensor && other.literal() && key.literal();
    }
    return known ? std::optional(Symbol::of(Argument(false))) : std::nullopt;
}

/// How often a loop over `range(from, to, step)` runs, or the number of a turn.
std::optional<Symbol> range(const CallFrame& frame, const Node& node, bool isLength) {
    std::int64_t numbers[3] = {};
    for (std::size_t i = 0; i < 3; ++i) {
        const auto* number = frame.value(node.inputs[i]).as<std::int64_t>();
        if (!number || *number > kMostNumber || *number < -kMostNumber) return std::nullopt;
        numbers[i] = *number;
    }
    const auto [first, second, step] = numbers;
    std::int64_t result = second + first * step; // of turn `first`
    if (isLength) {
        if (step == 0) return std::nullopt;
        const std::int64_t distance = step > 0 ? second - first : first - second;
        result = distance > 0 ? (distance - 1) / std::abs(step) + 1 : 0;
    }
    return Symbol::of(Argument(result));
}

/// `list(a)`.
std::optional<Symbol> copyOf(const Symbol& whole) {
    if (whole.is != Symbol::Is::List) return std::nullopt;
    Symbol copy = Symbol::listOf(*whole.items);
    copy.depth = whole.depth;
    return copy;
}

/// `a + b` of lists.
std::optional<Symbol> concatenation(const Symbol& first, const Symbol& second) {
    if (first.is != Symbol::Is::List || second.is != Symbol::Is::List) return std::nullopt;
    if (first.items->size() + second.items->size() > kMostItems) throw Unsupported(Message("script.too_many_items"));
    Symbol both = Symbol::listOf(*first.items);
    both.items->insert(both.items->end(), second.items->begin(), second.items->end());
    both.depth = std::max(first.depth, second.depth);
    return both;
}

} // namespace

std::optional<Symbol> foldContainer(const CallFrame& frame, const Node& node) {
    const std::string& name = frame.kindOf(node).name;
    const std::size_t count = node.inputs.size();
    const auto input = [&](std::size_t i) -> const Symbol& { return frame.value(node.inputs.at(i)); };
    if (node.outputs.size() != 1) return std::nullopt;
    if (name == "aten::len") return length(input(0));
    if (name == "prim::TupleSlice") return slice(input(0), node);
    if (name == "aten::__getitem__" || name == "prim::TupleIndex") return element(input(0), input(1));
    if (name == "aten::dict") return newDict(frame, node);
    if (name == "aten::keys" || name == "aten::values" || name == "aten::items") return dictView(input(0), name);
    if (name == "aten::__contains__" && count == 2) return contains(input(0), input(1));
    if (name == "aten::list" && count == 1) return copyOf(input(0));
    if (name == "aten::add" && count == 2) return concatenation(input(0), input(1));
    const bool isLength = name == "aten::__range_length";
    if ((isLength || name == "aten::__derive_index") && count == 3) return range(frame, node, isLength);
    return std::nullopt;
}

} // namespace fx::script
