// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/open.h"
#include "tests/json_steps.h"
#include "tests/ui/support/canned_answers.h"
#include "tests/ui/support/held_pool.h"
#include "ui/code/code_field.h"
#include "ui/code/code_panel.h"
#include "ui/partition/partition_panel.h"
#include "ui/partition/partition_table_model.h"
#include "ui/pattern/pattern_panel.h"
#include "ui/run/run_center.h"
#include "ui/run/shape_watch.h"
#include "ui/shell/document_page.h"
#include "ui/shell/operations/busy_bar.h"
#include "ui/shell/operations/operation_list.h"
#include "ui/shell/saving/unsaved_question.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/main_window.h"
#include "ui/timing/timing_session.h"
#include "ui/values/values_panel.h"

#include <QApplication>
#include <QLabel>
#include <QListWidget>
#include <QMessageBox>
#include <QPushButton>
#include <QStatusBar>
#include <QTabWidget>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QToolButton>
#include <QTreeView>

using namespace ui;
using Kind = DocumentOperations::Kind;

/// What panels start is an operation of its document: seen and cancelled while that is in front, going on behind
/// another tab, ending with its document, and never shown for another one. The worker never answers.
class TestOperations : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<testing::CannedAnswers> m_answers;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;
    Document *m_a = nullptr, *m_b = nullptr;

    QTabWidget& tabs() const { return *m_window->findChild<QTabWidget*>(QStringLiteral("documents")); }
    PatternPanel& pattern() const { return *m_window->findChild<PatternPanel*>(); }
    PartitionPanel& partition() const { return *m_window->findChild<PartitionPanel*>(); }
    BusyBar& bar() const { return m_window->busyBar(); }
    Document* open(const char* name) {
        const QString path = m_folder->filePath(QLatin1String(name));
        QFile::copy(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/simple_net.pt"), path);
        m_window->openFile(path);
        Document* document = m_window->currentDocument();
        const auto isReady = [&] {
            return document->state() == Document::State::Ready && document->facts().code() &&
                   document->picture().scene() && !m_window->run().session()->guesses().empty();
        };
        return QTest::qWaitFor(isReady, 20'000) ? document : nullptr;
    }
    bool panelShows(const QWidget& panel, const QString& text) const {
        for (const QLabel* label : panel.findChildren<QLabel*>())
            if (label->isVisibleTo(&panel) && label->text().contains(text)) return true;
        return false;
    }
    void click(const QWidget& parent, const QString& text) const {
        for (QAbstractButton* button : parent.findChildren<QAbstractButton*>())
            if (button->isVisibleTo(&parent) && button->text() == text) return button->click();
        QFAIL(qPrintable(QStringLiteral("no button ") + text));
    }
    TimingSession& timing() const { return *TimingSession::of(*m_window->run().session(), m_window->run().worker()); }
    /// Two partitions of the document in front.
    void makePartitions() {
        m_window->actions().partition->trigger();
        QTRY_VERIFY(partition().isSeen());
        partition().setFlags(1);
        QTRY_VERIFY(partition().findChild<QTreeView*>()->model()->rowCount() > 0);
        click(partition(), QStringLiteral("All"));
        QTRY_COMPARE(partition().outcome().report.partitions.size(), 1u);
    }
    /// Calls `act` with the sheet that asks before closing, when it is there.
    void withSheet(std::function<void(UnsavedSheet&)> act, int tries = 300) {
        QTimer::singleShot(10, this, [this, act = std::move(act), tries] {
            auto* sheet = qobject_cast<UnsavedSheet*>(QApplication::activeModalWidget());
            if (!sheet && tries > 0) return withSheet(act, tries - 1);
            QVERIFY(sheet);
            act(*sheet);
        });
    }

private Q_SLOTS:
    void init() {
        m_folder = std::make_unique<QTemporaryDir>();
        qputenv("XDG_STATE_HOME", m_folder->path().toUtf8());
        m_settings = std::make_unique<Settings>(m_folder->filePath(QStringLiteral("settings.ini")));
        m_answers = std::make_unique<testing::CannedAnswers>();
        m_answers->answerNothing();
        WorkerSettings worker;
        worker.command = m_answers->command();
        m_settings->setWorker(worker);
        m_window = std::make_unique<MainWindow>(*m_settings);
        m_window->resize(1280, 800);
        m_window->show();
        m_a = open("a.pt");
        m_b = open("b.pt");
        QVERIFY(m_a);
        QVERIFY(m_b);
        tabs().setCurrentIndex(0);
    }
    void cleanup() { m_window.reset(); }

    void search_goesOnBehind_andStaysWithItsDocument() {
        {
            const testing::HeldPool held;
            pattern().pattern()->setSource("def pattern(x, y):\n    return x * y");
            QTRY_VERIFY(m_a->operations().isRunning(Kind::Search));
            QTRY_VERIFY(bar().isVisible());
            QCOMPARE(bar().text(), QStringLiteral("Searching a.pt"));
            QVERIFY(panelShows(pattern(), QStringLiteral("Searching…")));
            QVERIFY(m_b->versions().edit(QStringLiteral("Rename"),
                                         R"([{"step": "rename", "node": "mul", "name": "other"}])"_steps));
            tabs().setCurrentIndex(1);
            QVERIFY(m_a->operations().isRunning(Kind::Search));
            QCOMPARE(pattern().result().matches.size(), 0u);
            QVERIFY(pattern().pattern()->source().isEmpty()); // it has its own
            pattern().pattern()->setSource("def pattern(x, y):\n    return x * y");
            QTRY_VERIFY(m_b->operations().isRunning(Kind::Search));
            QVERIFY(m_a->operations().isRunning(Kind::Search));
        }
        QTRY_COMPARE(pattern().result().matches.size(), 1u);
        QCOMPARE(pattern().result().matches[0].anchor, std::string("other")); // of b
        QTRY_COMPARE(PatternSession::of(*m_a)->state(), PatternSession::State::Done);
        const testing::HeldPool held; // what was found is there without another search
        tabs().setCurrentIndex(0);
        QCOMPARE(pattern().result().matches.size(), 1u);
        QCOMPARE(pattern().result().matches[0].anchor, std::string("mul"));
    }

    void patternThatWasTyped_isThereAgain() {
        pattern().pattern()->setSource("def pattern(x, y):\n    return x * y");
        m_window->close();
        m_window = std::make_unique<MainWindow>(*m_settings);
        QVERIFY(open("a.pt"));
        QVERIFY(pattern().pattern()->source().contains("return x * y"));
    }

    void search_cancelled_isNotCalledNoMatch() {
        const testing::HeldPool held;
        pattern().pattern()->setSource("def pattern(x, y):\n    return x * y");
        QTRY_COMPARE(bar().text(), QStringLiteral("Searching a.pt"));
        bar().cancelButton()->click();
        QVERIFY(!m_a->operations().isRunning(Kind::Search));
        QVERIFY(panelShows(pattern(), QStringLiteral("The search was cancelled")));
        QVERIFY(!panelShows(pattern(), QStringLiteral("No match")));
    }

    void proposal_goesOnBehind_andStaysWithItsDocument() {
        m_window->actions().partition->trigger();
        QTRY_VERIFY(partition().isSeen() && partition().findChild<QTreeView*>()->model()->rowCount() > 0);
        QTRY_VERIFY(PartitionSession::of(*m_a)->proposal());
        {
            const testing::HeldPool held;
            click(partition(), QStringLiteral("All"));
            QVERIFY(m_a->operations().isRunning(Kind::Partition));
            QCOMPARE(bar().text(), QStringLiteral("Partitioning a.pt"));
            tabs().setCurrentIndex(1);
            QVERIFY(m_a->operations().isRunning(Kind::Partition));
            QVERIFY(partition().outcome().report.partitions.empty());
        }
        QTRY_VERIFY(PartitionSession::of(*m_a)->proposal());
        QVERIFY(partition().outcome().report.partitions.empty()); // b has none
        tabs().setCurrentIndex(0);
        QTRY_COMPARE(partition().outcome().report.partitions.size(), 1u);
    }

    void partitionTimes_ofAnotherDocument_areNotShown() {
        makePartitions();
        std::function<void(const fx::remote::PartitionTimes&)> done;
        int cancelled = 0;
        PartitionTimer timer;
        timer.missing = [] { return QString(); };
        timer.partitions = [&](auto&, auto, const auto&, auto then, auto, auto) {
            done = then;
            return [&] { ++cancelled; };
        };
        partition().setTimer(timer);
        click(partition(), QStringLiteral("Time"));
        QVERIFY(done);
        QVERIFY(m_a->operations().isRunning(Kind::Timing));
        QTRY_COMPARE(bar().text(), QStringLiteral("Timing the partitions of a.pt"));
        tabs().setCurrentIndex(1);
        QVERIFY(!panelShows(partition(), QStringLiteral("Timing each partition")));
        fx::remote::PartitionTimes times;
        times.aloneMs = {1.5}, times.nodesMs = {1.25}, times.wholeMs = 4.5, times.splitMs = 5;
        done(times);
        const QTableView& table = *partition().findChild<QTableView*>(QStringLiteral("partitions"));
        QVERIFY(table.isColumnHidden(PartitionTableModel::Time));
        tabs().setCurrentIndex(0);
        QTRY_VERIFY(!table.isColumnHidden(PartitionTableModel::Time));
        QCOMPARE(cancelled, 0);
        // Cancelled in the busy bar, and by closing the document.
        click(partition(), QStringLiteral("Time"));
        QTRY_COMPARE(bar().text(), QStringLiteral("Timing the partitions of a.pt"));
        bar().cancelButton()->click();
        QCOMPARE(cancelled, 1);
        QVERIFY(panelShows(partition(), QStringLiteral("Timing was stopped.")));
        click(partition(), QStringLiteral("Time"));
        m_window->actions().closeTab->trigger();
        QTRY_COMPARE(cancelled, 2);
    }

    void profile_startedInOneDocument_waitsForIt() {
        m_window->actions().partition->trigger();
        QTRY_VERIFY(partition().isSeen());
        std::function<void(const fx::Error&)> failed;
        PartitionTimer timer;
        timer.profile = [&](auto&, const std::string&, auto, auto otherwise, auto progressed) {
            failed = otherwise;
            progressed(QStringLiteral("trying relu"), 0.5);
            return [] {};
        };
        partition().setTimer(timer);
        partition().takeProfile();
        QVERIFY(m_a->operations().isRunning(Kind::Profile));
        QVERIFY(panelShows(partition(), QStringLiteral("trying relu")));
        tabs().setCurrentIndex(1);
        QVERIFY(!panelShows(partition(), QStringLiteral("trying relu")));
        failed(fx::Error(fx::ErrorKind::Run, fx::Message::received({}, {}, "no worker")));
        QVERIFY(!panelShows(partition(), QStringLiteral("no worker")));
        tabs().setCurrentIndex(0);
        QVERIFY(panelShows(partition(), QStringLiteral("Could not probe oneDNN: no worker")));
        QVERIFY(!m_a->operations().isRunning(Kind::Profile));
    }

    void timing_goesOnBehind_andEndsWithItsDocument() {
        timing().start();
        QTRY_COMPARE(bar().text(), QStringLiteral("Timing a.pt"));
        const WorkerService::Key key{WorkerService::Kind::Timing, &timing()};
        tabs().setCurrentIndex(1);
        QVERIFY(bar().moreButton()->text().contains(QStringLiteral("in other tabs")));
        QCOMPARE(timing().state(), TimingSession::State::NotTimed); // of b
        QVERIFY(m_window->run().worker().isPending(key));
        tabs().setCurrentIndex(0);
        QCOMPARE(timing().state(), TimingSession::State::Running);
        bar().cancelButton()->click();
        QCOMPARE(timing().state(), TimingSession::State::NotTimed);
        QVERIFY(!m_window->run().worker().isPending(key));
        timing().start();
        m_window->actions().closeTab->trigger();
        QTRY_VERIFY(!m_window->run().worker().isPending(key));
    }

    /// The worker is at the shapes of b, without end.
    void shapesAskedFor_waitAreCancelledAndEndWithTheirDocument() {
        const auto* watch = m_window->run().session()->findChild<ShapeWatch*>();
        QVERIFY(watch);
        const WorkerService::Key key{WorkerService::Kind::Shapes, watch};
        m_a->shapes().ask();
        QTRY_COMPARE(bar().text(), QStringLiteral("Computing shapes of a.pt: waiting for the worker"));
        QVERIFY(m_window->run().worker().isPending(key));
        bar().cancelButton()->click();
        QVERIFY(!m_a->operations().isRunning(Kind::Shapes));
        QVERIFY(!m_window->run().worker().isPending(key));
        m_a->shapes().ask();
        QVERIFY(m_window->run().worker().isPending(key));
        m_window->actions().closeTab->trigger();
        QTRY_VERIFY(!m_window->run().worker().isPending(key));
    }

    void values_goOnBehind_andStayWithTheirDocument() {
        auto* panel = m_window->findChild<ValuesPanel*>();
        m_a->selection().select({m_a->module()->graph.find("relu")}, nullptr);
        m_window->actions().values->trigger();
        QTRY_COMPARE(bar().text(), QStringLiteral("Running a.pt up to relu: waiting for the worker"));
        tabs().setCurrentIndex(1);
        QVERIFY(m_a->operations().isRunning(Kind::Values));
        QVERIFY(panel->message().contains(QStringLiteral("Select a node")));
        tabs().setCurrentIndex(0);
        QTRY_VERIFY(panel->message().contains(QStringLiteral("Running the model up to relu: waiting for the worker")));
        bar().cancelButton()->click();
        QVERIFY2(panel->message().contains(QStringLiteral("Stopped.")), qPrintable(panel->message()));
        QVERIFY(!m_a->operations().isRunning(Kind::Values));
    }

    void code_appliedWhileItIsChecked_goesOnBehind() {
        auto* code = m_window->findChild<CodePanel*>();
        {
            const testing::HeldPool held;
            QVERIFY(code->view()->findText(QStringLiteral("relu * scale"), CodeView::Search::Next));
            QTest::keyClicks(code->view(), QStringLiteral("relu + scale"));
            QVERIFY(m_a->draft());
            click(*code, QStringLiteral("Apply"));
            QVERIFY(m_a->operations().isRunning(Kind::Edit));
            QCOMPARE(bar().text(), QStringLiteral("Applying the code of a.pt"));
            tabs().setCurrentIndex(1);
            QVERIFY(m_a->operations().isRunning(Kind::Edit));
        }
        QTRY_COMPARE(m_a->versions().history()->entries().size(), 2u);
        QVERIFY(!m_a->draft());
        QCOMPARE(m_b->versions().history()->entries().size(), 1u);
        m_a->setSaved(m_a->module());
    }

    void close_whileAnEditRuns_cancelKeepsBoth() {
        {
            const testing::HeldPool held;
            m_a->versions().editInBackground(QStringLiteral("Rename mul"),
                                             R"([{"step": "rename", "node": "mul", "name": "renamed"}])"_steps);
            withSheet([this](UnsavedSheet& sheet) {
                QCOMPARE(sheet.windowTitle(), QStringLiteral("Operations Still Running"));
                QVERIFY(panelShows(*sheet.running(), QStringLiteral("Rename mul")));
                QVERIFY(sheet.stopButton()->isVisible());
                QVERIFY(!sheet.saveButton()->isVisible());
                QStringList texts; // each says something else
                for (const QAbstractButton* each : sheet.findChildren<QAbstractButton*>())
                    if (each->isVisible()) texts << each->text();
                QCOMPARE(texts.removeDuplicates(), qsizetype(0));
                sheet.reject();
            });
            m_window->actions().closeTab->trigger();
            QVERIFY(m_a->operations().isRunning(Kind::Edit));
        }
        QTRY_COMPARE(m_a->versions().history()->entries().size(), 2u);
        QCOMPARE(tabs().count(), 2);
        m_a->setSaved(m_a->module());
    }

    void close_whileAnEditRuns_cancelledEditIsNotAsked() {
        QVERIFY(m_b->versions().edit(QStringLiteral("Rename"),
                                     R"([{"step": "rename", "node": "relu", "name": "other"}])"_steps));
        const testing::HeldPool held;
        m_a->versions().editInBackground(QStringLiteral("Rename mul"),
                                         R"([{"step": "rename", "node": "mul", "name": "renamed"}])"_steps);
        withSheet([](UnsavedSheet& sheet) {
            QCOMPARE(sheet.list()->count(), 1); // b, which was changed; nothing is to be chosen yet
            sheet.stopButton()->click();
            QTimer::singleShot(50, &sheet, [&sheet] {
                QVERIFY(!sheet.stopButton()->isVisible());
                QVERIFY(sheet.discardButton()->isVisible());
                QCOMPARE(sheet.windowTitle(), QStringLiteral("Unsaved Changes"));
                sheet.discardButton()->click();
            });
        });
        m_window->close();
        QTRY_VERIFY(!m_window->isVisible());
    }

    void close_whileAnEditRuns_waitsThenAsks() {
        auto held = std::make_unique<testing::HeldPool>();
        m_a->versions().editInBackground(QStringLiteral("Rename"),
                                         R"([{"step": "rename", "node": "relu", "name": "other"}])"_steps);
        withSheet([&](UnsavedSheet& sheet) {
            QVERIFY(!sheet.list()->isVisible());
            held.reset();
            QTRY_VERIFY(sheet.saveButton()->isVisible());
            QCOMPARE(sheet.list()->count(), 1); // what it made is a change
            sheet.discardButton()->click();
        });
        m_window->actions().closeTab->trigger();
        QTRY_COMPARE(tabs().count(), 1);
    }

    void edit_thatChangesNothing_isNone() {
        m_window->actions().deadCode->trigger();
        QTRY_VERIFY2(m_window->statusBar()->currentMessage().contains(QStringLiteral("nothing changed")),
                     qPrintable(m_window->statusBar()->currentMessage()));
        QVERIFY(!m_a->versions().edit(QStringLiteral("Rename"),
                                      R"([{"step": "rename", "node": "relu", "name": "relu"}])"_steps));
        QVERIFY(m_window->statusBar()->currentMessage().startsWith(QStringLiteral("Rename: nothing changed")));
        QVERIFY(!m_a->isModified());
        QVERIFY(m_a->versions().history()->entries().size() == 1);
    }

    void reload_whileAnEditRuns_isRefused() {
        const testing::HeldPool held;
        m_a->versions().editInBackground(QStringLiteral("Rename mul"),
                                         R"([{"step": "rename", "node": "mul", "name": "renamed"}])"_steps);
        m_window->actions().reload->trigger();
        QMessageBox* box = nullptr;
        QTRY_VERIFY((box = m_window->findChild<QMessageBox*>()));
        QVERIFY2(box->informativeText().contains(QStringLiteral("an edit is still running")),
                 qPrintable(box->informativeText()));
        QTRY_VERIFY2(box->width() >= 64 * box->fontMetrics().averageCharWidth(), // lines can be read
                     qPrintable(QString::number(box->width())));
        box->reject();
        m_a->operations().cancel(Kind::Edit);
    }
};

QTEST_MAIN(TestOperations)
#include "tst_operations.moc"
