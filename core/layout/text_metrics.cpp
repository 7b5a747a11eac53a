// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/text_metrics.h"

#include <algorithm>
#include <array>
#include <cstdint>

namespace fx {

namespace {

constexpr double kTitleSize = 13, kMonoSize = 11;
constexpr double kMonoAdvance = 0.602;

/// Advances of printable ASCII from U+0020, in thousandths of the size.
constexpr std::array<std::uint16_t, 95> kTitleAdvance{
    348,  456, 521, 838, 696, 1002, 872, 306,  457, 457, 523, 838, 380, 415,  380, 365, //
    696,  696, 696, 696, 696, 696,  696, 696,  696, 696, 400, 400, 838, 838,  838, 580, //
    1000, 774, 762, 734, 830, 683,  683, 821,  837, 372, 372, 775, 637, 995,  837, 850, //
    733,  850, 770, 720, 682, 812,  774, 1103, 771, 724, 725, 457, 365, 457,  838, 500, //
    500,  675, 716, 593, 716, 678,  435, 716,  712, 343, 343, 665, 343, 1042, 712, 687, //
    716,  716, 493, 595, 478, 712,  652, 924,  645, 652, 582, 712, 365, 712,  838};

/// Length in bytes of the character that starts with `byte`.
std::size_t lengthFrom(unsigned char byte) { return byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4; }

double titleAdvance(unsigned char byte) {
    if (byte >= 0x20 && byte < 0x7F) return kTitleAdvance[byte - 0x20] * kTitleSize / 1000;
    return (byte >= 0xE3 ? 1.0 : 0.7) * kTitleSize;
}
double monoAdvance(unsigned char byte) { return (byte >= 0xE3 ? 1.0 : kMonoAdvance) * kMonoSize; }

template<class Advance> double widthOf(std::string_view text, Advance advance) {
    double width = 0;
    for (std::size_t i = 0; i < text.size(); i += lengthFrom(static_cast<unsigned char>(text[i])))
        width += advance(static_cast<unsigned char>(text[i]));
    return width;
}

template<class Advance> std::string elide(std::string_view text, double room, Advance advance) {
    const double dots = advance(0xE2);
    double width = 0;
    std::size_t fits = 0; // bytes that leave room for the dots
    for (std::size_t i = 0; i < text.size();) {
        const auto byte = static_cast<unsigned char>(text[i]);
        width += advance(byte);
        if (width > room) return std::string(text.substr(0, fits)) + "…";
        i = std::min(text.size(), i + lengthFrom(byte));
        if (width + dots <= room) fits = i;
    }
    return std::string(text);
}

/// Keeps the beginning and, as wide, the end; with `cut` something before it is left out already.
std::string elideMiddle(std::string_view text, double room, bool cut) {
    const std::string head(cut ? "…" : "");
    if (widthOf(text, monoAdvance) <= room) return head + std::string(text);
    const double half = (room - monoAdvance(0xE2)) / 2;
    std::size_t front = 0, back = text.size();
    for (double width = 0; front < text.size(); front += lengthFrom(static_cast<unsigned char>(text[front])))
        if ((width += monoAdvance(static_cast<unsigned char>(text[front]))) > half) break;
    for (double width = 0; back > front;) {
        std::size_t at = back - 1;
        while (at > front && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
        if ((width += monoAdvance(static_cast<unsigned char>(text[at]))) > half) break;
        back = at;
    }
    return head + std::string(text.substr(0, front)) + "…" + std::string(text.substr(back));
}

} // namespace

double titleWidth(std::string_view utf8) { return widthOf(utf8, titleAdvance); }
double monoWidth(std::string_view utf8) { return widthOf(utf8, monoAdvance); }
std::string elideName(std::string_view utf8, std::string_view groupPath, double width) {
    if (monoWidth(utf8) <= width) return std::string(utf8);
    std::size_t same = 0; // of the name, where a part of the path ends
    for (std::size_t i = 0; i < groupPath.size() && i < utf8.size(); ++i) {
        const char expected = groupPath[i] == '.' ? '_' : groupPath[i];
        if (utf8[i] != expected) break;
        const bool isEnd = i + 1 == groupPath.size() || groupPath[i + 1] == '.';
        if (!isEnd || i + 2 >= utf8.size() || utf8[i + 1] != '_') continue;
        same = i + 2;
        std::string shorter = "…" + std::string(utf8.substr(same));
        if (monoWidth(shorter) <= width) return shorter;
    }
    return elideMiddle(utf8.substr(same), width - (same > 0 ? monoAdvance(0xE2) : 0), same > 0);
}
std::string elideTitle(std::string_view utf8, double width) { return elide(utf8, width, titleAdvance); }
std::string elideMono(std::string_view utf8, double width) { return elide(utf8, width, monoAdvance); }

} // namespace fx
