// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/json/json_document.h"
#include "core/timing/timing_json.h"
#include "ui/timing/curve_chart.h"
#include "ui/timing/sweep_text.h"
#include "ui/timing/timing_html.h"

#include <QTest>
#include <QTextDocument>

using namespace ui;
using fx::timing::BenchResult;
using fx::timing::Verdict;

/// What is said of results that were made up.
class TestTimingHtml : public QObject {
    Q_OBJECT

    static BenchResult result(std::size_t rounds, Verdict verdict = Verdict::Slower) {
        BenchResult out;
        for (const char* name : {"original", "modified"}) {
            fx::timing::VariantTiming variant;
            variant.model = name, variant.medianMs = 20, variant.q1Ms = 19, variant.q3Ms = 22, variant.minMs = 18;
            variant.samplesMs.assign(rounds, 20);
            out.variants.push_back(variant);
        }
        out.ratios.push_back({0, 1, 1.432, {1.432, 1.432}, verdict, {}});
        if (verdict == Verdict::TooNoisy)
            out.ratios.back().why = fx::Message("timing.other_load", {{"busy", "1.5"}, {"processors", 2}});
        out.rounds = rounds;
        return out;
    }
    static std::vector<SweepPoint> sweep() {
        SweepPoint one, two;
        one.batch = 1, one.result = result(9);
        two.batch = 8, two.result = result(9, Verdict::TooNoisy);
        return {one, two};
    }

private Q_SLOTS:
    void fewRounds_noIntervalNoVerdict() {
        const BenchResult few = result(2), enough = result(3);
        QCOMPARE(timingVerdictOf(few, few.ratios[0]).word, QStringLiteral("too few rounds"));
        QCOMPARE(timingVerdictOf(enough, enough.ratios[0]).word, QStringLiteral("slower"));
        QVERIFY(!timingHtml(few).contains(QStringLiteral("1.432")));
        QVERIFY(!timingVerdictOf(few, few.ratios[0]).detail.contains(QStringLiteral("1.432")));
        QVERIFY(timingHtml(few).contains(QStringLiteral("'>—</td>")));
        QVERIFY(!timingHtml(few).contains(QStringLiteral("is slower")));
        QVERIFY(timingHtml(enough).contains(QStringLiteral("1.432 to 1.432")));
    }

    void narrowPanel_scrollsNothing() {
        constexpr int kRoom = 230; // beside the nodes, in a window of 1280 pixels
        QTextDocument page;
        page.setHtml(timingHtml(result(9)));
        page.setTextWidth(kRoom);
        QVERIFY2(page.size().width() <= kRoom, qPrintable(QString::number(page.size().width())));
    }

    void nodes_nameTheirDenominator() {
        BenchResult one = result(9);
        fx::timing::NodeReport report;
        report.variant = 1, report.wholeMs = 19.3, report.sumMs = 22.3;
        one.reports.push_back(report);
        QVERIFY2(timingHtml(one).contains(QStringLiteral("22.3\u00a0ms in total, 115.5\u00a0% of the 19.3\u00a0ms that "
                                                         "the same runs take without per-node timing")),
                 qPrintable(timingHtml(one)));
    }

    void nodes_thatDoNotAddUpToTheMedian_areExplained() {
        BenchResult one = result(9);
        fx::timing::NodeReport report;
        report.variant = 1, report.wholeMs = 19.8, report.sumMs = 19.8;
        one.reports = {report};
        QVERIFY(!timingHtml(one).contains(QStringLiteral("median run takes")));
        one.reports[0].sumMs = one.reports[0].wholeMs = 15;
        QVERIFY2(
            timingHtml(one).contains(QStringLiteral("The median run takes 5.00\u00a0ms more than its nodes together")),
            qPrintable(timingHtml(one)));
    }

    void warnings_areSentences() {
        BenchResult one = result(9);
        one.warnings.push_back(fx::Message("timing.other_load", {{"busy", "1.5"}, {"processors", 2}}));
        const QString text = QString::fromStdString(one.warnings.front().text());
        QVERIFY(text.front().isLower());
        QVERIFY(timingHtml(one).contains(text.front().toUpper() + text.mid(1)));
    }

    void sweep_asTextCsvAndJson() {
        QVERIFY(sweepText(sweep()).contains(
            QStringLiteral("batch size 8, modified: 20.0\u00a0ms per run, 400 items/s, too noisy to tell 1.432")));
        QCOMPARE(sweepCsv(sweep()).count(u'\n'), 5);
        QVERIFY(sweepCsv(sweep()).contains(QStringLiteral("8,\"modified\",20,19,22,400,too_noisy")));
        const BenchResult whole = result(9);
        for (const BenchResult* each : {&whole, static_cast<const BenchResult*>(nullptr)}) {
            const auto json = fx::JsonDocument::parse(timingJson(each, sweep()).toStdString());
            QCOMPARE(json->root().find("variants").exists(), each != nullptr);
            QCOMPARE(json->root().at("sweep").size(), std::size_t(2));
        }
        QVERIFY(sweepCsv({}).isEmpty());
        QVERIFY(sweepText({}).isEmpty());
    }

    void chart_hasNumbersAndHollowPoints() {
        CurveChart chart;
        chart.resize(500, 300);
        chart.show();
        const Curve curve{
            QStringLiteral("modified"),
            true,
            {{0, 10, 9, 11, {}, QStringLiteral("ten"), false}, {1, 20, 18, 22, {}, QStringLiteral("twenty"), true}}};
        chart.setCurves({curve}, {QStringLiteral("1"), QStringLiteral("2")}, {}, {}, std::nullopt, true);
        QCOMPARE(chart.pointLabels(), (QStringList{QStringLiteral("ten"), QStringLiteral("twenty")}));
        const QImage solid = chart.grab().toImage();
        chart.setCurves(
            {Curve{curve.name, true, {curve.points[0], {1, 20, 18, 22, {}, QStringLiteral("twenty"), false}}}},
            {QStringLiteral("1"), QStringLiteral("2")}, {}, {}, std::nullopt, true);
        QVERIFY(solid != chart.grab().toImage());
    }
};

QTEST_MAIN(TestTimingHtml)
#include "tst_timing_html.moc"
