// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/value_tree.h"

namespace fx::engine {
namespace {

using Kind = ValueTree::Kind;

Items::Kind itemsKind(Kind kind) {
    switch (kind) {
    case Kind::List: return Items::Kind::List;
    case Kind::Size: return Items::Kind::Size;
    case Kind::Named: return Items::Kind::Named;
    default: return Items::Kind::Tuple;
    }
}
Kind treeKind(Items::Kind kind) {
    switch (kind) {
    case Items::Kind::List: return Kind::List;
    case Items::Kind::Size: return Kind::Size;
    case Items::Kind::Named: return Kind::Named;
    default: return Kind::Tuple;
    }
}

/// One tensor object in several places stays one; `made` remembers.
ValueTree convert(const Value& value, int depth, std::unordered_map<const c10::TensorImpl*, TensorPtr>& made) {
    if (depth > kMaxArgumentDepth) throw runError("the model returns values that nest too deeply");
    if (value.isTensor()) {
        TensorPtr& ref = made[value.tensor().unsafeGetTensorImpl()];
        if (!ref) ref = toTensorRef(value.tensor());
        return ValueTree::of(ref);
    }
    ValueTree out;
    if (const Items* items = value.items()) {
        out.kind = treeKind(items->kind);
        out.typeName = items->typeName;
        out.fields = items->fields;
        for (const Value& item : items->items) out.items.push_back(convert(item, depth + 1, made));
        return out;
    }
    if (const Mapping* mapping = value.mapping()) {
        out.kind = Kind::Dict;
        for (const auto& [key, item] : mapping->items) {
            out.items.push_back(convert(key, depth + 1, made));
            out.items.push_back(convert(item, depth + 1, made));
        }
        return out;
    }
    auto plain = toArgument(value);
    if (!plain) throw runError("the model returns a " + typeText(value) + ", which is no data");
    out.plain = std::move(*plain);
    return out;
}

} // namespace

Value fromTree(const ValueTree& tree, TensorStore& tensors) {
    if (tree.kind == Kind::Tensor) return tensors.copy(tree.tensor);
    if (tree.kind == Kind::Plain) return toValue(tree.plain, [](NodeId) { return Value(); });
    Values items;
    for (const ValueTree& item : tree.items) items.push_back(fromTree(item, tensors));
    if (tree.kind == Kind::Dict) {
        auto out = std::make_shared<Mapping>();
        for (std::size_t i = 0; i + 1 < items.size(); i += 2) out->items.emplace_back(items[i], items[i + 1]);
        return out;
    }
    return std::make_shared<Items>(Items{itemsKind(tree.kind), std::move(items), tree.fields, tree.typeName});
}

ValueTree toTree(const Value& value) {
    std::unordered_map<const c10::TensorImpl*, TensorPtr> made;
    return convert(value, 0, made);
}

} // namespace fx::engine
