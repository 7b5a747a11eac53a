// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/modules/branch_watch.h"

namespace fx::engine {
namespace {

thread_local BranchWatch* watching = nullptr;

} // namespace

BranchWatch::BranchWatch() {
    if (!watching) watching = this;
}
BranchWatch::~BranchWatch() {
    if (watching == this) watching = nullptr;
}

BranchWatch* BranchWatch::current() { return watching; }

void BranchWatch::took(const void* of, std::size_t place, bool side) {
    Sides& sides = m_sides[{of, place}];
    (side ? sides.taken : sides.passed) = true;
}

bool BranchWatch::isOneSided(const void* of) const {
    for (auto each = m_sides.lower_bound({of, 0}); each != m_sides.end() && each->first.first == of; ++each)
        if (!each->second.taken || !each->second.passed) return true;
    return false;
}

} // namespace fx::engine
