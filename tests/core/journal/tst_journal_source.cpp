// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/print.h"
#include "core/journal/journal.h"
#include "core/journal/recovery.h"
#include "core/python/tracing/source_trace.h"

#include <QTemporaryDir>
#include <QtTest>

using namespace fx;

/// Journals of models that were traced from source, which imports a file beside it.
class TestJournalSource : public QObject {
    Q_OBJECT

    QTemporaryDir m_dir;

    std::string at(const char* name) const { return m_dir.filePath(name).toStdString(); }
    static void write(const std::string& path, const QByteArray& text) {
        QFile file(QString::fromStdString(path));
        QVERIFY(file.open(QIODevice::WriteOnly | QIODevice::Truncate));
        file.write(text);
    }
    static QByteArray parts(const char* body, const char* width = "4") {
        return QByteArray("import torch\nfrom torch import nn\n\ndef make():\n    return nn.Linear(4, ") + width +
               ")\n\ndef scaled(x):\n    # a comment\n    return " + body + "\n";
    }

private Q_SLOTS:
    void importedFileChanged_isToldInsteadOfAnotherModel_data() {
        QTest::addColumn<QByteArray>("now");
        QTest::addColumn<bool>("fits");
        QTest::newRow("as before") << parts("x * 2") << true;
        QTest::newRow("only the text") << "\n\n" + parts("x  *  2") << true;
        QTest::newRow("another constant") << parts("x * 3") << false;
        QTest::newRow("another function") << parts("torch.sin(x)") << false;
        QTest::newRow("other weights") << parts("x * 2", "4, bias=False") << false;
    }
    void importedFileChanged_isToldInsteadOfAnotherModel() {
        QFETCH(QByteArray, now);
        QFETCH(bool, fits);
        const std::string folder = at("journals"), model = at("net.py");
        QDir(QString::fromStdString(folder)).removeRecursively();
        const std::string source = "from torch import nn\nfrom parts import make, scaled\n\nclass Net(nn.Module):\n"
                                   "    def __init__(self):\n        super().__init__()\n        self.fc = make()\n\n"
                                   "    def forward(self, x):\n        return scaled(self.fc(x))\n";
        write(at("parts.py"), parts("x * 2"));
        write(model, QByteArray::fromStdString(source));
        const auto traced = traceSource(model, source, {}, {}).module;
        QVERIFY(traced);
        History history(traced);
        {
            Journal journal(folder, ModelIdentity::of(model));
            for (const StepList& steps : {StepList().rename("fc", "first"), StepList().rename("first", "second")}) {
                history.edit("Rename", steps);
                journal.edited(history);
            }
        }
        write(at("parts.py"), now);
        const auto journals = orphanedJournals(folder);
        QCOMPARE(journals.size(), 1u);
        QString told;
        try {
            const RecoveredModel back = recover(*journals[0]);
            QCOMPARE(graphText(back.history.model()->graph), graphText(history.model()->graph));
        } catch (const Error& error) { told = QString::fromStdString(std::string(error.message().code())); }
        QCOMPARE(told, fits ? QString() : QStringLiteral("journal.other_state"));
        const RecoveredModel onFile = recoverOnFile(*journals[0]); // asked for, it goes on with what is there
        QCOMPARE(onFile.history.entries().size(), 3u);
    }
};

QTEST_APPLESS_MAIN(TestJournalSource)
#include "tst_journal_source.moc"
