// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/output.h"

#include "core/base/utf8.h"
#include "core/diag/error.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace app {

void writeOutput(std::string_view text) {
    while (!text.empty()) {
        const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
        if (written >= 0) {
            text.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno == EPIPE) {
            throw OutputClosed();
        } else if (errno != EINTR && errno != EAGAIN) {
            throw fx::Error(
                fx::ErrorKind::Refused,
                fx::Message("cli.cannot_write", {{"output", "standard output"}, {"detail", std::strerror(errno)}}));
        }
    }
}

std::string oneLine(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        char32_t point = 0;
        const std::size_t length = fx::decodeUtf8(text, point);
        if (point == '\n' || point == '\t') {
            result += ' ';
        } else if (length == 0 || point < 0x20 || point == 0x7F) { // a damaged file's bytes may be no text at all
            char escape[8];
            std::snprintf(escape, sizeof escape, "\\x%02x", static_cast<unsigned char>(text[0]));
            result += escape;
        } else {
            result += text.substr(0, length);
        }
        text.remove_prefix(std::max<std::size_t>(length, 1));
    }
    return result;
}

std::string joined(const std::vector<std::string>& texts, std::string_view separator) {
    std::string out;
    for (const std::string& text : texts) {
        if (&text != texts.data()) out += separator;
        out += text;
    }
    return out;
}

std::string grouped(long long number) {
    std::string digits = std::to_string(number);
    for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > (number < 0 ? 1 : 0); at -= 3)
        digits.insert(static_cast<std::size_t>(at), ",");
    return digits;
}

std::string byteSize(long long bytes) {
    constexpr std::array units = {"kB", "MB", "GB", "TB", "PB"};
    if (bytes < 1000) return std::to_string(bytes) + " B";
    double size = static_cast<double>(bytes) / 1000;
    std::size_t unit = 0;
    for (; size >= 999.95 && unit + 1 < units.size(); ++unit) size /= 1000;
    char text[32];
    std::snprintf(text, sizeof text, "%.1f %s", size, units[unit]);
    return text;
}

} // namespace app
