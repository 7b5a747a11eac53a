// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/code/code_places.h"

#include "core/base/python_text.h"
#include "core/pysrc/lexer.h"
#include "core/pysrc/source_error.h"

#include <algorithm>

namespace fx {
std::uint32_t indentOf(std::string_view line) {
    std::uint32_t columns = 0;
    for (const char c : line) {
        if (c != ' ' && c != '\t') break;
        columns = c == ' ' ? columns + 1 : (columns / 8 + 1) * 8;
    }
    return columns;
}

std::vector<std::string_view> namesGivenBy(std::string_view statement) {
    std::vector<std::string_view> names;
    const auto semicolon = statement.rfind(';');
    for (std::string_view part :
         {statement, semicolon == std::string_view::npos ? std::string_view() : statement.substr(semicolon + 1)}) {
        part.remove_prefix(std::min(part.find_first_not_of(" \t"), part.size()));
        const auto end =
            static_cast<std::size_t>(std::find_if_not(part.begin(), part.end(), isNamePart) - part.begin());
        const std::string_view rest = part.substr(std::min(part.find_first_not_of(" \t", end), part.size()));
        const bool given = (rest.starts_with('=') && !rest.starts_with("==")) || rest.starts_with(':');
        if (end > 0 && given) names.push_back(part.substr(0, end));
    }
    return names;
}

std::optional<std::size_t> openBracket(std::string_view line) {
    std::vector<std::size_t> open;
    try {
        py::Lexer lexer(line);
        for (py::Token token = lexer.take(); token.kind != py::TokenKind::End; token = lexer.take()) {
            if (token.is("(") || token.is("[") || token.is("{")) open.push_back(token.offset);
            if ((token.is(")") || token.is("]") || token.is("}")) && !open.empty()) open.pop_back();
        }
    } catch (const Error&) { // a string that does not end: the error is about that
        return std::nullopt;
    }
    return open.empty() ? std::nullopt : std::optional(open.back());
}

std::size_t tokenLength(std::string_view text) {
    try {
        return std::max<std::size_t>(py::Lexer(text).take().text.size(), 1);
    } catch (const Error&) { return std::max<std::size_t>(std::min(text.find('\n'), text.size()), 1); }
}

CodeError codeError(std::string_view text, std::size_t offset, std::size_t end, Message message) {
    offset = std::min(offset, text.size());
    const auto atLineEnd = [&](std::size_t at) { return at >= text.size() || text[at] == '\n'; };
    // Nothing to underline there: the last character before it, on this line or, at the end, on the last one.
    if (atLineEnd(offset) || end <= offset) {
        const auto last = offset == 0 ? std::string_view::npos : text.find_last_not_of(" \t\r\n", offset - 1);
        if (atLineEnd(offset) && last != std::string_view::npos) {
            for (offset = last; offset > 0 && (text[offset] & 0xC0) == 0x80;) --offset;
        }
        end = offset + 1;
        while (end < text.size() && (text[end] & 0xC0) == 0x80) ++end;
    }
    const auto lineStart = offset == 0 ? std::string_view::npos : text.rfind('\n', offset - 1);
    const std::size_t first = lineStart == std::string_view::npos ? 0 : lineStart + 1;
    const auto characters =
        std::count_if(text.begin() + static_cast<std::ptrdiff_t>(first),
                      text.begin() + static_cast<std::ptrdiff_t>(offset), [](char c) { return (c & 0xC0) != 0x80; });
    return {offset, std::max<std::size_t>(std::min(end, text.size()) - std::min(offset, text.size()), 1),
            static_cast<int>(py::lineOf(text, offset)), static_cast<int>(characters) + 1, std::move(message)};
}

} // namespace fx
