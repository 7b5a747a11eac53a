// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/tensor_store.h"
#include "core/io/values/value_tree.h"

namespace fx::engine {

/// Values that come from outside; their tensors are loaded into the store.
Value fromTree(const ValueTree& tree, TensorStore& tensors);
/// What a model returned, as data; tensors are copied out. As in a file of torch.save, tensors keep their strides, and
/// those that share a storage share its copy. Of a storage of more than 1 MiB that is also more than four times what
/// they show of it, as with one number of a large tensor, only the values shown are copied, contiguous. Throws
/// Error{Run} for what is no data.
ValueTree toTree(const Value& value);

} // namespace fx::engine
