// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/document_source.h"
#include "ui/run/worker_settings.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/main_window.h"

#include <QTemporaryDir>
#include <QTest>

using namespace ui;

/// Sources whose constructors compute with tensors, in the window with a real worker.
class TestSourceComputing : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

private Q_SLOTS:
    void initTestCase() { qputenv("XDG_STATE_HOME", m_folder.filePath(QStringLiteral("state")).toUtf8()); }

    void constructors_computeAsInTheCommandLine_data() {
        QTest::addColumn<QByteArray>("statements");
        QTest::addColumn<QByteArray>("result");
        QTest::newRow("slices are written") << QByteArray("pe = torch.zeros(4, 8)\npe[:, 0::2] = 1.0\n"
                                                          "self.register_buffer('pe', pe)\n")
                                            << QByteArray("x + self.pe");
        QTest::newRow("a weight decides") << QByteArray("self.l = nn.Linear(4, 4)\n"
                                                        "self.scale = 2 if self.l.weight.sum() > -100 else 3\n")
                                          << QByteArray("self.l(x) * self.scale");
        QTest::newRow("views are written") << QByteArray("rel = torch.arange(8).view(2, 4)\nrel[:, 0] += 1\n"
                                                         "self.register_buffer('rel', rel)\n")
                                           << QByteArray("x + self.rel");
        QTest::newRow("converted ranges")
            << QByteArray("self.register_buffer('pos', torch.arange(8).float())\n") << QByteArray("x + self.pos");
    }
    void constructors_computeAsInTheCommandLine() {
        QFETCH(QByteArray, statements);
        QFETCH(QByteArray, result);
        Settings store(m_folder.filePath(QStringLiteral("settings.ini")));
        WorkerSettings worker;
        worker.command = QStringLiteral("\"" LANCET_WORKER "\"");
        store.setWorker(worker);
        const QString path =
            m_folder.filePath(QString::fromUtf8(QTest::currentDataTag()).replace(u' ', u'_') + QStringLiteral(".py"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("import torch\nfrom torch import nn\nclass Net(nn.Module):\n    def __init__(self):\n"
                   "        super().__init__()\n        " +
                   statements.trimmed().replace("\n", "\n        ") + "\n    def forward(self, x):\n        return " +
                   result + "\n");
        file.close();
        MainWindow window(store);
        window.show();
        window.openFile(path);
        Document* document = window.currentDocument();
        QTRY_VERIFY_WITH_TIMEOUT(document->source() && document->source()->isDrawn(), 60'000);
        const auto& faults = document->source()->trace()->faults;
        QVERIFY2(faults.empty(), faults.empty() ? "" : faults.front().error.what());
        QVERIFY(document->source()->trace()->isComplete);
        QVERIFY(!document->isPartial());
    }
};

QTEST_MAIN(TestSourceComputing)
#include "tst_source_computing.moc"
