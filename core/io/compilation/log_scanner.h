// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/tensor/storage.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

namespace fx {

/// Calls `each(line, offset)` for the lines of a file, without newlines, reading blocks of 4 MB. What exceeds
/// `kMaxLogLine` in one line is left out.
inline constexpr std::size_t kLogBlock = 4 << 20, kMaxLogLine = 64 << 20;

template<class Each> void scanLines(const DataFile& file, const Progress& progress, Each each) {
    std::vector<char> buffer(kLogBlock);
    std::size_t kept = 0; // bytes of an unfinished line at the start of the buffer
    bool skipping = false;
    for (std::uint64_t at = 0; at < file.size();) {
        progress.check();
        if (kept == buffer.size()) buffer.resize(2 * buffer.size());
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(buffer.size() - kept, file.size() - at));
        file.read(at, std::as_writable_bytes(std::span(buffer.data() + kept, count)));
        const char* line = buffer.data();
        const char* const end = line + kept + count;
        const char* search = line + kept;
        while (const auto* newLine =
                   static_cast<const char*>(std::memchr(search, '\n', static_cast<std::size_t>(end - search)))) {
            const std::string_view text(line, static_cast<std::size_t>(newLine - line));
            if (!skipping) each(text, at + count - static_cast<std::uint64_t>(end - line));
            skipping = false;
            line = search = newLine + 1;
        }
        at += count;
        kept = static_cast<std::size_t>(end - line);
        if (kept > 0 && at == file.size() && !skipping) each(std::string_view(line, kept), at - kept);
        skipping = skipping || kept > kMaxLogLine;
        if (skipping) kept = 0;
        std::memmove(buffer.data(), line, kept);
        progress.report("reading the log", static_cast<double>(at) / static_cast<double>(file.size()));
    }
}

} // namespace fx
