// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/base/cow_chunks.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace fx {

/// What a Namespace knows of a text: whether it is itself a name, and the last number used behind it, of any size.
class NameCounter {
public:
    bool used = false;
    std::optional<bool> isReserved; ///< once it was asked

    bool isCounted() const { return m_isCounted; }
    /// In decimal; empty if there is none.
    std::string digits() const;
    /// The number if it has no more than 18 digits, else nothing that a bit may stand for.
    std::uint64_t value() const { return m_large ? ~std::uint64_t{0} : m_value; }
    void count(std::string_view digits);
    void countFrom(std::uint64_t value) { m_isCounted = true, m_value = value, m_large.reset(); }
    /// One more; 1 if there was none.
    void increment();

private:
    bool m_isCounted = false;
    std::uint64_t m_value = 0;
    std::shared_ptr<const std::string> m_large; ///< what is no plain number of up to 18 digits
};

/// Sets of numbers below 2^38, one for each key, as bits. Copies share it like CowChunks.
class NumberBits {
public:
    static constexpr std::uint64_t kLimit = std::uint64_t{1} << 38;

    bool contains(std::uint32_t key, std::uint64_t number) const;
    void set(std::uint32_t key, std::uint64_t number, bool isIn);

    /// Calls `visit(key, first, bits)` for each 64 numbers from `first` on of which some are or were in, in any order.
    template<class Visit> void forEach(const Visit& visit) const {
        for (std::size_t i = 0; i < m_slots.size(); ++i)
            if (m_slots[i].key != 0) visit(m_slots[i].key - 1, std::uint64_t{m_slots[i].page} * 64, m_slots[i].bits);
    }
    /// The bits of the 64 numbers from `first` on.
    std::uint64_t bits(std::uint32_t key, std::uint64_t first) const;

private:
    struct Slot {
        std::uint32_t key = 0; ///< + 1, or 0 if empty
        std::uint32_t page = 0;
        std::uint64_t bits = 0;
    };
    std::size_t slotOf(std::uint32_t key, std::uint32_t page) const;
    void grow();

    CowChunks<Slot> m_slots; ///< the size is a power of two; at most half full
    std::size_t m_size = 0;
};

} // namespace fx
