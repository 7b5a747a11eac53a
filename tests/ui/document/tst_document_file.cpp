// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/document_file.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace ui;

class TestDocumentFile : public QObject {
    Q_OBJECT

    static QString text(const char* latin) { return QString::fromLatin1(latin); }

private Q_SLOTS:
    void open_model_saveAsksForAFile() {
        DocumentFile file(text("/m/net.pt"));
        QCOMPARE(file.title(), text("net.pt"));
        file.open(text("/m/net.pt"), {}, {});
        QCOMPARE(file.target(), QString());
        QCOMPARE(file.path(), text("/m/net.pt"));
        file.take(fx::Format::Ir);
        QCOMPARE(file.format(), fx::Format::Ir); // that of the model
    }

    void open_project_isTheTarget() {
        DocumentFile file({});
        file.open(text("/m/net.lancet"), {}, {});
        QCOMPARE(file.target(), text("/m/net.lancet"));
        file.take(fx::Format::GraphModule);
        QCOMPARE(file.format(), fx::Format::Lancet);
    }

    void open_part_isTheTitle() {
        DocumentFile file({});
        file.open(text("/m/dump#3"), text("post_grad"), {});
        QCOMPARE(file.title(), text("post_grad"));
        file.open(text("/m/net.py:Net"), {}, {});
        QCOMPARE(file.title(), text("net.py"));
    }

    void awaitedFile_isTheTarget_beforeAndAfterItIsRead() {
        DocumentFile file(text("/m/net.pt"));
        file.setAwaited(text("/m/net.pt"));
        QCOMPARE(file.target(), text("/m/net.pt"));
        DocumentFile later({});
        later.setAwaited(text("/m/net.pt"));
        QCOMPARE(later.target(), QString());
        later.open(text("/m/net.pt"), {}, {});
        QCOMPARE(later.target(), text("/m/net.pt"));
    }

    void setSaved_path_becomesTheFile() {
        DocumentFile file(text("/m/net.pt"));
        QVERIFY(file.setLost(true));
        QVERIFY(!file.setLost(true));
        file.setSaved(text("/m/folder/"));
        QVERIFY(!file.isLost());
        QCOMPARE(file.title(), text("folder"));
        QCOMPARE(file.path(), text("/m/folder/"));
        QCOMPARE(file.opened(), text("/m/net.pt"));
        file.setSaved(QString());
        QCOMPARE(file.path(), text("/m/folder/"));
    }

    void titleWithGraph_namesOneOfSeveral() {
        DocumentFile file(text("/m/net.ts"));
        fx::GraphModule model;
        model.modelNames = {"forward", "encode"};
        model.modelName = "encode";
        QCOMPARE(file.titleWithGraph(&model), QStringLiteral("net.ts · encode"));
        model.modelNames = {"forward", "forward (operators only)"};
        model.modelName = "forward";
        QCOMPARE(file.titleWithGraph(&model), text("net.ts")); // the same graph in two forms
        QCOMPARE(file.titleWithGraph(nullptr), text("net.ts"));
    }

    void untitledSource_losesItsPrivateFile_data() {
        QTest::addColumn<bool>("isKept");
        QTest::newRow("closed") << false;
        QTest::newRow("kept for a journal") << true;
    }
    void untitledSource_losesItsPrivateFile() {
        QFETCH(bool, isKept);
        QTemporaryDir folder;
        QString path;
        {
            DocumentFile file({});
            file.begin(folder.filePath(text("untitled_")), text("Untitled"));
            path = file.opened();
            QVERIFY(file.isUntitled());
            QFile made(path);
            QVERIFY(made.open(QIODevice::WriteOnly));
            if (isKept) file.keepPrivate();
        }
        QCOMPARE(QFile::exists(path), isKept);
    }

    void untitledSource_savedElsewhere_losesItsPrivateFile() {
        QTemporaryDir folder;
        DocumentFile file({});
        file.begin(folder.filePath(text("untitled_")), text("Untitled"));
        const QString before = file.opened();
        QFile made(before);
        QVERIFY(made.open(QIODevice::WriteOnly));
        file.setSourceSaved(folder.filePath(text("net.py")), {});
        QVERIFY(!QFile::exists(before));
        QVERIFY(!file.isUntitled());
        QCOMPARE(file.target(), folder.filePath(text("net.py")));
        QCOMPARE(file.title(), text("net.py"));
    }

    void restore_writtenFile_isTheTarget() {
        DocumentFile file(text("/m/net.pt"));
        fx::ModelIdentity seen, written;
        seen.path = "/m/net.pt", written.path = "/m/saved.json";
        file.restore(seen, {});
        QCOMPARE(file.target(), QString());
        QCOMPARE(file.onDisk()->path, seen.path);
        file.restore(seen, written);
        QCOMPARE(file.target(), text("/m/saved.json"));
        QCOMPARE(file.title(), text("saved.json"));
        QCOMPARE(file.onDisk()->path, written.path);
    }

    void restoreSource_privateFile_isUntitled() {
        DocumentFile file(text("/nowhere/lancet/new/untitled_1_1.py"));
        file.restoreSource(file.opened(), text("Untitled 2"));
        QVERIFY(file.isUntitled());
        QCOMPARE(file.title(), text("Untitled 2"));
        QCOMPARE(file.target(), QString());
        DocumentFile named(text("/m/net.py"));
        named.restoreSource(named.opened(), text("Untitled 2"));
        QCOMPARE(named.target(), text("/m/net.py"));
        QCOMPARE(named.title(), text("net.py"));
    }
};

QTEST_MAIN(TestDocumentFile)
#include "tst_document_file.moc"
