// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/canned_answers.h"
#include "ui/run/probe_bar.h"
#include "ui/run/run_center.h"
#include "ui/run/verify_panel.h"
#include "ui/run/verify_verdict.h"
#include "ui/widgets/elided_label.h"

#include <QLineEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QTest>
#include <QTextBrowser>
#include <QToolButton>

using namespace ui;
using State = RunSession::State;
using testing::CannedAnswers;

/// What the window says of verdicts, and how it finds out more, with a worker that answers as it is told.
class TestVerdicts : public QObject {
    Q_OBJECT

    std::unique_ptr<CannedAnswers> m_answers;
    std::unique_ptr<QWidget> m_window;
    std::unique_ptr<Document> m_document, m_other;
    RunCenter* m_center = nullptr;

    RunSession& session() const { return *m_center->session(); }
    VerifyPanel& panel() const { return *m_center->verifyPanel(); }
    QString page() const { return panel().page()->toPlainText(); }
    std::unique_ptr<Document> open() {
        auto document =
            std::make_unique<Document>(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/simple_net.pt"));
        document->load();
        m_center->setDocument(document.get());
        return document;
    }
    bool isReady() const { return m_center->session() && !session().guesses().empty(); }
    static bool edit(Document& document, const char* name = "activation") {
        const std::string now = document.module()->graph.node(document.module()->graph.order()[3]).name();
        return document.versions().edit(QStringLiteral("Rename"), fx::StepList().rename(now, name));
    }
    static fx::Probe rescaled(fx::Verdict verdict) {
        fx::Probe probe;
        probe.kind = fx::Probe::Kind::RescaledWeights;
        probe.what = "re-scaled weights", probe.verdict = verdict, probe.maxAbs = 0.31;
        return probe;
    }

private Q_SLOTS:
    void init() {
        m_answers = std::make_unique<CannedAnswers>();
        m_window = std::make_unique<QWidget>();
        m_center = new RunCenter({m_answers->command(), true, 0, 120}, {}, m_window.get());
        m_document = open();
        QTRY_VERIFY(isReady());
    }
    void cleanup() {
        m_center->setDocument(nullptr);
        m_document.reset();
        m_other.reset();
        m_window.reset();
    }

    /// Sources are read all the same, before any worker is started.
    void sandbox_ofTheReader_isToldWhenItIsMissing() {
        qputenv("LANCET_SANDBOX", "off");
        const auto restored = qScopeGuard([] { qunsetenv("LANCET_SANDBOX"); });
        QWidget window;
        const auto* center = new RunCenter({m_answers->command(), true, 0, 120}, {}, &window);
        QCOMPARE(center->workerButton()->text(), QStringLiteral("worker off, no sandbox"));
        QVERIFY(center->workerButton()->toolTip().contains(QLatin1String("reads Python sources")));
    }

    void verdict_hasItsWordsAndColour_data() {
        QTest::addColumn<int>("verdict");
        QTest::addColumn<QString>("word");
        QTest::addColumn<QString>("role");
        const auto row = [](const char* word, fx::Verdict verdict, const char* role) {
            QTest::newRow(word) << static_cast<int>(verdict) << QString::fromLatin1(word) << QString::fromLatin1(role);
        };
        row("equal", fx::Verdict::Equal, "ok");
        row("close", fx::Verdict::Close, "ok");
        row("inconclusive", fx::Verdict::Inconclusive, "warning");
        row("different", fx::Verdict::Different, "error");
    }
    void verdict_hasItsWordsAndColour() {
        QFETCH(int, verdict);
        QFETCH(QString, word);
        QFETCH(QString, role);
        m_answers->verifyWith(testing::report(static_cast<fx::Verdict>(verdict), verdict == 0 ? 0 : 0.5));
        QVERIFY(edit(*m_document));
        QTRY_COMPARE(session().state(), State::Done);
        QCOMPARE(panel().verdict()->text(), word);
        QCOMPARE(panel().verdict()->property("role").toString(), role);
        QCOMPARE(m_center->verifyChip()->text(), word);
    }

    void unappliedCode_isSaidToBeMissing() {
        m_answers->verifyWith(testing::report(fx::Verdict::Equal, 0));
        QVERIFY(edit(*m_document));
        QTRY_COMPARE(session().state(), State::Done);
        QVERIFY(!page().contains(QStringLiteral("is not applied")));
        m_document->setDraft(
            CodeDraft{"def forward(self, x):\n    return x\n", m_document->facts().code(), m_document->module()});
        QVERIFY(page().contains(QStringLiteral("is not applied")));
        m_document->setDraft({});
        QVERIFY(!page().contains(QStringLiteral("is not applied")));
    }

    void inconclusive_isAmberEverywhereWithItsReason() {
        m_answers->verifyWith(testing::inconclusive("relu"));
        QVERIFY(edit(*m_document));
        QTRY_COMPARE(session().state(), State::Done);
        QCOMPARE(verdictOf(session()).role, &Theme::warning);
        QVERIFY(m_center->verifyChip()->styleSheet().contains(theme().warning.line.name()));
        QVERIFY(m_center->verifyChip()->toolTip().contains(QStringLiteral("outputs 1e-9 < atol")));
        QVERIFY2(page().contains(QStringLiteral("outputs 1e-9 < atol")), qPrintable(page()));
        QVERIFY2(verifyHistoryHtml(session()).contains(QStringLiteral("<td class='warning'>inconclusive</td>")),
                 qPrintable(verifyHistoryHtml(session())));
    }

    /// A page of thousands of rows would keep the window busy for seconds.
    void edits_aroundTheCurrentOne_areListed() {
        for (int i = 0; i < 250; ++i) QVERIFY(edit(*m_document, qPrintable(QStringLiteral("name_%1").arg(i))));
        QString html = verifyHistoryHtml(session());
        QCOMPARE(html.count(QStringLiteral("<tr>")), 200);
        QVERIFY(html.contains(QStringLiteral(">250</td><td><b>")));
        QVERIFY2(html.contains(QStringLiteral("50 more edits are not listed.")), qPrintable(html.right(200)));
        m_document->versions().goTo(1);
        html = verifyHistoryHtml(session());
        QVERIFY(html.contains(QStringLiteral(">1</td><td><b>")));
        QVERIFY(html.contains(QStringLiteral("version:101'")));
        QVERIFY(!html.contains(QStringLiteral("version:102'")));
    }

    void quantised_tellsItsNoiseAndIsNotRed() {
        fx::VerifyReport report = testing::report(fx::Verdict::Different, 0.5);
        report.code = fx::VerdictReason::BeyondTolerance, report.sqnr = 34.1;
        const auto verdict = [&] { return verdictOf(Verification{nullptr, report, {}, {}}); };
        QCOMPARE(verdict().word, QStringLiteral("quantised"));
        QVERIFY2(verdict().detail.contains(QStringLiteral("34.1 dB")), qPrintable(verdict().detail));
        QVERIFY(!verdict().role);
        QVERIFY(!reportHtml(report, m_document->module()->graph).contains(QStringLiteral("'error'")));
        report.sqnr = 12; // a model that is lost is still worth a look
        QCOMPARE(verdict().role, &Theme::warning);
        report.sqnr = 9.9; // not explained by rounding
        QCOMPARE(verdict().word, QStringLiteral("different"));
        report.sqnr = 34.1, report.code = fx::VerdictReason::Shapes;
        QCOMPARE(verdict().word, QStringLiteral("different"));
    }

    void quantised_keepsItsNoiseOnTheWayFromTheWorker() {
        fx::VerifyReport report = testing::report(fx::Verdict::Different, 0.5);
        report.code = fx::VerdictReason::BeyondTolerance, report.sqnr = 34.5;
        m_answers->verifyWith(report);
        QVERIFY(edit(*m_document));
        QTRY_COMPARE(session().state(), State::Done);
        QCOMPARE(panel().verdict()->text(), QStringLiteral("quantised"));
    }

    void texts_claimNoMoreThanWasShown() {
        fx::VerifyReport report = testing::report(fx::Verdict::Equal, 0);
        const auto detail = [&] { return verdictOf(Verification{nullptr, report, {}, {}}).detail; };
        QCOMPARE(detail(), QStringLiteral("bit for bit on these inputs"));
        report.outputs[0].value.equal = false; // equal in value, such as 0 and -0
        QVERIFY(!detail().contains(QStringLiteral("bit for bit")));
        report.identical = true;
        QCOMPARE(detail(), QStringLiteral("same graph and weights"));
    }

    void usersThatAgreeAgain_areToldOnlyWhenTheyDo() {
        fx::VerifyReport report = testing::report(fx::Verdict::Close, 1e-7);
        report.first.emplace();
        report.first->node = "bn1";
        const auto html = [&] { return reportHtml(report, m_document->module()->graph); };
        QVERIFY(!html().contains(QStringLiteral("agree again")));
        report.first->passing = true;
        QVERIFY(html().contains(QStringLiteral("agree again")));
    }

    void otherShapes_areToldAsShapes() {
        fx::VerifyReport report = testing::report(fx::Verdict::Different, 0, "the output is 2×3 in A, 3 in B");
        report.outputs[0].value.reason = fx::Message("verify.sides", {{"a", "2×3"}, {"b", "3"}});
        report.first.emplace();
        report.first->node = "pool";
        report.first->value.reason = fx::Message("verify.sides", {{"a", "1×8×8×8"}, {"b", "1×8×16×16"}});
        report.remarks = {fx::Message("verify.lost_state", {{"buffers", "in A"}, {"count", 1}})};
        const QString html = reportHtml(report, m_document->module()->graph);
        QVERIFY2(html.contains(QStringLiteral("1×8×8×8 in the original, 1×8×16×16 in the current version")),
                 qPrintable(html));
        QVERIFY2(!html.contains(QStringLiteral("by 0")), qPrintable(html));
        QVERIFY2(html.contains(QStringLiteral("the original writes into a tensor that the current version does not "
                                              "have: in A")), // which is the name of a tensor
                 qPrintable(html));
    }

    void trainingMode_isSaid_withTheWayToTheSwitch() {
        fx::VerifyReport report;
        const auto html = [&] { return reportHtml(report, m_document->module()->graph); };
        report.warnings = {{fx::Message("files.changed"), {}, {}, {}}};
        QVERIFY(!html().contains(QStringLiteral("inputs:")));
        report.warnings.push_back(
            {fx::Message("worker.training_mode", {{"count", 2}, {"first", "bn (BatchNorm2d)"}}), {}, {}, {}});
        QVERIFY2(html().contains(QStringLiteral("bn (BatchNorm2d) <a href='inputs:'>")), qPrintable(html()));
    }

    void chosenMode_isNamedWithTheVerdict() {
        m_answers->verifyWith(testing::report(fx::Verdict::Equal, 0));
        QVERIFY(edit(*m_document));
        QTRY_COMPARE(session().state(), State::Done);
        const auto* inputs = panel().findChild<ElidedLabel*>();
        QVERIFY2(!inputs->toolTip().contains(QStringLiteral("mode")), qPrintable(inputs->toolTip()));
        QVERIFY2(!verdictOf(session()).detail.contains(QStringLiteral("mode")),
                 qPrintable(verdictOf(session()).detail));
        fx::InputDescription chosen = session().inputs();
        for (const auto& [mode, words] :
             {std::pair{fx::RunMode::Eval, "in evaluation mode"}, std::pair{fx::RunMode::Train, "in training mode"}}) {
            chosen.mode = mode;
            session().setInputs(chosen);
            QTRY_COMPARE(session().state(), State::Done);
            QVERIFY2(inputs->toolTip().startsWith(QLatin1String(words)), qPrintable(inputs->toolTip()));
            QVERIFY2(verdictOf(session()).detail.endsWith(QLatin1String(words)),
                     qPrintable(verdictOf(session()).detail));
        }
    }

    /// A number without a name may be taken for a relative error.
    void probes_haveTheirNumbersNamed() {
        fx::VerifyReport report = testing::inconclusive("relu");
        report.outputs.clear();
        const auto html = [&] { return reportHtml(report, m_document->module()->graph); };
        QVERIFY(!html().contains(QStringLiteral("max error")));
        report.probes = {rescaled(fx::Verdict::Different)};
        QVERIFY(html().contains(QStringLiteral("max error")));
    }

    void inconclusive_isProbedByItself_withProgressAndResult() {
        m_answers->verifyWith(testing::inconclusive("relu"));
        QVERIFY(edit(*m_document));
        QTRY_VERIFY(session().isProbing());
        QTRY_VERIFY(session().probeDone() > 0);
        QVERIFY(!panel().probeBar()->isHidden());
        QTRY_VERIFY(panel().probeBar()->text()->text().contains(QStringLiteral("inputs ×100")));
        QCOMPARE(panel().probeBar()->progress()->value(), 250);
        QCOMPARE(panel().probeBar()->button()->text(), QStringLiteral("Cancel"));
        m_answers->probeWith({rescaled(fx::Verdict::Different)});
        QTRY_VERIFY(!session().isProbing());
        QVERIFY(panel().probeBar()->isHidden());
        QCOMPARE(panel().verdict()->text(), QStringLiteral("inconclusive")); // with the model's own weights
        QVERIFY2(page().contains(QStringLiteral("re-scaled weights")), qPrintable(page()));
        QCOMPARE(m_answers->count("probe"), 1);
    }

    void probe_thatDecides_changesTheVerdict() {
        fx::Probe other;
        other.what = "seed 1", other.verdict = fx::Verdict::Different, other.maxAbs = 0.4;
        m_answers->verifyWith(testing::inconclusive("relu"));
        m_answers->probeWith({other});
        QVERIFY(edit(*m_document));
        QTRY_COMPARE(panel().verdict()->text(), QStringLiteral("different"));
        QCOMPARE(panel().verdict()->property("role").toString(), QStringLiteral("error"));
    }

    void probe_cancelled_staysSoUntilAskedAgain() {
        m_answers->verifyWith(testing::inconclusive("relu"));
        QVERIFY(edit(*m_document));
        QTRY_VERIFY(session().isProbing() && m_answers->count("probe") == 1);
        panel().probeBar()->button()->click();
        QVERIFY(!session().isProbing());
        QTRY_COMPARE(m_answers->count("cancelled"), 1);
        QVERIFY(panel().probeBar()->text()->text().contains(QStringLiteral("cancelled")));
        QCOMPARE(session().state(), State::Done);
        m_document->versions().undo();
        m_document->versions().redo();
        QVERIFY(!session().isProbing());
        QCOMPARE(panel().probeBar()->button()->text(), QStringLiteral("Try Other Inputs"));
        m_answers->probeWith({rescaled(fx::Verdict::Close)});
        panel().probeBar()->button()->click();
        QTRY_VERIFY(!session().current()->report->probes.empty());
        QVERIFY(panel().probeBar()->isHidden());
    }

    void probe_ofAnOldVersion_isDropped() {
        m_answers->verifyWith(testing::inconclusive("relu"));
        QVERIFY(edit(*m_document));
        QTRY_VERIFY(m_answers->count("probe") == 1);
        m_answers->verifyWith(testing::report(fx::Verdict::Equal, 0));
        QVERIFY(edit(*m_document, "other"));
        QVERIFY(!session().isProbing());
        QTRY_COMPARE(session().state(), State::Done);
        QCOMPARE(m_answers->count("cancelled"), 1);
        QCOMPARE(session().current()->report->verdict, fx::Verdict::Equal);
        m_document->versions().undo();
        QVERIFY(session().current()->report->probes.empty());
        QVERIFY(session().isProbing()); // for this version again
    }

    void probe_goesOnWhileAnotherDocumentIsInFront_andEndsWithItsDocument() {
        m_answers->verifyWith(testing::inconclusive("relu"));
        QVERIFY(edit(*m_document));
        RunSession* first = &session();
        QTRY_VERIFY(m_answers->count("probe") == 1);
        m_other = open();
        QVERIFY(first != &session());
        QVERIFY(first->isProbing());
        QVERIFY(!session().isProbing());
        QTRY_COMPARE(verdictOf(session()).word, QStringLiteral("not verified")); // nothing of the first one
        QVERIFY(panel().probeBar()->isHidden());
        m_center->setDocument(m_document.get());
        QVERIFY(first->isProbing());
        QVERIFY(!panel().probeBar()->isHidden());
        m_document.reset(); // closed
        QTRY_COMPARE(m_answers->count("cancelled"), m_answers->count("probe"));
    }

    void probe_makesWayForWhatIsWanted() {
        m_answers->verifyWith(testing::inconclusive("relu"));
        QVERIFY(edit(*m_document));
        QTRY_VERIFY(m_answers->count("probe") == 1);
        QObject key;
        bool answered = false;
        m_center->worker().request<int>(
            {WorkerService::Kind::Values, &key}, [](const WorkerCall&) { return 1; }, &key,
            [&](int) { answered = true; });
        QTRY_VERIFY(answered); // no probe has ended: there is no answer to it
        QVERIFY(session().isProbing());
        QTRY_COMPARE(m_answers->count("probe"), 2);
    }

    void settings_changedWhileItVerifies_verifiesAgain() {
        m_answers->answerNothing();
        QVERIFY(edit(*m_document));
        QTRY_COMPARE(m_center->worker().state(), WorkerService::State::Busy);
        QObject key;
        QString told;
        m_center->worker().request<int>(
            {WorkerService::Kind::Values, &key}, [](const WorkerCall&) { return 1; }, &key, [](int) {},
            [&](const fx::Error& error) { told = QString::fromUtf8(error.what()); });
        const CannedAnswers other;
        other.verifyWith(testing::report(fx::Verdict::Equal, 0));
        WorkerSettings settings = m_center->worker().settings();
        settings.command = other.command();
        m_center->worker().setSettings(settings);
        QVERIFY2(told.contains(QStringLiteral("worker settings were changed")), qPrintable(told)); // nobody asks again
        QTRY_COMPARE_WITH_TIMEOUT(session().state(), State::Done, 20'000);
        QCOMPARE(panel().verdict()->text(), QStringLiteral("equal"));
    }

    void saved_verificationGoesOn() {
        m_answers->verifyWith(testing::inconclusive("relu"));
        QVERIFY(edit(*m_document));
        QTRY_VERIFY(m_answers->count("probe") == 1);
        m_document->setSaved(m_document->module());
        QVERIFY(session().isProbing());
        m_answers->probeWith({});
        QTRY_VERIFY(!session().isProbing());
        QCOMPARE(m_answers->count("probe"), 1);
        QCOMPARE(m_answers->count("cancelled"), 0);
    }

    void tolerance_typedForOneFile_isNotTakenByAnother() {
        m_answers->verifyWith(testing::report(fx::Verdict::Equal, 0));
        m_window->show();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        RunSession* first = &session();
        panel().absolute()->setFocus();
        QTest::keyClicks(panel().absolute(), QStringLiteral("0.5"));
        m_other = open();
        QTRY_VERIFY(isReady());
        QVERIFY(panel().absolute()->text().isEmpty());
        panel().verifies()->setFocus(); // the field loses the focus only now
        QVERIFY(session().tolerances().types.empty());
        QCOMPARE(first->tolerances().types.size(), std::size_t(1));
    }
};

QTEST_MAIN(TestVerdicts)
#include "tst_verdicts.moc"
