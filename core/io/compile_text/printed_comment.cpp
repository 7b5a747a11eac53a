// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/compile_text/printed_comment.h"

namespace fx {
namespace {
constexpr std::string_view kFile = "File: ", kCode = ", code: ", kUnknown = "No stacktrace found";

std::string_view inner(std::string_view text) {
    const std::size_t from = text.find_first_not_of(" #\t\r");
    return from == std::string_view::npos ? std::string_view{}
                                          : text.substr(from, text.find_last_not_of(" \t\r") - from + 1);
}

/// `  File "net.py", line 6, in forward`, the code below it, as in PyTorch's stack traces.
std::string traceOf(std::string_view place, std::string_view code) {
    std::string_view function;
    if (const std::size_t in = place.rfind(" in "); in != std::string_view::npos) {
        function = place.substr(in + 4);
        place = place.substr(0, in);
    }
    const std::size_t colon = place.rfind(':');
    if (colon == std::string_view::npos) return {};
    std::string out = "  File \"";
    out.append(place.substr(0, colon)).append("\", line ").append(place.substr(colon + 1));
    if (!function.empty()) out.append(", in ").append(function);
    return out.append("\n    ").append(code).append("\n");
}
} // namespace

void PrintedComment::read(std::string_view gap) {
    for (std::size_t at = 0; at < gap.size();) {
        const std::size_t end = std::min(gap.find('\n', at), gap.size());
        const std::string_view line = gap.substr(at, end - at);
        const std::size_t start = line.find_first_not_of(" \t");
        if (start != std::string_view::npos && line[start] == '#') readLine(inner(line));
        at = end + 1;
    }
}

void PrintedComment::readLine(std::string_view line) {
    const std::size_t file = line.find(kFile), code = line.find(kCode);
    const std::size_t unknown = line.find(kUnknown);
    if (file == std::string_view::npos && unknown == std::string_view::npos) return;
    const bool hasTrace = file != std::string_view::npos && code != std::string_view::npos && file < code;
    m_trace = hasTrace ? traceOf(line.substr(file + kFile.size(), code - file - kFile.size()),
                                 line.substr(code + kCode.size()))
                       : std::string();
    m_note = inner(line.substr(0, hasTrace ? file : std::min(unknown, line.size())));
}

void PrintedComment::writeTo(NodeMeta& meta) const {
    meta.stackTrace = m_trace;
    if (!m_note.empty()) meta.other.emplace_back("note", m_note);
}

} // namespace fx
