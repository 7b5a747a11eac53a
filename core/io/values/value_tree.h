// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/argument.h"
#include "core/tensor/tensor_ref.h"

namespace fx {

/// An input or result of a model as data: tensors, plain values, and containers of them. Containers nest at most
/// `kMaxArgumentDepth` deep.
struct ValueTree {
    /// Python type of the value.
    enum class Kind : std::uint8_t { Plain, Tensor, Tuple, List, Size, Named, Dict };
    Kind kind = Kind::Plain;
    Argument plain;               ///< value of Plain
    TensorPtr tensor;             ///< value of Tensor
    std::vector<ValueTree> items; ///< items of containers; key, value, key, value... for a Dict
    /// Type of a Named, "torch.return_types.max", or of a Dict of a different class, "collections.OrderedDict".
    std::string typeName;
    std::vector<std::string> fields; ///< field names of Named

    /// Creates a plain value.
    static ValueTree of(Argument value) { return {Kind::Plain, std::move(value), {}, {}, {}, {}}; }
    /// Creates a tensor.
    static ValueTree of(TensorPtr tensor) { return {Kind::Tensor, {}, std::move(tensor), {}, {}, {}}; }
};

/// Calls `visit` for every tensor in the tree, in order.
template<class Visit> void forEachTensor(const ValueTree& tree, const Visit& visit) {
    if (tree.kind == ValueTree::Kind::Tensor) visit(tree.tensor);
    for (const ValueTree& item : tree.items) forEachTensor(item, visit);
}

} // namespace fx
