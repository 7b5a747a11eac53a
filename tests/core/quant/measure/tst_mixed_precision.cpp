// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/error.h"
#include "core/quant/measure/mixed_precision.h"
#include "core/quant/measure/scan_pace.h"

#include <QTest>

using namespace fx::quant;

class TestMixedPrecision final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void withinError_smallBudget_keepsTheWorstLayer();
    void withinError_slowerLayer_staysInFloat();
    void scan_stopped_goesOnWhereItWas();
    void pace_namesLayerAndTimeLeft();
};

namespace {

const SensitivityScan kScan{{{"first", 1e-2, 1.0}, {"middle", 1e-5, 2.0}, {"last", 1e-4, 0.5}, {"slow", 1e-6, -0.5}}};
using Names = std::vector<std::string>;

} // namespace

void TestMixedPrecision::withinError_smallBudget_keepsTheWorstLayer() {
    const MixedPrecision plan = withinError(kScan, 30); // noise of at most 1e-3
    QCOMPARE(plan.quantised, (Names{"middle", "last"}));
    QCOMPARE(plan.kept, (Names{"first", "slow"}));
    QCOMPARE(plan.noise, 1.1e-4);
    QCOMPARE(plan.savedMs, 2.5);
    QCOMPARE(withinError(kScan, 10).quantised, (Names{"first", "middle", "last"}));
    QVERIFY(withinError(kScan, 90).quantised.empty());
}

void TestMixedPrecision::withinError_slowerLayer_staysInFloat() {
    QVERIFY(withinError(kScan, 0).kept == Names{"slow"});
}

void TestMixedPrecision::scan_stopped_goesOnWhereItWas() {
    const Names layers{"a", "b", "c"};
    SensitivityScan scan;
    std::string kept;
    Names asked;
    const auto measure = [&](const std::string& layer) {
        asked.push_back(layer);
        if (layer == "c" && asked.size() == 3) throw fx::Error(fx::ErrorKind::Cancelled, fx::Message("app.cancelled"));
        return LayerSensitivity{layer, 0.25, {}};
    };
    const auto keep = [&](const SensitivityScan& now) { kept = toJson(now); };
    QVERIFY_THROWS_EXCEPTION(fx::Error, continueScan(scan, layers, measure, keep));
    SensitivityScan again = scanFromJson(fx::JsonDocument::parse(kept)->root());
    QCOMPARE(again.done.size(), std::size_t{2});
    continueScan(again, layers, measure, keep);
    QCOMPARE(asked, (Names{"a", "b", "c", "c"}));
    QCOMPARE(again.done.back().sqnr(), sqnrOf(0.25));
}

void TestMixedPrecision::pace_namesLayerAndTimeLeft() {
    const auto start = ScanPace::Clock::now();
    const ScanPace pace(5, 1, start);
    const auto told = [&](std::size_t done, int seconds) {
        return QString::fromStdString(pace.text(done, "calibrating", start + std::chrono::seconds(seconds)));
    };
    QCOMPARE(told(1, 3), QString("layer 2 of 5: calibrating")); // none has been measured in this scan
    QCOMPARE(told(3, 20), QString("layer 4 of 5, 20 s left: calibrating"));
    QCOMPARE(told(3, 600), QString("layer 4 of 5, 10 min left: calibrating"));
    QCOMPARE(told(5, 30), QString("calibrating"));
    QCOMPARE(pace.share(2, 0.5), 0.5);
    QCOMPARE(pace.share(5, 0), 1.0);
}

QTEST_APPLESS_MAIN(TestMixedPrecision)
#include "tst_mixed_precision.moc"
