// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/tensor/tensor_ref.h"

#include <string>
#include <utility>
#include <vector>

namespace fx {

/// A tensor in a file, with its key.
struct TensorInFile {
    /// The format of the file.
    enum class Kind : std::uint8_t { Torch, Safetensors, Npy };
    TensorPtr tensor;
    Kind kind = Kind::Torch;
    std::string key; ///< empty if the file contains nothing else
};

/// Reads one tensor of a file as data; its elements stay in the file. Supports files of `torch.save` (a tensor, a
/// parameter, or a dict of them such as a state dict, also inside a checkpoint under a usual key such as "state_dict"
/// or "model"), .safetensors and .npy, recognised by content.
///
/// `key` selects one of several tensors; if empty, selects the only one, or else the one called `wanted`. Throws
/// Error{File} with the list of names if the name is unknown.
TensorInFile readTensorFile(const std::string& path, const std::string& key, const std::string& wanted,
                            const Progress& progress = {});

/// Reads all named tensors of such a file, in order: a state dict. Throws Error{File}, also if it has no named tensors.
std::vector<std::pair<std::string, TensorPtr>> readNamedTensors(const std::string& path, const Progress& progress = {});

} // namespace fx
