// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <cstddef>
#include <limits>
#include <map>
#include <memory>
#include <utility>

namespace fx::engine {

/// Notes which sides branches, loops and comparisons take in the runs of this thread while it is alive: of blocks of
/// TorchScript and of files that run as a whole (by their module), of torch.cond and while_loop (by their node).
/// Without one, nothing is noted and nothing costs anything. One at a time.
class BranchWatch {
public:
    BranchWatch();
    ~BranchWatch();
    BranchWatch(const BranchWatch&) = delete;
    BranchWatch& operator=(const BranchWatch&) = delete;

    /// Null when nobody watches.
    static BranchWatch* current();
    /// The decision `place` of something: it is there, and it took a side.
    void expect(const void* of, std::size_t place) { m_sides[{of, place}]; }
    void took(const void* of, std::size_t place, bool side);
    /// Whether a decision was met, or was there to be met, and did not take both sides.
    bool isOneSided(const void* of) const;
    /// From now on, a run fails whose loops go through too many rounds: numbers in trials may be anything.
    void limitRounds() { m_mostRounds = kMostRounds; }
    std::size_t mostRounds() const { return m_mostRounds; }
    /// What whoever notes keeps for something while it is watched.
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
