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
    /// Starts with the protocol opcode.
    Pickler() { m_out = "\x80\x02"; }

    /// Pushes None.
    void none() { m_out += 'N'; }
    /// Pushes a bool.
    void boolean(bool value) { m_out += value ? '\x88' : '\x89'; }
    /// Pushes an int.
    void integer(std::int64_t value);
    /// Pushes an int of any size, given as decimal digits with sign.
    void bigInteger(std::string_view digits);
    /// Pushes a float.
    void real(double value);
    /// Pushes a str.
    void text(std::string_view utf8);
    /// Pushes a str that recurs, such as the name of a field: writes it the first time, then refers to the memo.
    void name(std::string_view utf8);
    /// Pushes a bytes object, or a bytearray.
    void bytes(std::string_view data, bool mutableArray);
    /// Pushes a class or function: by name the first time, then from the memo, like Python's pickler.
    void global(std::string_view module, std::string_view name);

    /// Pushes an empty tuple.
    void emptyTuple() { m_out += ')'; }
    /// Pushes an empty list.
    void emptyList() { m_out += ']'; }
    /// Pushes an empty dict.
    void emptyDict() { m_out += '}'; }
    /// Marks the start of the items of a tuple, `appends` or `setItems`.
    void mark() { m_out += '('; }
    /// Pops the values after the mark and pushes a tuple of them.
    void tuple() { m_out += 't'; }
    /// Appends the values after the mark to the list below it.
    void appends() { m_out += 'e'; }
    /// Sets the keys and values after the mark in the dict below it.
    void setItems() { m_out += 'u'; }
    /// Pops a callable and an argument tuple and pushes the call.
    void reduce() { m_out += 'R'; }
    /// Pops a class and an argument tuple and pushes `cls.__new__(cls, *args)`.
    void newObject() { m_out += '\x81'; }
    /// Like `newObject`, with keyword arguments.
    void newObjectKeywords() { m_out += '\x92'; }
    /// Pops a state and sets it on the object below.
    void build() { m_out += 'b'; }
    /// Pops a persistent id and pushes its object.
    void persistent() { m_out += 'Q'; }
    /// Stores the top of the stack in the memo; returns the index for `get`.
    std::uint32_t put();
    /// Pushes an object from the memo.
    void get(std::uint32_t place);

    /// A sequence whose bytes are the same every time once its names are in the memo.
    struct Recurring {
        std::string bytes;
        int times = 0;
    };
    /// Writes a recurring sequence; `write` produces it.
    template<class Write> void again(Recurring& what, Write write) {
        if (!what.bytes.empty()) {
            m_out += what.bytes;
            return;
        }
        const std::size_t start = m_out.size();
        write();
        if (what.times++ > 0) what.bytes = m_out.substr(start);
    }

    /// Ends the pickle and returns it.
    std::string finish() { return std::move(m_out += '.'); }

private:
    void opcode(char code, std::uint64_t value, int bytes); ///< with its number, little-endian
    /// Memo indices of strings and globals written before.
    class Named {
    public:
        /// Returns the memo index of a name. A new name gets `next`.
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
        std::array<std::uint32_t, kRecent> m_recent{}; ///< slots of recent lookups
    };
    std::string m_out;
    std::uint32_t m_places = 0;
    Named m_names, m_globals;
};

} // namespace fx
