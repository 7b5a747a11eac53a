// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/allowance.h"

#include "core/base/memory.h"
#include "core/trace/value.h"

#include <algorithm>
#include <cstdlib>

namespace fx::trace {
namespace {
/// LANCET_SOURCE_MEMORY (MiB) sets another limit, as for lancet-reader.
std::uint64_t mostBytes() {
    if (const char* set = std::getenv("LANCET_SOURCE_MEMORY"))
        if (const std::uint64_t mebibytes = std::strtoull(set, nullptr, 10); mebibytes > 0) return mebibytes << 20;
    const std::uint64_t free = freeMemory();
    return free == 0 ? Allowance::kMostBytes : std::min(Allowance::kMostBytes, free / 4);
}
} // namespace

Allowance::Allowance(std::uint64_t statements, Progress progress)
    : m_statements(statements), m_mostBytes(mostBytes()), m_bytesLeft(m_mostBytes),
      m_nextLook(std::min(kLookUnits, statements * kStatementUnits)), m_progress(std::move(progress)) {}

void Allowance::look(std::uint64_t units) {
    const std::uint64_t most = m_statements * kStatementUnits;
    if (units > most - std::min(m_work, most)) {
        m_work = m_nextLook = most; // each further charge is refused, too
        throw CannotFollow(Message("trace.too_many_steps", {{"limit", m_statements}}));
    }
    m_work += units;
    m_nextLook = std::min(m_work + kLookUnits, most);
    m_progress.check();
}

void Allowance::refuseBytes() const {
    throw CannotFollow(Message("trace.too_much_memory", {{"limit", bytesInWords(m_mostBytes)}}));
}

void detail::refuseDepth(std::string_view doing) {
    throw PythonError("RecursionError: maximum recursion depth exceeded" + std::string(doing));
}

} // namespace fx::trace
