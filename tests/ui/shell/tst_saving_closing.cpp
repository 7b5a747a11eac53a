// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/open.h"
#include "tests/ui/shell/saving_fixture.h"
#include "tests/ui/support/held_pool.h"
#include "tests/ui/support/modal.h"
#include "tests/ui/support/settle.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/document/document_source.h"
#include "ui/shell/document_page.h"
#include "ui/shell/operations/busy_bar.h"
#include "ui/shell/saving/unsaved_question.h"
#include "ui/shell/window/main_window.h"

#include <QApplication>
#include <QFileDialog>
#include <QMenu>
#include <QProcess>
#include <QTest>

using namespace ui;

/// What is not saved is asked about before it goes: when tabs close, the program quits or a file is read again.
class TestSavingClosing : public SavingFixture {
    Q_OBJECT

    QDialog* closingDialog() const { return m_window->findChild<QDialog*>(QStringLiteral("closing")); }

    /// Two tabs of one file, as after two processes that crashed, each with changes of its own.
    bool openTwice(Document*& a, Document*& b) {
        a = openCopy("a.pt"), b = openCopy("b.pt");
        if (!a || !b) return false;
        tabs()->setCurrentIndex(0);
        m_window->saveTo(file("one.lancet"));
        if (!QTest::qWaitFor([&] { return a->file().target() == file("one.lancet"); }, 20'000)) return false;
        b->file().setOnDisk(a->file().onDisk());
        b->setSaved(b->module(), file("one.lancet"));
        return rename(*a, "mul", "of_a") && rename(*b, "mul", "of_b");
    }

private Q_SLOTS:
    void init() { startUp(); }
    void cleanup() { m_window.reset(); }

    void close_whileSaving_waits() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        QVERIFY(rename(*a, "mul", "of_a"));
        {
            const testing::HeldPool held;
            m_window->saveTo(file("a.lancet"));
            m_window->actions().closeTab->trigger(); // asks nothing: the version is being saved
            QTRY_VERIFY(closingDialog() && closingDialog()->isVisible());
            QCOMPARE(tabs()->count(), 1);
        }
        QTRY_COMPARE(tabs()->count(), 0);
        QVERIFY(holds(file("a.lancet"), "of_a"));
    }

    void close_whileSaving_cancelled_keepsEverything() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        QVERIFY(rename(*a, "mul", "of_a"));
        {
            const testing::HeldPool held;
            m_window->saveTo(file("a.lancet"));
            m_window->actions().closeTab->trigger();
            QTRY_VERIFY(closingDialog() && closingDialog()->isVisible());
            click(*closingDialog(), QStringLiteral("Stop and Keep Open"));
            QTRY_VERIFY(!closingDialog());
        }
        ui::taskPool().waitForDone();
        QCoreApplication::processEvents();
        QCOMPARE(tabs()->count(), 1);
        QVERIFY(a->isModified());
        QVERIFY(!QFile::exists(file("a.lancet")));
    }

    void close_modified_asks_data() {
        QTest::addColumn<QString>("button");
        QTest::addColumn<int>("left");
        QTest::addColumn<bool>("saved");
        QTest::newRow("save") << "Save" << 0 << true;
        QTest::newRow("discard") << "Discard" << 0 << false;
        QTest::newRow("cancel") << "Cancel" << 1 << false;
    }
    void close_modified_asks() {
        QFETCH(QString, button);
        QFETCH(int, left);
        QFETCH(bool, saved);
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        m_window->saveTo(file("a.lancet"));
        QTRY_COMPARE(a->file().target(), file("a.lancet"));
        QVERIFY(rename(*a, "mul", "of_a"));
        answer(button);
        m_window->actions().closeTab->trigger();
        QVERIFY2(m_asked.value(0).startsWith(QStringLiteral("Save changes to a.lancet before closing?")),
                 qPrintable(m_asked.value(0)));
        QTRY_COMPARE(tabs()->count(), left);
        QCOMPARE(holds(file("a.lancet"), "of_a"), saved);
    }

    void closeAll_saveCancelled_keepsTheUncheckedOnes() {
        Document *a = openCopy("a.pt"), *b = openCopy("b.pt");
        QVERIFY(a);
        QVERIFY(b);
        QVERIFY(openCopy("unchanged.pt"));
        QVERIFY(rename(*a, "mul", "of_a"));
        QVERIFY(rename(*b, "mul", "of_b"));
        testing::whenOpen<UnsavedSheet>(m_window.get(), [this](UnsavedSheet* sheet) {
            sheet->list()->item(0)->setCheckState(Qt::Unchecked);
            whenFileDialog([](QFileDialog* dialog) { dialog->reject(); });
            sheet->saveButton()->click();
        });
        m_window->actions().closeAll->trigger();
        QVERIFY(testing::settle());
        QCOMPARE(tabs()->count(), 3);
        QVERIFY(a->isModified());
        QVERIFY(a->module()->graph.find("of_a") != fx::kNoNode);
        QVERIFY(b->isModified());
        QVERIFY(b->module()->graph.find("of_b") != fx::kNoNode);
    }

    void quit_severalChanged_oneSheetSavesTheChecked() {
        QVERIFY(openCopy("a.pt"));
        QVERIFY(openCopy("b.pt"));
        QVERIFY(openCopy("c.pt"));
        QList<Document*> documents;
        for (int i = 0; i < 3; ++i) {
            documents << &static_cast<DocumentPage*>(tabs()->widget(i))->document();
            tabs()->setCurrentIndex(i);
            m_window->saveTo(file(("abc"[i] + std::string(".lancet")).c_str()));
            QTRY_VERIFY(!documents[i]->file().target().isEmpty());
            if (i > 0) QVERIFY(rename(*documents[i], "mul", "changed"));
        }
        testing::whenOpen<UnsavedSheet>(m_window.get(), [this](UnsavedSheet* sheet) {
            QCOMPARE(sheet->list()->count(), 2);
            QCOMPARE(sheet->saveButton()->text(), QStringLiteral("Save All"));
            sheet->reject();
        });
        QVERIFY(!m_window->close());
        QVERIFY(m_window->isVisible());
        testing::whenOpen<UnsavedSheet>(m_window.get(), [](UnsavedSheet* sheet) {
            sheet->list()->item(1)->setCheckState(Qt::Unchecked);
            QVERIFY(sheet->saveButton()->text() != QStringLiteral("Save All"));
            sheet->saveButton()->click();
        });
        m_window->close();
        QTRY_VERIFY(!m_window->isVisible());
        QVERIFY(holds(file("b.lancet"), "changed"));
        QVERIFY(!holds(file("c.lancet"), "changed"));
    }

    void quit_twoTabsOfOneFile_savesTheCheckedOne() {
        Document *a = nullptr, *b = nullptr;
        QVERIFY(openTwice(a, b));
        testing::whenOpen<UnsavedSheet>(m_window.get(), [](UnsavedSheet* sheet) {
            QCOMPARE(sheet->list()->count(), 2);
            sheet->list()->item(0)->setCheckState(Qt::Unchecked);
            sheet->saveButton()->click();
        });
        m_window->close();
        QTRY_VERIFY(!m_window->isVisible());
        QVERIFY(holds(file("one.lancet"), "of_b"));
    }

    void quit_twoTabsOfOneFile_acceptingWhatIsProposed_savesBoth() {
        Document *a = nullptr, *b = nullptr;
        QVERIFY(openTwice(a, b));
        testing::whenOpen<UnsavedSheet>(m_window.get(), [this](UnsavedSheet* sheet) {
            answer(QStringLiteral("OK")); // the file is in use
            whenFileDialog(
                [](QFileDialog* dialog) { QMetaObject::invokeMethod(dialog, "accept", Qt::QueuedConnection); });
            sheet->saveButton()->click();
        });
        m_window->close();
        QTRY_VERIFY(!m_window->isVisible());
        QCOMPARE(m_asked.size(), 1);
        QVERIFY(holds(file("one.lancet"), "of_a"));
        QVERIFY(holds(file("one_2.lancet"), "of_b"));
    }

    void quit_twoTabsOfOneFile_bothChecked_theSecondNeedsAFileOfItsOwn() {
        Document *a = nullptr, *b = nullptr;
        QVERIFY(openTwice(a, b));
        bool asked = false;
        testing::whenOpen<UnsavedSheet>(m_window.get(), [this, &asked](UnsavedSheet* sheet) {
            answer(QStringLiteral("OK"));
            whenFileDialog([&asked](QFileDialog* dialog) {
                asked = true;
                dialog->reject();
            });
            sheet->saveButton()->click();
        });
        m_window->close();
        QTRY_VERIFY(asked && !a->isModified());
        QVERIFY2(m_asked.value(0).contains(QStringLiteral("one.lancet is ")), qPrintable(m_asked.value(0)));
        QVERIFY(testing::settle());
        QVERIFY(m_window->isVisible());
        QVERIFY(b->isModified());
        QVERIFY(holds(file("one.lancet"), "of_a"));
        QVERIFY(b->module()->graph.find("of_b") != fx::kNoNode);
    }

    void quit_aSaveFails_staysOpen() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        QVERIFY(QDir(m_folder->path()).mkdir(QStringLiteral("gone")));
        m_window->saveTo(file("gone/a.lancet"));
        QTRY_VERIFY(!a->file().target().isEmpty());
        QVERIFY(rename(*a, "mul", "of_a"));
        QVERIFY(QDir(file("gone")).removeRecursively());
        answer(QStringLiteral("Save"));
        QVERIFY(!m_window->close());
        answer(QStringLiteral("OK"));
        QTRY_COMPARE(m_asked.size(), 2);
        QVERIFY2(m_asked[1].startsWith(QStringLiteral("Could not save a.lancet")), qPrintable(m_asked[1]));
        QVERIFY(testing::settle());
        QVERIFY(m_window->isVisible());
        QVERIFY(a->isModified());
    }

    void quit_lostFileThatCannotBeSaved_staysOpen() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        QVERIFY(QDir(m_folder->path()).mkdir(QStringLiteral("gone")));
        m_window->saveTo(file("gone/a.lancet"));
        QTRY_VERIFY(!a->file().target().isEmpty());
        QVERIFY(QDir(file("gone")).removeRecursively()); // before the window has noticed
        answer(QStringLiteral("Save"));
        QVERIFY(!m_window->close());
        answer(QStringLiteral("OK"));
        QTRY_COMPARE(m_asked.size(), 2);
        QVERIFY(testing::settle());
        QVERIFY(m_window->isVisible());
        QCOMPARE(tabs()->count(), 1);
    }

    void reload_asks_cancelKeepsEverything() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        QVERIFY(rename(*a, "mul", "of_a"));
        a->selection().select({a->module()->graph.find("of_a")}, nullptr);
        const auto module = a->module();
        const auto unchanged = [&] {
            return a->module() == module && a->versions().history()->entries().size() == 2 && a->isModified() &&
                   a->selection().nodes().size() == 1 && a->state() == Document::State::Ready;
        };
        answer(QStringLiteral("Cancel"));
        m_window->actions().reload->trigger();
        QVERIFY2(m_asked.value(0).startsWith(QStringLiteral("Save changes to a.pt before reloading it?")),
                 qPrintable(m_asked.value(0)));
        QVERIFY(unchanged());
        { // stopped while the file is read
            const testing::HeldPool held;
            answer(QStringLiteral("Discard"));
            m_window->actions().reload->trigger();
            QVERIFY(a->operations().isRunning(DocumentOperations::Kind::Open));
            m_window->busyBar().cancelButton()->click();
        }
        ui::taskPool().waitForDone();
        QCoreApplication::processEvents();
        QVERIFY(unchanged());
    }

    void otherModel_withUnsavedEdits_asks_data() {
        QTest::addColumn<QString>("button");
        for (const char* button : {"Cancel", "Discard", "Save"}) QTest::newRow(button) << QString::fromLatin1(button);
    }
    void otherModel_withUnsavedEdits_asks() {
        QFETCH(QString, button);
        QFile::copy(QStringLiteral(LANCET_SOURCE_DIR "/tests/data/pt2/several.pt2"), file("several.pt2"));
        Document* a = open(file("several.pt2"));
        QVERIFY(a);
        m_window->saveTo(file("kept.lancet")); // where Save goes
        QTRY_COMPARE(a->file().target(), file("kept.lancet"));
        const std::string first = a->module()->graph.node(a->module()->graph.order().front()).name();
        QVERIFY(rename(*a, first.c_str(), "renamed"));
        const auto module = a->module();
        Q_EMIT m_window->actions().modelsMenu->aboutToShow();
        QAction* second = nullptr;
        for (QAction* each : m_window->actions().modelsMenu->actions())
            if (each->text() == QStringLiteral("second")) second = each;
        QVERIFY(second);
        answer(button);
        second->trigger();
        QVERIFY2(m_asked.value(0).startsWith(QStringLiteral("Save changes to kept.lancet before")),
                 qPrintable(m_asked.value(0)));
        if (button == QStringLiteral("Cancel")) {
            QCOMPARE(a->module(), module);
            QVERIFY(a->isModified());
            QVERIFY(a->versions().history()->entries().size() == 2);
            QTRY_VERIFY(a->operations().running().empty());
            a->versions().undo();
            return;
        }
        QTRY_COMPARE(a->module()->modelName, std::string("second"));
        QVERIFY(!a->isModified());
        QCOMPARE(holds(file("kept.lancet"), "renamed"), button == QStringLiteral("Save"));
    }

    void reload_changedWhileItReads_keepsTheChange() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        QVERIFY(rename(*a, "mul", "of_a"));
        {
            const testing::HeldPool held;
            answer(QStringLiteral("Discard"));
            m_window->actions().reload->trigger();
            QVERIFY(rename(*a, "of_a", "later"));
        }
        answer(QStringLiteral("OK"));
        QTRY_COMPARE(m_asked.size(), 2);
        QVERIFY2(m_asked[1].startsWith(QStringLiteral("Could not reload a.pt")), qPrintable(m_asked[1]));
        QVERIFY(a->module()->graph.find("later") != fx::kNoNode);
    }

    void reload_fails_keepsTheEdits_thenSucceeds() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        QVERIFY(rename(*a, "mul", "of_a"));
        const auto module = a->module();
        QVERIFY(QFile::rename(file("a.pt"), file("good.pt")));
        QFile bad(file("a.pt"));
        QVERIFY(bad.open(QIODevice::WriteOnly));
        QVERIFY(bad.write("no model") > 0);
        bad.close();
        answer(QStringLiteral("Discard"));
        m_window->actions().reload->trigger();
        answer(QStringLiteral("OK"));
        QTRY_COMPARE(m_asked.size(), 2);
        QVERIFY2(m_asked[1].startsWith(QStringLiteral("Could not reload a.pt")), qPrintable(m_asked[1]));
        QCOMPARE(a->module(), module);
        QCOMPARE(a->versions().history()->entries().size(), 2u);
        a->versions().undo();
        a->versions().redo();
        QVERIFY(a->isModified());

        QVERIFY(QFile::remove(file("a.pt")));
        QVERIFY(QFile::rename(file("good.pt"), file("a.pt")));
        answer(QStringLiteral("Discard"));
        m_window->actions().reload->trigger();
        QTRY_VERIFY(!a->isModified());
        QCOMPARE(a->versions().history()->entries().size(), 1u);
        QVERIFY(a->module()->graph.find("mul") != fx::kNoNode);
    }

    void quitting_showsTheTabThatItAsksAbout() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        QVERIFY(rename(*a, "mul", "of_a"));
        QVERIFY(openCopy("b.pt"));
        QVERIFY(m_window->currentDocument() != a);
        answer(QStringLiteral("Cancel"));
        m_window->close();
        QCOMPARE(m_asked.size(), 1);
        QCOMPARE(m_window->currentDocument(), a);
    }

    void close_codeTypedWhileItSaves_isKept() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        m_window->saveTo(file("a.lancet"));
        QTRY_COMPARE(a->file().target(), file("a.lancet"));
        QVERIFY(rename(*a, "mul", "of_a"));
        QTRY_VERIFY(a->facts().code());
        {
            const testing::HeldPool held;
            answer(QStringLiteral("Save"));
            m_window->actions().closeTab->trigger();
            QVERIFY(a->operations().isWriting());
            a->setDraft(CodeDraft{QByteArray::fromStdString(a->facts().code()->text) + "    # typed\n",
                                  a->facts().code(), a->module()});
        }
        QTRY_VERIFY(!a->operations().isWriting() && !a->hasUnsavedVersion());
        QVERIFY(testing::settle()); // what closes does so a moment after
        QCOMPARE(tabs()->count(), 1);
        QVERIFY(a->draft());
        QVERIFY(holds(file("a.lancet"), "of_a"));
    }

    void reload_codeTypedWhileItSaves_isKept() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        m_window->saveTo(file("a.lancet"));
        QTRY_COMPARE(a->file().target(), file("a.lancet"));
        QVERIFY(rename(*a, "mul", "of_a"));
        QTRY_VERIFY(a->facts().code());
        {
            const testing::HeldPool held;
            answer(QStringLiteral("Save"));
            m_window->actions().reload->trigger();
            QVERIFY(a->operations().isWriting());
            a->setDraft(CodeDraft{QByteArray::fromStdString(a->facts().code()->text) + "    # typed\n",
                                  a->facts().code(), a->module()});
        }
        QTRY_VERIFY(!a->operations().isWriting() && !a->hasUnsavedVersion());
        QVERIFY(testing::settle());
        QVERIFY(a->draft());
        QVERIFY(!a->operations().isRunning(DocumentOperations::Kind::Open));
    }

    void reload_typedCode_isTold() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        QTRY_VERIFY(a->facts().code());
        a->setDraft(CodeDraft{QByteArray::fromStdString(a->facts().code()->text) + "    # typed\n", a->facts().code(),
                              a->module()});
        answer(QStringLiteral("Cancel"));
        m_window->actions().reload->trigger();
        QVERIFY2(m_asked.value(0).contains(QStringLiteral("Its code is not applied yet.")),
                 qPrintable(m_asked.value(0)));
        QVERIFY(a->draft());
    }
};

QTEST_MAIN(TestSavingClosing)
#include "tst_saving_closing.moc"
