// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/base/cow_chunks.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace fx {

/// The state of a text in a Namespace: whether it is a used name, and the last number appended to it, of any size.
class NameCounter {
public:
    bool used = false;              ///< the text is a used name
    std::optional<bool> isReserved; ///< computed on first use

    /// True if a number was ever assigned.
    bool isCounted() const { return m_isCounted; }
    /// The last number in decimal; empty if none exists.
    std::string digits() const;
    /// The number if it has at most 18 digits, else a value above NumberBits::kLimit.
    std::uint64_t value() const { return m_large ? ~std::uint64_t{0} : m_value; }
    /// Sets the last number from decimal digits; empty digits clear it.
    void count(std::string_view digits);
    /// Sets the last number.
    void countFrom(std::uint64_t value) { m_isCounted = true, m_value = value, m_large.reset(); }
    /// Increments the last number; it becomes 1 if there was none.
    void increment();

private:
    bool m_isCounted = false;
    std::uint64_t m_value = 0;
    std::shared_ptr<const std::string> m_large; ///< numbers of more than 18 digits
};

/// Sets of numbers below 2^38, one set per key, as bitmaps. Copies share memory as in CowChunks.
class NumberBits {
public:
    static constexpr std::uint64_t kLimit = std::uint64_t{1} << 38; ///< numbers in the sets are smaller

    /// Returns true if `number` is in the set of `key`.
    bool contains(std::uint32_t key, std::uint64_t number) const;
    /// Adds `number` to the set of `key`, or removes it.
    void set(std::uint32_t key, std::uint64_t number, bool isIn);

    /// Calls `visit(key, first, bits)` for each aligned block of 64 numbers from `first` that has or had members, in
    /// any order.
    template<class Visit> void forEach(const Visit& visit) const {
        for (std::size_t i = 0; i < m_slots.size(); ++i)
            if (m_slots[i].key != 0) visit(m_slots[i].key - 1, std::uint64_t{m_slots[i].page} * 64, m_slots[i].bits);
    }
    /// Returns the bits of the 64 numbers from `first`, a multiple of 64.
    std::uint64_t bits(std::uint32_t key, std::uint64_t first) const;

private:
    struct Slot {
        std::uint32_t key = 0; ///< key + 1, or 0 if empty
        std::uint32_t page = 0;
        std::uint64_t bits = 0;
    };
    std::size_t slotOf(std::uint32_t key, std::uint32_t page) const;
    void grow();

    CowChunks<Slot> m_slots; ///< the size is a power of two; at most half full
    std::size_t m_size = 0;
};

} // namespace fx
