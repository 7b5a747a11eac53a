// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/tensor/tensor_ref.h"

#include <string>

namespace fx {

/// A tensor of a file, and how it is found there.
struct TensorInFile {
    enum class Kind : std::uint8_t { Torch, Safetensors, Npy };
    TensorPtr tensor;
    Kind kind = Kind::Torch;
    std::string key; ///< empty: the file holds nothing else
};

/// Reads one tensor of a file as data; its elements stay in the file. Known by content: what `torch.save` wrote (a
/// tensor, a parameter, or a dict of them such as a state dict), .safetensors, .npy.
///
/// `key`: which one of several; empty: the only one, else the one called `wanted`. Throws Error{File} that lists the
/// names when there is none of that name.
TensorInFile readTensorFile(const std::string& path, const std::string& key, const std::string& wanted,
                            const Progress& progress = {});

} // namespace fx
