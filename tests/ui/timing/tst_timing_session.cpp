// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/json_steps.h"
#include "ui/run/run_center.h"
#include "ui/timing/curve_chart.h"
#include "ui/timing/node_times_model.h"
#include "ui/timing/timing_html.h"
#include "ui/timing/timing_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTest>
#include <QTextBrowser>
#include <QToolButton>

using namespace ui;
using State = TimingSession::State;

/// The story of a model that is timed, with a real worker.
class TestTimingSession : public QObject {
    Q_OBJECT

    std::unique_ptr<QWidget> m_window;
    std::unique_ptr<Document> m_document;
    RunCenter* m_center = nullptr;
    TimingPanel* m_panel = nullptr;
    static constexpr int kPatience = 90000;
    inline static const fx::StepList kTwice =
        R"([{"step": "insert_after", "node": "relu", "op": "call_function", "target": "torch.relu", "args": )"
        R"([{"node": "relu"}], "name": "again", "rewire_users": true}])"_steps;

    TimingSession& session() const { return *m_panel->session(); }
    RunSession& run() const { return *m_center->session(); }
    void show(Document* document) {
        m_center->setDocument(document);
        m_panel->setSession(document ? TimingSession::of(run(), m_center->worker()) : nullptr);
    }
    /// The net of nine nodes, with an input that its linear layer fits, timed shortly.
    void openNet() {
        m_document = std::make_unique<Document>(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/simple_net.pt"));
        m_document->load();
        show(m_document.get());
        QTRY_VERIFY(!run().guesses().empty());
        run().setAutomatic(false);
        fx::InputDescription inputs = run().inputs();
        inputs.inputs[0].sizes = {1, 3, 16, 16};
        run().setInputs(inputs);
        m_panel->seconds()->setValue(0.5);
    }
    void measure() {
        session().start();
        QCOMPARE(session().state(), State::Running);
        QTRY_COMPARE_WITH_TIMEOUT(session().state(), State::Done, kPatience);
    }
    /// For a busy machine: again and longer, until there are rounds enough for an interval.
    void measureWithInterval() {
        measure();
        while (tooFewRounds(*session().current()->result) && m_panel->seconds()->value() < 16) {
            QVERIFY(m_panel->history()->curves().empty()); // says so instead
            m_panel->seconds()->setValue(2 * m_panel->seconds()->value());
            measure();
        }
    }

private Q_SLOTS:
    void init() {
        m_window = std::make_unique<QWidget>();
        m_center = new RunCenter({QStringLiteral(LANCET_WORKER), true, 0, 120}, {}, m_window.get());
        m_panel = new TimingPanel(m_window.get());
    }
    void cleanup() {
        if (m_center) show(nullptr);
        m_document.reset();
        m_window.reset();
        m_center = nullptr;
    }

    void refusal_goesWhenModelsMayRun() {
        qputenv("LANCET_SANDBOX", "off");
        const auto restored = qScopeGuard([] { qunsetenv("LANCET_SANDBOX"); });
        openNet();
        session().start();
        QVERIFY(session().isWaiting());
        QVERIFY(m_panel->emptyText()->text().contains(QStringLiteral("Waiting")));
        QTRY_COMPARE_WITH_TIMEOUT(session().state(), State::Failed, 60000);
        QVERIFY(!session().isWaiting());
        m_center->worker().allow();
        QCOMPARE(session().state(), State::NotTimed);
    }

    void choices_areRemembered() {
        m_panel->recall("{\"threads\": 1, \"seconds\": 2.5, \"batches\": \"1, 3\"}");
        QCOMPARE(m_panel->threads()->currentData().toInt(), 1);
        QCOMPARE(m_panel->batches()->text(), QStringLiteral("1, 3"));
        TimingPanel other(m_window.get());
        other.recall(m_panel->remembered());
        QCOMPARE(other.remembered(), m_panel->remembered());
        other.recall({});
        QCOMPARE(other.threads()->currentData().toInt(), 0);
    }

    void noFile_panelSaysWhatToDo() {
        QVERIFY(m_panel->emptyText()->text().contains(QStringLiteral("Open a model")));
        for (QWidget* button :
             std::initializer_list<QWidget*>{m_panel->starts(), m_panel->copies(), m_panel->sweeps()}) {
            QVERIFY(!button->isEnabled());
            QVERIFY(!button->toolTip().isEmpty());
        }
    }

    void unknownInputs_leadToTheirDialog() {
        m_document = std::make_unique<Document>(QString());
        auto net = std::make_shared<fx::GraphModule>();
        net->graph.output(net->graph.placeholder("x"));
        m_document->adopt(net, QStringLiteral("identity"));
        show(m_document.get());
        QTRY_COMPARE(session().state(), State::NeedsInputs);
        QVERIFY(!m_panel->starts()->isEnabled());
        QSignalSpy asked(m_panel, &TimingPanel::inputsRequested);
        QVERIFY(!m_panel->emptyButton()->isHidden());
        m_panel->emptyButton()->click();
        QCOMPARE(asked.size(), 1);
        session().start();
        QCOMPARE(session().state(), State::NeedsInputs);
    }

    void original_timedAlone_thenAgainstAnEdit() {
        openNet();
        QCOMPARE(session().state(), State::NotTimed);
        measure();
        QVERIFY(session().current()->result->ratios.empty());
        const KnownTimes times = session().times();
        QVERIFY(times.report);
        QVERIFY(times.current);
        QCOMPARE(m_panel->nodes()->model()->rowCount(), static_cast<int>(times.report->nodes.size()));
        QVERIFY(!m_panel->heat().empty());
        QVERIFY(m_panel->heat().stale().isEmpty());
        for (const int column : {NodeTimesModel::Before, NodeTimesModel::Difference})
            QVERIFY(m_panel->nodes()->isColumnHidden(column));
        m_document->selection().goTo(m_document->module()->graph.find("relu"), nullptr); // as on the canvas
        const QModelIndexList rows = m_panel->nodes()->selectionModel()->selectedRows();
        QCOMPARE(rows.size(), 1);
        QCOMPARE(rows.front().data().toString(), QStringLiteral("relu"));

        QVERIFY(m_document->versions().edit(QStringLiteral("Again"), kTwice));
        QCOMPARE(session().state(), State::NotTimed);
        QVERIFY(!session().times().current);
        QVERIFY(!m_panel->heat().stale().isEmpty());
        measureWithInterval();
        const fx::timing::BenchResult& result = *session().current()->result;
        QCOMPARE(result.ratios.size(), std::size_t(1));
        QCOMPARE(result.reports.size(), std::size_t(2));
        QVERIFY(session().times().current);
        QVERIFY(session().times().entry == 1);
        QVERIFY(!m_panel->nodes()->isColumnHidden(NodeTimesModel::Difference));
        QCOMPARE(m_panel->nodes()->selectionModel()->selectedRows().size(), 1); // of the same node
        QCOMPARE(m_panel->verdict()->text(), timingVerdictOf(result, result.ratios.front()).word);
        const QString page = m_panel->page()->toPlainText();
        for (const char* word : {"95 % interval", "first run", "Noise floor", "oneDNN", "denormals", "thread"})
            QVERIFY2(page.contains(QLatin1String(word)), word);
        QCOMPARE(m_panel->history()->curves().size(), std::size_t(1));
        QCOMPARE(m_panel->history()->curves()[0].points.size(), std::size_t(2));

        m_document->versions().undo();
        QCOMPARE(session().state(), State::Done);                              // known already
        QVERIFY(m_document->versions().edit(QStringLiteral("Other"), kTwice)); // overwrites the timed version
        QCOMPARE(session().state(), State::NotTimed);
        QCOMPARE(session().times().entry, std::size_t(0));
    }

    void original_isKnown_onceAnEditWasTimed() {
        openNet();
        QVERIFY(m_document->versions().edit(QStringLiteral("Again"), kTwice));
        measure();
        const fx::timing::BenchResult both = *session().current()->result;
        m_document->versions().undo();
        QCOMPARE(session().state(), State::Done);
        const fx::timing::BenchResult& alone = *session().current()->result;
        QVERIFY(alone.ratios.empty());
        QCOMPARE(alone.variants.size(), std::size_t(1));
        QCOMPARE(alone.variants[0].medianMs, both.variants[0].medianMs);
        QCOMPARE(alone.reports.size(), std::size_t(1));
        QCOMPARE(m_panel->verdict()->text(), timeText(alone.variants[0].medianMs)); // beside the times of its nodes
        QVERIFY(session().times().current);
        QVERIFY(m_panel->heat().stale().isEmpty());

        m_document->versions().redo();
        QCOMPARE(session().current()->result->ratios.size(), std::size_t(1));
        session().startShort(); // without nodes
        QTRY_COMPARE_WITH_TIMEOUT(session().state(), State::Done, kPatience);
        QVERIFY(session().current()->result->reports.empty());
        m_document->versions().undo();
        QCOMPARE(session().current()->result->reports.size(), std::size_t(1));
    }

    void clickOnANode_goesThere_copiesSayTheSame() {
        openNet();
        measure();
        const QModelIndex first = m_panel->nodes()->model()->index(0, 0);
        Q_EMIT m_panel->nodes()->clicked(first);
        QCOMPARE(m_document->selection().nodes(),
                 std::vector<fx::NodeId>{m_document->module()->graph.find(first.data().toString().toStdString())});
        m_panel->copyCsv();
        QVERIFY(QApplication::clipboard()->text().startsWith(QStringLiteral("node,op,target,ms")));
        m_panel->copyJson();
        QVERIFY(QApplication::clipboard()->text().contains(QStringLiteral("\"variants\"")));
        m_panel->copyText();
        QVERIFY(QApplication::clipboard()->text().contains(first.data().toString()));
    }

    void stopped_isNotTimed_andTheNextOneRuns() {
        openNet();
        m_panel->seconds()->setValue(60);
        m_panel->starts()->click();
        QCOMPARE(session().state(), State::Running);
        QCOMPARE(m_panel->starts()->text(), QStringLiteral("Stop"));
        QTRY_VERIFY_WITH_TIMEOUT(session().done() > 0, kPatience);
        m_panel->starts()->click();
        QCOMPARE(session().state(), State::NotTimed);
        m_panel->seconds()->setValue(0.5);
        measure();
    }

    void threadsAndInputs_decideWhatIsKnown() {
        openNet();
        measure();
        m_panel->threads()->setCurrentIndex(1);
        QCOMPARE(session().state(), State::NotTimed);
        m_panel->threads()->setCurrentIndex(0);
        QCOMPARE(session().state(), State::Done);
        fx::InputDescription inputs = run().inputs();
        inputs.seed = 5;
        run().setInputs(inputs);
        QCOMPARE(session().state(), State::NotTimed);
        QVERIFY(m_panel->heat().empty());
    }

    void modelThatCannotRun_saysWhere() {
        openNet();
        QVERIFY(m_document->versions().edit(
            QStringLiteral("Wrong"),
            R"([{"step": "insert_after", "node": "relu", "op": "call_function", "target": "torch.reshape", )"
            R"("args": [{"node": "relu"}, [7, 7]], "name": "wrong", "rewire_users": true}])"_steps));
        session().start();
        QTRY_COMPARE_WITH_TIMEOUT(session().state(), State::Failed, kPatience);
        QVERIFY(m_panel->page()->toPlainText().contains(QStringLiteral("wrong")));
        QCOMPARE(m_panel->verdict()->text(), QStringLiteral("cannot run"));
        QVERIFY(m_panel->verdict()->minimumWidth() >=
                m_panel->verdict()->fontMetrics().horizontalAdvance(QStringLiteral("cannot run")) +
                    20); // a badge has margins
    }

    void sweep_growsACurve() {
        openNet();
        m_panel->batches()->setText(QStringLiteral("zwei"));
        QVERIFY(!m_panel->sweeps()->isEnabled());
        m_panel->batches()->setText(QStringLiteral("4, 1"));
        QVERIFY2(m_panel->sweeps()->isEnabled(), qPrintable(m_panel->sweeps()->toolTip()));
        m_panel->sweeps()->click();
        QVERIFY(session().isSweeping());
        QTRY_VERIFY_WITH_TIMEOUT(!session().isSweeping(), kPatience);
        QCOMPARE(session().sweep().size(), std::size_t(2));
        QCOMPARE(session().sweep()[0].batch, std::int64_t(1));
        QVERIFY(session().sweep()[1].result.has_value());
        QCOMPARE(m_panel->curve()->curves().size(), std::size_t(1));
        QCOMPARE(m_panel->curve()->pointLabels().size(), 2);
        QVERIFY(m_panel->copies()->isEnabled()); // the version itself was not timed
        m_panel->copyCsv();
        QVERIFY(QApplication::clipboard()->text().startsWith(QStringLiteral("batch,model,median_ms")));
    }
};

QTEST_MAIN(TestTimingSession)
#include "tst_timing_session.moc"
