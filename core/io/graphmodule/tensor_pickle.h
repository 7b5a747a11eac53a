// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/tensor/tensor_ref.h"

#include <optional>
#include <string_view>

namespace fx {

class Pickler;

/// Returns the dtype of a storage class of torch ("FloatStorage"); nullopt for other names.
std::optional<DType> dtypeOfStorageClass(std::string_view name);

/// Writes the reference to the storage of a tensor, a persistent id.
void pickleStorage(Pickler& pickler, const TensorRef& tensor, std::size_t key, std::string_view device);
/// Writes a tensor like torch.save: `torch._utils._rebuild_tensor_v2` on the storage with this key, or
/// `_rebuild_tensor_v3` with the dtype if no storage class has that dtype. The tensor must have a storage.
void pickleTensor(Pickler& pickler, const TensorRef& tensor, std::size_t storageKey, std::string_view device,
                  bool requiresGrad);
/// Writes `collections.OrderedDict()`.
void pickleEmptyOrderedDict(Pickler& pickler);

} // namespace fx
