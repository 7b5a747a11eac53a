// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/name_numbers.h"

#include <charconv>
#include <utility>

namespace fx {
namespace {
constexpr std::uint64_t kSmallLimit = 1'000'000'000'000'000'000; ///< 18 digits

/// The decimal number `digits` plus one.
std::string incremented(std::string digits) {
    for (std::size_t i = digits.size(); i-- > 0;) {
        if (digits[i] != '9') {
            ++digits[i];
            return digits;
        }
        digits[i] = '0';
    }
    return "1" + digits;
}
} // namespace

std::string NameCounter::digits() const {
    if (!m_isCounted) return {};
    return m_large ? *m_large : std::to_string(m_value);
}

void NameCounter::count(std::string_view digits) {
    m_isCounted = !digits.empty();
    m_large.reset();
    m_value = 0;
    const bool isPlain = digits.size() <= 18 && (digits.size() < 2 || digits[0] != '0');
    if (isPlain) std::from_chars(digits.data(), digits.data() + digits.size(), m_value);
    else m_large = std::make_shared<const std::string>(digits);
}

void NameCounter::increment() {
    m_isCounted = true;
    if (m_large) m_large = std::make_shared<const std::string>(incremented(*m_large));
    else if (++m_value == kSmallLimit) m_large = std::make_shared<const std::string>(std::to_string(m_value));
}

bool NumberBits::contains(std::uint32_t key, std::uint64_t number) const {
    return bits(key, number & ~std::uint64_t{63}) >> (number & 63) & 1;
}

std::uint64_t NumberBits::bits(std::uint32_t key, std::uint64_t first) const {
    return m_size == 0 ? 0 : m_slots[slotOf(key, static_cast<std::uint32_t>(first / 64))].bits;
}

void NumberBits::set(std::uint32_t key, std::uint64_t number, bool isIn) {
    if (2 * (m_size + 1) > m_slots.size()) grow();
    const auto page = static_cast<std::uint32_t>(number / 64);
    Slot& slot = m_slots.mut(slotOf(key, page));
    m_size += slot.key == 0;
    slot.key = key + 1;
    slot.page = page;
    const std::uint64_t bit = std::uint64_t{1} << (number & 63);
    slot.bits = isIn ? slot.bits | bit : slot.bits & ~bit;
}

std::size_t NumberBits::slotOf(std::uint32_t key, std::uint32_t page) const {
    const std::size_t mask = m_slots.size() - 1;
    const std::uint64_t hash = (std::uint64_t{key} << 32 | page) * 0x9E3779B97F4A7C15ull;
    for (std::size_t at = hash >> 32 & mask;; at = (at + 1) & mask)
        if (m_slots[at].key == 0 || (m_slots[at].key == key + 1 && m_slots[at].page == page)) return at;
}

void NumberBits::grow() {
    const CowChunks<Slot> old = std::exchange(m_slots, {});
    const std::size_t wanted = old.size() == 0 ? 16 : 2 * old.size();
    while (m_slots.size() < wanted) m_slots.grow();
    for (std::size_t i = 0; i < old.size(); ++i)
        if (old[i].key != 0) m_slots.mut(slotOf(old[i].key - 1, old[i].page)) = old[i];
}

} // namespace fx
