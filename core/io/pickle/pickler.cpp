// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pickle/pickler.h"

#include <bit>

namespace fx {

void Pickler::little(std::uint64_t value, int count) {
    char bytes[8];
    for (int i = 0; i < count; ++i) bytes[i] = static_cast<char>(value >> (8 * i) & 0xFF);
    m_out.append(bytes, static_cast<std::size_t>(count));
}

void Pickler::integer(std::int64_t value) {
    if (value >= 0 && value < 256) {
        m_out += 'K';
        little(static_cast<std::uint64_t>(value), 1);
    } else if (value >= 0 && value < 65536) {
        m_out += 'M';
        little(static_cast<std::uint64_t>(value), 2);
    } else if (value >= INT32_MIN && value <= INT32_MAX) {
        m_out += 'J';
        little(static_cast<std::uint64_t>(value), 4);
    } else {
        m_out += "\x8a\x08";
        little(static_cast<std::uint64_t>(value), 8);
    }
}

void Pickler::bigInteger(std::string_view digits) { m_out.append("L").append(digits).append("L\n"); }

void Pickler::real(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    m_out += 'G';
    for (int i = 7; i >= 0; --i) m_out += static_cast<char>(bits >> (8 * i) & 0xFF);
}

void Pickler::text(std::string_view utf8) {
    m_out += 'X';
    little(utf8.size(), 4);
    m_out += utf8;
}

void Pickler::bytes(std::string_view data, bool mutableArray) {
    m_out += mutableArray ? '\x96' : 'B';
    little(data.size(), mutableArray ? 8 : 4);
    m_out += data;
}

void Pickler::global(std::string_view module, std::string_view name) {
    m_line.assign(module).append("\n").append(name).append("\n");
    const auto [known, isNew] = m_globals.try_emplace(m_line, m_places);
    if (!isNew) return get(known->second);
    m_out.append("c").append(known->first);
    put();
}

std::uint32_t Pickler::put() {
    m_out += 'r';
    little(m_places, 4);
    return m_places++;
}

void Pickler::get(std::uint32_t place) {
    m_out += 'j';
    little(place, 4);
}

} // namespace fx
