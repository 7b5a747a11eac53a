// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/print.h"
#include "core/journal/kept_base.h"
#include "core/model_files/save_project.h"
#include "tests/ui/shell/recovery_fixture.h"
#include "ui/document/document_source.h"
#include "ui/history/history_panel.h"
#include "ui/shell/document_page.h"
#include "ui/shell/recovery_bar.h"
#include "ui/shell/saving/disk_bar.h"
#include "ui/shell/saving/save_sheet.h"
#include "ui/shell/window/main_window.h"

#include <QDateTime>
#include <QLabel>
#include <QListWidget>
#include <QMessageBox>
#include <QProcess>
#include <QRegularExpression>
#include <QSet>
#include <QTabWidget>
#include <QTest>

using namespace ui;

/// Edits come back after a crash, at the version that they had.
class TestRecovery : public RecoveryFixture {
    Q_OBJECT

private Q_SLOTS:
    void init() { startUp(); }

    /// Two that began with the same text: what was typed tells them apart, before and after they are restored.
    void untitled_areToldApart() {
        for (const char* line : {"first = 1", "second = 2"}) {
            QProcess child;
            startItself(child, {QStringLiteral("--type"), QLatin1String(line), QStringLiteral("killed")});
            QVERIFY(child.waitForFinished(60'000));
            QCOMPARE(child.exitStatus(), QProcess::CrashExit);
            const qint64 written = QDateTime::currentSecsSinceEpoch(); // they are offered in order of time
            QTRY_VERIFY(QDateTime::currentSecsSinceEpoch() > written);
        }
        MainWindow window(*m_settings);
        RecoveryBar* bar = offered(window);
        QVERIFY(bar);
        QVERIFY2(textOf(bar).contains(QRegularExpression(
                     QStringLiteral("Restore unsaved source of Untitled \\(Block, Net; line \\d+: first = 1\\)\\?"))),
                 qPrintable(textOf(bar)));
        QVERIFY(bar->findChild<QLabel*>()->toolTip().contains(QStringLiteral("first = 1")));
        QVERIFY(textOf(bar).contains(QStringLiteral("ended unexpectedly")));
        QTest::mouseClick(button(bar, QStringLiteral("Restore")), Qt::LeftButton);
        QTRY_VERIFY2(textOf(bar).contains(QStringLiteral("second = 2")), qPrintable(textOf(bar)));
        QTest::mouseClick(button(bar, QStringLiteral("Restore")), Qt::LeftButton);
        QTRY_VERIFY(!bar->isVisible());
        const QList<DocumentPage*> pages = window.findChildren<DocumentPage*>();
        QCOMPARE(pages.size(), 2);
        QSet<QString> titles;
        for (const DocumentPage* page : pages) titles << page->document().file().title();
        QCOMPARE(titles, (QSet<QString>{QStringLiteral("Untitled"), QStringLiteral("Untitled 2")}));
        for (const DocumentPage* page : pages) page->document().source()->setSaved(page->document().source()->text());
    }

    void sessionEnded_isNoCrash() {
        QProcess child;
        startItself(child, {QStringLiteral("--type"), QStringLiteral("last = 3"), QStringLiteral("told")});
        QVERIFY(child.waitForFinished(60'000));
        MainWindow window(*m_settings);
        RecoveryBar* bar = offered(window);
        QVERIFY(bar);
        QVERIFY2(textOf(bar).startsWith(QStringLiteral("Unsaved work of the last session was kept.")),
                 qPrintable(textOf(bar)));
        QVERIFY(textOf(bar).contains(QStringLiteral("last = 3")));
    }

    void restore_editsAreBackAndUndoable_journalGoesOn() {
        crash();
        MainWindow window(*m_settings);
        RecoveryBar* bar = offered(window);
        QVERIFY(bar);
        QVERIFY2(textOf(bar).contains(QStringLiteral("2 changes of simple_net.pt")), qPrintable(textOf(bar)));
        QTest::mouseClick(button(bar, QStringLiteral("Restore")), Qt::LeftButton);
        QTRY_VERIFY(window.currentDocument() && window.currentDocument()->state() == Document::State::Ready);
        Document* document = window.currentDocument();
        QCOMPARE(document->versions().history()->entries().size(), 3u);
        QCOMPARE(document->versions().history()->current(), 2u);
        const QListWidget& versions = *window.findChild<HistoryPanel*>()->list();
        QCOMPARE(versions.item(0)->text(), QStringLiteral("Opened")); // after the edits, so it has no time among them
        QVERIFY(
            QRegularExpression(QStringLiteral("\\d\\d:\\d\\d.*Rename mul")).match(versions.item(1)->text()).hasMatch());
        QVERIFY(document->isModified());
        QVERIFY(document->module()->graph.find("relu_1") != fx::kNoNode);
        QVERIFY(document->module()->graph.find("scaled") != fx::kNoNode);
        QVERIFY(!bar->isVisible());
        document->versions().undo();
        QVERIFY(document->module()->graph.find("relu_1") == fx::kNoNode);
        // The same journal holds what follows: nobody else may take it, and closing ends it.
        QCOMPARE(journals().size(), 1);
        QVERIFY(fx::orphanedJournals(m_folder.toStdString()).empty());
        document->versions().undo();
        document->setSaved(document->module());
    }

    void restored_fromACopyOfAFileThatIsAnother_saysSo_andSavingAsks() {
        {
            MainWindow window(*m_settings);
            window.show();
            window.openFile(m_model);
            Document* document = window.currentDocument();
            QTRY_VERIFY(document->state() == Document::State::Ready);
            QVERIFY(document->versions().edit(QStringLiteral("Rename mul"), kRename));
            const std::string journal = (m_folder + u'/' + journals().front()).toStdString();
            const fx::ModelIdentity base = *document->file().onDisk();
            QTRY_VERIFY(QFile::exists(QString::fromStdString(fx::keptBasePath(journal, base))));
            QCOMPARE(QProcess::execute(QStringLiteral("cp"),
                                       {QStringLiteral("-a"), m_folder, m_dir->filePath(QStringLiteral("copies"))}),
                     0);
            document->versions().undo();
            document->setSaved(document->module());
        }
        QVERIFY(QFile::remove(m_model));
        QVERIFY(QFile::copy(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/resnet.pt"), m_model));
        m_folder = m_dir->filePath(QStringLiteral("copies"));
        for (const bool isOpen : {false, true}) {
            QCOMPARE(QProcess::execute(QStringLiteral("cp"), {QStringLiteral("-a"), m_folder, m_folder + u'2'}), 0);
            MainWindow window(*m_settings);
            if (isOpen) {
                window.openFile(m_model);
                QTRY_VERIFY(window.currentDocument()->state() == Document::State::Ready);
            }
            RecoveryBar* bar = offered(window);
            QVERIFY(bar);
            QTest::mouseClick(button(bar, QStringLiteral("Restore")), Qt::LeftButton);
            QTRY_VERIFY(window.currentDocument() && window.currentDocument()->versions().history() &&
                        window.currentDocument()->versions().history()->entries().size() == 2);
            Document* document = window.currentDocument();
            QVERIFY(document->module()->graph.find("scaled") != fx::kNoNode);
            const auto* disk = window.currentPage()->findChild<DiskBar*>();
            QTRY_VERIFY(disk->isVisible());
            QVERIFY2(disk->text().contains(QStringLiteral("has changed on disk")), qPrintable(disk->text()));
            document->versions().undo();
            document->setSaved(document->module());
            m_folder += u'2';
        }
    }

    void killedAfterSaving_goesOnWithTheSavedFile() {
        const QString target = m_dir->filePath(QStringLiteral("saved.lancet"));
        crash({QStringLiteral("--save"), m_model, target});
        MainWindow window(*m_settings);
        RecoveryBar* bar = offered(window);
        QVERIFY(bar);
        QVERIFY2(textOf(bar).contains(QStringLiteral("1 change of")), qPrintable(textOf(bar)));
        QTest::mouseClick(button(bar, QStringLiteral("Restore")), Qt::LeftButton);
        QTRY_VERIFY(window.currentDocument() && window.currentDocument()->state() == Document::State::Ready);
        Document* document = window.currentDocument();
        QCOMPARE(document->file().target(), target);
        QVERIFY(document->isModified());
        QCOMPARE(window.windowTitle(), QStringLiteral("saved.lancet[*] – Lancet"));
        QCOMPARE(window.findChild<QTabWidget*>(QStringLiteral("documents"))->tabText(0),
                 QStringLiteral("saved.lancet •"));
        window.actions().save->trigger(); // asks for no file
        QTRY_VERIFY(!document->isModified());
        QVERIFY(fx::openModel(target.toStdString())->graph.find("relu_1") != fx::kNoNode);
        document->versions().undo();
        QVERIFY(document->isModified());
        document->versions().redo();
        QVERIFY(!document->isModified());
    }

    void typedCode_andTheTargetOfTheLastSave_areBack() {
        const QString target = m_dir->filePath(QStringLiteral("saved.json"));
        const QString copies = m_dir->filePath(QStringLiteral("copies"));
        QByteArray typed;
        {
            MainWindow window(*m_settings);
            window.show();
            window.openFile(m_model);
            Document* document = window.currentDocument();
            QTRY_VERIFY(document->state() == Document::State::Ready && document->facts().code());
            QVERIFY(document->versions().edit(QStringLiteral("Rename mul"), kRename));
            QTRY_VERIFY(document->facts().code() && document->facts().code()->text.find("scaled") != std::string::npos);
            QVERIFY(QFile(target).open(QIODevice::WriteOnly));
            document->file().setOnDisk(fx::ModelIdentity::of(target.toStdString()));
            document->setSaved(document->module(), target);
            typed = QByteArray::fromStdString(document->facts().code()->text) + "    # typed\n";
            document->setDraft(CodeDraft{typed, document->facts().code(), document->module()});
            const QString files = QString(m_folder)
                                      .append(u'/')
                                      .append(journals().front())
                                      .replace(QStringLiteral(".journal"), QStringLiteral(".files"));
            QTRY_VERIFY(QFile::exists(files + QStringLiteral("/draft_code")));
            // As a crash leaves it: a copy of the journal that nobody holds.
            QCOMPARE(QProcess::execute(QStringLiteral("cp"), {QStringLiteral("-a"), m_folder, copies}), 0);
            document->setDraft({});
            QTRY_VERIFY(!QFile::exists(files + QStringLiteral("/draft_code")));
        }
        m_folder = copies;
        MainWindow window(*m_settings);
        RecoveryBar* bar = offered(window);
        QVERIFY(bar);
        QVERIFY2(textOf(bar).contains(QStringLiteral("unapplied code of saved.json")), qPrintable(textOf(bar)));
        QTest::mouseClick(button(bar, QStringLiteral("Restore")), Qt::LeftButton);
        QTRY_VERIFY(window.currentDocument() && window.currentDocument()->state() == Document::State::Ready);
        Document* document = window.currentDocument();
        QVERIFY(document->draft());
        QCOMPARE(document->draft()->text, typed);
        QCOMPARE(document->draft()->version, document->module());
        QCOMPARE(document->file().target(), target);
        QVERIFY(document->file().onDisk());
        QVERIFY(document->file().onDisk()->difference(fx::ModelIdentity::of(target.toStdString())).empty());
        document->setDraft({});
        QVERIFY(!document->isModified());
    }

    void changedTarget_isAskedAbout_beforeItIsOverwritten() {
        const QString target = m_dir->filePath(QStringLiteral("saved.json"));
        const QString copies = m_dir->filePath(QStringLiteral("copies"));
        QFile file(target);
        QVERIFY(file.open(QIODevice::WriteOnly));
        {
            Document document(m_model);
            document.load();
            QTRY_COMPARE(document.state(), Document::State::Ready);
            QVERIFY(document.versions().edit(QStringLiteral("Rename mul"), kRename));
            document.file().setOnDisk(fx::ModelIdentity::of(target.toStdString()));
            document.setSaved(document.module(), target);
            QVERIFY(document.versions().edit(QStringLiteral("Insert relu"), kInsert));
            QCOMPARE(QProcess::execute(QStringLiteral("cp"), {QStringLiteral("-a"), m_folder, copies}), 0);
        }
        file.write("somebody else's");
        file.close();
        m_folder = copies;
        MainWindow window(*m_settings);
        RecoveryBar* bar = offered(window);
        QVERIFY(bar);
        QTest::mouseClick(button(bar, QStringLiteral("Restore")), Qt::LeftButton);
        QTRY_VERIFY(window.currentDocument() && window.currentDocument()->state() == Document::State::Ready);
        window.actions().save->trigger();
        QMessageBox* box = nullptr;
        QTRY_VERIFY((box = window.findChild<QMessageBox*>()) &&
                    box->text().contains(QStringLiteral("changed on disk")));
        box->button(QMessageBox::Cancel)->click();
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), QByteArray("somebody else's"));
        window.currentDocument()->setSaved(window.currentDocument()->module());
    }

    /// Nothing was edited, and another program has the file.
    void modelThatIsInNoFile_isRestored_andUnsaved() {
        const QString copies = m_dir->filePath(QStringLiteral("copies"));
        {
            Document document(m_model);
            document.load();
            QTRY_COMPARE(document.state(), Document::State::Ready);
            QVERIFY(QFile::remove(m_model));
            QVERIFY(QFile::copy(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/my_module.pt"), m_model));
            document.setFileLost(true);
            QCOMPARE(journals().size(), 1);
            const std::string journal = (m_folder + u'/' + journals().front()).toStdString();
            QTRY_VERIFY(QFile::exists(QString::fromStdString(fx::keptBasePath(journal, *document.file().onDisk()))));
            QCOMPARE(QProcess::execute(QStringLiteral("cp"), {QStringLiteral("-a"), m_folder, copies}), 0);
        }
        m_folder = copies;
        MainWindow window(*m_settings);
        RecoveryBar* bar = offered(window);
        QVERIFY(bar);
        QVERIFY2(textOf(bar).startsWith(QStringLiteral("Lancet ended unexpectedly. simple_net.pt has changed or gone "
                                                       "from the disk since it was opened. Restore it as it was?")),
                 qPrintable(textOf(bar)));
        QTest::mouseClick(button(bar, QStringLiteral("Restore")), Qt::LeftButton);
        QTRY_VERIFY(window.currentDocument() && window.currentDocument()->state() == Document::State::Ready);
        Document* document = window.currentDocument();
        QVERIFY(document->module()->graph.find("mul") != fx::kNoNode);
        QTRY_VERIFY(window.currentPage()->diskBar().isVisible());
        QVERIFY(document->isModified());
        QVERIFY(fx::orphanedJournals(m_folder.toStdString()).empty()); // it goes on
        QCOMPARE(journals().size(), 1);
        document->setFileLost(false);
    }

    void cleanClose_leavesNothing() {
        {
            Document document(m_model);
            document.load();
            QTRY_COMPARE(document.state(), Document::State::Ready);
            QVERIFY(journals().isEmpty());
            QVERIFY(document.versions().edit(QStringLiteral("Rename mul"), kRename));
            QCOMPARE(journals().size(), 1);
        }
        QVERIFY(QDir(m_folder).entryList(QDir::AllEntries | QDir::NoDotAndDotDot).isEmpty());
    }

    void savedOverItsFile_laterEditsComeBack() {
        QString text;
        {
            MainWindow window(*m_settings);
            window.openFile(m_model);
            Document* document = window.currentDocument();
            QTRY_COMPARE(document->state(), Document::State::Ready);
            QVERIFY(document->versions().edit(QStringLiteral("Rename mul"), kRename));
            window.saveTo(m_model);
            SaveSheet* sheet = nullptr;
            QTRY_VERIFY((sheet = window.findChild<SaveSheet*>()));
            sheet->saveAnyway()->click();
            QTRY_VERIFY(!document->isModified());
            QVERIFY(document->versions().edit(QStringLiteral("Insert relu"), kInsert));
            text = QString::fromStdString(fx::graphText(document->module()->graph));
            // As a crash leaves it: a copy of the journal that nobody holds.
            const QString copies = m_dir->filePath(QStringLiteral("copies"));
            QCOMPARE(QProcess::execute(QStringLiteral("cp"), {QStringLiteral("-a"), m_folder, copies}), 0);
            document->setSaved(document->module());
            m_folder = copies;
        }
        MainWindow window(*m_settings);
        RecoveryBar* bar = offered(window);
        QVERIFY(bar);
        QVERIFY2(textOf(bar).contains(QStringLiteral("1 change of simple_net.pt")), qPrintable(textOf(bar)));
        QTest::mouseClick(button(bar, QStringLiteral("Restore")), Qt::LeftButton);
        QTRY_VERIFY(window.currentDocument() && window.currentDocument()->state() == Document::State::Ready);
        QCOMPARE(QString::fromStdString(fx::graphText(window.currentDocument()->module()->graph)), text);
        window.currentDocument()->setSaved(window.currentDocument()->module());
    }

    void project_isBackAtTheRightVersion() {
        // Three edits of which one was undone, then two more and an undo and a redo, then the end.
        fx::History history(fx::openModel(m_model.toStdString()));
        history.edit("one", fx::StepList().rename("flatten", "flat"));
        history.edit("two", fx::StepList().rename("flat", "flatter"));
        history.edit("three", fx::StepList().rename("relu", "gone"));
        history.goTo(2);
        m_model = m_dir->filePath(QStringLiteral("net.lancet"));
        fx::saveProject(fx::projectOf(history), *history.model(), m_model.toStdString(), true);
        crash();
        MainWindow window(*m_settings);
        RecoveryBar* bar = offered(window);
        QVERIFY(bar);
        QTest::mouseClick(button(bar, QStringLiteral("Restore")), Qt::LeftButton);
        QTRY_VERIFY(window.currentDocument() && window.currentDocument()->state() == Document::State::Ready);
        Document* document = window.currentDocument();
        QCOMPARE(document->versions().history()->entries().size(), 5u);
        QCOMPARE(document->versions().history()->current(), 4u);
        QVERIFY(document->isModified());
        const auto has = [&](const char* name) { return document->module()->graph.find(name) != fx::kNoNode; };
        QVERIFY(has("relu_1"));
        QVERIFY(has("scaled"));
        QVERIFY(has("flatter"));
        QVERIFY(!has("gone"));
        document->versions().undo();
        document->versions().undo();
        QVERIFY(!has("scaled"));
        QVERIFY(has("flatter"));
        QVERIFY(!document->isModified());
        document->versions().undo();
        QVERIFY(has("flat"));
        document->versions().goTo(2);
    }
};

int main(int argc, char** argv) { return RecoveryFixture::runOrDie<TestRecovery>(argc, argv); }
#include "tst_recovery.moc"
