// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/open.h"
#include "tests/sanitized.h"

#include <QDir>
#include <QElapsedTimer>
#include <QTest>

using namespace fx;

class TestRefused : public QObject {
    Q_OBJECT

    static constexpr const char* kFolder = LANCET_SOURCE_DIR "/tests/data/graphmodule/refused/";

private Q_SLOTS:
    void open_notAGraphModule_saysWhatItIs_data() {
        QTest::addColumn<QString>("what");
        QTest::newRow("state_dict.pt") << "a state dict: 2 tensors";
        QTest::newRow("checkpoint.pt") << "training checkpoint: a dict with the state dict 'model'";
        QTest::newRow("whole_module.pt") << "a whole module of class own_classes.Unknown";
        QTest::newRow("tensor.pt") << "a single tensor";
        QTest::newRow("list.pt") << "a list of 2 objects";
        QTest::newRow("settings.pt") << "a dict of 2 entries";
        QTest::newRow("number.pt") << "a plain value";
        QTest::newRow("object.pt") << "an object of class own_classes.Config";
        QTest::newRow("package_module.pt") << "torch.package";
        QTest::newRow("plain.pkl") << "a Python pickle of own_classes.Config";
        QTest::newRow("damaged.pkl") << "a damaged or unknown pickle";
        QTest::newRow("script.pt") << "TorchScript";
        QTest::newRow("weights.safetensors") << "a safetensors file";
        QTest::newRow("model.onnx") << "an ONNX model";
        QTest::newRow("pointer.pt") << "a Git LFS pointer";
        QTest::newRow("page.pt") << "a web page";
        QTest::newRow("empty.pt") << "an empty file";
        QTest::newRow("random.pt") << "unknown kind of file";
        QTest::newRow("archive.tar") << "a tar archive";
        QTest::newRow("array.npy") << "a NumPy array";
        QTest::newRow("arrays.npz") << "a NumPy archive";
        QTest::newRow("net.py.txt") << "Python source";
        QTest::newRow("compiled.pt2") << "AOTInductor";
        QTest::newRow("old_export.pt2") << "earlier schema";
        QTest::newRow("package.pt") << "a torch.package archive";
        QTest::newRow("document.docx") << "an office document";
        QTest::newRow("cut.pt") << "damaged zip archive";
        QTest::newRow("no_weights.pt") << "missing values of a tensor";
        QTest::newRow("short_weights.pt") << "got 4";
        QTest::newRow("big_endian.pt") << "big-endian";
        QTest::newRow("cut_pickle.pt") << "ends early";
        QTest::newRow(".") << "missing module.py in the folder";
        QTest::newRow("missing.pt") << "No such file";
    }

    void open_notAGraphModule_saysWhatItIs() {
        QFETCH(QString, what);
        QElapsedTimer timer;
        timer.start();
        try {
            (void)openModel(std::string(kFolder) + QTest::currentDataTag());
            QFAIL("opened");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::File);
            QVERIFY2(QString(error.what()).contains(what), error.what());
            QVERIFY(error.file.find(QTest::currentDataTag()) != std::string::npos);
        }
        QVERIFY(timer.elapsed() < kPatience * 2000);
    }

    void open_everyRefusedFile_isTested() {
        const QStringList files = QDir(kFolder).entryList(QDir::Files);
        QVERIFY(files.size() >= 29);
        for (const QString& file : files) {
            QVERIFY2(QTest::currentTestFunction() != nullptr, qPrintable(file));
            QVERIFY2(isListed(file), qPrintable(file));
        }
    }

private:
    static bool isListed(const QString& file) {
        QFile source(LANCET_SOURCE_DIR "/tests/core/io/graphmodule/tst_refused.cpp");
        return source.open(QIODevice::ReadOnly) && source.readAll().contains("newRow(\"" + file.toUtf8() + "\")");
    }
};

QTEST_APPLESS_MAIN(TestRefused)
#include "tst_refused.moc"
