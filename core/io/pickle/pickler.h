// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fx {

/// Writes a pickle opcode by opcode (protocol 2, as torch.save does). The caller is responsible for a valid stack.
class Pickler {
public:
    Pickler() { m_out = "\x80\x02"; }

    void none() { m_out += 'N'; }
    void boolean(bool value) { m_out += value ? '\x88' : '\x89'; }
    void integer(std::int64_t value);
    /// An integer of any size, as decimal digits with sign.
    void bigInteger(std::string_view digits);
    void real(double value);
    void text(std::string_view utf8);
    /// A text that recurs, such as the name of a field: written out the first time, then from the memo.
    void name(std::string_view utf8);
    void bytes(std::string_view data, bool mutableArray);
    /// A class or function: by name the first time, then from the memo, as Python's pickler does.
    void global(std::string_view module, std::string_view name);

    void emptyTuple() { m_out += ')'; }
    void emptyList() { m_out += ']'; }
    void emptyDict() { m_out += '}'; }
    void mark() { m_out += '('; }
    void tuple() { m_out += 't'; } ///< of the values after the mark
    void appends() { m_out += 'e'; }
    void setItems() { m_out += 'u'; }
    void reduce() { m_out += 'R'; }
    void newObject() { m_out += '\x81'; }
    void newObjectKeywords() { m_out += '\x92'; }
    void build() { m_out += 'b'; }
    void persistent() { m_out += 'Q'; }
    /// Stores the top of the stack in the memo; returns the index for `get`.
    std::uint32_t put();
    void get(std::uint32_t place);

    /// What always writes the same: once its names are in the memo, the same bytes.
    struct Recurring {
        std::string bytes;
        int times = 0;
    };
    /// `write` writes it.
    template<class Write> void again(Recurring& what, Write write) {
        if (!what.bytes.empty()) {
            m_out += what.bytes;
            return;
        }
        const std::size_t start = m_out.size();
        write();
        if (what.times++ > 0) what.bytes = m_out.substr(start);
    }

    std::string finish() { return std::move(m_out += '.'); }

private:
    void opcode(char code, std::uint64_t value, int bytes); ///< with its number, little-endian
    /// The places in the memo of what was named before: texts, and globals with their module.
    class Named {
    public:
        /// The place, or, of what is new, `next`, which it then has.
        std::uint32_t enter(std::string_view module, std::string_view name, std::uint32_t next);

    private:
        static constexpr std::size_t kRecent = 256;
        struct Entry {
            std::string module, name;
            std::uint32_t place;
        };
        std::size_t slotOf(std::string_view module, std::string_view name) const;
        std::vector<Entry> m_entries;
        std::vector<std::uint32_t> m_slots; ///< index + 1 in m_entries; the size is a power of two, at most half full
        std::array<std::uint32_t, kRecent> m_recent{}; ///< the same, of what was looked for last
    };
    std::string m_out;
    std::uint32_t m_places = 0;
    Named m_names, m_globals;
};

} // namespace fx
