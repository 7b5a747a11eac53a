// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/timing/machine_load.h"
#include "core/timing/operator_profile.h"
#include "core/timing/timing_text.h"

#include "core/json/json_document.h"

#include <QTest>

using namespace fx::timing;

class TestTimingText : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void durations_haveThreeDigits_data() {
        QTest::addColumn<double>("ms");
        QTest::addColumn<QString>("text");
        QTest::newRow("ns") << 0.000'123 << "123 ns";
        QTest::newRow("us") << 0.0123 << "12.3 µs";
        QTest::newRow("ms") << 1.2345 << "1.23 ms";
        QTest::newRow("s") << 61'000.0 << "61.0 s";
        QTest::newRow("rounded up") << 9.996 << "10.0 ms";
    }
    void durations_haveThreeDigits() {
        QFETCH(double, ms);
        QTEST(QString::fromStdString(durationText(ms)), "text");
    }

    void verdicts_arePlain() {
        QCOMPARE(verdictText({0, 1, 1.123, {1.115, 1.131}, Verdict::Slower, {}}),
                 "12.3 % slower (ratio 1.123, 95 % interval 1.115 to 1.131)");
        QCOMPARE(verdictText({0, 1, 2.5, {2.4, 2.6}, Verdict::Slower, {}}),
                 "2.50 times as slow (ratio 2.500, 95 % interval 2.400 to 2.600)");
        QVERIFY(
            verdictText({0, 1, 1.01, {0.9, 1.1}, Verdict::TooNoisy, fx::Message("timing.noise", {{"share", "2 %"}})})
                .ends_with(": a model differs from itself by up to 2 % here"));
    }

    void text_showsTheLongestNodesAndTheRest() {
        BenchResult result;
        result.variants.push_back({"a.pt", "", 1, 1, 1, 1, 9, 10, 0, true, {1, 1}});
        NodeReport report{0, 1, 1, 20, 1, {}, {}};
        report.nodes.push_back({"short", "call_function", "torch.relu", 0.1, 0, 0.1, 1e6, 1e6, {}, false, {}, 0, {}});
        report.nodes.push_back({"long",
                                "call_module",
                                "torch.nn.modules.conv.Conv2d",
                                0.9,
                                0,
                                0.9,
                                1e9,
                                1e6,
                                0.5,
                                false,
                                {{"oneDNN", "convolution", "brg_conv_fwd:avx2", {}, {}}},
                                1,
                                "channels_last"});
        result.reports.push_back(report);
        const std::string text = toText(result, 1);
        QVERIFY(text.find("long  Conv2d") != text.npos);
        QVERIFY(text.find("convolution brg_conv_fwd:avx2") != text.npos);
        QVERIFY(text.find("and 1 more node, 10.0 %") != text.npos);
        QVERIFY(text.find("1 reorder between") != text.npos);
        QVERIFY(text.find("the median run takes") == text.npos);
        result.variants[0].medianMs = 1.5;
        QVERIFY(toText(result, 1).find("the median run takes 500 µs more than its nodes together") != text.npos);
    }

    void procStat_isParsed() {
        ProcessorTime time;
        QVERIFY(parseProcStat("cpu  100 20 30 4000 50 6 4 40 0 0", 100, time));
        QCOMPARE(time.busy, 1.6);
        QCOMPARE(time.steal, 0.4);
        QVERIFY(!parseProcStat("", 100, time));
        QVERIFY(!parseProcStat("intr 1 2 3 4 5 6 7 8", 100, time));
    }

    void load_ofOthers_isWithoutOurOwn() {
        using namespace std::chrono_literals;
        Environment machine;
        machine.processors = 2;
        const auto start = std::chrono::steady_clock::now();
        noteLoad(machine, {10, 0, 1, start, true}, {25, 1, 9, start + 10s, true});
        QCOMPARE(machine.otherLoad, 0.7);
        QCOMPARE(machine.stealShare, 0.05);
        QCOMPARE(doubts(machine).size(), 2u);
        noteLoad(machine, {10, 0, 1, start, true}, {18, 0, 9, start + 10s, true});
        QCOMPARE(machine.otherLoad, 0.0);
        QVERIFY(doubts(machine).empty());
    }

    void profile_becomesRules() {
        OperatorProfile profile;
        profile.operators.push_back({"conv2d",
                                     {"torch.conv2d"},
                                     {},
                                     {"torch.nn.Conv2d"},
                                     {{"torch.float32", "contiguous", false, "MKL sgemm"},
                                      {"torch.float32", "channels_last", true, "convolution jit"},
                                      {"torch.float16", "contiguous", false, "ATen's own kernel"}}});
        profile.operators.push_back(
            {"relu", {"torch.relu"}, {"relu"}, {}, {{"torch.float32", "contiguous", false, "ATen's own kernel"}}});
        const auto document = fx::JsonDocument::parse(toJson(profile));
        const fx::JsonValue rules = document->root().at("rules");
        QCOMPARE(rules.at("supported").size(), 2u);
        QVERIFY(!(*rules.at("supported").begin()).find("dtype").exists());
        QCOMPARE(rules.at("unsupported").size(), 4u);
        const fx::JsonValue first = *rules.at("unsupported").begin();
        QCOMPARE((*first.at("dtype").begin()).asText(), "torch.float16");
        QCOMPARE(first.at("reason").asText(),
                 "onednn does not run conv2d on this machine: ATen's own kernel ran instead for torch.float16");
    }
};

QTEST_APPLESS_MAIN(TestTimingText)
#include "tst_timing_text.moc"
