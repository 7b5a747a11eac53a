// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pickle/pickler.h"

#include "core/base/name_hash.h"

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

void Pickler::name(std::string_view utf8) {
    if (const std::uint32_t place = m_names.enter({}, utf8, m_places); place != m_places) return get(place);
    text(utf8);
    put();
}

void Pickler::bytes(std::string_view data, bool mutableArray) {
    m_out += mutableArray ? '\x96' : 'B';
    little(data.size(), mutableArray ? 8 : 4);
    m_out += data;
}

void Pickler::global(std::string_view module, std::string_view name) {
    if (const std::uint32_t place = m_globals.enter(module, name, m_places); place != m_places) return get(place);
    m_out.append("c").append(module).append("\n").append(name).append("\n");
    put();
}

std::size_t Pickler::Named::slotOf(std::string_view module, std::string_view name) const {
    const std::size_t mask = m_slots.size() - 1;
    for (std::size_t at = (nameHash(name) + 0x9E37u * module.size()) & mask;; at = (at + 1) & mask) {
        if (m_slots[at] == 0) return at;
        const Entry& entry = m_entries[m_slots[at] - 1];
        if (entry.name == name && entry.module == module) return at;
    }
}

std::uint32_t Pickler::Named::enter(std::string_view module, std::string_view name, std::uint32_t next) {
    if (2 * (m_entries.size() + 1) > m_slots.size()) {
        m_slots.assign(m_slots.empty() ? 64 : 2 * m_slots.size(), 0);
        for (std::size_t i = 0; i < m_entries.size(); ++i)
            m_slots[slotOf(m_entries[i].module, m_entries[i].name)] = static_cast<std::uint32_t>(i + 1);
    }
    std::uint32_t& slot = m_slots[slotOf(module, name)];
    if (slot != 0) return m_entries[slot - 1].place;
    m_entries.push_back({std::string(module), std::string(name), next});
    slot = static_cast<std::uint32_t>(m_entries.size());
    return next;
}

std::uint32_t Pickler::put() {
    m_out += 'r';
    little(m_places, 4);
    return m_places++;
}

void Pickler::get(std::uint32_t place) {
    m_out += place < 256 ? 'h' : 'j';
    little(place, place < 256 ? 1 : 4);
}

} // namespace fx
