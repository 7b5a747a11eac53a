// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/journal/journal_format.h"
#include "core/model_files/save_graphmodule.h"
#include "tests/json_steps.h"
#include "tests/ui/shell/recovery_fixture.h"
#include "tests/ui/support/settle.h"
#include "ui/document/document_source.h"
#include "ui/shell/document_page.h"
#include "ui/shell/recovery_bar.h"
#include "ui/shell/saving/disk_bar.h"
#include "ui/shell/saving/save_sheet.h"
#include "ui/shell/window/main_window.h"

#include <QApplication>
#include <QDateTime>
#include <QLabel>
#include <QLocale>
#include <QMessageBox>
#include <QProcess>
#include <QPushButton>
#include <QSet>
#include <QTabWidget>
#include <QTest>
#include <QTimer>

using namespace ui;

/// What is offered, and what cannot be brought back.
class TestRecoveryOffers : public RecoveryFixture {
    Q_OBJECT

private Q_SLOTS:
    void init() { startUp(); }

    void twoRecoveriesOfOneFile_areToldApart() {
        const QString copies = m_dir->filePath(QStringLiteral("copies"));
        {
            Document first(m_model), second(m_model);
            first.load();
            second.load();
            QTRY_VERIFY(first.state() == Document::State::Ready && second.state() == Document::State::Ready);
            QVERIFY(first.versions().edit(QStringLiteral("Rename mul"), kRename));
            const qint64 at = QDateTime::currentMSecsSinceEpoch(); // the earlier one comes first
            QTRY_VERIFY(QDateTime::currentMSecsSinceEpoch() > at);
            QVERIFY(second.versions().edit(QStringLiteral("Rename flatten"),
                                           R"J([{"step": "rename", "node": "flatten", "name": "flat"}])J"_steps));
            QCOMPARE(QProcess::execute(QStringLiteral("cp"), {QStringLiteral("-a"), m_folder, copies}), 0);
        }
        m_folder = copies;
        MainWindow window(*m_settings);
        RecoveryBar* bar = offered(window);
        QVERIFY(bar);
        const QString today = QLocale().toString(QDate::currentDate(), QLocale::ShortFormat);
        QVERIFY2(textOf(bar).contains(QStringLiteral("1 change of simple_net.pt? Last changed ") + today),
                 qPrintable(textOf(bar)));
        QVERIFY2(textOf(bar).contains(QStringLiteral(": Rename mul.")), qPrintable(textOf(bar)));
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
            QVERIFY(document.versions().edit(QStringLiteral("Rename mul"), kRename));
            QVERIFY(document.versions().edit(QStringLiteral("Insert relu"), kInsert));
            if (undone == 2) document.setSaved(document.module());
            for (int i = 0; i < undone; ++i) document.versions().undo();
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
        QTRY_COMPARE(window.currentDocument()->versions().history()->entries().size(), 3u);
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
        QVERIFY(testing::settle());
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

    void typedText_thatOutgrowsTheJournal_isToldOf_andTheOneBeforeStays() {
        const QString copies = m_dir->filePath(QStringLiteral("copies"));
        Document document(m_model);
        document.load();
        QTRY_VERIFY(document.state() == Document::State::Ready && document.facts().code());
        const auto type = [&](const QByteArray& text) {
            document.setDraft(CodeDraft{text, document.facts().code(), document.module()});
        };
        type("typed");
        QTRY_COMPARE(journals().size(), 1);
        type(QByteArray(qsizetype(fx::Journal::kMaxDraft) + 1, 'x'));
        const auto isTold = [&] { return document.journal().problem().contains(QStringLiteral("over 16 MiB")); };
        QTRY_VERIFY(isTold());
        QVERIFY(document.versions().edit(QStringLiteral("Rename mul"), kRename));
        QVERIFY(isTold()); // the edit is in the journal, the text is not
        QCOMPARE(QProcess::execute(QStringLiteral("cp"), {QStringLiteral("-a"), m_folder, copies}), 0);
        const auto found = fx::orphanedJournals(copies.toStdString());
        QCOMPARE(found.size(), 1u);
        QVERIFY(found[0]->draft());
        QCOMPARE(found[0]->draft()->code, std::optional<std::string>("typed"));
        QCOMPARE(found[0]->unsavedChanges(), 1u);
        document.setDraft({});
        QTRY_VERIFY(!isTold());
    }

    void damagedJournal_isToldOf_andCanOnlyBeDiscarded() {
        crash();
        QFile file(m_folder + u'/' + journals().front());
        QVERIFY(file.open(QIODevice::ReadWrite));
        QByteArray bytes = file.readAll();
        const auto end = fx::readJournalRecords(bytes.toStdString()).ends[1];
        QVERIFY(file.seek(static_cast<qint64>(end) - 3));
        QVERIFY(file.putChar('\0'));
        file.close();
        MainWindow window(*m_settings);
        RecoveryBar* bar = offered(window);
        QVERIFY(bar);
        QVERIFY2(textOf(bar).startsWith(
                     QStringLiteral("The crash journal of simple_net.pt is damaged: its edits cannot be restored.")),
                 qPrintable(textOf(bar)));
        QVERIFY(!button(bar, QStringLiteral("Restore"))->isVisible());
        QTest::mouseClick(button(bar, QStringLiteral("Later")), Qt::LeftButton);
        QVERIFY(!bar->isVisible());
        QCOMPARE(journals().size(), 1);
    }

    /// A name without a place to break makes no bar wider than its window.
    void longName_leavesTheWindowItsWidth() {
        const QString name = QString(230, u'w') + QStringLiteral(".pt");
        QVERIFY(QFile::rename(m_model, m_dir->filePath(name)));
        m_model = m_dir->filePath(name);
        crash();
        MainWindow window(*m_settings);
        constexpr int kMost = 300; // of the text and the margins
        const auto textWidth = [](const RecoveryBar& bar) {
            int buttons = 0;
            for (const QPushButton* each : bar.findChildren<QPushButton*>())
                if (each->isVisible()) buttons += each->sizeHint().width();
            return bar.minimumSizeHint().width() - buttons;
        };
        RecoveryBar* bar = offered(window);
        QVERIFY(bar);
        QVERIFY2(textWidth(*bar) < kMost, qPrintable(QString::number(textWidth(*bar))));
        QVERIFY(QFile::remove(m_model));
        QTest::mouseClick(button(bar, QStringLiteral("Restore")), Qt::LeftButton); // refused, with the whole path
        QTRY_VERIFY(textOf(bar).contains(QStringLiteral("cannot recover")));
        QVERIFY2(textWidth(*bar) < kMost, qPrintable(QString::number(textWidth(*bar))));
    }

    void narrowBar_hasItsButtonsBelowTheText() {
        crash();
        MainWindow window(*m_settings);
        RecoveryBar* bar = offered(window);
        QVERIFY(bar);
        const QLabel* text = bar->findChild<QLabel*>();
        const QPushButton* restore = button(bar, QStringLiteral("Restore"));
        for (const auto& [width, isBelow] : {std::pair{320, true}, std::pair{1200, false}}) {
            bar->setFixedWidth(width);
            QTRY_COMPARE(bar->width(), width);
            QTRY_COMPARE(restore->y() >= text->geometry().bottom(), isBelow);
            QTRY_VERIFY(text->width() > width * 2 / 3);
        }
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
            R"J([{"node": "flatten"}], "rewire_users": true}])J"_steps);
        QVERIFY(QFile::remove(m_model));
        fx::saveGraphModule(*other.model(), m_model.toStdString(), true);
        MainWindow window(*m_settings);
        RecoveryBar* bar = offered(window);
        QVERIFY(bar);
        QPushButton* apply = button(bar, QStringLiteral("Apply to Changed File"));
        QVERIFY(apply);
        QVERIFY(!apply->isVisible());
        QTest::mouseClick(button(bar, QStringLiteral("Restore")), Qt::LeftButton);
        QTRY_VERIFY(apply->isVisible());
        QVERIFY2(textOf(bar).contains(QStringLiteral("another state of the model")), qPrintable(textOf(bar)));
        QTest::mouseClick(apply, Qt::LeftButton);
        QTRY_VERIFY(window.currentDocument() && window.currentDocument()->state() == Document::State::Ready);
        Document* document = window.currentDocument();
        const auto has = [&](const char* name) { return document->module()->graph.find(name) != fx::kNoNode; };
        QVERIFY(has("scaled"));
        QVERIFY(has("relu_1"));
        QVERIFY(has("neg"));
        QVERIFY(document->isModified());
        QVERIFY(!bar->isVisible());
        window.currentPage()->diskBar().check();
        QVERIFY(testing::settle());
        QVERIFY(!window.currentPage()->diskBar().isVisible()); // the file is what the edits are of
        document->setSaved(document->module());
    }

    void otherProcess_savesOverTheFile_editsComeBack() {
        crash();
        MainWindow window(*m_settings);
        window.openFile(m_model);
        Document* document = window.currentDocument();
        QTRY_COMPARE(document->state(), Document::State::Ready);
        QVERIFY(document->versions().edit(QStringLiteral("Rename"),
                                          R"J([{"step": "rename", "node": "flatten", "name": "f"}])J"_steps));
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

    void unwritableFolder_isAProblem_andEditingGoesOn() {
        QVERIFY(QDir(m_dir->path()).mkpath(QStringLiteral("lancet")));
        QFile file(m_folder);
        QVERIFY(file.open(QIODevice::WriteOnly));
        Document document(m_model);
        document.load();
        QTRY_COMPARE(document.state(), Document::State::Ready);
        QVERIFY(document.versions().edit(QStringLiteral("Rename mul"), kRename));
        const auto told = [&] {
            return std::any_of(
                document.facts().problems().begin(), document.facts().problems().end(),
                [](const Problem& problem) { return problem.what.contains(QStringLiteral("cannot be recovered")); });
        };
        QVERIFY(told());
        QVERIFY(file.remove());
        QVERIFY(document.versions().edit(QStringLiteral("Insert relu"), kInsert));
        QVERIFY(!told());
        QCOMPARE(journals().size(), 1);
    }
};

int main(int argc, char** argv) { return RecoveryFixture::runOrDie<TestRecoveryOffers>(argc, argv); }
#include "tst_recovery_offers.moc"
