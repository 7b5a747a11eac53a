// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/compilation/compilation.h"

namespace fx {

/// A compilation in a log, with the rank of its process.
struct LoggedCompilation {
    Compilation compilation;
    std::optional<std::int64_t> rank;
};

/// The compilations of one log.
struct TraceLog {
    std::vector<LoggedCompilation> compilations;
    std::string producer;
    std::size_t damaged = 0; ///< records that are not JSON, because the log was truncated or interleaved
};

/// Returns true if the file begins with a record of TORCH_TRACE.
bool isTraceLog(const std::string& path);

/// Indexes a log of TORCH_TRACE in one pass. Compilations keep PyTorch's IDs, even if they are not unique.
TraceLog readTraceLog(const std::string& path, const Progress& progress);

} // namespace fx
