// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/tensor_store.h"
#include "core/io/values/value_tree.h"

namespace fx::engine {

/// Converts external values; loads their tensors into the store.
Value fromTree(const ValueTree& tree, TensorStore& tensors);
/// Converts the results of a model to data; copies tensors. As with torch.save, tensors keep their strides, and
/// tensors with a common storage share its copy. If a storage exceeds 1 MiB and four times the size of its tensors,
/// only their values are copied, contiguously. Throws Error{Run} for values that are not data.
ValueTree toTree(const Value& value);

} // namespace fx::engine
