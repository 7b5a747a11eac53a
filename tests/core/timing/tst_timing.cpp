// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/measure.h"
#include "core/timing/statistics.h"

#include <QTest>
#include <cmath>
#include <random>

using namespace fx::timing;

namespace {

/// A machine that one has to time on: what a run takes, and what happens to it meanwhile.
struct Machine {
    double logSigma = 0; ///< of each block
    double drift = 0;    ///< by how much all becomes slower in 10 s
    double spikes = 0;   ///< share of blocks that something interrupts
    double bursts = 0;   ///< slowdown while others work, which comes and goes every second or so
    std::uint64_t seed = 0;
};

/// Subjects on one machine: their time passes together.
std::vector<Subject> subjectsOn(const Machine& machine, const std::vector<double>& runMs) {
    struct State {
        Machine machine;
        std::mt19937_64 random;
        double nowMs = 0, burstEndMs = 0;
        bool burst = false;
    };
    auto state = std::make_shared<State>(State{machine, std::mt19937_64(machine.seed), 0, 0, false});
    std::vector<Subject> out;
    for (const double each : runMs)
        out.push_back([state, each](std::size_t runs) {
            State& s = *state;
            if (s.nowMs >= s.burstEndMs) {
                s.burst = !s.burst;
                s.burstEndMs = s.nowMs + std::exponential_distribution<double>(1 / 700.0)(s.random);
            }
            double ms = each * static_cast<double>(runs) *
                        std::exp(s.machine.logSigma * std::normal_distribution<double>()(s.random));
            ms *= 1 + s.machine.drift * s.nowMs / 10'000;
            if (s.burst) ms *= 1 + s.machine.bursts;
            if (std::uniform_real_distribution<double>()(s.random) < s.machine.spikes)
                ms += std::exponential_distribution<double>(1 / 20.0)(s.random);
            s.nowMs += ms;
            return ms;
        });
    return out;
}

void machines() {
    QTest::addColumn<double>("logSigma");
    QTest::addColumn<double>("drift");
    QTest::addColumn<double>("spikes");
    QTest::addColumn<double>("bursts");
    QTest::newRow("quiet") << 0.01 << 0.0 << 0.0 << 0.0;
    QTest::newRow("log-normal") << 0.06 << 0.0 << 0.0 << 0.0;
    QTest::newRow("drift") << 0.03 << 0.3 << 0.0 << 0.0;
    QTest::newRow("spikes") << 0.03 << 0.0 << 0.15 << 0.0;
    QTest::newRow("bursts") << 0.03 << 0.0 << 0.02 << 0.8;
}

Machine fetched() {
    QFETCH(double, logSigma);
    QFETCH(double, drift);
    QFETCH(double, spikes);
    QFETCH(double, bursts);
    return {logSigma, drift, spikes, bursts, 0};
}

} // namespace

class TestTiming : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void quantiles_areThoseOfNumpy() {
        QCOMPARE(quantile({4, 1, 3, 2}, 0.25), 1.75);
        QCOMPARE(median({4, 1, 3, 2}), 2.5);
        QCOMPARE(median({5, 1, 3}), 3.0);
        QCOMPARE(quantile({7}, 0.9), 7.0);
    }

    void compare_intervals_giveTheVerdictsOfTheManual_data() {
        QTest::addColumn<double>("factor");
        QTest::addColumn<double>("floor");
        QTest::addColumn<int>("verdict");
        QTest::newRow("equal") << 1.0 << 0.0 << int(Verdict::Same);
        QTest::newRow("inside 2 %") << 1.015 << 0.0 << int(Verdict::Same);
        QTest::newRow("slower") << 1.03 << 0.005 << int(Verdict::Slower);
        QTest::newRow("faster") << 0.5 << 0.005 << int(Verdict::Faster);
        QTest::newRow("under the floor") << 1.03 << 0.05 << int(Verdict::TooNoisy);
    }
    void compare_intervals_giveTheVerdictsOfTheManual() {
        QFETCH(double, factor);
        QFETCH(double, floor);
        QFETCH(int, verdict);
        std::vector<double> a, b;
        for (int i = 0; i < 40; ++i)
            a.push_back(10 + 0.01 * (i % 5)), b.push_back(a.back() * factor * (1 + 0.0005 * (i % 3 - 1)));
        const RatioTiming got = compare(a, b, floor);
        QCOMPARE(int(got.verdict), verdict);
        QVERIFY(std::abs(got.ratio - factor) < 0.002);
        QVERIFY(got.ci95.low <= got.ratio);
        QVERIFY(got.ratio <= got.ci95.high);
        QCOMPARE(got.why.text().empty(), got.verdict != Verdict::TooNoisy);
        QVERIFY(compare(a, b, floor).ci95 == got.ci95);
    }

    void compare_speedOfTheMachineChanges_ratioIsInsideItsInterval() {
        std::vector<double> a, b; // twice as slow from the middle on, which falls between the two
        for (int i = 0; i < 41; ++i) {
            const double slow = i < 20 ? 1 : 2, wave = 1 + 0.001 * (i % 7 - 3);
            a.push_back(10 * slow), b.push_back(10 * (i == 20 ? 1 : slow) * wave);
        }
        const RatioTiming got = compare(a, b, 0);
        QVERIFY(std::abs(got.ratio - 1) < 0.004);
        QVERIFY(got.ci95.low < got.ratio);
        QVERIFY(got.ratio < got.ci95.high);
    }

    void mayReplace_needsRoundsAnIntervalAndMoreThanNoise_data() {
        QTest::addColumn<double>("ratio");
        QTest::addColumn<double>("high");
        QTest::addColumn<int>("rounds");
        QTest::addColumn<double>("floor");
        QTest::addColumn<bool>("may");
        QTest::newRow("faster") << 0.5 << 0.6 << 8 << 0.02 << true;
        QTest::newRow("may be a little slower") << 0.95 << 1.01 << 30 << 0.02 << true;
        QTest::newRow("may be slower") << 0.7 << 1.02 << 30 << 0.02 << false;
        QTest::newRow("too few rounds") << 0.5 << 0.5 << 7 << 0.0 << false;
        QTest::newRow("less than noise") << 0.95 << 0.97 << 30 << 0.06 << false;
        QTest::newRow("slower") << 1.001 << 1.005 << 30 << 0.0 << false;
    }
    void mayReplace_needsRoundsAnIntervalAndMoreThanNoise() {
        QFETCH(double, ratio);
        QFETCH(double, high);
        QFETCH(int, rounds);
        QFETCH(double, floor);
        RatioTiming timing;
        timing.ratio = ratio, timing.ci95 = {ratio - 0.01, high};
        QTEST(mayReplace(timing, static_cast<std::size_t>(rounds), floor), "may");
    }

    void compare_fewRounds_areTooNoisy() {
        const std::vector<double> a{1, 1, 1, 1}, b{2, 2, 2, 2};
        QCOMPARE(compare(a, b, 0).verdict, Verdict::TooNoisy);
    }

    void measure_aModelAgainstItself_isFalseInOneOfTwenty_data() { machines(); }
    void measure_aModelAgainstItself_isFalseInOneOfTwenty() {
        Machine machine = fetched();
        int wrong = 0, noisy = 0;
        for (int i = 0; i < 200; ++i) {
            machine.seed = 1000 + static_cast<std::uint64_t>(i);
            const Verdict verdict =
                measure(subjectsOn(machine, {2.5, 2.5}), {.seconds = 10, .seed = machine.seed}).ratios[0].verdict;
            wrong += verdict == Verdict::Faster || verdict == Verdict::Slower;
            noisy += verdict == Verdict::TooNoisy;
        }
        qInfo("false verdicts %d of 200, too noisy %d", wrong, noisy);
        QVERIFY(wrong <= 10);
        QVERIFY(noisy <= 100);
    }

    void measure_fivePercentSlower_isFound_data() { machines(); }
    void measure_fivePercentSlower_isFound() {
        Machine machine = fetched();
        int found = 0;
        for (int i = 0; i < 100; ++i) {
            machine.seed = 5000 + static_cast<std::uint64_t>(i);
            found += measure(subjectsOn(machine, {2.5, 2.5 * 1.05}), {.seconds = 10, .seed = machine.seed})
                         .ratios[0]
                         .verdict == Verdict::Slower;
        }
        qInfo("found %d of 100", found);
        QVERIFY(found >= 95);
    }

    void measure_blocks_lastTenMilliseconds() {
        std::size_t most = 0;
        const Subject fast = [&](std::size_t runs) {
            return most = std::max(most, runs), 0.002 * static_cast<double>(runs);
        };
        const SessionResult result = measure({fast}, {.seconds = 1});
        QCOMPARE(result.variants[0].runsPerBlock, 5000u);
        QVERIFY(result.ratios.empty());
        QCOMPARE(result.variants[0].samplesMs.size(), result.rounds);
        QVERIFY(result.variants[0].settled);
    }

    void measure_becomesFaster_waitsForIt() {
        double ms = 40; // as long as a cache fills
        const Subject warming = [&](std::size_t runs) {
            return ms = std::max(12.0, ms * 0.93), ms * static_cast<double>(runs);
        };
        const SessionResult result = measure({warming}, {.seconds = 10});
        QCOMPARE(result.variants[0].medianMs, 12.0);
        QVERIFY(result.variants[0].coldMs > 30);
    }

    void measure_slowModels_giveOneRoundAtLeast() {
        const SessionResult result = measure({[](std::size_t runs) { return 60'000.0 * static_cast<double>(runs); },
                                              [](std::size_t) { return 70'000.0; }},
                                             {.seconds = 10});
        QVERIFY(result.rounds >= 1);
        QCOMPARE(result.ratios[0].verdict, Verdict::TooNoisy);
        QVERIFY(result.ratios[0].why.is("timing.few_rounds"));
        QVERIFY(!result.variants[0].settled);
    }

    void measure_fewestRounds_areTakenBeyondTheTime_untilTheLimit() {
        const auto taking = [](double ms) {
            return Subject([ms](std::size_t runs) { return ms * static_cast<double>(runs); });
        };
        const auto roundsOf = [&](double mostSeconds) {
            SessionOptions options;
            options.seconds = 1, options.fewestRounds = kFewestRounds, options.mostSeconds = mostSeconds;
            return measure({taking(500), taking(400)}, options);
        };
        const SessionResult result = roundsOf(60);
        QCOMPARE(result.rounds, kFewestRounds);
        QCOMPARE(result.ratios[0].verdict, Verdict::Faster);
        QVERIFY(roundsOf(5).rounds < kFewestRounds);
        QVERIFY(roundsOf(5).ratios[0].why.is("timing.few_rounds"));
    }

    void measure_stopped_throws() {
        std::stop_source stop;
        int left = 5;
        const Subject subject = [&](std::size_t runs) {
            return --left == 0 ? stop.request_stop(), 1.0 : static_cast<double>(runs);
        };
        QVERIFY_THROWS_EXCEPTION(fx::Error, measure({subject}, {}, fx::Progress(stop.get_token())));
        QVERIFY(left >= 0);
    }
};

QTEST_APPLESS_MAIN(TestTiming)
#include "tst_timing.moc"
