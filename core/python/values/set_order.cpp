// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/python/values/set_order.h"

#include <algorithm>

namespace fx::python {

/// Visits the slots that CPython looks at for a hash, in its order, until `visit(index)` returns true.
template<class Visit> std::size_t SetOrder::probe(std::int64_t hash, Visit visit) const {
    constexpr std::size_t kLinear = 9, kShift = 5;
    std::size_t perturb = static_cast<std::size_t>(hash), at = perturb & mask();
    for (;;) {
        trace::charge(1);
        const std::size_t last = at + (at + kLinear <= mask() ? kLinear : 0);
        for (std::size_t i = at; i <= last; ++i)
            if (visit(i)) return i;
        perturb >>= kShift;
        at = (at * 5 + 1 + perturb) & mask();
    }
}

Values SetOrder::keys() const {
    trace::charge(m_slots.size() / 16);
    Values out;
    for (const Slot& slot : m_slots)
        if (slot.key.isSet()) out.push_back(slot.key);
    return out;
}

Value SetOrder::next() {
    for (std::size_t passed = 0;; ++passed) {
        const Slot& slot = m_slots[m_finger & mask()];
        m_finger = (m_finger & mask()) + 1;
        if (!slot.key.isSet()) continue;
        trace::charge(passed / 16);
        return slot.key;
    }
}

void SetOrder::add(const Value& key) {
    const auto hash = m_isKnown ? constantHash(key) : std::nullopt;
    m_isKnown = hash.has_value();
    if (!hash) return m_slots.clear();
    std::optional<std::size_t> dummy; // the last one is used again
    const std::size_t free = probe(*hash, [&](std::size_t i) {
        if (m_slots[i].isRemoved) dummy = i;
        return !m_slots[i].isRemoved && !m_slots[i].key.isSet();
    });
    m_slots[dummy.value_or(free)] = {*hash, key, false};
    ++m_used;
    if (dummy) return;
    if (++m_filled * 5 >= mask() * 3) grow();
}

void SetOrder::remove(const Value& key) {
    const auto hash = m_isKnown ? constantHash(key) : std::nullopt;
    if (!hash) return;
    const std::size_t at = probe(*hash, [&](std::size_t i) {
        const Slot& slot = m_slots[i];
        return slot.key.isSet() ? slot.hash == *hash && isSameItem(slot.key, key) : !slot.isRemoved;
    });
    if (!m_slots[at].key.isSet()) return;
    m_slots[at] = {0, {}, true};
    --m_used;
}

void SetOrder::insertClean(std::int64_t hash, const Value& key) {
    m_slots[probe(hash, [&](std::size_t i) { return !m_slots[i].key.isSet(); })] = {hash, key, false};
}

void SetOrder::resize(std::size_t least) {
    std::size_t size = 8;
    while (size <= least) size *= 2;
    trace::chargeBytes(size * sizeof(Slot));
    const std::vector<Slot> before = std::exchange(m_slots, std::vector<Slot>(size));
    m_filled = m_used;
    for (const Slot& slot : before)
        if (slot.key.isSet()) insertClean(slot.hash, slot.key);
}

bool SetOrder::takeAll(const SetOrder& other) {
    if (!m_isKnown || !other.m_isKnown) return false;
    if (other.m_used == 0) return true;
    reserve(other.m_used);
    if (m_filled != 0) return false;
    m_filled = m_used = other.m_used;
    if (mask() == other.mask() && other.m_filled == other.m_used) {
        m_slots = other.m_slots;
        return true;
    }
    for (const Slot& slot : other.m_slots)
        if (slot.key.isSet()) insertClean(slot.hash, slot.key);
    return true;
}

void SetOrder::dropRemoved() {
    if (m_isKnown && m_filled - m_used > mask() / 4) grow();
}

void Set::add(const Value& key) {
    const std::size_t before = items.size();
    items.set(key, Value::none());
    if (items.size() != before) order.add(key);
}

bool Set::remove(const Value& key) {
    const Value gone = key;
    if (!items.erase(gone)) return false;
    order.remove(gone);
    return true;
}

Value Set::pop() {
    if (items.size() == 0) return {};
    const Value taken = order.isKnown() ? order.next() : keys()[0];
    remove(taken);
    return taken;
}

void Set::clear() {
    items.clear();
    order = {};
}

void Set::merge(const Set& other) {
    const Values more = other.keys();
    if (order.takeAll(other.order)) {
        for (const Value& key : more) items.set(key, Value::none());
        return;
    }
    for (const Value& key : more) add(key);
}

Values Set::keys() const {
    if (order.isKnown()) return order.keys();
    Values out;
    items.forEach([&](const Value& key, const Value&) { out.push_back(key); });
    return out;
}

namespace {
bool has(const Set& set, const Value& key) { return const_cast<Dict&>(set.items).find(key) != nullptr; }

void intersect(const Set& left, const Set& right, Set& result) {
    if (&left == &right) return result.merge(left);
    const Set &small = right.items.size() > left.items.size() ? left : right, &large = &small == &left ? right : left;
    for (const Value& key : small.keys())
        if (has(large, key)) result.add(key);
}

/// Removes members of `other` from the set.
void subtract(Set& set, const Set& other) {
    if (&set == &other) return set.clear();
    Set common;
    const bool isLarge = other.items.size() / 8 > set.items.size();
    if (isLarge) intersect(set, other, common);
    for (const Value& key : (isLarge ? common : other).keys()) set.remove(key);
    set.order.dropRemoved();
}

/// Adds members of `other` that the set lacks, and removes those that it has.
void toggle(Set& set, const Set& other) {
    if (&set == &other) return set.clear();
    for (const Value& key : other.keys())
        if (!set.remove(key)) set.add(key);
}
} // namespace

void combineSets(std::string_view op, const Set& left, const Set& right, Set& result) {
    if (op == "and_") return intersect(left, right, result);
    if (op == "xor") {
        result.merge(right);
        return toggle(result, left);
    }
    if (op == "sub" && left.items.size() / 4 <= right.items.size()) {
        for (const Value& key : left.keys())
            if (!has(right, key)) result.add(key);
        return;
    }
    result.merge(left);
    if (op == "sub") subtract(result, right);
    else if (&left != &right) result.merge(right);
}

void combineInPlace(std::string_view op, Set& set, const Set& other) {
    if (op == "sub") return subtract(set, other);
    if (op == "xor") return toggle(set, other);
    if (op == "or_") return &set == &other ? void() : set.merge(other);
    Set common;
    intersect(set, other, common);
    set.items.clear();
    set.order = common.order;
    for (const Value& key : common.keys()) set.items.set(key, Value::none());
}

} // namespace fx::python
