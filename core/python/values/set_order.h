// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/python/values/object.h"

namespace fx::python {

/// The hash of a tuple with items of these hashes, as CPython computes it.
std::int64_t hashOfItems(const std::vector<std::int64_t>& hashes);
/// The hash of a number, or of a tuple of numbers, as CPython computes it; nullopt for other values, whose hashes
/// differ from run to run.
std::optional<std::int64_t> constantHash(const Value& value);

/// A set of numbers in the order in which CPython 3.11 iterates over it: its table, with open addressing and dummies in
/// the place of removed members (Objects/setobject.c). A set of other values is in no order that a program could rely
/// on; Lancet keeps the order of insertion then.
class SetOrder {
public:
    /// True while all members had a constant hash.
    bool isKnown() const { return m_isKnown; }
    /// The members in order.
    Values keys() const;
    /// Returns the member that `pop` removes next; the search continues after the last one. The set must not be empty.
    Value next();
    /// Makes room for so many more members, as CPython does before it adds the keys of a dict.
    void reserve(std::size_t more) {
        if (m_isKnown && (m_filled + more) * 5 >= mask() * 3) resize((m_used + more) * 2);
    }
    /// Adds a member, which the set does not have.
    void add(const Value& key);
    /// Removes a member, which the set has.
    void remove(const Value& key);
    /// Makes room for the members of `other` and takes them over if this set is empty. Returns false if the caller
    /// must add them one by one.
    bool takeAll(const SetOrder& other);
    /// Rebuilds the table if it holds many dummies.
    void dropRemoved();

private:
    struct Slot {
        std::int64_t hash = 0;
        Value key;              ///< unset in a free place
        bool isRemoved = false; ///< a dummy
    };
    std::size_t mask() const { return m_slots.size() - 1; }
    template<class Visit> std::size_t probe(std::int64_t hash, Visit visit) const;
    void insertClean(std::int64_t hash, const Value& key);
    void resize(std::size_t least);
    void grow() { resize(m_used > 50'000 ? m_used * 2 : m_used * 4); }

    std::vector<Slot> m_slots = std::vector<Slot>(8);
    std::size_t m_used = 0, m_filled = 0; ///< `m_filled` counts dummies, too
    std::size_t m_finger = 0;             ///< where `next` begins
    bool m_isKnown = true;
};

/// A Python set or frozenset.
struct Set : Object {
    Dict items; ///< the members, in order of insertion
    bool isFrozen = false;
    SetOrder order;

    /// Adds a member unless the set has it.
    void add(const Value& key);
    /// Returns false if the set lacks the member.
    bool remove(const Value& key);
    /// Removes a member and returns it; unset if there is no member.
    Value pop();
    void clear();
    /// Adds the members of another set, `set.update(other)`.
    void merge(const Set& other);
    /// The members in the order of iteration.
    Values keys() const;
};

/// True for the operators of `combineSets`.
inline bool isSetOperator(std::string_view op) { return op == "or_" || op == "and_" || op == "sub" || op == "xor"; }
/// The operators of sets, with results in CPython's order: "or_", "and_", "sub", "xor". `result` is empty.
void combineSets(std::string_view op, const Set& left, const Set& right, Set& result);
/// The operators `|=`, `&=`, `-=` and `^=`.
void combineInPlace(std::string_view op, Set& set, const Set& other);

} // namespace fx::python
