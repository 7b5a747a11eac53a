// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/files/replaced_file.h"
#include "core/tensor/tensor_ref.h"

#include <string>
#include <utility>
#include <vector>

namespace fx {

/// One tensor of a .safetensors file: row-major, without gaps.
struct SafetensorsEntry {
    std::string name;
    std::string dtype; ///< the name in the format: "F32", "BF16", "U8"
    std::vector<std::int64_t> shape;
    std::shared_ptr<const Storage> storage; ///< exactly the bytes of the tensor
};

/// The content of a .safetensors file: 8 bytes with the length of the header, a JSON header, and the bytes of the
/// tensors.
struct SafetensorsFile {
    std::vector<SafetensorsEntry> entries; ///< in the order of the header
    std::vector<std::pair<std::string, std::string>> metadata;
};

/// The format's name for a dtype; empty if it has none (complex and quantised types, FNUZ floats).
std::string_view safetensorsDtype(DType dtype);
std::optional<DType> dtypeFromSafetensors(std::string_view word);

/// Reads the header; the tensors stay in the file. Throws Error{File} if the header is longer than 100 MB or the file,
/// is not JSON, or assigns a tensor bytes that overlap another's, lie outside the file or do not match its shape.
SafetensorsFile readSafetensors(const std::shared_ptr<const DataFile>& file, const Progress& progress = {});

/// Writes a file. Data starts at a multiple of 64 bytes; tensors of such sizes come first, then wider elements, so that
/// the former are aligned as PyTorch aligns them and the others for their elements.
/// Copies storages in blocks of 1 MB. The caller must commit `out`. Throws
/// Error{Cancelled}.
void writeSafetensors(ReplacedFile& out, const SafetensorsFile& content, const Progress& progress = {});

} // namespace fx
