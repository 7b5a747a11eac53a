// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/base/stack_room.h"
#include "core/diag/progress.h"

#include <cstdint>
#include <string_view>

namespace fx::trace {

/// The time and memory budget of a traced program, for statements, built-in functions and growing texts alike. Code
/// that loops over values or creates calls `charge` or `chargeBytes`; both check for a stop request about every half
/// millisecond of work.
///
/// A unit of work takes 20 to 100 ns: visiting an element or comparing a value. A statement costs kStatementUnits.
/// Bytes count all values ever created, because values live as long as their program.
///
/// Throws CannotFollow when the budget is exceeded and Error{Cancelled} after a stop request. Not thread-safe.
class Allowance {
public:
    /// The default limit, and the units per statement.
    static constexpr std::uint64_t kMostStatements = 5'000'000, kStatementUnits = 8;
    static constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30; ///< greatest limit of bytes

    /// Limits a program to `statements` statements without other work, and to a quarter of the free memory, at most
    /// kMostBytes.
    explicit Allowance(std::uint64_t statements = kMostStatements, Progress progress = {});

    /// Charges units of work.
    void work(std::uint64_t units) {
        if (units >= m_nextLook - m_work) look(units);
        else m_work += units;
    }
    /// Charges bytes; call it before allocating them.
    void bytes(std::uint64_t count) {
        if (count > m_bytesLeft) refuseBytes();
        m_bytesLeft -= count;
        if (count >= kLargeBytes) work(count / kLargeBytes); // small allocations cost no extra time
    }

private:
    static constexpr std::uint64_t kLookUnits = 8192, kLargeBytes = 64;
    void look(std::uint64_t units);
    [[noreturn]] void refuseBytes() const;

    std::uint64_t m_statements, m_mostBytes, m_bytesLeft;
    std::uint64_t m_work = 0, m_nextLook;
    Progress m_progress;
};

/// Returns true if a program was stopped because its budget was exceeded.
inline bool isSpent(const Message& why) { return why.is("trace.too_many_steps") || why.is("trace.too_much_memory"); }

namespace detail {
inline constinit thread_local Allowance* currentAllowance = nullptr;
}

/// Charges the work of this thread to `allowance` during its lifetime.
class Spending {
public:
    explicit Spending(Allowance& allowance) : m_before(detail::currentAllowance) {
        detail::currentAllowance = &allowance;
    }
    ~Spending() { detail::currentAllowance = m_before; }
    Spending(const Spending&) = delete;
    Spending& operator=(const Spending&) = delete;

private:
    Allowance* m_before;
};

/// Charges units of work to the program that this thread traces, if any.
inline void charge(std::uint64_t units) {
    if (detail::currentAllowance) detail::currentAllowance->work(units);
}
/// Charges bytes that are about to be allocated for a value.
inline void chargeBytes(std::uint64_t count) {
    if (detail::currentAllowance) detail::currentAllowance->bytes(count);
}

namespace detail {
inline constinit thread_local int valueLevels = 0;
[[noreturn]] void refuseDepth(std::string_view doing);
} // namespace detail

/// Throws Python's RecursionError if the stack of this thread is nearly used up; `doing` is as in Deeper.
inline void checkStack(std::string_view doing = {}) {
    if (isStackLow()) detail::refuseDepth(doing);
}

/// Counts one level of recursion into a value. Functions that recurse over the parts of a value create one first.
/// Throws Python's RecursionError, "maximum recursion depth exceeded" and `doing`, after kMost levels or if the stack
/// is nearly used up.
class Deeper {
public:
    static constexpr int kMost = 900; ///< greatest number of levels
    explicit Deeper(std::string_view doing = {}) {
        if (detail::valueLevels >= kMost || isStackLow()) detail::refuseDepth(doing);
        ++detail::valueLevels;
    }
    ~Deeper() { --detail::valueLevels; }
    Deeper(const Deeper&) = delete;
    Deeper& operator=(const Deeper&) = delete;
};

} // namespace fx::trace
