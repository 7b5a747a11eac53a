// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pickle/pickler.h"

#include "core/base/name_hash.h"
#include "core/diag/error.h"

#include <bit>

namespace fx {

void Pickler::opcode(char code, std::uint64_t value, int bytes) {
    char text[9] = {code};
    for (int i = 0; i < bytes; ++i) text[1 + i] = static_cast<char>(value >> (8 * i) & 0xFF);
    m_out.append(text, 1 + static_cast<std::size_t>(bytes));
}

void Pickler::integer(std::int64_t value) {
    const auto bits = static_cast<std::uint64_t>(value);
    if (value >= 0 && value < 256) return opcode('K', bits, 1);
    if (value >= 0 && value < 65536) return opcode('M', bits, 2);
    if (value >= INT32_MIN && value <= INT32_MAX) return opcode('J', bits, 4);
    m_out += '\x8a';
    opcode('\x08', bits, 8);
}

void Pickler::bigInteger(std::string_view digits) { m_out.append("L").append(digits).append("L\n"); }

void Pickler::real(double value) {
    const auto bits = std::bit_cast<std::uint64_t>(value);
    m_out += 'G';
    for (int i = 7; i >= 0; --i) m_out += static_cast<char>(bits >> (8 * i) & 0xFF);
}

void Pickler::text(std::string_view utf8) {
    opcode('X', utf8.size(), 4);
    m_out += utf8;
}

void Pickler::name(std::string_view utf8) {
    if (const std::uint32_t place = m_names.enter({}, utf8, m_places); place != m_places) return get(place);
    text(utf8);
    put();
}

void Pickler::bytes(std::string_view data, bool mutableArray) {
    opcode(mutableArray ? '\x96' : 'B', data.size(), mutableArray ? 8 : 4);
    m_out += data;
}

void Pickler::global(std::string_view module, std::string_view name) {
    if (const std::uint32_t place = m_globals.enter(module, name, m_places); place != m_places) return get(place);
    const auto endsLine = [](std::string_view text) { return text.find_first_of("\n\r") != std::string_view::npos; };
    if (endsLine(module) || endsLine(name)) // what follows would be other opcodes
        throw Error(ErrorKind::Refused, Message("pickle.name_of_lines"));
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
    // Few names recur in module after module: a look at three of the letters finds most of them.
    const auto letter = [&](std::size_t at) { return name.empty() ? 0u : static_cast<unsigned char>(name[at]); };
    const std::size_t mixed = letter(0) + 7 * letter(name.size() - 1) + 31 * letter(name.size() / 2) + 11 * name.size();
    std::uint32_t& recent = m_recent[mixed % kRecent];
    if (recent != 0)
        if (const Entry& entry = m_entries[recent - 1]; entry.name == name && entry.module == module)
            return entry.place;
    if (2 * (m_entries.size() + 1) > m_slots.size()) {
        m_slots.assign(m_slots.empty() ? 64 : 2 * m_slots.size(), 0);
        for (std::size_t i = 0; i < m_entries.size(); ++i)
            m_slots[slotOf(m_entries[i].module, m_entries[i].name)] = static_cast<std::uint32_t>(i + 1);
    }
    std::uint32_t& slot = m_slots[slotOf(module, name)];
    if (slot == 0) {
        m_entries.push_back({std::string(module), std::string(name), next});
        slot = static_cast<std::uint32_t>(m_entries.size());
    }
    recent = slot;
    return m_entries[slot - 1].place;
}

std::uint32_t Pickler::put() {
    opcode('r', m_places, 4);
    return m_places++;
}

void Pickler::get(std::uint32_t place) { place < 256 ? opcode('h', place, 1) : opcode('j', place, 4); }

} // namespace fx
