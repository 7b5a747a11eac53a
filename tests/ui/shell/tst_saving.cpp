// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/ir_json/ir_json.h"
#include "core/model_files/journal/recovery.h"
#include "core/model_files/open.h"
#include "core/model_files/save_graphmodule.h"
#include "core/model_files/save_project.h"
#include "core/tensor/tensor_ref.h"
#include "tests/ui/support/held_pool.h"
#include "tests/ui/support/models.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/code/code_panel.h"
#include "ui/document/document_source.h"
#include "ui/document/random_weights.h"
#include "ui/history/history_panel.h"
#include "ui/shell/document_page.h"
#include "ui/shell/operations/busy_bar.h"
#include "ui/shell/saving/disk_bar.h"
#include "ui/shell/saving/save_path.h"
#include "ui/shell/saving/save_sheet.h"
#include "ui/shell/saving/unsaved_question.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/main_window.h"
#include "ui/widgets/in_place_field.h"

#include <QApplication>
#include <QFileDialog>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMessageBox>
#include <QProcess>
#include <QPushButton>
#include <QSignalSpy>
#include <QStatusBar>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QToolButton>

#include <functional>

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

/// Saving in the real window: nothing is written over the wrong file, nothing is lost, nothing is called saved that is
/// not. The thread pool is held where something has to happen while a save runs.
class TestSaving : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;
    QStringList m_asked; ///< texts of the boxes that were answered

    QString file(const char* name) const { return m_folder->filePath(QLatin1String(name)); }
    QTabWidget* tabs() const { return m_window->findChild<QTabWidget*>(QStringLiteral("documents")); }
    Document* open(const QString& path) {
        m_window->openFile(path);
        Document* document = m_window->currentDocument();
        const auto ready = [&] {
            return document->state() == Document::State::Ready && document->code() && document->picture().scene();
        };
        return QTest::qWaitFor(ready, 20'000) ? document : nullptr;
    }
    /// A copy of a sample in the folder of the test.
    Document* openCopy(const char* name) {
        QFile::copy(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/simple_net.pt"), file(name));
        return open(file(name));
    }
    static bool rename(Document& document, const char* from, const char* to) {
        return document.edit(QStringLiteral("Rename"), QByteArrayLiteral("[{\"step\": \"rename\", \"node\": \"") +
                                                           from + QByteArrayLiteral("\", \"name\": \"") + to +
                                                           QByteArrayLiteral("\"}]"));
    }
    /// Opens the field over the name of a node on the canvas, and types.
    bool typeName(Document& document, const char* node, const char* name) {
        document.select({document.module()->graph.find(node)}, nullptr);
        const GraphCanvas& canvas = m_window->currentPage()->canvas();
        QTest::qWait(300); // what is selected comes into view
        m_window->actions().renameNode->trigger();
        auto* field = dynamic_cast<InPlaceField*>(canvas.findChild<QLineEdit*>());
        if (field) field->setText(QLatin1String(name));
        return field;
    }
    static QByteArray bytesOf(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    static bool holds(const QString& path, const char* node) {
        return fx::openModel(path.toStdString())->graph.find(node) != fx::kNoNode;
    }
    /// Clicks the button of this text in the next box, whenever it comes. Each is as wide as a line is easily read.
    void answer(const QString& button, int tries = 200) {
        QTimer::singleShot(10, this, [this, button, tries] {
            auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            if (!box && tries > 0) return answer(button, tries - 1);
            QVERIFY(box);
            m_asked << box->text() + u'|' + box->informativeText();
            QVERIFY2(box->width() >= 64 * box->fontMetrics().averageCharWidth(), qPrintable(box->text()));
            QVERIFY2(box->width() <= 1280 && box->height() <= 800, qPrintable(box->text()));
            for (QAbstractButton* each : box->buttons())
                if (each->text().remove(u'&') == button) return each->click();
            const QString text = box->text();
            box->reject();
            QFAIL(qPrintable(QStringLiteral("no button %1: %2").arg(button, text)));
        });
    }
    /// Acts on the file dialog when it is there, and so many boxes have been answered. It reads its folder first, and
    /// would put its own proposal in place of a name that is typed before that.
    void whenFileDialog(const std::function<void(QFileDialog*)>& act, qsizetype asked = 0, int tries = 400) {
        QTimer::singleShot(10, this, [this, act, asked, tries] {
            auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            if ((!dialog || m_asked.size() < asked) && tries > 0) return whenFileDialog(act, asked, tries - 1);
            QVERIFY(dialog);
            QTimer::singleShot(150, dialog, [act, dialog] { act(dialog); });
        });
    }
    QDialog* closingDialog() const { return m_window->findChild<QDialog*>(QStringLiteral("closing")); }
    static void click(const QWidget& parent, const QString& text) {
        for (QPushButton* button : parent.findChildren<QPushButton*>())
            if (button->text() == text) return button->click();
        QFAIL(qPrintable(QStringLiteral("no button ") + text));
    }

    /// Types a name into the next file dialog, answers the box that follows, and gives the dialog up when it is there
    /// again.
    void typeInDialog(const char* name, const char* button) {
        whenFileDialog([this, name, button](QFileDialog* dialog) {
            dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))->setText(QLatin1String(name));
            answer(QLatin1String(button));
            whenFileDialog([](QFileDialog* again) { again->reject(); }, m_asked.size() + 1);
            QMetaObject::invokeMethod(dialog, "accept", Qt::QueuedConnection);
        });
    }

    /// Accepts what the next file dialog proposes, and answers the box that follows.
    void answerAfterDialog(const char* button) {
        whenFileDialog([this, button](QFileDialog* dialog) {
            answer(QLatin1String(button));
            QMetaObject::invokeMethod(dialog, "accept", Qt::QueuedConnection);
        });
    }

    /// The folder and the name that an action proposes for a file.
    std::pair<QString, QString> proposal(QAction& action) {
        std::pair<QString, QString> proposed;
        QTimer::singleShot(100, this, [&proposed] {
            auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
            QVERIFY(dialog);
            proposed = {dialog->directory().absolutePath(),
                        dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))->text()};
            dialog->reject();
        });
        action.trigger();
        return proposed;
    }

    /// Two tabs of one file, as after two processes that crashed, each with changes of its own.
    bool openTwice(Document*& a, Document*& b) {
        a = openCopy("a.pt"), b = openCopy("b.pt");
        if (!a || !b) return false;
        tabs()->setCurrentIndex(0);
        m_window->saveTo(file("one.lancet"));
        if (!QTest::qWaitFor([&] { return a->target() == file("one.lancet"); }, 20'000)) return false;
        b->setOnDisk(a->onDisk());
        b->setSaved(b->module(), file("one.lancet"));
        return rename(*a, "mul", "of_a") && rename(*b, "mul", "of_b");
    }

private Q_SLOTS:
    void init() {
        m_folder = std::make_unique<QTemporaryDir>();
        qputenv("XDG_STATE_HOME", m_folder->path().toUtf8());
        m_settings = std::make_unique<Settings>(file("settings.ini"));
        m_settings->setLastFolder(m_folder->path());
        m_window = std::make_unique<MainWindow>(*m_settings);
        m_window->resize(1280, 800);
        m_window->show();
        m_asked.clear();
    }
    void cleanup() { m_window.reset(); }

    void save_tabChangesMeanwhile_writesTheModelThatWasAsked() {
        Document* a = openCopy("a.pt");
        Document* b = openCopy("b.pt");
        QVERIFY(a && b && rename(*a, "mul", "of_a") && rename(*b, "mul", "of_b"));
        tabs()->setCurrentIndex(0);
        {
            const testing::HeldPool held;
            m_window->saveTo(file("saved.lancet"));
            tabs()->setCurrentIndex(1);
        }
        QTRY_VERIFY(!a->isModified());
        QVERIFY(holds(file("saved.lancet"), "of_a"));
        QVERIFY(b->isModified());
        QCOMPARE(b->target(), QString());
        QCOMPARE(tabs()->tabText(0), QStringLiteral("saved.lancet"));
        QCOMPARE(tabs()->tabText(1), QStringLiteral("b.pt •"));
    }

    void save_sheet_waitsForItsTab() {
        Document* a = openCopy("a.pt");
        Document* b = openCopy("b.pt");
        QVERIFY(a && b && rename(*a, "mul", "of_a"));
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
        QCOMPARE(a->target(), file("saved.pt"));
        QCOMPARE(b->target(), QString());
    }

    void save_twoDocuments_atOnce() {
        Document* a = openCopy("a.pt");
        Document* b = openCopy("b.pt");
        QVERIFY(a && b && rename(*a, "mul", "of_a") && rename(*b, "mul", "of_b"));
        {
            const testing::HeldPool held;
            m_window->saveTo(file("b.lancet"));
            tabs()->setCurrentIndex(0);
            m_window->saveTo(file("a.lancet"));
            QVERIFY(a->operations().isWriting() && b->operations().isWriting());
        }
        QTRY_VERIFY(!a->isModified() && !b->isModified());
        QVERIFY(holds(file("a.lancet"), "of_a") && holds(file("b.lancet"), "of_b"));
    }

    void save_overTheFile_whoseContentCannotBeKept_saysWhatToDo() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        m_window->saveTo(file("a.lancet"));
        QTRY_COMPARE(a->target(), file("a.lancet"));
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
        QVERIFY(a && rename(*a, "mul", "first"));
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

    /// A quantised model is not what the file is, nor is the one in floating point after it was undone.
    void save_afterQuantisation_asksForAFile() {
        Document* a = openCopy("net.pt");
        QVERIFY(a);
        m_window->saveTo(file("net.json"));
        QTRY_COMPARE(a->target(), file("net.json"));
        QTRY_VERIFY(!a->operations().isWriting());
        const QByteArray before = bytesOf(file("net.json"));
        auto made = fx::History::edited(*a->module(), R"([{"step": "rename", "node": "mul", "name": "packed"}])");
        QVERIFY(a->adoptEdit(QStringLiteral("Quantise"), R"([{"step": "quantize"}])", std::move(made)));
        QCOMPARE(proposal(*m_window->actions().save).second, QStringLiteral("net_quantised.json"));
        // Its own file is the only one with the weights in floating point
        typeInDialog("net.json", "Cancel");
        m_window->actions().saveAs->trigger();
        QTRY_COMPARE(m_asked.size(), 1);
        QVERIFY2(m_asked[0].contains(QStringLiteral("Quantising cannot be reversed")), qPrintable(m_asked[0]));
        QCOMPARE(bytesOf(file("net.json")), before);
        m_window->saveTo(file("net.py")); // source alone: the file of the document is still the other one
        SaveSheet* sheet = nullptr;
        QTRY_VERIFY((sheet = m_window->findChild<SaveSheet*>()));
        sheet->saveAnyway()->click();
        QTRY_VERIFY(QFile::exists(file("net.py")) && !a->operations().isWriting());
        QVERIFY(!proposal(*m_window->actions().save).second.isEmpty());
        QCOMPARE(bytesOf(file("net.json")), before);
        m_window->saveTo(file("net_quantised.json"));
        QTRY_COMPARE(a->target(), file("net_quantised.json"));
        QVERIFY(rename(*a, "packed", "again"));
        m_window->actions().save->trigger(); // this is its file
        QTRY_VERIFY(!a->isModified() && !a->operations().isWriting());
        QVERIFY(holds(file("net_quantised.json"), "again"));
        const QByteArray quantised = bytesOf(file("net_quantised.json"));
        a->goToVersion(0);
        QCOMPARE(proposal(*m_window->actions().save).second, QStringLiteral("net.json"));
        QCOMPARE(bytesOf(file("net_quantised.json")), quantised);
        QCOMPARE(bytesOf(file("net.json")), before);
    }

    void save_ofWhatFails_saysWhere() {
        Document* a = openCopy("a.pt");
        QVERIFY(a && rename(*a, "mul", "of_a"));
        // Those of a worker, where there is one, must not come later.
        (void)QTest::qWaitFor([a] { return a->shapes() && a->shapes()->version == a->module(); }, 5000);
        fx::ShapeFailure failure;
        failure.node = "of_a", failure.what = fx::Message("engine.torch", {{"detail", "no way"}});
        fx::NodeShapes shapes;
        shapes.failures = {failure};
        QTRY_VERIFY(a->shapes() && a->shapes()->version == a->module()); // what the window found out by itself
        a->setShapes(makeShapeNotes(a->module(), shapes, {}));
        QVERIFY(a->hasShapeFailures());
        m_window->saveTo(file("fails.json"));
        QTRY_COMPARE(a->target(), file("fails.json"));
        QVERIFY2(m_window->statusBar()->currentMessage().contains(QStringLiteral("fails at of_a")),
                 qPrintable(m_window->statusBar()->currentMessage()));
    }

    void save_cancelled_leavesTheFile() {
        Document* a = openCopy("a.pt");
        QVERIFY(a && rename(*a, "mul", "of_a"));
        {
            const testing::HeldPool held;
            m_window->saveTo(file("a.lancet"));
            m_window->busyBar().cancelButton()->click();
            QVERIFY(!a->operations().isWriting());
        }
        ui::taskPool().waitForDone();
        QCoreApplication::processEvents();
        QVERIFY(a->isModified() && !QFile::exists(file("a.lancet")));
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
        big->adoptEdit(QStringLiteral("Add weights"), "[]", model);
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

    void save_whereAnotherTabIs_isRefused() {
        Document* a = openCopy("a.pt");
        Document* b = openCopy("b.pt");
        QVERIFY(a && b && rename(*b, "mul", "of_b"));
        answer(QStringLiteral("OK"));
        m_window->saveTo(file("a.pt"));
        QTRY_COMPARE(m_asked.size(), 1);
        QVERIFY2(m_asked[0].startsWith(QStringLiteral("Could not save a.pt")) &&
                     m_asked[0].contains(QStringLiteral("open in another tab")),
                 qPrintable(m_asked[0]));
        QVERIFY(b->isModified() && holds(file("a.pt"), "mul"));
    }

    void save_whereAnotherTabWritesItsSource_isRefused() {
        Document* a = openCopy("a.pt");
        m_window->actions().newSource->trigger();
        Document* source = m_window->currentDocument();
        QVERIFY(a && source && source != a && source->source());
        const QByteArray text = source->source()->text();
        {
            const testing::HeldPool held;
            m_window->saveTo(file("new.py")); // written without a job
            tabs()->setCurrentIndex(0);
            answer(QStringLiteral("OK"));
            m_window->saveTo(file("new.py"));
            QTRY_COMPARE(m_asked.size(), 1);
            QVERIFY2(m_asked[0].contains(QStringLiteral("is being saved from another tab")), qPrintable(m_asked[0]));
        }
        QTRY_COMPARE(source->target(), file("new.py"));
        QCOMPARE(bytesOf(file("new.py")), text);
    }

    void cancelledSource_isSavedOrNotAtAll() {
        using Kind = DocumentOperations::Kind;
        m_window->actions().newSource->trigger();
        Document* source = m_window->currentDocument();
        QVERIFY(source && source->source());
        for (const bool early : {true, false}) {
            const QString path = file(early ? "early.py" : "late.py");
            auto held = early ? std::make_unique<testing::HeldPool>() : nullptr;
            m_window->saveTo(path);
            source->operations().cancel(Kind::Save);
            QVERIFY(source->operations().isRunning(Kind::Save)); // until it is known what became of the file
            held.reset();
            QTRY_VERIFY(!source->operations().isRunning(Kind::Save));
            QVERIFY(!early || !QFileInfo::exists(path));
            QCOMPARE(QFileInfo::exists(path), source->target() == path);
        }
    }

    void export_whereATabIs_isRefused() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        const QByteArray before = bytesOf(file("a.pt"));
        answer(QStringLiteral("OK"));
        m_window->exportFile(file("a.pt"), ExportKind::Png);
        QTRY_COMPARE(m_asked.size(), 1);
        QVERIFY2(m_asked[0].startsWith(QStringLiteral("Could not export a.pt")) &&
                     m_asked[0].contains(QStringLiteral("a.pt is open in a tab")),
                 qPrintable(m_asked[0]));
        QCOMPARE(bytesOf(file("a.pt")), before);
    }

    void recipe_whereATabIs_isRefused() {
        fx::writeIrJson(*fx::openModel(LANCET_SOURCE_DIR "/resources/samples/simple_net.pt"),
                        file("net.json").toStdString());
        Document* a = openCopy("a.pt");
        QVERIFY(a && rename(*a, "mul", "of_a") && open(file("net.json")));
        tabs()->setCurrentIndex(0);
        const QByteArray before = bytesOf(file("net.json"));
        typeInDialog("net.json", "OK");
        Q_EMIT m_window->findChild<HistoryPanel*>()->saveRequested(false);
        QCOMPARE(m_asked.size(), 1);
        QVERIFY2(m_asked[0].contains(QStringLiteral("net.json is open in a tab")), qPrintable(m_asked[0]));
        QCOMPARE(bytesOf(file("net.json")), before);
    }

    void saved_isSaidNoLongerWhenTheModelIsAnother() {
        Document* a = openCopy("a.pt");
        QVERIFY(a && rename(*a, "mul", "of_a"));
        m_window->saveTo(file("a.lancet"));
        QTRY_VERIFY(!a->isModified());
        const auto told = [this] { return m_window->statusBar()->currentMessage(); };
        QTRY_VERIFY(told().startsWith(QLatin1String("Saved ")));
        a->undo();
        QVERIFY2(!told().startsWith(QLatin1String("Saved ")), qPrintable(told()));
        a->redo();
        QVERIFY(!a->isModified());
    }

    void save_fails_namesTheFile() {
        Document* a = openCopy("a.pt");
        QVERIFY(a && rename(*a, "mul", "of_a"));
        answer(QStringLiteral("OK"));
        m_window->saveTo(file("missing/net.lancet"));
        QTRY_COMPARE(m_asked.size(), 1);
        QVERIFY2(m_asked[0].startsWith(QStringLiteral("Could not save net.lancet")), qPrintable(m_asked[0]));
        QVERIFY(a->isModified() && !a->operations().isWriting());
    }

    void busyBar_followsTheTab() {
        Document* a = openCopy("a.pt");
        Document* b = openCopy("b.pt");
        QVERIFY(a && b && rename(*a, "mul", "of_a"));
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
        QVERIFY(!a->isModified() && QFile::exists(file("a.png")));
    }

    void close_whileSaving_waits() {
        Document* a = openCopy("a.pt");
        QVERIFY(a && rename(*a, "mul", "of_a"));
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
        QVERIFY(a && rename(*a, "mul", "of_a"));
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
        QVERIFY(a->isModified() && !QFile::exists(file("a.lancet")));
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
        QTRY_COMPARE(a->target(), file("a.lancet"));
        QVERIFY(rename(*a, "mul", "of_a"));
        answer(button);
        m_window->actions().closeTab->trigger();
        QVERIFY2(m_asked.value(0).startsWith(QStringLiteral("Save changes to a.lancet before closing?")),
                 qPrintable(m_asked.value(0)));
        QTRY_COMPARE(tabs()->count(), left);
        QCOMPARE(holds(file("a.lancet"), "of_a"), saved);
    }

    void newRandomWeights_areToldOfTheEdit_whenSaving_andBeforeClosing() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        const auto told = [this] { return m_window->statusBar()->currentMessage(); };
        QVERIFY(a->edit(QStringLiteral("Add extra"),
                        R"([{"step": "add_module", "path": "extra", "module": {"type": "torch.nn.Linear", )"
                        R"("settings": {"in_features": 4, "out_features": 4}}}])"));
        QTRY_VERIFY2(told().contains(QStringLiteral("New random weights: extra.")), qPrintable(told()));
        m_window->saveTo(file("a.lancet"));
        QTRY_COMPARE(a->target(), file("a.lancet"));
        QTRY_VERIFY2(told().contains(QStringLiteral("New random weights: extra.")), qPrintable(told()));
        QVERIFY(rename(*a, "mul", "of_a"));
        QTRY_VERIFY(!a->randomWeights().current().modules.empty());
        answer(QStringLiteral("Cancel"));
        m_window->actions().closeTab->trigger();
        QVERIFY2(m_asked.value(0).contains(QStringLiteral("New random weights: extra.")), qPrintable(m_asked.value(0)));
    }

    void closeAll_saveCancelled_keepsTheUncheckedOnes() {
        Document *a = openCopy("a.pt"), *b = openCopy("b.pt");
        QVERIFY(a && b && openCopy("unchanged.pt"));
        QVERIFY(rename(*a, "mul", "of_a") && rename(*b, "mul", "of_b"));
        QTimer::singleShot(100, this, [this] {
            auto* sheet = qobject_cast<UnsavedSheet*>(QApplication::activeModalWidget());
            QVERIFY(sheet);
            sheet->list()->item(0)->setCheckState(Qt::Unchecked);
            whenFileDialog([](QFileDialog* dialog) { dialog->reject(); });
            sheet->saveButton()->click();
        });
        m_window->actions().closeAll->trigger();
        QTest::qWait(50);
        QCOMPARE(tabs()->count(), 3);
        QVERIFY(a->isModified() && a->module()->graph.find("of_a") != fx::kNoNode);
        QVERIFY(b->isModified() && b->module()->graph.find("of_b") != fx::kNoNode);
    }

    void quit_severalChanged_oneSheetSavesTheChecked() {
        QVERIFY(openCopy("a.pt") && openCopy("b.pt") && openCopy("c.pt"));
        QList<Document*> documents;
        for (int i = 0; i < 3; ++i) {
            documents << &static_cast<DocumentPage*>(tabs()->widget(i))->document();
            tabs()->setCurrentIndex(i);
            m_window->saveTo(file(("abc"[i] + std::string(".lancet")).c_str()));
            QTRY_VERIFY(!documents[i]->target().isEmpty());
            if (i > 0) QVERIFY(rename(*documents[i], "mul", "changed"));
        }
        QTimer::singleShot(100, this, [this] {
            auto* sheet = qobject_cast<UnsavedSheet*>(QApplication::activeModalWidget());
            QVERIFY(sheet);
            QCOMPARE(sheet->list()->count(), 2);
            QCOMPARE(sheet->saveButton()->text(), QStringLiteral("Save All"));
            sheet->reject();
        });
        QVERIFY(!m_window->close());
        QVERIFY(m_window->isVisible());
        QTimer::singleShot(100, this, [] {
            auto* sheet = qobject_cast<UnsavedSheet*>(QApplication::activeModalWidget());
            QVERIFY(sheet);
            sheet->list()->item(1)->setCheckState(Qt::Unchecked);
            QVERIFY(sheet->saveButton()->text() != QStringLiteral("Save All"));
            sheet->saveButton()->click();
        });
        m_window->close();
        QTRY_VERIFY(!m_window->isVisible());
        QVERIFY(holds(file("b.lancet"), "changed") && !holds(file("c.lancet"), "changed"));
    }

    void quit_twoTabsOfOneFile_savesTheCheckedOne() {
        Document *a = nullptr, *b = nullptr;
        QVERIFY(openTwice(a, b));
        QTimer::singleShot(100, this, [] {
            auto* sheet = qobject_cast<UnsavedSheet*>(QApplication::activeModalWidget());
            QVERIFY(sheet);
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
        QTimer::singleShot(100, this, [this] {
            auto* sheet = qobject_cast<UnsavedSheet*>(QApplication::activeModalWidget());
            QVERIFY(sheet);
            answer(QStringLiteral("OK")); // the file is in use
            QTimer::singleShot(600, this, [] {
                auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
                QVERIFY(dialog);
                QMetaObject::invokeMethod(dialog, "accept", Qt::QueuedConnection);
            });
            sheet->saveButton()->click();
        });
        m_window->close();
        QTRY_VERIFY(!m_window->isVisible());
        QCOMPARE(m_asked.size(), 1);
        QVERIFY(holds(file("one.lancet"), "of_a") && holds(file("one_2.lancet"), "of_b"));
    }

    void quit_twoTabsOfOneFile_bothChecked_theSecondNeedsAFileOfItsOwn() {
        Document *a = nullptr, *b = nullptr;
        QVERIFY(openTwice(a, b));
        bool asked = false;
        QTimer::singleShot(100, this, [this, &asked] {
            auto* sheet = qobject_cast<UnsavedSheet*>(QApplication::activeModalWidget());
            QVERIFY(sheet);
            answer(QStringLiteral("OK"));
            QTimer::singleShot(600, this, [&asked] {
                auto* dialog = qobject_cast<QFileDialog*>(QApplication::activeModalWidget());
                QVERIFY(dialog);
                asked = true;
                dialog->reject();
            });
            sheet->saveButton()->click();
        });
        m_window->close();
        QTRY_VERIFY(asked && !a->isModified());
        QVERIFY2(m_asked.value(0).contains(QStringLiteral("one.lancet is ")), qPrintable(m_asked.value(0)));
        QTest::qWait(50);
        QVERIFY(m_window->isVisible() && b->isModified());
        QVERIFY(holds(file("one.lancet"), "of_a"));
        QVERIFY(b->module()->graph.find("of_b") != fx::kNoNode);
    }

    void quit_aSaveFails_staysOpen() {
        Document* a = openCopy("a.pt");
        QVERIFY(a && QDir(m_folder->path()).mkdir(QStringLiteral("gone")));
        m_window->saveTo(file("gone/a.lancet"));
        QTRY_VERIFY(!a->target().isEmpty());
        QVERIFY(rename(*a, "mul", "of_a") && QDir(file("gone")).removeRecursively());
        answer(QStringLiteral("Save"));
        QVERIFY(!m_window->close());
        answer(QStringLiteral("OK"));
        QTRY_COMPARE(m_asked.size(), 2);
        QVERIFY2(m_asked[1].startsWith(QStringLiteral("Could not save a.lancet")), qPrintable(m_asked[1]));
        QTest::qWait(50);
        QVERIFY(m_window->isVisible() && a->isModified());
    }

    void quit_lostFileThatCannotBeSaved_staysOpen() {
        Document* a = openCopy("a.pt");
        QVERIFY(a && QDir(m_folder->path()).mkdir(QStringLiteral("gone")));
        m_window->saveTo(file("gone/a.lancet"));
        QTRY_VERIFY(!a->target().isEmpty());
        QVERIFY(QDir(file("gone")).removeRecursively()); // before the window has noticed
        answer(QStringLiteral("Save"));
        QVERIFY(!m_window->close());
        answer(QStringLiteral("OK"));
        QTRY_COMPARE(m_asked.size(), 2);
        QTest::qWait(50);
        QVERIFY(m_window->isVisible());
        QCOMPARE(tabs()->count(), 1);
    }

    void reload_asks_cancelKeepsEverything() {
        Document* a = openCopy("a.pt");
        QVERIFY(a && rename(*a, "mul", "of_a"));
        a->select({a->module()->graph.find("of_a")}, nullptr);
        const auto module = a->module();
        const auto unchanged = [&] {
            return a->module() == module && a->history()->entries().size() == 2 && a->isModified() &&
                   a->selection().size() == 1 && a->state() == Document::State::Ready;
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
        QTRY_COMPARE(a->target(), file("kept.lancet"));
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
            QVERIFY(a->isModified() && a->history()->entries().size() == 2);
            QTRY_VERIFY(a->operations().running().empty());
            a->undo();
            return;
        }
        QTRY_COMPARE(a->module()->modelName, std::string("second"));
        QVERIFY(!a->isModified());
        QCOMPARE(holds(file("kept.lancet"), "renamed"), button == QStringLiteral("Save"));
    }

    void reload_changedWhileItReads_keepsTheChange() {
        Document* a = openCopy("a.pt");
        QVERIFY(a && rename(*a, "mul", "of_a"));
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
        QVERIFY(a && rename(*a, "mul", "of_a"));
        const auto module = a->module();
        QVERIFY(QFile::rename(file("a.pt"), file("good.pt")));
        QFile bad(file("a.pt"));
        QVERIFY(bad.open(QIODevice::WriteOnly) && bad.write("no model") > 0);
        bad.close();
        answer(QStringLiteral("Discard"));
        m_window->actions().reload->trigger();
        answer(QStringLiteral("OK"));
        QTRY_COMPARE(m_asked.size(), 2);
        QVERIFY2(m_asked[1].startsWith(QStringLiteral("Could not reload a.pt")), qPrintable(m_asked[1]));
        QCOMPARE(a->module(), module);
        QCOMPARE(a->history()->entries().size(), 2u);
        a->undo();
        a->redo();
        QVERIFY(a->isModified());

        QVERIFY(QFile::remove(file("a.pt")) && QFile::rename(file("good.pt"), file("a.pt")));
        answer(QStringLiteral("Discard"));
        m_window->actions().reload->trigger();
        QTRY_VERIFY(!a->isModified());
        QCOMPARE(a->history()->entries().size(), 1u);
        QVERIFY(a->module()->graph.find("mul") != fx::kNoNode);
    }

    void draft_beforeSaving_applied_without_faulty() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        auto* code = m_window->findChild<CodePanel*>();
        const auto type = [&](const char* from, const char* to) { // over what was found, which is selected
            QTRY_VERIFY(a->code() && code->view()->findText(QLatin1String(from), CodeView::Search::Next));
            QTest::keyClicks(code->view(), QLatin1String(to));
            QVERIFY(a->draft());
        };
        type("relu * scale", "relu + scale");
        answer(QStringLiteral("Save Without It"));
        m_window->saveTo(file("without.lancet"));
        QVERIFY2(m_asked.value(0).contains(QStringLiteral("a.pt has unapplied code.")), qPrintable(m_asked.value(0)));
        QTRY_COMPARE(a->target(), file("without.lancet"));
        QVERIFY2(
            m_window->statusBar()->currentMessage().contains(QStringLiteral("does not contain the unapplied code")),
            qPrintable(m_window->statusBar()->currentMessage()));
        QVERIFY(a->draft() && a->isModified() && tabs()->tabText(0).endsWith(u'•'));
        QVERIFY(holds(file("without.lancet"), "mul"));

        answer(QStringLiteral("Cancel"));
        m_window->saveTo(file("cancelled.lancet"));
        QVERIFY(!a->operations().isWriting());

        answer(QStringLiteral("Apply and Save"));
        m_window->saveTo(file("applied.lancet"));
        QTRY_COMPARE(a->target(), file("applied.lancet"));
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
        QVERIFY(a->draft() && !QFile::exists(file("faulty.lancet")));

        QTRY_VERIFY(!a->draft()->fault.isEmpty()); // now it is
        QTimer::singleShot(0, this, [this] {
            auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            QVERIFY(box && box->text().contains(QStringLiteral("cannot be applied")));
            QVERIFY(box->informativeText().contains(QStringLiteral("nothing_of_that_name")));
            for (QAbstractButton* button : box->buttons())
                if (button->text() == QStringLiteral("Apply and Save")) QVERIFY(!button->isEnabled());
            QCOMPARE(static_cast<QAbstractButton*>(box->defaultButton()), box->button(QMessageBox::Cancel));
            QTest::keyClick(box, Qt::Key_Return);
        });
        m_window->saveTo(file("faulty.lancet"));
        QVERIFY(a->draft() && !a->operations().isWriting() && !QFile::exists(file("faulty.lancet")));
    }

    void saveAs_extension_isThereBeforeItAsksToReplace() {
        QVERIFY(openCopy("other.pt") && QFile::copy(file("other.pt"), file("net.pt")));
        typeInDialog("net", "Cancel");
        m_window->actions().saveAs->trigger();
        QCOMPARE(m_asked.size(), 1);
        QVERIFY2(m_asked[0].startsWith(QStringLiteral("net.pt already exists. Replace it?")), qPrintable(m_asked[0]));
        QVERIFY(!m_window->currentDocument()->operations().isWriting());
    }

    void saveAs_whereAnotherTabIs_isRefusedBeforeItAsksToReplace() {
        QVERIFY(openCopy("net.pt") && openCopy("other.pt"));
        typeInDialog("net", "OK");
        m_window->actions().saveAs->trigger();
        QCOMPARE(m_asked.size(), 1);
        QVERIFY2(m_asked[0].startsWith(QStringLiteral("Could not save net.pt")) &&
                     m_asked[0].contains(QStringLiteral("open in another tab")),
                 qPrintable(m_asked[0]));
        QVERIFY(!m_window->currentDocument()->operations().isWriting());
    }

    void saveAs_overALink_namesWhatIsReplaced() {
        QVERIFY(QDir(m_folder->path()).mkpath(QStringLiteral("models")));
        QVERIFY(openCopy("a.pt") && QFile::copy(file("a.pt"), file("models/net.pt")));
        QVERIFY(QFile::link(QStringLiteral("models/net.pt"), file("link.pt")));
        typeInDialog("link.pt", "Cancel");
        m_window->actions().saveAs->trigger();
        QCOMPARE(m_asked.size(), 1);
        QVERIFY2(m_asked[0].startsWith(QStringLiteral("link.pt (a link to %1) already exists. Replace it?")
                                           .arg(QFileInfo(file("models/net.pt")).canonicalFilePath())),
                 qPrintable(m_asked[0]));
    }

    void saveAs_overALinkToAnotherTab_namesThatTab() {
        QVERIFY(openCopy("net.pt") && openCopy("other.pt"));
        QVERIFY(QFile::link(QStringLiteral("net.pt"), file("link.pt")));
        typeInDialog("link.pt", "OK");
        m_window->actions().saveAs->trigger();
        QCOMPARE(m_asked.size(), 1);
        QVERIFY2(m_asked[0].contains(QStringLiteral("link.pt, a link to net.pt, is open in another tab")),
                 qPrintable(m_asked[0]));
    }

    void saveAs_folderThatHoldsOtherFiles_isRefusedBeforeItAsksToReplace() {
        QVERIFY(openCopy("a.pt"));
        QVERIFY(QDir(m_folder->path()).mkpath(QStringLiteral("full")));
        for (const char* name : {"full/module.py", "full/mine.txt"})
            QVERIFY(QFile(file(name)).open(QIODevice::WriteOnly));
        whenFileDialog([this](QFileDialog* dialog) {
            const QStringList filters = dialog->nameFilters();
            const auto folder = std::find_if(filters.begin(), filters.end(), [](const QString& each) {
                return each.startsWith(QStringLiteral("Folder"));
            });
            QVERIFY(folder != filters.end());
            dialog->selectNameFilter(*folder);
            dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))->setText(QStringLiteral("full"));
            answer(QStringLiteral("OK"));
            whenFileDialog([](QFileDialog* again) { again->reject(); }, 1);
            QMetaObject::invokeMethod(dialog, "accept", Qt::QueuedConnection);
        });
        m_window->actions().saveAs->trigger();
        QCOMPARE(m_asked.size(), 1);
        QVERIFY2(m_asked[0].contains(QStringLiteral("the folder also holds mine.txt, which would be lost")),
                 qPrintable(m_asked[0]));
        QVERIFY(QFile::exists(file("full/mine.txt")));
    }

    void saveAs_overTheWeightsOfAnotherTab_isRefused() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        m_window->saveTo(file("net.json")); // its weights are beside it
        QTRY_COMPARE(a->target(), file("net.json"));
        QVERIFY(openCopy("b.pt"));
        answer(QStringLiteral("OK"));
        m_window->saveTo(file("net.safetensors"));
        QTRY_COMPARE(m_asked.size(), 1);
        QVERIFY2(m_asked[0].contains(QStringLiteral("open in another tab")), qPrintable(m_asked[0]));
    }

    void picture_isWhatItsNameSays() {
        QVERIFY(openCopy("a.pt"));
        m_settings->setLastFolder(m_folder->path());
        whenFileDialog([](QFileDialog* dialog) {
            dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"))->setText(QStringLiteral("drawn.svg"));
            QMetaObject::invokeMethod(dialog, "accept", Qt::QueuedConnection);
        });
        m_window->actions().exportDot->trigger();
        QTRY_VERIFY(bytesOf(file("drawn.svg")).contains("<svg"));
        QVERIFY(!QFile::exists(file("drawn.svg.dot")));
    }

    void quitting_showsTheTabThatItAsksAbout() {
        Document* a = openCopy("a.pt");
        QVERIFY(a && rename(*a, "mul", "of_a") && openCopy("b.pt"));
        QVERIFY(m_window->currentDocument() != a);
        answer(QStringLiteral("Cancel"));
        m_window->close();
        QCOMPARE(m_asked.size(), 1);
        QCOMPARE(m_window->currentDocument(), a);
    }

    void saveAs_proposesTheOwnFormat_andFolder_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"net.pt", "net.pth", "net.json", "net.lancet", "net/"})
            QTest::newRow(name) << QString::fromLatin1(name);
    }
    void saveAs_proposesTheOwnFormat_andFolder() {
        QFETCH(QString, name);
        QVERIFY(QDir(m_folder->path()).mkpath(QStringLiteral("models")));
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        m_window->saveTo(file("models/") + name);
        QTRY_COMPARE(a->target(), file("models/") + name);
        m_settings->setLastFolder(m_folder->path());
        const auto [folder, proposed] = proposal(*m_window->actions().saveAs);
        QCOMPARE(folder, file("models"));
        QCOMPARE(proposed, name.endsWith(u'/') ? name.chopped(1) : name);
    }

    void save_openedDescription_proposesADescription() {
        QVERIFY(QDir(m_folder->path()).mkpath(QStringLiteral("models")));
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        m_window->saveTo(file("models/net.json"));
        QTRY_COMPARE(a->target(), file("models/net.json"));
        for (const char* ending : {"json", "safetensors"})
            QVERIFY(QFile::copy(file("models/net.") + QLatin1String(ending),
                                file("models/other.") + QLatin1String(ending)));
        Document* opened = open(file("models/other.json"));
        QVERIFY(opened && rename(*opened, "mul", "scaled"));
        m_settings->setLastFolder(m_folder->path());
        const auto [folder, proposed] = proposal(*m_window->actions().save);
        QCOMPARE(folder, file("models"));
        QCOMPARE(proposed, QStringLiteral("other.json"));
    }

    void saveAs_ofAnOpenedFolder_canReplaceIt() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        m_window->saveTo(file("net/"));
        QTRY_COMPARE(a->target(), file("net/"));
        QVERIFY(rename(*a, "mul", "scaled"));
        answerAfterDialog("Replace");
        m_window->actions().saveAs->trigger();
        QCOMPARE(m_asked.size(), 1);
        QVERIFY2(m_asked[0].startsWith(QStringLiteral("net/ already exists.")), qPrintable(m_asked[0]));
        QCOMPARE(a->target(), file("net/"));
    }

    void saveAs_description_asksAboutItsWeightsToo() {
        QVERIFY(openCopy("net.pt"));
        QFile weights(file("other.safetensors"));
        QVERIFY(weights.open(QIODevice::WriteOnly));
        typeInDialog("other.json", "Cancel");
        m_window->actions().saveAs->trigger();
        QCOMPARE(m_asked.size(), 1);
        QVERIFY2(m_asked[0].startsWith(QStringLiteral("other.safetensors already exists.")), qPrintable(m_asked[0]));
        QVERIFY(!QFile::exists(file("other.json")));
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
        QTRY_COMPARE(a->target(), file("a.lancet"));
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
        QVERIFY(a && typeName(*a, "mul", "typed"));
        a->select({a->module()->graph.find("relu")}, nullptr);
        QTRY_VERIFY(a->module()->graph.find("typed") != fx::kNoNode);
        QVERIFY(a->module()->graph.find("relu") != fx::kNoNode);
    }

    void close_codeTypedWhileItSaves_isKept() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        m_window->saveTo(file("a.lancet"));
        QTRY_COMPARE(a->target(), file("a.lancet"));
        QVERIFY(rename(*a, "mul", "of_a"));
        QTRY_VERIFY(a->code());
        {
            const testing::HeldPool held;
            answer(QStringLiteral("Save"));
            m_window->actions().closeTab->trigger();
            QVERIFY(a->operations().isWriting());
            a->setDraft(
                CodeDraft{QByteArray::fromStdString(a->code()->text) + "    # typed\n", a->code(), a->module()});
        }
        QTRY_VERIFY(!a->operations().isWriting() && !a->hasUnsavedVersion());
        QTest::qWait(50); // what closes does so a moment after
        QCOMPARE(tabs()->count(), 1);
        QVERIFY(a->draft() && holds(file("a.lancet"), "of_a"));
    }

    void reload_codeTypedWhileItSaves_isKept() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        m_window->saveTo(file("a.lancet"));
        QTRY_COMPARE(a->target(), file("a.lancet"));
        QVERIFY(rename(*a, "mul", "of_a"));
        QTRY_VERIFY(a->code());
        {
            const testing::HeldPool held;
            answer(QStringLiteral("Save"));
            m_window->actions().reload->trigger();
            QVERIFY(a->operations().isWriting());
            a->setDraft(
                CodeDraft{QByteArray::fromStdString(a->code()->text) + "    # typed\n", a->code(), a->module()});
        }
        QTRY_VERIFY(!a->operations().isWriting() && !a->hasUnsavedVersion());
        QTest::qWait(50);
        QVERIFY(a->draft() && !a->operations().isRunning(DocumentOperations::Kind::Open));
    }

    void reload_typedCode_isTold() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        QTRY_VERIFY(a->code());
        a->setDraft(CodeDraft{QByteArray::fromStdString(a->code()->text) + "    # typed\n", a->code(), a->module()});
        answer(QStringLiteral("Cancel"));
        m_window->actions().reload->trigger();
        QVERIFY2(m_asked.value(0).contains(QStringLiteral("Its code is not applied yet.")),
                 qPrintable(m_asked.value(0)));
        QVERIFY(a->draft());
    }

    void ending_followsTheFilter() {
        const std::vector<SaveFormat> formats{{QStringLiteral(".pt2"), {}},
                                              {QStringLiteral(".pt"), {}},
                                              {QStringLiteral("/"), {}},
                                              {QStringLiteral(".json"), {}}};
        const auto ending = [&](const char* typed, std::size_t chosen) {
            return withEnding(QLatin1String(typed), formats[chosen], formats);
        };
        QCOMPARE(ending("net", 0), QStringLiteral("net.pt2"));
        QCOMPARE(ending("net.v2", 0), QStringLiteral("net.v2.pt2"));
        QCOMPARE(ending("net.json", 0), QStringLiteral("net.json"));
        QCOMPARE(ending("net.pth", 1), QStringLiteral("net.pth"));
        QCOMPARE(ending("net", 2), QStringLiteral("net/"));
        // What is written follows the ending, which is compared as it is.
        QCOMPARE(ending("NET.JSON", 1), QStringLiteral("NET.json"));
        QCOMPARE(ending("net.PT2", 1), QStringLiteral("net.pt2"));
        QCOMPARE(ending("net.PTH", 0), QStringLiteral("net.PTH"));
    }

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
        a->undo(); // it asked about another version
        QTRY_VERIFY(!a->operations().isWriting());
        QVERIFY(a->isModified() && !holds(file("a.pt"), "of_a"));

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
        QVERIFY(a && rename(*a, "mul", "of_a"));
        QVERIFY(QFile::remove(file("a.pt")) &&
                QFile::copy(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/my_module.pt"), file("a.pt")));
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
            QVERIFY(a->module()->graph.find("of_a") != fx::kNoNode && holds(file("mine.lancet"), "of_a"));
            QCOMPARE(m_window->currentDocument()->file(), file("a.pt"));
        } else {
            QTRY_VERIFY(a->module()->graph.find("of_a") == fx::kNoNode);
        }
        QCOMPARE(bytesOf(file("a.pt")), others);
    }

    void disk_changedWhileTheSheetAsks_isAskedAbout() {
        Document* a = openCopy("a.pt");
        QVERIFY(a && rename(*a, "mul", "of_a"));
        m_window->saveTo(file("a.pt"));
        SaveSheet* sheet = nullptr;
        QTRY_VERIFY((sheet = m_window->findChild<SaveSheet*>()));
        QVERIFY(QFile::remove(file("a.pt")) &&
                QFile::copy(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/my_module.pt"), file("a.pt")));
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
        QTRY_COMPARE(a->target(), file("a.lancet"));
        QVERIFY(!m_window->isWindowModified());
        const QByteArray saved = bytesOf(file("a.lancet"));
        QVERIFY(QFile::remove(file("a.lancet")));
        m_window->currentPage()->diskBar().check(); // as when the window becomes active
        QTRY_VERIFY(a->isModified());
        QVERIFY(tabs()->tabText(0).endsWith(u'•') && m_window->isWindowModified());
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
        QVERIFY(a && rename(*a, "mul", "of_a"));
        m_window->saveTo(file("a.json"));
        QTRY_COMPARE(a->target(), file("a.json"));
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
        QVERIFY(a && rename(*a, "mul", "of_a"));
        m_window->saveTo(file("b.lancet"));
        QTRY_COMPARE(a->target(), file("b.lancet"));
        QTRY_VERIFY(!a->isModified());
        QVERIFY(QFile::remove(file("b.lancet")) && QFile::copy(file("a.pt"), file("b.lancet")));
        m_window->currentPage()->diskBar().check();
        QTRY_VERIFY(a->isModified());
    }

    void disk_overwrittenInPlace_editsCanStillBeSaved() {
        Document* a = openCopy("a.pt");
        QVERIFY(a && rename(*a, "mul", "of_a"));
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
        QVERIFY(a && rename(*a, "mul", "of_a"));
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
        a->adoptEdit(QStringLiteral("Large"), "[]", model);
        DiskBar& bar = m_window->currentPage()->diskBar();
        QFile other(file("a.pt"));
        QVERIFY(other.open(QIODevice::WriteOnly | QIODevice::Truncate));
        other.write("somebody else's");
        other.close();
        bar.check();
        QTRY_VERIFY(bar.isVisible());
        QTRY_VERIFY2(bar.text().contains(QStringLiteral("save them as a recipe")), qPrintable(bar.text()));
    }

    void save_overWhatAnotherTabWasOpenedFrom_keepsItsEdits() {
        Document* a = openCopy("a.pt");
        QVERIFY(a && rename(*a, "mul", "of_a"));
        m_window->saveTo(file("saved.lancet"));
        QTRY_COMPARE(a->target(), file("saved.lancet"));
        QVERIFY(rename(*a, "of_a", "later"));
        m_window->openFile(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/my_module.pt"));
        Document* b = m_window->currentDocument();
        QTRY_COMPARE(b->state(), Document::State::Ready);
        m_window->saveTo(file("a.pt"));
        QTRY_COMPARE(b->target(), file("a.pt"));
        QTRY_VERIFY(!b->operations().isWriting());
        // As a crash leaves it: a copy of the journal that nobody holds.
        const QString copies = file("copies");
        const QStringList arguments{QStringLiteral("-a"), QString::fromStdString(fx::Journal::defaultFolder()), copies};
        QCOMPARE(QProcess::execute(QStringLiteral("cp"), arguments), 0);
        const auto journals = fx::orphanedJournals(copies.toStdString());
        QCOMPARE(journals.size(), 1u);
        QVERIFY(fx::recover(*journals.front()).history.model()->graph.find("later") != fx::kNoNode);
    }

    void disk_ownWrites_areNotTold() {
        Document* a = openCopy("a.pt");
        QVERIFY(a);
        DiskBar& bar = m_window->currentPage()->diskBar();
        const ShowCounter shown(bar);
        m_window->saveTo(file("a.lancet"));
        QTRY_COMPARE(a->target(), file("a.lancet"));
        QVERIFY(rename(*a, "mul", "of_a"));
        m_window->saveTo(file("a.lancet")); // over its own file
        QTRY_VERIFY(!a->isModified());
        QTest::qWait(500); // longer than the bar waits for a writer to end
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
            a->setOnDisk(b->onDisk());
            a->setSaved(a->module(), file("b.pt"));
        }
        ui::taskPool().waitForDone();
        QTest::qWait(500);
        QVERIFY(!a->isModified());
        QCOMPARE(shown.count, 0);
    }
};

QTEST_MAIN(TestSaving)
#include "tst_saving.moc"
