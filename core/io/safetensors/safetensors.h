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
    std::string dtype; ///< name of the dtype in the format: "F32", "BF16", "U8"
    std::vector<std::int64_t> shape;
    std::shared_ptr<const Storage> storage; ///< exactly the bytes of the tensor
};

/// The content of a .safetensors file: 8 bytes with the length of the header, a JSON header, and the bytes of the
/// tensors.
struct SafetensorsFile {
    std::vector<SafetensorsEntry> entries; ///< in the order of the header
    std::vector<std::pair<std::string, std::string>> metadata;
};

/// Returns the format's name for a dtype; empty if it has none (complex and quantised types, FNUZ floats).
std::string_view safetensorsDtype(DType dtype);
/// Returns the dtype with this name in the format; nullopt for unknown names.
std::optional<DType> dtypeFromSafetensors(std::string_view word);

/// Reads the header; the tensors stay in the file. Throws Error{File} if the header is longer than 100 MB or than the
/// file, is not JSON, or assigns bytes to a tensor that overlap those of another tensor, lie outside the file or do not
/// match its shape.
SafetensorsFile readSafetensors(const std::shared_ptr<const DataFile>& file, const Progress& progress = {});

/// Writes a file. The data starts at a multiple of 64 bytes. Tensors with sizes of such multiples come first and are
/// aligned like in PyTorch; the others follow by element size and are aligned to their elements. Copies storages in
/// blocks of 1 MB. The caller must commit `out`. Throws Error{Cancelled}.
void writeSafetensors(ReplacedFile& out, const SafetensorsFile& content, const Progress& progress = {});

} // namespace fx
