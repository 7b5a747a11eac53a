// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/base/visible_text.h"

#include <string>
#include <string_view>

namespace fx {

/// Appends text escaped for XML and HTML, for content and for quoted attributes. Hidden characters and those that XML
/// forbids are escaped by `visibleText`.
inline void appendEscapedMarkup(std::string& out, std::string_view text) {
    for (const char c : visibleText(text)) {
        switch (c) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        case '\'': out += "&#39;"; break;
        default: out += c;
        }
    }
}

} // namespace fx
