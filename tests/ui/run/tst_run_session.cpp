// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/json_steps.h"
#include "tests/ui/run/run_fixture.h"
#include "ui/run/run_center.h"
#include "ui/run/run_session.h"
#include "ui/run/shape_watch.h"
#include "ui/run/verify_panel.h"
#include "ui/run/verify_verdict.h"

#include <QLineEdit>
#include <QMessageBox>
#include <QTemporaryDir>
#include <QTest>

using namespace ui;

namespace {

const fx::StepList kOther = fx::StepList().setTarget("mul", "operator.add");

} // namespace

/// Versions are verified by themselves.
class TestRunSession : public RunFixture {
    Q_OBJECT

private Q_SLOTS:
    void init() { startUp(); }
    void cleanup() { shutDown(); }

    void editThatBreaksTheModel_seenFirst_isNotTheGuess() { // as after recovery
        m_document = std::make_unique<Document>(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/simple_net.pt"));
        m_document->load();
        QTRY_VERIFY(m_document->module());
        QVERIFY(m_document->versions().edit(
            QStringLiteral("Wrong"),
            R"([{"step": "insert_after", "node": "relu", "op": "call_function", "target": "torch.reshape", )"
            R"("args": [{"node": "relu"}, [7, 7]], "name": "wrong", "rewire_users": true}])"_steps));
        m_center->setDocument(m_document.get());
        QTRY_VERIFY_WITH_TIMEOUT(m_document->shapes().notes() && !m_document->shapes().notes()->failures.empty(),
                                 kPatience);
        session().verify(); // what it was opened with is verified when that is asked for
        QTRY_COMPARE_WITH_TIMEOUT(session().state(), State::Failed, kPatience);
        QVERIFY(!session().guessDoesNotFit());
        QCOMPARE(verdictOf(session()).word, QStringLiteral("cannot run"));
    }

    void shapes_followOpeningEditsAndUndo() {
        openNet();
        const auto shapeOf = [&](const char* name) {
            const auto& graph = m_document->shapes().shown()->graph;
            const fx::NodeId node = graph.find(name);
            return node == fx::kNoNode                      ? std::string("gone")
                   : graph.node(node).meta().values.empty() ? std::string()
                                                            : graph.node(node).meta().values[0].shapeText();
        };
        QTRY_COMPARE_WITH_TIMEOUT(shapeOf("relu"), std::string("1×8×16×16"), kPatience);
        QVERIFY(m_document->shapes().notes()->guessed.isEmpty()); // they were said
        QVERIFY(m_document->facts().problems().empty());
        const auto opened = m_document->module();
        QVERIFY(m_document->versions().edit(
            QStringLiteral("Wrong"),
            R"([{"step": "insert_after", "node": "relu", "op": "call_function", "target": "torch.reshape", )"
            R"("args": [{"node": "relu"}, [7, 7]], "name": "wrong", "rewire_users": true}])"_steps));
        QCOMPARE(shapeOf("relu"), std::string("1×8×16×16")); // meanwhile
        QTRY_VERIFY_WITH_TIMEOUT(!m_document->shapes().failures().empty(), kPatience);
        const Problem problem = m_document->facts().problems().back();
        QCOMPARE(problem.node, m_document->module()->graph.find("wrong"));
        QCOMPARE(problem.severity, Problem::Severity::Error);
        QVERIFY2(problem.what.contains(QStringLiteral("relu 1×8×16×16")), qPrintable(problem.what));
        m_document->versions().undo();
        QVERIFY(m_document->shapes().failures().empty());
        QTRY_VERIFY_WITH_TIMEOUT(m_document->shapes().notes()->version == opened, kPatience);
        QCOMPARE(m_document->module(), opened);
        QCOMPARE(m_document->versions().history()->entries().size(), std::size_t(2));
    }

    void shapesThatCannotBeComputed_leaveThoseThatAreKnown() {
        openNet();
        const WorkerService::Key key{WorkerService::Kind::Shapes, session().findChild<ShapeWatch*>()};
        QTRY_VERIFY_WITH_TIMEOUT(!m_center->worker().isPending(key) && m_document->shapes().notes(), kPatience);
        const auto shown = m_document->shapes().notes()->shown;
        WorkerSettings wrong = m_center->worker().settings();
        wrong.command = QStringLiteral("/nowhere/lancet-worker");
        m_center->worker().setSettings(wrong);
        m_document->shapes().ask();
        QVERIFY(m_document->operations().isRunning(DocumentOperations::Kind::Shapes));
        QTRY_VERIFY_WITH_TIMEOUT(!m_document->shapes().notes()->failure.isEmpty(), kPatience);
        QVERIFY(!m_document->operations().isRunning(DocumentOperations::Kind::Shapes));
        QCOMPARE(m_document->shapes().notes()->shown, shown);
        QVERIFY(m_document->shapes().notes()->error.isEmpty());
        // They can be asked for again.
        m_center->worker().setSettings({QStringLiteral(LANCET_WORKER), true, 0, 120});
        m_document->shapes().ask();
        QTRY_VERIFY_WITH_TIMEOUT(m_document->shapes().notes()->failure.isEmpty(), kPatience);
        QVERIFY(m_document->shapes().notes()->shown);
    }

    void withoutSandbox_whatWasRefusedRunsOnceItIsAllowed() {
        qputenv("LANCET_SANDBOX", "off");
        const auto restored = qScopeGuard([] { qunsetenv("LANCET_SANDBOX"); });
        openNet();
        session().verify();
        QTRY_COMPARE_WITH_TIMEOUT(session().state(), State::Failed, kPatience);
        QVERIFY(session().current()->error->message().is("window.no_sandbox"));
        QTRY_VERIFY_WITH_TIMEOUT(m_document->shapes().notes(), kPatience);
        QVERIFY2(m_document->shapes().notes()->failure.contains(QStringLiteral("has no sandbox")),
                 qPrintable(m_document->shapes().notes()->failure));
        m_document->shapes().ask(); // which asks
        auto* question = m_window->findChild<QMessageBox*>();
        QVERIFY(question);
        QCOMPARE(question->defaultButton(), question->button(QMessageBox::Cancel));
        QCOMPARE(question->escapeButton(), question->button(QMessageBox::Cancel));
        QTest::keyClick(question, Qt::Key_Return); // chooses nothing unsafe
        QVERIFY(!m_center->worker().isAllowed());
        m_center->worker().allow();
        QTRY_COMPARE_WITH_TIMEOUT(session().state(), State::Done, kPatience);
        QTRY_VERIFY_WITH_TIMEOUT(m_document->shapes().notes()->failure.isEmpty() && m_document->shapes().notes()->shown,
                                 kPatience);
    }

    void edits_areVerifiedByThemselves_undoKnowsTheResult() {
        openNet();
        QVERIFY(m_document->versions().edit(QStringLiteral("Rename relu"),
                                            R"([{"step": "rename", "node": "relu", "name": "activation"}])"_steps));
        QTRY_COMPARE_WITH_TIMEOUT(session().state(), State::Done, kPatience);
        QCOMPARE(session().current()->report->verdict, fx::Verdict::Equal);
        QVERIFY(m_document->versions().edit(QStringLiteral("Add"), kOther));
        QCOMPARE(session().state(), State::Running);
        QTRY_COMPARE_WITH_TIMEOUT(session().state(), State::Done, kPatience);
        QCOMPARE(session().current()->report->verdict, fx::Verdict::Different);
        QCOMPARE(m_center->verifyChip()->text(), QStringLiteral("different"));
        const QString page = m_center->verifyPanel()->page()->toPlainText();
        QVERIFY2(page.contains(QStringLiteral("First node that differs")), qPrintable(page));
        QVERIFY2(page.contains(QStringLiteral("Rename relu")), qPrintable(page));
        m_document->versions().undo();
        QCOMPARE(session().state(), State::Done); // known already
        QCOMPARE(session().current()->report->verdict, fx::Verdict::Equal);
        m_document->versions().undo();
        QCOMPARE(session().state(), State::Unchanged);
    }

    void modelThatCannotRun_saysWhereAndAClickGoesThere() {
        openNet();
        QVERIFY(m_document->versions().edit(
            QStringLiteral("Wrong"),
            R"([{"step": "insert_after", "node": "relu", "op": "call_function", "target": "torch.reshape", )"
            R"("args": [{"node": "relu"}, [7, 7]], "name": "wrong", "rewire_users": true}])"_steps));
        QTRY_COMPARE_WITH_TIMEOUT(session().state(), State::Failed, kPatience);
        QCOMPARE(QString::fromStdString(session().current()->error->node), QStringLiteral("wrong"));
        QCOMPARE(m_center->verifyChip()->text(), QStringLiteral("cannot run"));
        Q_EMIT m_center->verifyPanel()->page()->anchorClicked(QUrl(QStringLiteral("node:wrong")));
        QCOMPARE(m_document->selection().nodes(), std::vector<fx::NodeId>{m_document->module()->graph.find("wrong")});
    }

    void tolerances_widened_verifyAgain() {
        openNet();
        QVERIFY(m_document->versions().edit(QStringLiteral("Add"), kOther));
        QTRY_COMPARE_WITH_TIMEOUT(session().state(), State::Done, kPatience);
        QCOMPARE(session().current()->report->verdict, fx::Verdict::Different);
        m_center->verifyPanel()->absolute()->setText(QStringLiteral("1000"));
        Q_EMIT m_center->verifyPanel()->absolute()->editingFinished();
        QTRY_COMPARE_WITH_TIMEOUT(session().state(), State::Done, kPatience);
        // Such a tolerance accepts anything: it is taken, but nothing follows from it.
        QCOMPARE(session().current()->report->verdict, fx::Verdict::Inconclusive);
        QVERIFY(session().current()->report->reason.text().find("within atol 1e+03") != std::string::npos);
        // What is shown is what is compared with: no text, nor the beginning of a number, keeps what stood there
        // before.
        for (const char* text : {"", "1e-"}) {
            QLineEdit& field = *m_center->verifyPanel()->absolute();
            m_center->verifyPanel()->absolute()->setText(QStringLiteral("1000"));
            QTest::keyClick(&field, Qt::Key_Return);
            QTRY_COMPARE_WITH_TIMEOUT(session().state(), State::Done, kPatience);
            QCOMPARE(session().current()->report->verdict, fx::Verdict::Inconclusive);
            field.selectAll();
            QTest::keyClick(&field, Qt::Key_Backspace);
            QTest::keyClicks(&field, QLatin1String(text));
            QTest::keyClick(&field, Qt::Key_Return);
            QTRY_COMPARE_WITH_TIMEOUT(session().state(), State::Done, kPatience);
            QCOMPARE(session().current()->report->verdict, fx::Verdict::Different);
            QVERIFY(field.text().isEmpty());
            QVERIFY(session().tolerances().types.empty());
        }
    }

    void tolerances_ofAFile_areShownWhenItIsOpenedAgain() {
        openNet();
        QLineEdit& field = *m_center->verifyPanel()->absolute();
        field.setText(QStringLiteral("0.5"));
        QTest::keyClick(&field, Qt::Key_Return);
        QCOMPARE(session().tolerances().types.size(), std::size_t{1});
        open("resnet.pt");
        QTRY_VERIFY(field.text().isEmpty());
        open("simple_net.pt");
        QTRY_COMPARE(session().tolerances().types.size(), std::size_t{1});
        QTRY_COMPARE(field.text(), QStringLiteral("0.5"));
    }

    void tolerances_belongToTheFileThatWasSaved_andShowInTheVerdict() {
        openNet();
        const QByteArray before = m_remembered.value(m_document->file().opened());
        const QString path = QStringLiteral("/elsewhere/saved.pt");
        m_document->setSaved(m_document->module(), path);
        QVERIFY(m_remembered.contains(path)); // with the inputs of before
        QLineEdit& field = *m_center->verifyPanel()->absolute();
        field.setText(QStringLiteral("0.5"));
        QTest::keyClick(&field, Qt::Key_Return);
        QVERIFY(m_remembered.value(path).contains("0.5"));
        QCOMPARE(m_remembered.value(m_document->file().opened()), before);
        Verification known;
        known.report.emplace();
        known.report->verdict = fx::Verdict::Close;
        QVERIFY2(verdictOf(session(), &known).detail.contains(QStringLiteral("atol 0.5")),
                 qPrintable(verdictOf(session(), &known).detail));
    }

    /// Opening runs nothing: neither the edits of a project nor its model, for shapes that take values.
    void editsOfAProject_areVerifiedWhenThatIsAskedFor() {
        openNet();
        QVERIFY(m_document->versions().edit(QStringLiteral("Other"), kOther));
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("net.lancet"));
        fx::Project project = fx::projectOf(*m_document->versions().history());
        project.inputs = session().inputsToKeep();
        fx::saveProject(project, *m_document->module(), path.toStdString(), true);
        cleanup();
        init();
        m_document = std::make_unique<Document>(path);
        m_document->load();
        m_center->setDocument(m_document.get());
        QTRY_VERIFY(!session().guesses().empty());
        QTRY_VERIFY_WITH_TIMEOUT(m_document->shapes().notes() && m_document->shapes().notes()->shown, kPatience);
        QVERIFY(session().isEdited());
        QCOMPARE(session().state(), State::Unchanged);
        QVERIFY(m_center->verifyPanel()->page()->toPlainText().contains(QStringLiteral("not verified yet")));
        session().verify();
        QTRY_COMPARE_WITH_TIMEOUT(session().state(), State::Done, kPatience);
    }

    void noFile_panelSaysWhatToDo() {
        QVERIFY(m_center->verifyPanel()->page()->toPlainText().contains(QStringLiteral("Open a model")));
        QVERIFY(!m_center->verifyPanel()->verifies()->isEnabled());
    }
};

QTEST_MAIN(TestRunSession)
#include "tst_run_session.moc"
