// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/ir_json/ir_json.h"
#include "core/journal/recovery.h"
#include "core/model_files/open.h"
#include "core/model_files/save_graphmodule.h"
#include "core/model_files/save_project.h"
#include "tests/json_steps.h"
#include "tests/ui/shell/saving_fixture.h"
#include "tests/ui/support/held_pool.h"
#include "tests/ui/support/modal.h"
#include "tests/ui/support/settle.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/document/document_source.h"
#include "ui/shell/document_page.h"
#include "ui/shell/saving/disk_bar.h"
#include "ui/shell/saving/save_sheet.h"
#include "ui/shell/window/main_window.h"

#include <QApplication>
#include <QDirIterator>
#include <QFileDialog>
#include <QLineEdit>
#include <QMessageBox>
#include <QProcess>
#include <QSignalSpy>
#include <QTest>

using namespace ui;

/// How often a widget was shown.
class ShowCounter final : public QObject {
public:
    explicit ShowCounter(QWidget& widget) { widget.installEventFilter(this); }
    int count = 0;

protected:
    bool eventFilter(QObject*, QEvent* event) override {
        count += event->type() == QEvent::Show ? 1 : 0;
        return false;
    }
};

/// What other programs do to the files of open documents.
class TestSavingDisk : public SavingFixture {
    Q_OBJECT

private Q_SLOTS:
    void init() { startUp(); }
    void cleanup() { m_window.reset(); }

    void disk_changedByOthers_isTold() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        DiskBar& bar = m_window->currentPage()->diskBar();
        const auto replace = [&](const char* sample) {
            QFile::remove(file("a.pt"));
            QVERIFY(QFile::copy(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/") + QLatin1String(sample),
                                file("a.pt")));
        };
        QVERIFY(!bar.isVisible());
        const QSignalSpy told(a, &Document::diskChanged);
        replace("my_module.pt");
        QTRY_VERIFY(bar.isVisible());
        QCOMPARE(bar.text(), QStringLiteral("a.pt has changed on disk."));
        QVERIFY(!told.isEmpty());  // the inspector shows the size of the file
        QVERIFY(!a->isModified()); // so far nothing of it would be lost
        bar.keepButton()->click();
        QVERIFY(!bar.isVisible());
        QVERIFY(a->isModified()); // this window has the only copy

        // Keeping one's own does not mean that the other one may be overwritten.
        QVERIFY(rename(*a, "mul", "of_a"));
        m_window->saveTo(file("a.pt"));
        QMessageBox* box = nullptr;
        QTRY_VERIFY((box = m_window->findChild<QMessageBox*>()) && box->isVisible());
        QVERIFY2(box->text().contains(QStringLiteral("a.pt has changed on disk")), qPrintable(box->text()));
        a->versions().undo(); // it asked about another version
        QTRY_VERIFY(!a->operations().isWriting());
        QVERIFY(a->isModified());
        QVERIFY(!holds(file("a.pt"), "of_a"));

        QFile::remove(file("a.pt"));
        bar.check(); // as when the window becomes active
        QTRY_VERIFY(bar.isVisible());
        QCOMPARE(bar.text(), QStringLiteral("a.pt is no longer on disk."));
        replace("my_module.pt");
        bar.check();
        QTRY_VERIFY(!bar.isVisible() || bar.reloadButton()->isVisible());
        answer(QStringLiteral("Discard and Reload")); // what was kept
        m_window->actions().reload->trigger();
        QTRY_VERIFY(a->module()->graph.find("mul") == fx::kNoNode);
        QVERIFY(!bar.isVisible());
    }

    void disk_reloadOfWhatOthersChanged_offersAnotherFile_data() {
        QTest::addColumn<QString>("button");
        QTest::newRow("save") << "Save As…";
        QTest::newRow("discard") << "Discard and Reload";
    }
    void disk_reloadOfWhatOthersChanged_offersAnotherFile() {
        QFETCH(QString, button);
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        QVERIFY(rename(*a, "mul", "of_a"));
        QVERIFY(QFile::remove(file("a.pt")));
        QVERIFY(QFile::copy(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/my_module.pt"), file("a.pt")));
        const QByteArray others = bytesOf(file("a.pt"));
        DiskBar& bar = m_window->currentPage()->diskBar();
        QTRY_VERIFY(bar.isVisible());
        if (button == QStringLiteral("Save As…"))
            whenFileDialog(
                [this](QFileDialog* dialog) {
                    dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))->setText(file("mine.lancet"));
                    QMetaObject::invokeMethod(dialog, "accept", Qt::QueuedConnection);
                },
                1);
        answer(button);
        bar.reloadButton()->click();
        QVERIFY2(m_asked.value(0).startsWith(QStringLiteral("a.pt has changed on disk.")),
                 qPrintable(m_asked.value(0)));
        if (button == QStringLiteral("Save As…")) {
            QTRY_COMPARE(tabs()->count(), 2); // what others wrote is beside it
            QVERIFY(a->module()->graph.find("of_a") != fx::kNoNode);
            QVERIFY(holds(file("mine.lancet"), "of_a"));
            QCOMPARE(m_window->currentDocument()->file().path(), file("a.pt"));
        } else {
            QTRY_VERIFY(a->module()->graph.find("of_a") == fx::kNoNode);
        }
        QCOMPARE(bytesOf(file("a.pt")), others);
    }

    /// The weights of NAME.json go into NAME.safetensors, of which the file dialog has not asked.
    void save_besideForeignWeights_asks() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        QFile foreign(file("net.safetensors"));
        QVERIFY(foreign.open(QIODevice::WriteOnly));
        QVERIFY(foreign.write("somebody's") > 0);
        foreign.close();
        for (const bool overwrites : {false, true}) {
            m_window->saveTo(file("net.json"));
            QMessageBox* box = nullptr;
            QTRY_VERIFY((box = m_window->findChild<QMessageBox*>()) && box->isVisible());
            QVERIFY2(box->text().contains(QStringLiteral("net.safetensors exists")), qPrintable(box->text()));
            QCOMPARE(box->defaultButton(), box->button(QMessageBox::Cancel));
            for (QAbstractButton* button : box->buttons())
                if ((box->buttonRole(button) == QMessageBox::DestructiveRole) == overwrites) button->click();
            QTRY_VERIFY(!a->operations().isWriting());
            QCOMPARE(bytesOf(file("net.safetensors")) == "somebody's", !overwrites);
            QCOMPARE(QFile::exists(file("net.json")), overwrites);
            QTRY_VERIFY(!m_window->findChild<QMessageBox*>());
        }
        m_window->saveTo(file("net.json")); // its own now
        QTRY_VERIFY(!a->operations().isWriting());
        QVERIFY(!m_window->findChild<QMessageBox*>());
    }

    void disk_changedWhileTheSheetAsks_isAskedAbout() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        QVERIFY(rename(*a, "mul", "of_a"));
        m_window->saveTo(file("a.pt"));
        SaveSheet* sheet = nullptr;
        QTRY_VERIFY((sheet = m_window->findChild<SaveSheet*>()));
        QVERIFY(QFile::remove(file("a.pt")));
        QVERIFY(QFile::copy(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/my_module.pt"), file("a.pt")));
        const QByteArray others = bytesOf(file("a.pt"));
        sheet->saveAnyway()->click();
        QMessageBox* box = nullptr;
        QTRY_VERIFY((box = m_window->findChild<QMessageBox*>()) && box->isVisible());
        QVERIFY2(box->text().contains(QStringLiteral("a.pt has changed on disk")), qPrintable(box->text()));
        box->button(QMessageBox::Cancel)->click();
        QTRY_VERIFY(!a->operations().isWriting());
        QVERIFY(a->isModified());
        QCOMPARE(bytesOf(file("a.pt")), others);
    }

    void disk_fileIsGone_isUnsaved_untilItIsBackOrWritten() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        m_window->saveTo(file("a.lancet"));
        QTRY_COMPARE(a->file().target(), file("a.lancet"));
        QVERIFY(!m_window->isWindowModified());
        const QByteArray saved = bytesOf(file("a.lancet"));
        QVERIFY(QFile::remove(file("a.lancet")));
        m_window->currentPage()->diskBar().check(); // as when the window becomes active
        QTRY_VERIFY(a->isModified());
        QVERIFY(tabs()->tabText(0).endsWith(u'•'));
        QVERIFY(m_window->isWindowModified());
        m_window->currentPage()->diskBar().keepButton()->click();
        answer(QStringLiteral("Cancel"));
        m_window->actions().closeTab->trigger();
        QVERIFY(m_asked.value(0).startsWith(QStringLiteral("Save changes to a.lancet before closing?")));
        QCOMPARE(tabs()->count(), 1);
        m_window->actions().save->trigger();
        QTRY_VERIFY(!a->isModified());
        QVERIFY(QFile::exists(file("a.lancet")));
        // Closed before anybody has noticed.
        QVERIFY(QFile::remove(file("a.lancet")));
        answer(QStringLiteral("Discard"));
        m_window->actions().closeTab->trigger();
        QCOMPARE(m_asked.size(), 2);
        QTRY_COMPARE(tabs()->count(), 0);
    }

    void disk_weightsBesideAreGone_areNamed_andTheModelIsUnsaved() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        QVERIFY(rename(*a, "mul", "of_a"));
        m_window->saveTo(file("a.json"));
        QTRY_COMPARE(a->file().target(), file("a.json"));
        QTRY_VERIFY(!a->isModified());
        DiskBar& bar = m_window->currentPage()->diskBar();
        QVERIFY(QFile::rename(file("a.safetensors"), file("away")));
        bar.check();
        QTRY_VERIFY(bar.isVisible());
        QCOMPARE(bar.text(), QStringLiteral("a.safetensors is no longer on disk."));
        QVERIFY(a->isModified());
        QVERIFY(QFile::rename(file("away"), file("a.safetensors"))); // its folder is watched
        QTRY_VERIFY(!bar.isVisible());
        QVERIFY(!a->isModified());
    }

    void disk_editsWereSavedInWhatOthersReplaced_areUnsaved() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        QVERIFY(rename(*a, "mul", "of_a"));
        m_window->saveTo(file("b.lancet"));
        QTRY_COMPARE(a->file().target(), file("b.lancet"));
        QTRY_VERIFY(!a->isModified());
        QVERIFY(QFile::remove(file("b.lancet")));
        QVERIFY(QFile::copy(file("a.pt"), file("b.lancet")));
        m_window->currentPage()->diskBar().check();
        QTRY_VERIFY(a->isModified());
    }

    void disk_overwrittenInPlace_editsCanStillBeSaved() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        QVERIFY(rename(*a, "mul", "of_a"));
        QFile other(file("a.pt")); // as a script does that exports its model again
        QVERIFY(other.open(QIODevice::WriteOnly | QIODevice::Truncate));
        other.write("somebody else's");
        other.close();
        m_window->saveTo(file("saved.lancet"));
        QTRY_VERIFY(!a->isModified());
        QVERIFY(holds(file("saved.lancet"), "of_a"));
        QCOMPARE(bytesOf(file("a.pt")), QByteArray("somebody else's"));
    }

    void disk_weightsOverwrittenInPlace_editsCanStillBeSaved_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<QString>("weights");
        QTest::newRow("description") << "net.json"
                                     << "net.safetensors";
        QTest::newRow("folder") << "net/"
                                << "net/state_dict.pt";
        QTest::newRow("project") << "net.lancet"
                                 << "net.lancet";
    }
    void disk_weightsOverwrittenInPlace_editsCanStillBeSaved() {
        QFETCH(QString, path);
        QFETCH(QString, weights);
        const auto model = fx::openModel(LANCET_SOURCE_DIR "/resources/samples/simple_net.pt");
        const std::string target = m_folder->filePath(path).toStdString();
        if (target.ends_with('/')) fx::saveFolder(*model, target, true);
        else if (target.ends_with(".lancet")) fx::saveProject(fx::projectOf(model), *model, target, true);
        else fx::writeIrJson(*model, target);
        Document* a = open(m_folder->filePath(path));
        QVERIFY(a);
        QVERIFY(rename(*a, "mul", "of_a"));
        QFile other(m_folder->filePath(weights));
        QVERIFY(other.open(QIODevice::WriteOnly | QIODevice::Truncate));
        other.write("somebody else's");
        other.close();
        m_window->saveTo(file("saved.lancet"));
        QTRY_VERIFY(!a->isModified());
        QVERIFY(holds(file("saved.lancet"), "of_a"));
    }

    void disk_overwrittenInPlace_andNotKept_saysWhatToDo() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        const std::string path = file("a.pt").toStdString();
        // Opened without its content, as a file that is too large for it.
        auto model = std::make_shared<fx::GraphModule>(*fx::openModel(path));
        a->versions().adoptEdit(QStringLiteral("Large"), "[]"_steps, model);
        DiskBar& bar = m_window->currentPage()->diskBar();
        QFile other(file("a.pt"));
        QVERIFY(other.open(QIODevice::WriteOnly | QIODevice::Truncate));
        other.write("somebody else's");
        other.close();
        bar.check();
        QTRY_VERIFY(bar.isVisible());
        QTRY_VERIFY2(bar.text().contains(QStringLiteral("save them as a recipe")), qPrintable(bar.text()));
    }

    /// Source that was saved here is unsaved again when another program empties its file, and a crash loses nothing.
    void disk_savedSourceIsOverwritten_countsAsUnsaved_andIsInTheJournal() {
        m_window->actions().newSource->trigger();
        Document* source = m_window->currentDocument();
        QVERIFY(source);
        QVERIFY(source->source());
        const QByteArray text = source->source()->text();
        m_window->saveTo(file("new.py"));
        QTRY_COMPARE(source->file().target(), file("new.py"));
        QTRY_VERIFY(!source->isModified() && !source->operations().isWriting());
        const auto isInJournal = [&text] {
            QDirIterator files(QString::fromStdString(fx::Journal::defaultFolder()), {QStringLiteral("draft")},
                               QDir::Files, QDirIterator::Subdirectories);
            while (files.hasNext()) {
                QFile draft(files.next());
                if (draft.open(QIODevice::ReadOnly) && draft.readAll().contains(text)) return true;
            }
            return false;
        };
        QTRY_VERIFY(isInJournal());
        QTRY_VERIFY(asACrashLeavesThem().empty());
        QVERIFY(QFile::resize(file("new.py"), 0));
        DiskBar& bar = m_window->currentPage()->diskBar();
        bar.check();
        QTRY_VERIFY(bar.isVisible());
        QVERIFY(source->isModified());
        QTRY_COMPARE(asACrashLeavesThem().size(), 1u);
        const auto journals = asACrashLeavesThem();
        QVERIFY(journals.front()->draft());
        QVERIFY(journals.front()->draft()->isTyped());
        QCOMPARE(QByteArray::fromStdString(*journals.front()->draft()->source), text);
    }

    /// From then on the model is only in the window, whether it was edited or not.
    void disk_modelThatIsInNoFile_isInTheJournal_data() {
        QTest::addColumn<bool>("isGone");
        QTest::addColumn<bool>("isEdited");
        for (const bool isGone : {false, true})
            for (const bool isEdited : {false, true})
                QTest::addRow("%s, %s", isGone ? "gone" : "kept", isEdited ? "edit undone" : "never edited")
                    << isGone << isEdited;
    }
    void disk_modelThatIsInNoFile_isInTheJournal() {
        QFETCH(bool, isGone);
        QFETCH(bool, isEdited);
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        if (isEdited) QVERIFY(rename(*a, "mul", "of_a"));
        QVERIFY(QFile::remove(file("a.pt")));
        if (!isGone)
            QVERIFY(QFile::copy(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/my_module.pt"), file("a.pt")));
        DiskBar& bar = m_window->currentPage()->diskBar();
        bar.check();
        QTRY_VERIFY(bar.isVisible());
        bar.keepButton()->click();
        if (isEdited) a->versions().undo();
        QVERIFY(a->isModified());
        QTRY_COMPARE(asACrashLeavesThem().size(), 1u); // its copy is made beside
        const auto journals = asACrashLeavesThem();
        QVERIFY(journals.front()->hasOnlyCopy());
        QVERIFY(fx::recover(*journals.front()).history.model()->graph.find("mul") != fx::kNoNode);
    }

    void disk_ownWrites_areNotTold() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        DiskBar& bar = m_window->currentPage()->diskBar();
        const ShowCounter shown(bar);
        m_window->saveTo(file("a.lancet"));
        QTRY_COMPARE(a->file().target(), file("a.lancet"));
        QVERIFY(rename(*a, "mul", "of_a"));
        m_window->saveTo(file("a.lancet")); // over its own file
        QTRY_VERIFY(!a->isModified());
        QVERIFY(testing::settle()); // longer than the bar waits for a writer to end
        bar.check();
        ui::taskPool().waitForDone();
        QCoreApplication::processEvents();
        QVERIFY(!bar.isVisible());
        QCOMPARE(shown.count, 0);
    }

    void disk_savedElsewhereWhileTheFileIsLookedAt_isNotTold() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        DiskBar& bar = m_window->currentPage()->diskBar();
        Document* b = openCopy("b.pt");
        QVERIFY(b);
        tabs()->setCurrentIndex(0);
        const ShowCounter shown(bar);
        {
            const testing::HeldPool held;
            bar.check(); // as when a dialog closes
            a->file().setOnDisk(b->file().onDisk());
            a->setSaved(a->module(), file("b.pt"));
        }
        ui::taskPool().waitForDone();
        QVERIFY(testing::settle());
        QVERIFY(!a->isModified());
        QCOMPARE(shown.count, 0);
    }
};

QTEST_MAIN(TestSavingDisk)
#include "tst_saving_disk.moc"
