// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/measure.h"

#include "core/timing/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace fx::timing {
namespace {

constexpr double kWarmupShare = 0.2; ///< of the time
constexpr double kStable = 0.03;     ///< two halves of the last blocks agree within this
constexpr std::size_t kWarmupBlocks = 6;
constexpr std::size_t kMostRunsPerBlock = 1'000'000;
constexpr std::size_t kRoundsBeforeEnough = 40;
constexpr std::size_t kRoundsBetweenLooks = 20;

/// How many runs of `ms` make a block.
std::size_t runsFor(double ms, double blockMs) {
    return std::clamp<std::size_t>(static_cast<std::size_t>(std::ceil(blockMs / std::max(ms, 1e-6))), 1,
                                   kMostRunsPerBlock);
}

class Session {
public:
    Session(const std::vector<Subject>& subjects, const SessionOptions& options, const Progress& progress)
        : m_subjects(subjects), m_options(options), m_progress(progress), m_random(options.seed) {
        m_result.variants.resize(subjects.size());
    }

    SessionResult run() {
        for (std::size_t i = 0; i < m_subjects.size(); ++i) {
            m_progress.check();
            m_progress.report("first run", 0);
            m_result.variants[i].coldMs = m_subjects[i](1);
        }
        for (std::size_t i = 0; i < m_subjects.size(); ++i) warmUp(i);
        m_leftMs = std::max(m_options.seconds * 1000 - m_spentMs, 0.0);
        m_mostLeftMs = std::max(m_options.mostSeconds * 1000 - m_spentMs, m_leftMs);
        m_spentMs = 0;
        while (goesOn()) {
            round();
            m_progress.report("timing", m_options.workShare *
                                            std::min(0.99, std::max(std::min(m_spentMs / std::max(m_leftMs, 1e-9),
                                                                             shareOf(m_options.fewestRounds)),
                                                                    shareOf(m_options.mostRounds))));
        }
        evaluate();
        for (VariantTiming& variant : m_result.variants) summarize(variant);
        return std::move(m_result);
    }

private:
    bool goesOn() {
        if (m_result.rounds == 0) return true;
        const bool isInTime =
            m_spentMs < m_leftMs || (m_result.rounds < m_options.fewestRounds && m_spentMs < m_mostLeftMs);
        return isInTime && m_result.rounds < m_options.mostRounds && !isEnough();
    }
    double shareOf(std::size_t rounds) const {
        return static_cast<double>(m_result.rounds) / static_cast<double>(std::max<std::size_t>(rounds, 1));
    }

    double block(std::size_t subject, std::size_t runs) {
        m_progress.check();
        const double ms = m_subjects[subject](runs);
        m_spentMs += ms;
        return ms / static_cast<double>(runs);
    }

    void warmUp(std::size_t subject) {
        VariantTiming& variant = m_result.variants[subject];
        const double end = m_options.seconds * 1000 * kWarmupShare * static_cast<double>(subject + 1) /
                           static_cast<double>(m_subjects.size());
        std::vector<double> last;
        std::size_t runs = 1;
        double fastest = HUGE_VAL; // an interrupted run must not make blocks short
        variant.settled = false;
        do {
            const double ms = block(subject, runs);
            variant.warmupRuns += runs;
            last.push_back(ms);
            if (last.size() > kWarmupBlocks) last.erase(last.begin());
            if (runs == 1 && ms * 2 < m_options.blockMs) last.clear();
            fastest = std::min(fastest, ms);
            runs = runsFor(fastest, m_options.blockMs);
            m_progress.report("warming up", 0);
            if (last.size() == kWarmupBlocks) variant.settled = agrees(last);
        } while (!variant.settled && m_spentMs < end);
        variant.runsPerBlock = runs;
    }

    /// The later half of the blocks is as fast as the earlier one.
    static bool agrees(const std::vector<double>& blocks) {
        const auto half = blocks.begin() + static_cast<std::ptrdiff_t>(blocks.size() / 2);
        return std::abs(median({half, blocks.end()}) / median({blocks.begin(), half}) - 1) < kStable;
    }

    void round() {
        std::vector<std::size_t> order(m_subjects.size() + 1); // the last one is the control
        std::iota(order.begin(), order.end(), std::size_t{0});
        for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[m_random() % i]);
        std::vector<double> times(order.size());
        for (const std::size_t each : order) {
            const std::size_t subject = each == m_subjects.size() ? 0 : each;
            times[each] = block(subject, m_result.variants[subject].runsPerBlock);
        }
        for (std::size_t i = 0; i < m_subjects.size(); ++i) m_result.variants[i].samplesMs.push_back(times[i]);
        m_control.push_back(times.back());
        ++m_result.rounds;
    }

    void evaluate() {
        const auto& first = m_result.variants.front().samplesMs;
        const Interval control = pairedRatioInterval(first, m_control);
        m_result.noiseFloor = std::max(std::abs(control.low - 1), std::abs(control.high - 1));
        m_result.ratios.clear();
        for (std::size_t i = 1; i < m_subjects.size(); ++i) {
            m_result.ratios.push_back(compare(first, m_result.variants[i].samplesMs, m_result.noiseFloor));
            m_result.ratios.back().b = i;
        }
    }

    /// Ends by how narrow the intervals are, never by what they say: that would find differences by looking often.
    bool isEnough() {
        if (m_options.enough <= 0 || m_result.rounds < kRoundsBeforeEnough ||
            m_result.rounds % kRoundsBetweenLooks != 0)
            return false;
        evaluate();
        return m_result.noiseFloor <= m_options.enough &&
               std::all_of(m_result.ratios.begin(), m_result.ratios.end(), [&](const RatioTiming& ratio) {
                   return ratio.ci95.high - ratio.ci95.low <= 2 * m_options.enough;
               });
    }

    const std::vector<Subject>& m_subjects;
    const SessionOptions& m_options;
    const Progress& m_progress;
    std::mt19937_64 m_random;
    SessionResult m_result;
    std::vector<double> m_control;
    double m_spentMs = 0;
    double m_leftMs = 0, m_mostLeftMs = 0; ///< for rounds
};

} // namespace

SessionResult measure(const std::vector<Subject>& subjects, const SessionOptions& options, const Progress& progress) {
    return Session(subjects, options, progress).run();
}

} // namespace fx::timing
