// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/message.h"
#include "core/diag/progress.h"

#include <cstddef>
#include <optional>
#include <span>

namespace fx {

/// The functions and classes that `torch.load(weights_only=True)` of PyTorch 2.13 accepts by default:
/// "collections.OrderedDict", "torch._utils._rebuild_tensor_v2".
bool isAllowedByWeightsOnly(std::string_view qualifiedName);

/// The answer of `checkWeightsOnly`.
struct WeightsOnly {
    std::optional<Message> refusal; ///< why it refuses the pickle; nullopt if it loads it
    std::size_t end = 0;            ///< offset of the byte after the pickle, if it loads it
};

/// Follows the pickle at `offset` by the rules of torch/_weights_only_unpickler.py (PyTorch 2.13), calling nothing:
/// which opcodes it knows, which globals it accepts, and on which types it calls, sets items or states. Arguments of
/// accepted functions are not checked beyond their types. `keyCount` is the number of items of a storage's id: 5 in zip
/// archives, 6 before PyTorch 1.6.
///
/// Linear in the bytes. Throws Error{File} for more than 20 million memo entries, and Error{Cancelled}.
WeightsOnly checkWeightsOnly(std::span<const std::byte> bytes, std::size_t offset, std::size_t keyCount,
                             const Progress& progress = {});

} // namespace fx
