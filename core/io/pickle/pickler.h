// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

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

    std::string finish() { return std::move(m_out += '.'); }

private:
    void little(std::uint64_t value, int count);
    std::string m_out;
    std::uint32_t m_places = 0;
    std::string m_line;                                       ///< of the last global
    std::unordered_map<std::string, std::uint32_t> m_globals; ///< their places in the memo
};

} // namespace fx
