// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/value_conversion.h"

#include <algorithm>

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

constexpr std::uint64_t kSmallStorage = 1 << 20, kMostPerShown = 4;

/// Whether the bytes of its storage are its values.
bool isPlain(const at::Tensor& tensor) {
    return tensor.device().is_cpu() && tensor.layout() == at::kStrided && tensor.has_storage() &&
           !tensor.is_quantized() && !tensor.is_conj() && !tensor.is_neg();
}

class TreeMaker {
public:
    /// Before `convert`: what is shown of each storage.
    void count(const Value& value, int depth) {
        if (depth > kMaxArgumentDepth) throw runError(Message("engine.result_too_deep"));
        if (const Items* items = value.items())
            for (const Value& item : items->items) count(item, depth + 1);
        if (const Mapping* mapping = value.mapping())
            for (const auto& [key, item] : mapping->items) count(item, depth + 1);
        if (!value.isTensor() || !isPlain(value.tensor())) return;
        const at::Tensor& tensor = value.tensor();
        Shown& shown =
            m_shown.try_emplace(tensor.storage().unsafeGetStorageImpl(), Shown{0, tensor.scalar_type(), true, nullptr})
                .first->second;
        shown.bytes += tensor.nbytes();
        shown.oneType = shown.oneType && shown.type == tensor.scalar_type();
    }

    ValueTree convert(const Value& value) {
        if (value.isTensor()) return ValueTree::of(refOf(value.tensor()));
        ValueTree out;
        if (const Items* items = value.items()) {
            out.kind = treeKind(items->kind);
            out.typeName = items->typeName;
            out.fields = items->fields;
            for (const Value& item : items->items) out.items.push_back(convert(item));
            return out;
        }
        if (const Mapping* mapping = value.mapping()) {
            out.kind = Kind::Dict;
            out.typeName = mapping->typeName;
            for (const auto& [key, item] : mapping->items)
                out.items.push_back(convert(key)), out.items.push_back(convert(item));
            return out;
        }
        auto plain = toArgument(value);
        if (!plain) throw runError(Message("engine.result_not_data", {{"type", typeText(value)}}));
        out.plain = std::move(*plain);
        return out;
    }

private:
    /// Of the results that are views of one storage.
    struct Shown {
        std::uint64_t bytes;
        at::ScalarType type;
        bool oneType; ///< files of torch.save have one element type for a storage
        std::shared_ptr<const Storage> copy;
    };

    /// One tensor object in several places stays one.
    TensorPtr refOf(const at::Tensor& tensor) {
        TensorPtr& ref = m_made[tensor.unsafeGetTensorImpl()];
        if (!ref) ref = inStorage(tensor);
        if (!ref) ref = toTensorRef(tensor);
        return ref;
    }

    /// A view of a copy of its whole storage; null when it is to be a copy of its own.
    TensorPtr inStorage(const at::Tensor& tensor) {
        const auto type = dtypeFromName(scalarTypeName(tensor.scalar_type()));
        if (!type || !isPlain(tensor)) return nullptr;
        const c10::Storage& storage = tensor.storage();
        Shown& shown = m_shown.at(storage.unsafeGetStorageImpl());
        if (!shown.oneType || storage.nbytes() > std::max(kSmallStorage, kMostPerShown * shown.bytes)) return nullptr;
        if (!shown.copy) {
            const auto* bytes = static_cast<const std::byte*>(storage.data());
            shown.copy = Storage::inMemory(std::vector<std::byte>(bytes, bytes + storage.nbytes()));
        }
        TensorRef out;
        out.dtype = *type;
        out.sizes = tensor.sizes().vec();
        out.strides = tensor.strides().vec();
        out.offset = tensor.storage_offset();
        out.storage = shown.copy;
        return std::make_shared<const TensorRef>(std::move(out));
    }

    std::unordered_map<const c10::StorageImpl*, Shown> m_shown;
    std::unordered_map<const c10::TensorImpl*, TensorPtr> m_made;
};

} // namespace

Value fromTree(const ValueTree& tree, TensorStore& tensors) {
    if (tree.kind == Kind::Tensor) return tensors.copy(tree.tensor);
    if (tree.kind == Kind::Plain) return toValue(tree.plain, [](NodeId) { return Value(); });
    Values items;
    for (const ValueTree& item : tree.items) items.push_back(fromTree(item, tensors));
    if (tree.kind == Kind::Dict) {
        auto out = std::make_shared<Mapping>();
        out->typeName = tree.typeName;
        for (std::size_t i = 0; i + 1 < items.size(); i += 2) out->items.emplace_back(items[i], items[i + 1]);
        return out;
    }
    return std::make_shared<Items>(Items{itemsKind(tree.kind), std::move(items), tree.fields, tree.typeName});
}

ValueTree toTree(const Value& value) {
    TreeMaker maker;
    maker.count(value, 0);
    return maker.convert(value);
}

} // namespace fx::engine
