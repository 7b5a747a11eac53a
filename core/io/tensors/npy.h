// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/tensor/tensor_ref.h"

namespace fx {

/// Returns true if the file starts like a .npy file.
bool looksLikeNpy(const DataFile& file);

/// Reads the array of a .npy file (NumPy's format, versions 1 to 3); its elements stay in the file. Throws Error{File}
/// for damaged files, dtypes that PyTorch lacks, and big-endian numbers.
TensorPtr readNpy(const std::shared_ptr<const DataFile>& file);
/// The same for the content of a .npy file that is stored elsewhere, such as compressed in an archive.
TensorPtr readNpy(const std::shared_ptr<const Storage>& content);

} // namespace fx
