// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/base/utf8.h"
#include "core/diag/error.h"

#include <algorithm>
#include <string_view>

namespace fx::py {

/// Returns the 1-based line of a byte offset.
inline std::size_t lineOf(std::string_view source, std::size_t offset) {
    const auto end = source.begin() + static_cast<std::ptrdiff_t>(std::min(offset, source.size()));
    return static_cast<std::size_t>(std::count(source.begin(), end, '\n')) + 1;
}

/// Returns the line around a byte offset, without its line end, at most 200 bytes.
inline std::string_view lineTextAt(std::string_view source, std::size_t offset) {
    offset = std::min(offset, source.size());
    const auto start = offset == 0 ? std::string_view::npos : source.rfind('\n', offset - 1);
    const std::size_t from = start == std::string_view::npos ? 0 : start + 1;
    std::string_view line = source.substr(from, source.find('\n', from) - from);
    if (line.ends_with('\r')) line.remove_suffix(1);
    return wholeCharacters(line, 200);
}

/// An Error{File} about a position in Python source.
class SourceError : public Error {
public:
    using Error::Error;
    std::size_t offset = 0; ///< byte offset in the source
};

/// Returns an error with its position ("line 3, column 5") and the line.
inline SourceError sourceError(std::string_view source, std::size_t offset, Message what) {
    offset = std::min(offset, source.size());
    const auto lineStart = offset == 0 ? std::string_view::npos : source.rfind('\n', offset - 1);
    const std::size_t column = offset - (lineStart == std::string_view::npos ? 0 : lineStart + 1) + 1;
    SourceError error(ErrorKind::File, std::move(what));
    error.at(TextPlace{lineOf(source, offset), column}).quoting(std::string(lineTextAt(source, offset)));
    error.offset = offset;
    return error;
}

} // namespace fx::py
