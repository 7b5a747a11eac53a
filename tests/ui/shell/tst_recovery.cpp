// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/print.h"
#include "core/model_files/journal/kept_base.h"
#include "core/model_files/save_graphmodule.h"
#include "core/model_files/save_project.h"
#include "ui/history/history_panel.h"
#include "ui/shell/document_page.h"
#include "ui/shell/recovery_bar.h"
#include "ui/shell/saving/disk_bar.h"
#include "ui/shell/saving/save_sheet.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/main_window.h"

#include <QApplication>
#include <QDate>
#include <QLabel>
#include <QListWidget>
#include <QLocale>
#include <QMessageBox>
#include <QProcess>
#include <QPushButton>
#include <QRegularExpression>
#include <QSignalSpy>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include <csignal>

using namespace ui;

namespace {

const QByteArray kRename = R"J([{"step": "rename", "node": "mul", "name": "scaled"}])J";
const QByteArray kInsert =
    R"J([{"step": "insert_after", "node": "scaled", "op": "call_function", "target": "torch.relu", "args": )J"
    R"J([{"node": "scaled"}], "rewire_users": true}])J";

/// Edits a model in a document and dies in the middle of it.
[[noreturn]] void editAndDie(const QString& model) {
    Document document(model);
    document.load();
    if (!QTest::qWaitFor([&] { return document.state() == Document::State::Ready; }, 20'000)) std::exit(1);
    bool done =
        document.edit(QStringLiteral("Rename mul"), kRename) && document.edit(QStringLiteral("Insert relu"), kInsert);
    document.undo();
    document.redo();
    if (!done) std::exit(1);
    std::raise(SIGKILL);
    std::abort();
}

/// Edits in the window, saves to `target`, edits on, and dies.
[[noreturn]] void saveEditAndDie(const QString& model, const QString& target) {
    Settings settings(target + QStringLiteral(".ini"));
    MainWindow window(settings);
    window.show();
    window.openFile(model);
    Document* document = window.currentDocument();
    const auto isReady = [&] { return document->state() == Document::State::Ready; };
    if (!QTest::qWaitFor(isReady, 20'000) || !document->edit(QStringLiteral("Rename mul"), kRename)) std::exit(1);
    window.saveTo(target);
    if (!QTest::qWaitFor([&] { return !document->isModified(); }, 20'000)) std::exit(1);
    if (!document->edit(QStringLiteral("Insert relu"), kInsert)) std::exit(1);
    std::raise(SIGKILL);
    std::abort();
}

} // namespace

class TestRecovery : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_dir;
    std::unique_ptr<Settings> m_settings;
    QString m_model, m_folder;

    QStringList journals() const { return QDir(m_folder).entryList({QStringLiteral("*.journal")}, QDir::Files); }
    void crash(const QStringList& arguments = {}) const {
        QProcess child;
        child.start(QCoreApplication::applicationFilePath(),
                    arguments.isEmpty() ? QStringList{QStringLiteral("--edit"), m_model} : arguments);
        QVERIFY(child.waitForFinished(60'000));
        QCOMPARE(child.exitStatus(), QProcess::CrashExit);
        QCOMPARE(journals().size(), 1);
        // As if the base had not been copied yet.
        QDir(QString::fromStdString(fx::keptBaseFolder((m_folder + u'/' + journals().front()).toStdString())))
            .removeRecursively();
    }
    static QPushButton* button(RecoveryBar* bar, const QString& text) {
        for (QPushButton* each : bar->findChildren<QPushButton*>())
            if (each->text() == text) return each;
        return nullptr;
    }
    RecoveryBar* offered(MainWindow& window) {
        window.show();
        window.offerRecovery(m_folder);
        auto* bar = window.findChild<RecoveryBar*>();
        return QTest::qWaitFor([&] { return bar->isVisible(); }, 10'000) ? bar : nullptr;
    }
    static QString textOf(RecoveryBar* bar) { return bar->findChild<QLabel*>()->text(); }

private Q_SLOTS:
    void init() {
        m_dir = std::make_unique<QTemporaryDir>();
        qputenv("XDG_STATE_HOME", m_dir->path().toUtf8());
        m_folder = QString::fromStdString(fx::Journal::defaultFolder());
        m_model = m_dir->filePath(QStringLiteral("simple_net.pt"));
        m_settings = std::make_unique<Settings>(m_dir->filePath(QStringLiteral("settings.ini")));
        QVERIFY(QFile::copy(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/simple_net.pt"), m_model));
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
        QCOMPARE(document->history()->entries().size(), 3u);
        QCOMPARE(document->history()->current(), 2u);
        const QListWidget& versions = *window.findChild<HistoryPanel*>()->list();
        QCOMPARE(versions.item(0)->text(), QStringLiteral("Opened")); // after the edits, so it has no time among them
        QVERIFY(
            QRegularExpression(QStringLiteral("\\d\\d:\\d\\d.*Rename mul")).match(versions.item(1)->text()).hasMatch());
        QVERIFY(document->isModified());
        QVERIFY(document->module()->graph.find("relu_1") != fx::kNoNode &&
                document->module()->graph.find("scaled") != fx::kNoNode);
        QVERIFY(!bar->isVisible());
        document->undo();
        QVERIFY(document->module()->graph.find("relu_1") == fx::kNoNode);
        // The same journal holds what follows: nobody else may take it, and closing ends it.
        QCOMPARE(journals().size(), 1);
        QVERIFY(fx::orphanedJournals(m_folder.toStdString()).empty());
        document->undo();
        document->setSaved(document->module());
    }

    void restored_fromACopyOfAFileThatIsAnother_saysSo_andSavingAsks() {
        {
            MainWindow window(*m_settings);
            window.show();
            window.openFile(m_model);
            Document* document = window.currentDocument();
            QTRY_VERIFY(document->state() == Document::State::Ready);
            QVERIFY(document->edit(QStringLiteral("Rename mul"), kRename));
            const std::string journal = (m_folder + u'/' + journals().front()).toStdString();
            const fx::ModelIdentity base = *document->onDisk();
            QTRY_VERIFY(QFile::exists(QString::fromStdString(fx::keptBasePath(journal, base))));
            QCOMPARE(QProcess::execute(QStringLiteral("cp"),
                                       {QStringLiteral("-a"), m_folder, m_dir->filePath(QStringLiteral("copies"))}),
                     0);
            document->undo();
            document->setSaved(document->module());
        }
        QVERIFY(QFile::remove(m_model) &&
                QFile::copy(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/resnet.pt"), m_model));
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
            QTRY_VERIFY(window.currentDocument() && window.currentDocument()->history() &&
                        window.currentDocument()->history()->entries().size() == 2);
            Document* document = window.currentDocument();
            QVERIFY(document->module()->graph.find("scaled") != fx::kNoNode);
            const auto* disk = window.currentPage()->findChild<DiskBar*>();
            QTRY_VERIFY(disk->isVisible());
            QVERIFY2(disk->text().contains(QStringLiteral("has changed on disk")), qPrintable(disk->text()));
            document->undo();
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
        QCOMPARE(document->target(), target);
        QVERIFY(document->isModified());
        QCOMPARE(window.windowTitle(), QStringLiteral("saved.lancet[*] – Lancet"));
        QCOMPARE(window.findChild<QTabWidget*>(QStringLiteral("documents"))->tabText(0),
                 QStringLiteral("saved.lancet •"));
        window.actions().save->trigger(); // asks for no file
        QTRY_VERIFY(!document->isModified());
        QVERIFY(fx::openModel(target.toStdString())->graph.find("relu_1") != fx::kNoNode);
        document->undo();
        QVERIFY(document->isModified());
        document->redo();
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
            QTRY_VERIFY(document->state() == Document::State::Ready && document->code());
            QVERIFY(document->edit(QStringLiteral("Rename mul"), kRename));
            QTRY_VERIFY(document->code() && document->code()->text.find("scaled") != std::string::npos);
            QVERIFY(QFile(target).open(QIODevice::WriteOnly));
            document->setOnDisk(fx::ModelIdentity::of(target.toStdString()));
            document->setSaved(document->module(), target);
            typed = QByteArray::fromStdString(document->code()->text) + "    # typed\n";
            document->setDraft(CodeDraft{typed, document->code(), document->module()});
            const QString files = QString(m_folder)
                                      .append(u'/')
                                      .append(journals().front())
                                      .replace(QStringLiteral(".journal"), QStringLiteral(".files"));
            QTRY_VERIFY(QFile::exists(files + QStringLiteral("/draft")));
            // As a crash leaves it: a copy of the journal that nobody holds.
            QCOMPARE(QProcess::execute(QStringLiteral("cp"), {QStringLiteral("-a"), m_folder, copies}), 0);
            document->setDraft({});
            QTRY_VERIFY(!QFile::exists(files + QStringLiteral("/draft")));
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
        QCOMPARE(document->target(), target);
        QVERIFY(document->onDisk() &&
                document->onDisk()->difference(fx::ModelIdentity::of(target.toStdString())).empty());
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
            QVERIFY(document.edit(QStringLiteral("Rename mul"), kRename));
            document.setOnDisk(fx::ModelIdentity::of(target.toStdString()));
            document.setSaved(document.module(), target);
            QVERIFY(document.edit(QStringLiteral("Insert relu"), kInsert));
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

    void twoRecoveriesOfOneFile_areToldApart() {
        const QString copies = m_dir->filePath(QStringLiteral("copies"));
        {
            Document first(m_model), second(m_model);
            first.load();
            second.load();
            QTRY_VERIFY(first.state() == Document::State::Ready && second.state() == Document::State::Ready);
            QVERIFY(first.edit(QStringLiteral("Rename mul"), kRename));
            QTest::qWait(5); // the earlier one comes first
            QVERIFY(second.edit(QStringLiteral("Rename flatten"),
                                R"J([{"step": "rename", "node": "flatten", "name": "flat"}])J"));
            QCOMPARE(QProcess::execute(QStringLiteral("cp"), {QStringLiteral("-a"), m_folder, copies}), 0);
        }
        m_folder = copies;
        MainWindow window(*m_settings);
        RecoveryBar* bar = offered(window);
        QVERIFY(bar);
        const QString today = QLocale().toString(QDate::currentDate(), QLocale::ShortFormat);
        QVERIFY2(textOf(bar).contains(QStringLiteral("1 change of simple_net.pt? Last changed ") + today) &&
                     textOf(bar).contains(QStringLiteral(": Rename mul.")),
                 qPrintable(textOf(bar)));
        QVERIFY(textOf(bar).endsWith(QStringLiteral("Another recovery of this file follows.")));
        QTest::mouseClick(button(bar, QStringLiteral("Later")), Qt::LeftButton);
        QVERIFY2(textOf(bar).endsWith(QStringLiteral(": Rename flatten.")), qPrintable(textOf(bar)));
    }

    void undoneEdits_areNotNamed_data() {
        QTest::addColumn<int>("undone");
        QTest::addColumn<QString>("offer");
        QTest::newRow("none") << 0 << QStringLiteral("Last edit: Insert relu.");
        QTest::newRow("one") << 1 << QStringLiteral("Last edit: Rename mul.");
        QTest::newRow("all, after saving them") << 2 << QString();
    }
    void undoneEdits_areNotNamed() {
        QFETCH(int, undone);
        QFETCH(QString, offer);
        const QString copies = m_dir->filePath(QStringLiteral("copies"));
        {
            Document document(m_model);
            document.load();
            QTRY_COMPARE(document.state(), Document::State::Ready);
            QVERIFY(document.edit(QStringLiteral("Rename mul"), kRename));
            QVERIFY(document.edit(QStringLiteral("Insert relu"), kInsert));
            if (undone == 2) document.setSaved(document.module());
            for (int i = 0; i < undone; ++i) document.undo();
            QCOMPARE(QProcess::execute(QStringLiteral("cp"), {QStringLiteral("-a"), m_folder, copies}), 0);
        }
        m_folder = copies;
        MainWindow window(*m_settings);
        RecoveryBar* bar = offered(window);
        QVERIFY(bar);
        const QString text = textOf(bar);
        if (offer.isEmpty()) QVERIFY2(!text.contains(QStringLiteral("Last edit")), qPrintable(text));
        else QVERIFY2(text.endsWith(offer), qPrintable(text));
    }

    void restore_fileIsGone_namesIt() {
        crash();
        QVERIFY(QFile::remove(m_model));
        MainWindow window(*m_settings);
        RecoveryBar* bar = offered(window);
        QVERIFY(bar);
        QTest::mouseClick(button(bar, QStringLiteral("Restore")), Qt::LeftButton);
        QTRY_VERIFY2(textOf(bar).startsWith(m_model + QStringLiteral(": cannot recover")), qPrintable(textOf(bar)));
        QCOMPARE(journals().size(), 1);
    }

    void restore_intoTheTabOfTheFile() {
        crash();
        MainWindow window(*m_settings);
        window.openFile(m_model);
        QTRY_COMPARE(window.currentDocument()->state(), Document::State::Ready);
        RecoveryBar* bar = offered(window);
        QVERIFY(bar);
        QTest::mouseClick(button(bar, QStringLiteral("Restore")), Qt::LeftButton);
        QTRY_COMPARE(window.currentDocument()->history()->entries().size(), 3u);
        QCOMPARE(window.findChild<QTabWidget*>(QStringLiteral("documents"))->count(), 1);
        window.currentDocument()->setSaved(window.currentDocument()->module());
    }

    void later_isOfferedAgain_whenTheFileIsOpened() {
        crash();
        MainWindow window(*m_settings);
        RecoveryBar* bar = offered(window);
        QVERIFY(bar);
        QTest::mouseClick(button(bar, QStringLiteral("Later")), Qt::LeftButton);
        QVERIFY(!bar->isVisible());
        QCOMPARE(journals().size(), 1);
        window.openFile(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/my_module.pt"));
        QTRY_COMPARE(window.currentDocument()->state(), Document::State::Ready);
        QTest::qWait(50);
        QVERIFY(!bar->isVisible());
        window.openFile(m_model);
        QTRY_VERIFY(bar->isVisible());
    }

    void discard_asks_andLeavesNothing() {
        crash();
        MainWindow window(*m_settings);
        RecoveryBar* bar = offered(window);
        QVERIFY(bar);
        bool harmlessByDefault = false;
        QTimer::singleShot(0, this, [&] {
            auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            if (!box) return;
            harmlessByDefault = box->defaultButton() == box->button(QMessageBox::Cancel);
            box->button(QMessageBox::Discard)->click();
        });
        QTest::mouseClick(button(bar, QStringLiteral("Discard")), Qt::LeftButton);
        QVERIFY(harmlessByDefault);
        QVERIFY(!bar->isVisible());
        QVERIFY(journals().isEmpty());
    }

    void changedFile_isRefusedInWords_andNothingIsLost() {
        crash();
        QFile file(m_model);
        QVERIFY(file.open(QIODevice::Append));
        file.write("x");
        file.close();
        MainWindow window(*m_settings);
        RecoveryBar* bar = offered(window);
        QVERIFY(bar);
        QTest::mouseClick(button(bar, QStringLiteral("Restore")), Qt::LeftButton);
        QTRY_VERIFY2(textOf(bar).contains(QStringLiteral("another state of the model")), qPrintable(textOf(bar)));
        QVERIFY(bar->isVisible());
        QCOMPARE(journals().size(), 1);
        QVERIFY(!window.currentDocument());
    }

    void changedFile_takesTheEdits_whenAsked() {
        crash();
        fx::History other(fx::openModel(m_model.toStdString()));
        other.edit(
            "",
            R"J([{"step": "insert_after", "node": "flatten", "op": "call_function", "target": "torch.neg", "args": )J"
            R"J([{"node": "flatten"}], "rewire_users": true}])J");
        QVERIFY(QFile::remove(m_model));
        fx::saveGraphModule(*other.model(), m_model.toStdString(), true);
        MainWindow window(*m_settings);
        RecoveryBar* bar = offered(window);
        QVERIFY(bar);
        QPushButton* apply = button(bar, QStringLiteral("Apply to Changed File"));
        QVERIFY(apply && !apply->isVisible());
        QTest::mouseClick(button(bar, QStringLiteral("Restore")), Qt::LeftButton);
        QTRY_VERIFY(apply->isVisible());
        QVERIFY2(textOf(bar).contains(QStringLiteral("another state of the model")), qPrintable(textOf(bar)));
        QTest::mouseClick(apply, Qt::LeftButton);
        QTRY_VERIFY(window.currentDocument() && window.currentDocument()->state() == Document::State::Ready);
        Document* document = window.currentDocument();
        const auto has = [&](const char* name) { return document->module()->graph.find(name) != fx::kNoNode; };
        QVERIFY(has("scaled") && has("relu_1") && has("neg"));
        QVERIFY(document->isModified() && !bar->isVisible());
        window.currentPage()->diskBar().check();
        QTest::qWait(100);
        QVERIFY(!window.currentPage()->diskBar().isVisible()); // the file is what the edits are of
        document->setSaved(document->module());
    }

    void otherProcess_savesOverTheFile_editsComeBack() {
        crash();
        MainWindow window(*m_settings);
        window.openFile(m_model);
        Document* document = window.currentDocument();
        QTRY_COMPARE(document->state(), Document::State::Ready);
        QVERIFY(document->edit(QStringLiteral("Rename"), R"J([{"step": "rename", "node": "flatten", "name": "f"}])J"));
        window.saveTo(m_model);
        SaveSheet* sheet = nullptr;
        QTRY_VERIFY((sheet = window.findChild<SaveSheet*>()));
        sheet->saveAnyway()->click();
        QTRY_VERIFY(!document->isModified());
        RecoveryBar* bar = offered(window);
        QVERIFY(bar);
        QTest::mouseClick(button(bar, QStringLiteral("Restore")), Qt::LeftButton);
        QTRY_VERIFY2(!bar->isVisible(), qPrintable(textOf(bar)));
        document = window.currentDocument();
        QVERIFY(document->module()->graph.find("scaled") != fx::kNoNode);
        QVERIFY(document->module()->graph.find("f") == fx::kNoNode); // the edits are of what was there before
        document->setSaved(document->module());
    }

    void cleanClose_leavesNothing() {
        {
            Document document(m_model);
            document.load();
            QTRY_COMPARE(document.state(), Document::State::Ready);
            QVERIFY(journals().isEmpty());
            QVERIFY(document.edit(QStringLiteral("Rename mul"), kRename));
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
            QVERIFY(document->edit(QStringLiteral("Rename mul"), kRename));
            window.saveTo(m_model);
            SaveSheet* sheet = nullptr;
            QTRY_VERIFY((sheet = window.findChild<SaveSheet*>()));
            sheet->saveAnyway()->click();
            QTRY_VERIFY(!document->isModified());
            QVERIFY(document->edit(QStringLiteral("Insert relu"), kInsert));
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
        for (const char* step : {R"J([{"step": "rename", "node": "flatten", "name": "flat"}])J",
                                 R"J([{"step": "rename", "node": "flat", "name": "flatter"}])J",
                                 R"J([{"step": "rename", "node": "relu", "name": "gone"}])J"})
            history.edit(step, step);
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
        QCOMPARE(document->history()->entries().size(), 5u);
        QCOMPARE(document->history()->current(), 4u);
        QVERIFY(document->isModified());
        const auto has = [&](const char* name) { return document->module()->graph.find(name) != fx::kNoNode; };
        QVERIFY(has("relu_1") && has("scaled") && has("flatter") && !has("gone"));
        document->undo();
        document->undo();
        QVERIFY(!has("scaled") && has("flatter"));
        QVERIFY(!document->isModified());
        document->undo();
        QVERIFY(has("flat"));
        document->goToVersion(2);
    }

    void unwritableFolder_isAProblem_andEditingGoesOn() {
        QVERIFY(QDir(m_dir->path()).mkpath(QStringLiteral("lancet")));
        QFile file(m_folder);
        QVERIFY(file.open(QIODevice::WriteOnly));
        Document document(m_model);
        document.load();
        QTRY_COMPARE(document.state(), Document::State::Ready);
        QVERIFY(document.edit(QStringLiteral("Rename mul"), kRename));
        const auto told = [&] {
            return std::any_of(document.problems().begin(), document.problems().end(), [](const Problem& problem) {
                return problem.what.contains(QStringLiteral("cannot be recovered"));
            });
        };
        QVERIFY(told());
        QVERIFY(file.remove());
        QVERIFY(document.edit(QStringLiteral("Insert relu"), kInsert));
        QVERIFY(!told());
        QCOMPARE(journals().size(), 1);
    }
};

int main(int argc, char** argv) {
    QApplication application(argc, argv);
    if (argc == 3 && qstrcmp(argv[1], "--edit") == 0) editAndDie(QString::fromLocal8Bit(argv[2]));
    if (argc == 4 && qstrcmp(argv[1], "--save") == 0)
        saveEditAndDie(QString::fromLocal8Bit(argv[2]), QString::fromLocal8Bit(argv[3]));
    TestRecovery test;
    return QTest::qExec(&test, argc, argv);
}
#include "tst_recovery.moc"
