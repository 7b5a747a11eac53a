// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/tensor/storage.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace fx {

/// Block size of `scanLines`, and the line length from which it passes only the first `kLogLineStart` bytes.
inline constexpr std::size_t kLogBlock = 4 << 20, kMaxLogLine = 64 << 20, kLogLineStart = 4 << 10;

/// Calls `each(line, offset, bytes)` for the lines of a file, without newlines. Truncates very long lines.
template<class Each> void scanLines(const DataFile& file, const Progress& progress, Each each) {
    std::vector<char> buffer(kLogBlock);
    std::size_t kept = 0; // bytes of an unfinished line at the start of the buffer
    std::string longLine; // the start of a line that is too long
    std::uint64_t longOffset = 0;
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
            const std::uint64_t offset = at + count - static_cast<std::uint64_t>(end - line);
            if (longLine.empty()) each(text, offset, text.size());
            else each(std::string_view(longLine), longOffset, offset + text.size() - longOffset);
            longLine.clear();
            line = search = newLine + 1;
        }
        at += count;
        kept = static_cast<std::size_t>(end - line);
        if (longLine.empty() && kept >= kMaxLogLine) longLine.assign(line, kLogLineStart), longOffset = at - kept;
        if (!longLine.empty()) kept = 0;
        if (at == file.size() && !longLine.empty()) each(std::string_view(longLine), longOffset, at - longOffset);
        else if (at == file.size() && kept > 0) each(std::string_view(line, kept), at - kept, kept);
        std::memmove(buffer.data(), line, kept);
        progress.report("reading the log", static_cast<double>(at) / static_cast<double>(file.size()));
    }
}

} // namespace fx
