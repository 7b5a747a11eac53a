// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/argument.h"
#include "core/tensor/tensor_ref.h"

namespace fx {

/// An input or result of a model as data: tensors, plain values, and containers of them. Containers nest at most
/// kMaxArgumentDepth deep.
struct ValueTree {
    enum class Kind : std::uint8_t { Plain, Tensor, Tuple, List, Size, Named, Dict };
    Kind kind = Kind::Plain;
    Argument plain;               ///< of Plain
    TensorPtr tensor;             ///< of Tensor
    std::vector<ValueTree> items; ///< of containers; for a Dict key, value, key, value...
    std::string typeName; ///< of Named: "torch.return_types.max"; of a Dict of another class: "collections.OrderedDict"
    std::vector<std::string> fields; ///< of Named

    static ValueTree of(Argument value) { return {Kind::Plain, std::move(value), {}, {}, {}, {}}; }
    static ValueTree of(TensorPtr tensor) { return {Kind::Tensor, {}, std::move(tensor), {}, {}, {}}; }
};

/// Calls `visit` for every tensor in the tree, in order.
template<class Visit> void forEachTensor(const ValueTree& tree, const Visit& visit) {
    if (tree.kind == ValueTree::Kind::Tensor) visit(tree.tensor);
    for (const ValueTree& item : tree.items) forEachTensor(item, visit);
}

} // namespace fx
