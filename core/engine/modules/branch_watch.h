// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <limits>
#include <map>
#include <memory>
#include <utility>

namespace fx::engine {

/// Records the sides that branches, loops and comparisons take in runs on this thread during its lifetime: in
/// TorchScript blocks and files that run as a whole (keyed by their module), and in torch.cond and while_loop (keyed
/// by their node). Without an instance, nothing is recorded and nothing costs time. At most one per thread.
class BranchWatch {
public:
    BranchWatch();
    ~BranchWatch();
    BranchWatch(const BranchWatch&) = delete;
    BranchWatch& operator=(const BranchWatch&) = delete;

    /// The instance of this thread; null if none exists.
    static BranchWatch* current();
    /// Records that the decision `place` of `of` exists.
    void expect(const void* of, std::size_t place) { m_sides[{of, place}]; }
    /// Records the side that a decision takes.
    void took(const void* of, std::size_t place, bool side);
    /// True if a recorded decision of `of` has not taken both sides.
    bool isOneSided(const void* of) const;
    /// Makes runs fail whose loops exceed a number of rounds, since trials may draw any loop count.
    void limitRounds() { m_mostRounds = kMostRounds; }
    /// The limit on rounds of a loop.
    std::size_t mostRounds() const { return m_mostRounds; }
    /// A slot for data that the recorder of `of` caches during the watch.
    std::shared_ptr<void>& prepared(const void* of) { return m_prepared[of]; }

private:
    static constexpr std::size_t kMostRounds = 1 << 16;
    struct Sides {
        bool taken = false, passed = false;
    };
    std::map<std::pair<const void*, std::size_t>, Sides> m_sides;
    std::map<const void*, std::shared_ptr<void>> m_prepared;
    std::size_t m_mostRounds = std::numeric_limits<std::size_t>::max();
};

} // namespace fx::engine
