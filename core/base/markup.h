// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string>
#include <string_view>

namespace fx {

/// Appends text for XML and HTML, in content and in quoted attributes; characters that XML forbids become U+FFFD.
inline void appendEscapedMarkup(std::string& out, std::string_view text) {
    for (const char c : text) {
        switch (c) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        case '\'': out += "&#39;"; break;
        default: static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? out += "\uFFFD" : out += c;
        }
    }
}

} // namespace fx
