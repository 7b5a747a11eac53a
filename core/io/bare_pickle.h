// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/tensor/storage.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace fx {

/// The largest pickle that is read.
constexpr std::uint64_t kMostPickle = std::uint64_t{1} << 30;

/// Returns the first bytes of a file, at most `limit`.
std::shared_ptr<const std::vector<std::byte>> startOf(const DataFile& file, std::uint64_t limit);

/// True if a file without a header may be a pickle of protocol 0 or 1, which begins with any opcode: it reads to its
/// end or calls something.
bool mayBePickle(const DataFile& file, const Progress& progress);

/// True if the first header has the checksum of a tar archive, by which Python recognises one.
bool looksLikeTar(const DataFile& file);

} // namespace fx
