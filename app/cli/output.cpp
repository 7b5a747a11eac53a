// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/output.h"

#include "core/base/visible_text.h"
#include "core/diag/error.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace app {

namespace {

void writeBytes(std::string_view text) {
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

} // namespace

void writeOutput(std::string_view text) {
    if (::isatty(STDOUT_FILENO) != 0) writeVisible(text);
    else writeBytes(text);
}

void writeVisible(std::string_view text) { writeBytes(fx::visibleText(text)); }

std::string joined(const std::vector<std::string>& texts, std::string_view separator) {
    std::string out;
    for (const std::string& text : texts) {
        if (&text != texts.data()) out += separator;
        out += text;
    }
    return out;
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
