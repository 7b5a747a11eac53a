// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/onednn/layer_memory.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace fx::onednn;

namespace {

KernelTime kernel(double ms, double ratio, double high) {
    KernelTime out;
    out.ms = ms, out.ratio.ratio = ratio, out.ratio.ci95 = {ratio - 0.01, high};
    return out;
}

LayerTimes times(std::size_t rounds = 20, double noiseFloor = 0.03) {
    LayerTimes out;
    out.plain = 2, out.oneDnn = kernel(1, 0.5, 0.55), out.mkl = kernel(1.5, 0.75, 0.8);
    out.rounds = rounds, out.noiseFloor = noiseFloor;
    return out;
}

} // namespace

/// Which times of layers are kept, and which kernel they speak for.
class TestLayerMemory : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::string path() const { return m_folder.filePath(QStringLiteral("cache/layers.json")).toStdString(); }
    /// What the next run finds.
    bool isKept(const LayerTimes& measured, bool quiet) const {
        LayerMemory memory(readLayerMemory(path()));
        memory.add("layer", measured);
        writeLayerMemory(path(), memory.text(quiet).value());
        return LayerMemory(readLayerMemory(path())).find("layer") != nullptr;
    }

private Q_SLOTS:
    void cleanup() { QFile::remove(QString::fromStdString(path())); }

    void goodTimes_areKept_bitForBit() {
        LayerTimes measured = times();
        measured.plain = 0.1 + 0.2;
        QVERIFY(isKept(measured, true));
        const LayerMemory memory(readLayerMemory(path()));
        QVERIFY(!memory.text(true)); // nothing is new
        const LayerTimes* kept = memory.find("layer");
        QVERIFY(kept->remembered);
        QVERIFY(!memory.isNew("layer"));
        QVERIFY(!memory.find("another"));
        QCOMPARE(kept->plain, measured.plain);
        QCOMPARE(kept->rounds, measured.rounds);
        QCOMPARE(kept->mkl->ms, 1.5);
        QVERIFY(kept->oneDnn->ratio.ci95 == measured.oneDnn->ratio.ci95);
        QVERIFY(kept->best() == Kernel::OneDnn);
    }

    void timesOfABusyMachine_ofFewRounds_orWithNoise_areMeasuredAgain() {
        QVERIFY(!isKept(times(), false));
        QVERIFY(!isKept(times(7), true));
        QVERIFY(!isKept(times(20, 0.2), true));
    }

    void timesThatNoLongerHold_makeWay() {
        QVERIFY(isKept(times(), true));
        QVERIFY(!isKept(times(), false)); // measured anew while the machine was busy: known no better than before
        QVERIFY(isKept(times(), true));
        LayerMemory memory(readLayerMemory(path()));
        memory.confirm("layer");
        writeLayerMemory(path(), memory.text(false).value()); // a busy machine does not change what was kept
        QVERIFY(LayerMemory(readLayerMemory(path())).find("layer"));
    }

    void brokenFile_isAsGoodAsNone() {
        QVERIFY(isKept(times(), true));
        QFile file(QString::fromStdString(path()));
        QVERIFY(file.open(QFile::WriteOnly));
        file.write(R"({"layer": {"plain": 0.9, "onednn": 0.6, "measured": 3})"); // of an earlier version, cut short
        file.close();
        QVERIFY(!LayerMemory(readLayerMemory(path())).find("layer"));
        QVERIFY(isKept(times(), true));
    }

    void plausibleTimes_areThoseThatFewRunsConfirm() {
        QVERIFY(isPlausible(times(), {1.5, 1.2, 2}));
        QVERIFY(!isPlausible(times(), {0.06, 0.9, 1.4})); // 31.62 times as fast: something else ran meanwhile
        QVERIFY(!isPlausible(times(), {2, 1, 9}));
        QVERIFY(!isPlausible(times(), {2, 1})); // the kernel of MKL is not possible any more
    }

    void best_isOnlyWhatIsShownToBeFaster() {
        LayerTimes layer = times();
        QVERIFY(layer.best() == Kernel::OneDnn);
        QVERIFY(layer.fastest() == Kernel::OneDnn);
        layer.oneDnn = kernel(1, 0.5, 1.2); // its interval includes slower
        QVERIFY(layer.best() == Kernel::Mkl);
        QVERIFY(layer.fastest() == Kernel::OneDnn);
        layer.rounds = 7;
        QVERIFY(!layer.best());
        layer.oneDnn.reset(), layer.mkl.reset();
        QVERIFY(!layer.fastest());
    }
};

QTEST_APPLESS_MAIN(TestLayerMemory)
#include "tst_layer_memory.moc"
