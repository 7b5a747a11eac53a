// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/open.h"
#include "core/tensor/tensor_ref.h"
#include "tests/json_steps.h"
#include "tests/ui/shell/saving_fixture.h"
#include "tests/ui/support/held_pool.h"
#include "tests/ui/support/modal.h"
#include "tests/ui/support/models.h"
#include "tests/ui/support/settle.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/code/code_panel.h"
#include "ui/document/document_source.h"
#include "ui/document/random_weights.h"
#include "ui/shell/document_page.h"
#include "ui/shell/operations/busy_bar.h"
#include "ui/shell/saving/save_sheet.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/main_window.h"
#include "ui/widgets/in_place_field.h"
#include "ui/widgets/save_path.h"

#include <QApplication>
#include <QLineEdit>
#include <QMessageBox>
#include <QProcess>
#include <QStatusBar>
#include <QTest>
#include <QTimer>

using namespace ui;

/// Saving in the real window: nothing is lost, and nothing is called saved that is not. The thread pool is held where
/// something has to happen while a save runs.
class TestSaving : public SavingFixture {
    Q_OBJECT

    /// Opens the field over the name of a node on the canvas, and types.
    bool typeName(Document& document, const char* node, const char* name) {
        document.selection().select({document.module()->graph.find(node)}, nullptr);
        const GraphCanvas& canvas = m_window->currentPage()->canvas();
        if (!testing::settle()) return false; // what is selected comes into view
        m_window->actions().renameNode->trigger();
        auto* field = dynamic_cast<InPlaceField*>(canvas.findChild<QLineEdit*>());
        if (field) field->setText(QLatin1String(name));
        return field;
    }

private Q_SLOTS:
    void init() { startUp(); }
    void cleanup() { m_window.reset(); }

    void save_tabChangesMeanwhile_writesTheModelThatWasAsked() {
        Document* a = openCopy("a.pt");
        Document* b = openCopy("b.pt");
        QVERIFY(a);
        QVERIFY(b);
        QVERIFY(rename(*a, "mul", "of_a"));
        QVERIFY(rename(*b, "mul", "of_b"));
        tabs()->setCurrentIndex(0);
        {
            const testing::HeldPool held;
            m_window->saveTo(file("saved.lancet"));
            tabs()->setCurrentIndex(1);
        }
        QTRY_VERIFY(!a->isModified());
        QVERIFY(holds(file("saved.lancet"), "of_a"));
        QVERIFY(b->isModified());
        QCOMPARE(b->file().target(), QString());
        QCOMPARE(tabs()->tabText(0), QStringLiteral("saved.lancet"));
        QCOMPARE(tabs()->tabText(1), QStringLiteral("b.pt •"));
    }

    void save_sheet_waitsForItsTab() {
        Document* a = openCopy("a.pt");
        Document* b = openCopy("b.pt");
        QVERIFY(a);
        QVERIFY(b);
        QVERIFY(rename(*a, "mul", "of_a"));
        tabs()->setCurrentIndex(0);
        {
            const testing::HeldPool held;
            m_window->saveTo(file("saved.pt"));
            tabs()->setCurrentIndex(1);
        }
        SaveSheet* sheet = nullptr;
        QTRY_VERIFY((sheet = m_window->findChild<SaveSheet*>()));
        QVERIFY(!sheet->isVisible());
        QTRY_VERIFY(m_window->busyBar().isVisible());
        QVERIFY2(m_window->busyBar().moreButton()->text().contains(QStringLiteral("a tab waits for an answer")),
                 qPrintable(m_window->busyBar().moreButton()->text()));
        tabs()->setCurrentIndex(0);
        QVERIFY(sheet->isVisible());
        tabs()->setCurrentIndex(1);
        QVERIFY(!sheet->isVisible());
        tabs()->setCurrentIndex(0);
        sheet->saveAnyway()->click();
        QTRY_VERIFY(!a->isModified());
        QCOMPARE(a->file().target(), file("saved.pt"));
        QCOMPARE(b->file().target(), QString());
    }

    void save_twoDocuments_atOnce() {
        Document* a = openCopy("a.pt");
        Document* b = openCopy("b.pt");
        QVERIFY(a);
        QVERIFY(b);
        QVERIFY(rename(*a, "mul", "of_a"));
        QVERIFY(rename(*b, "mul", "of_b"));
        {
            const testing::HeldPool held;
            m_window->saveTo(file("b.lancet"));
            tabs()->setCurrentIndex(0);
            m_window->saveTo(file("a.lancet"));
            QVERIFY(a->operations().isWriting());
            QVERIFY(b->operations().isWriting());
        }
        QTRY_VERIFY(!a->isModified() && !b->isModified());
        QVERIFY(holds(file("a.lancet"), "of_a"));
        QVERIFY(holds(file("b.lancet"), "of_b"));
    }

    void save_overTheFile_whoseContentCannotBeKept_saysWhatToDo() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        m_window->saveTo(file("a.lancet"));
        QTRY_COMPARE(a->file().target(), file("a.lancet"));
        m_window->actions().closeTab->trigger();
        QTRY_COMPARE(tabs()->count(), 0);
        qputenv("XDG_STATE_HOME", "/dev/null"); // there is no room for journals
        Document* project = open(file("a.lancet"));
        QVERIFY(project);
        const QByteArray before = bytesOf(file("a.lancet"));
        QVERIFY(rename(*project, "mul", "of_a"));
        answer(QStringLiteral("OK"));
        m_window->saveTo(file("a.lancet"));
        QTRY_COMPARE(m_asked.size(), 1);
        QVERIFY2(m_asked[0].contains(QStringLiteral("save under another name")), qPrintable(m_asked[0]));
        QCOMPARE(bytesOf(file("a.lancet")), before);
        QVERIFY(project->isModified());
    }

    void save_again_queuesAndTakesTheNewest() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        QVERIFY(rename(*a, "mul", "first"));
        {
            const testing::HeldPool held;
            m_window->saveTo(file("a.lancet"));
            QVERIFY(rename(*a, "first", "second"));
            m_window->saveTo(file("a.lancet"));
            QVERIFY(rename(*a, "second", "third"));
            m_window->saveTo(file("a.lancet"));
            const auto& running = a->operations().running(); // one that runs, and one for all that came later
            QCOMPARE(std::count_if(running.begin(), running.end(),
                                   [](const auto& each) { return each.kind == DocumentOperations::Kind::Save; }),
                     2);
        }
        QTRY_VERIFY(!a->operations().isWriting());
        QVERIFY(!a->isModified());
        QVERIFY(holds(file("a.lancet"), "third"));
    }

    void save_ofWhatFails_saysWhere() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        QVERIFY(rename(*a, "mul", "of_a"));
        // Those of a worker, where there is one, must not come later.
        (void)QTest::qWaitFor([a] { return a->shapes().notes() && a->shapes().notes()->version == a->module(); }, 5000);
        fx::ShapeFailure failure;
        failure.node = "of_a", failure.what = fx::Message("engine.torch", {{"detail", "no way"}});
        fx::NodeShapes shapes;
        shapes.failures = {failure};
        QTRY_VERIFY(a->shapes().notes() &&
                    a->shapes().notes()->version == a->module()); // what the window found out by itself
        a->shapes().set(makeShapeNotes(a->module(), shapes, {}));
        QVERIFY(!a->shapes().failures().empty());
        m_window->saveTo(file("fails.json"));
        QTRY_COMPARE(a->file().target(), file("fails.json"));
        QVERIFY2(m_window->statusBar()->currentMessage().contains(QStringLiteral("fails at of_a")),
                 qPrintable(m_window->statusBar()->currentMessage()));
    }

    void save_cancelled_leavesTheFile() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        QVERIFY(rename(*a, "mul", "of_a"));
        {
            const testing::HeldPool held;
            m_window->saveTo(file("a.lancet"));
            m_window->busyBar().cancelButton()->click();
            QVERIFY(!a->operations().isWriting());
        }
        ui::taskPool().waitForDone();
        QCoreApplication::processEvents();
        QVERIFY(a->isModified());
        QVERIFY(!QFile::exists(file("a.lancet")));
    }

    void save_cancelledWhileItIsWritten_leavesTheOldFile() {
        QVERIFY(openCopy("a.pt"));
        m_window->openModule(testing::matrixPower(1), QStringLiteral("big"));
        Document* big = m_window->currentDocument();
        auto model = std::make_shared<fx::GraphModule>(*big->module());
        model->root = std::make_shared<fx::Module>(*model->root);
        constexpr std::size_t kBytes = 8 << 20;
        for (int i = 0; i < 32; ++i) {
            auto tensor = std::make_shared<fx::TensorRef>();
            tensor->sizes = {kBytes / 4}, tensor->strides = {1}, tensor->isParameter = true;
            tensor->storage = fx::Storage::inMemory(std::vector<std::byte>(kBytes, std::byte(i + 1)));
            model->root->parameters.push_back({"weight" + std::to_string(i), tensor});
        }
        big->versions().adoptEdit(QStringLiteral("Add weights"), "[]"_steps, model);
        QVERIFY(QFile::copy(file("a.pt"), file("old.pt")));
        const QByteArray before = bytesOf(file("old.pt"));
        const QStringList files = QDir(m_folder->path()).entryList(QDir::Files | QDir::Hidden);
        bool isWritten = false;
        connect(&big->operations(), &DocumentOperations::changed, this, [&] {
            for (const auto& each : std::vector(big->operations().running()))
                if (each.what == QStringLiteral("writing weights") && each.done > 0 && !std::exchange(isWritten, true))
                    m_window->busyBar().cancelButton()->click();
        });
        m_window->saveTo(file("old.pt"));
        QTRY_VERIFY_WITH_TIMEOUT(!big->operations().isRunning(DocumentOperations::Kind::Save), 60'000);
        QVERIFY2(isWritten, "it was not cancelled while it was written");
        QCOMPARE(bytesOf(file("old.pt")), before);
        QCOMPARE(QDir(m_folder->path()).entryList(QDir::Files | QDir::Hidden), files);
        QVERIFY(big->isModified());
    }

    void cancelledSource_isSavedOrNotAtAll() {
        using Kind = DocumentOperations::Kind;
        m_window->actions().newSource->trigger();
        Document* source = m_window->currentDocument();
        QVERIFY(source);
        QVERIFY(source->source());
        for (const bool early : {true, false}) {
            const QString path = file(early ? "early.py" : "late.py");
            auto held = early ? std::make_unique<testing::HeldPool>() : nullptr;
            m_window->saveTo(path);
            source->operations().cancel(Kind::Save);
            QVERIFY(source->operations().isRunning(Kind::Save)); // until it is known what became of the file
            held.reset();
            QTRY_VERIFY(!source->operations().isRunning(Kind::Save));
            QVERIFY(!early || !QFileInfo::exists(path));
            QCOMPARE(QFileInfo::exists(path), source->file().target() == path);
        }
    }

    void saved_isSaidNoLongerWhenTheModelIsAnother() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        QVERIFY(rename(*a, "mul", "of_a"));
        m_window->saveTo(file("a.lancet"));
        QTRY_VERIFY(!a->isModified());
        const auto told = [this] { return m_window->statusBar()->currentMessage(); };
        QTRY_VERIFY(told().startsWith(QLatin1String("Saved ")));
        a->versions().undo();
        QVERIFY2(!told().startsWith(QLatin1String("Saved ")), qPrintable(told()));
        a->versions().redo();
        QVERIFY(!a->isModified());
    }

    void save_fails_namesTheFile() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        QVERIFY(rename(*a, "mul", "of_a"));
        answer(QStringLiteral("OK"));
        m_window->saveTo(file("missing/net.lancet"));
        QTRY_COMPARE(m_asked.size(), 1);
        QVERIFY2(m_asked[0].startsWith(QStringLiteral("Could not save net.lancet")), qPrintable(m_asked[0]));
        QVERIFY(a->isModified());
        QVERIFY(!a->operations().isWriting());
    }

    void busyBar_followsTheTab() {
        Document* a = openCopy("a.pt");
        Document* b = openCopy("b.pt");
        QVERIFY(a);
        QVERIFY(b);
        QVERIFY(rename(*a, "mul", "of_a"));
        QTRY_VERIFY(!m_window->busyBar().isVisible());
        BusyBar& bar = m_window->busyBar();
        tabs()->setCurrentIndex(0);
        {
            const testing::HeldPool held;
            m_window->saveTo(file("a.lancet"));
            QTRY_VERIFY(bar.isVisible());
            QCOMPARE(bar.text(), QStringLiteral("Saving a.lancet"));
            m_window->exportFile(file("a.png"), ExportKind::Png);
            QCOMPARE(bar.text(), QStringLiteral("Exporting a.png"));
            QCOMPARE(bar.moreButton()->text(), QStringLiteral("2 operations"));
            tabs()->setCurrentIndex(1);
            QCOMPARE(bar.text(), QString());
            QCOMPARE(bar.moreButton()->text(), QStringLiteral("2 in other tabs"));
            QVERIFY(!bar.cancelButton()->isVisible());
        }
        QTRY_VERIFY(!bar.isVisible()); // although they ended while another tab was in front
        QVERIFY(!a->isModified());
        QVERIFY(QFile::exists(file("a.png")));
    }

    void newRandomWeights_areToldOfTheEdit_whenSaving_andBeforeClosing() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        const auto told = [this] { return m_window->statusBar()->currentMessage(); };
        QVERIFY(a->versions().edit(QStringLiteral("Add extra"),
                                   R"([{"step": "add_module", "path": "extra", "module": {"type": "torch.nn.Linear", )"
                                   R"("settings": {"in_features": 4, "out_features": 4}}}])"_steps));
        QTRY_VERIFY2(told().contains(QStringLiteral("New random weights: extra.")), qPrintable(told()));
        m_window->saveTo(file("a.lancet"));
        QTRY_COMPARE(a->file().target(), file("a.lancet"));
        QTRY_VERIFY2(told().contains(QStringLiteral("New random weights: extra.")), qPrintable(told()));
        QVERIFY(rename(*a, "mul", "of_a"));
        QTRY_VERIFY(!a->randomWeights().current().modules.empty());
        answer(QStringLiteral("Cancel"));
        m_window->actions().closeTab->trigger();
        QVERIFY2(m_asked.value(0).contains(QStringLiteral("New random weights: extra.")), qPrintable(m_asked.value(0)));
    }

    void draft_beforeSaving_applied_without_faulty() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        auto* code = m_window->findChild<CodePanel*>();
        const auto type = [&](const char* from, const char* to) { // over what was found, which is selected
            QTRY_VERIFY(a->facts().code() && code->view()->findText(QLatin1String(from), CodeView::Search::Next));
            QTest::keyClicks(code->view(), QLatin1String(to));
            QVERIFY(a->draft());
        };
        type("relu * scale", "relu + scale");
        answer(QStringLiteral("Save Without It"));
        m_window->saveTo(file("without.lancet"));
        QVERIFY2(m_asked.value(0).contains(QStringLiteral("a.pt has unapplied code.")), qPrintable(m_asked.value(0)));
        QTRY_COMPARE(a->file().target(), file("without.lancet"));
        QVERIFY2(
            m_window->statusBar()->currentMessage().contains(QStringLiteral("does not contain the unapplied code")),
            qPrintable(m_window->statusBar()->currentMessage()));
        QVERIFY(a->draft());
        QVERIFY(a->isModified());
        QVERIFY(tabs()->tabText(0).endsWith(u'•'));
        QVERIFY(holds(file("without.lancet"), "mul"));

        answer(QStringLiteral("Cancel"));
        m_window->saveTo(file("cancelled.lancet"));
        QVERIFY(!a->operations().isWriting());

        answer(QStringLiteral("Apply and Save"));
        m_window->saveTo(file("applied.lancet"));
        QTRY_COMPARE(a->file().target(), file("applied.lancet"));
        QTRY_VERIFY(!a->isModified());
        QVERIFY(!a->draft());
        const auto saved = fx::openModel(file("applied.lancet").toStdString());
        bool adds = false;
        for (const fx::Node& node : saved->graph.nodes()) adds |= node.target() == "_operator.add";
        QVERIFY(adds);

        type("relu + scale", "relu + nothing_of_that_name");
        answer(QStringLiteral("Apply and Save")); // before it is known to be invalid
        m_window->saveTo(file("faulty.lancet"));
        answer(QStringLiteral("OK"));
        QTRY_VERIFY(m_asked.back().startsWith(QStringLiteral("Could not apply the code of applied.lancet")));
        QVERIFY2(m_asked.back().contains(QStringLiteral("nothing_of_that_name")), qPrintable(m_asked.back()));
        QVERIFY(a->draft());
        QVERIFY(!QFile::exists(file("faulty.lancet")));

        QTRY_VERIFY(!a->draft()->fault.isEmpty()); // now it is
        QTimer::singleShot(0, this, [this] {
            auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            QVERIFY(box);
            QVERIFY(box->text().contains(QStringLiteral("cannot be applied")));
            QVERIFY(box->informativeText().contains(QStringLiteral("nothing_of_that_name")));
            for (QAbstractButton* button : box->buttons())
                if (button->text() == QStringLiteral("Apply and Save")) QVERIFY(!button->isEnabled());
            QCOMPARE(static_cast<QAbstractButton*>(box->defaultButton()), box->button(QMessageBox::Cancel));
            QTest::keyClick(box, Qt::Key_Return);
        });
        m_window->saveTo(file("faulty.lancet"));
        QVERIFY(a->draft());
        QVERIFY(!a->operations().isWriting());
        QVERIFY(!QFile::exists(file("faulty.lancet")));
    }

    void typedInPlace_isInTheFile_data() {
        QTest::addColumn<bool>("closes");
        QTest::newRow("save") << false;
        QTest::newRow("close") << true;
    }
    void typedInPlace_isInTheFile() {
        QFETCH(bool, closes);
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        m_window->saveTo(file("a.lancet"));
        QTRY_COMPARE(a->file().target(), file("a.lancet"));
        QVERIFY(typeName(*a, "mul", "typed"));
        if (closes) {
            answer(QStringLiteral("Save"));
            m_window->actions().closeTab->trigger();
            QTRY_COMPARE(tabs()->count(), 0);
        } else {
            m_window->actions().save->trigger();
            QTRY_VERIFY(!a->operations().isWriting() && !a->isModified());
        }
        QVERIFY(holds(file("a.lancet"), "typed"));
    }

    void typedInPlace_staysWithItsNode() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        QVERIFY(typeName(*a, "mul", "typed"));
        a->selection().select({a->module()->graph.find("relu")}, nullptr);
        QTRY_VERIFY(a->module()->graph.find("typed") != fx::kNoNode);
        QVERIFY(a->module()->graph.find("relu") != fx::kNoNode);
    }
};

QTEST_MAIN(TestSaving)
#include "tst_saving.moc"
