// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/models.h"
#include "ui/run/inputs_dialog.h"
#include "ui/run/run_center.h"
#include "ui/run/run_session.h"
#include "ui/run/verify_panel.h"
#include "ui/run/verify_text.h"

#include <QComboBox>
#include <QLineEdit>
#include <QMap>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBrowser>
#include <QToolButton>

using namespace ui;
using State = RunSession::State;

namespace {
constexpr char kOther[] = R"([{"step": "set_target", "node": "mul", "target": "operator.add"}])";
}

/// The story of an edit that is verified, with a real worker.
class TestRunSession : public QObject {
    Q_OBJECT

    QMap<QString, QByteArray> m_remembered;
    std::unique_ptr<QWidget> m_window;
    std::unique_ptr<Document> m_document;
    RunCenter* m_center = nullptr;
    static constexpr int kPatience = 90000;

    RunMemory memory() {
        return {[this](const QString& path) { return m_remembered.value(path); },
                [this](const QString& path, const QByteArray& json) { m_remembered[path] = json; }};
    }
    RunSession& session() const { return *m_center->session(); }
    void open(const char* sample) {
        m_document =
            std::make_unique<Document>(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/") + QLatin1String(sample));
        m_document->load();
        m_center->setDocument(m_document.get());
    }
    /// The net of nine nodes, with an input that its linear layer fits.
    void openNet() {
        open("simple_net.pt");
        QTRY_VERIFY(!session().guesses().empty());
        fx::InputDescription inputs = session().inputs();
        inputs.inputs[0].sizes = {1, 3, 16, 16};
        session().setInputs(inputs);
    }

private Q_SLOTS:
    void init() {
        m_remembered.clear();
        m_window = std::make_unique<QWidget>();
        m_center = new RunCenter({QStringLiteral(LANCET_WORKER), true, 0, 120}, memory(), m_window.get());
    }
    void cleanup() {
        m_center->setDocument(nullptr);
        m_document.reset();
        m_window.reset();
    }

    void guessOfASquare_isTheFirstUsualOneThatFits() {
        open("simple_net.pt");
        QTRY_VERIFY_WITH_TIMEOUT(m_document->shapes() && m_document->shapes()->failures.empty() &&
                                     m_document->shapes()->error.isEmpty(),
                                 kPatience);
        QCOMPARE(session().inputs().inputs[0].sizes, (std::vector<std::int64_t>{1, 3, 16, 16}));
        QVERIFY(session().guessed().contains(QStringLiteral("1×3×16×16")) && !session().guessDoesNotFit());
        QVERIFY(session().guesses()[0].reason().find("1×3×16×16") != std::string::npos);
        // An edit that does not fit is the edit's fault.
        QVERIFY(m_document->edit(
            QStringLiteral("Wrong"),
            R"([{"step": "insert_after", "node": "relu", "op": "call_function", "target": "torch.reshape", )"
            R"("args": [{"node": "relu"}, [7, 7]], "name": "wrong", "rewire_users": true}])"));
        QTRY_COMPARE_WITH_TIMEOUT(session().state(), State::Failed, kPatience);
        QCOMPARE(verdictOf(session()).word, QStringLiteral("cannot run"));
        QCOMPARE(session().inputs().inputs[0].sizes[2], std::int64_t(16));
    }

    void editThatBreaksTheModel_seenFirst_isNotTheGuess() { // as after recovery
        m_document = std::make_unique<Document>(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/simple_net.pt"));
        m_document->load();
        QTRY_VERIFY(m_document->module());
        QVERIFY(m_document->edit(
            QStringLiteral("Wrong"),
            R"([{"step": "insert_after", "node": "relu", "op": "call_function", "target": "torch.reshape", )"
            R"("args": [{"node": "relu"}, [7, 7]], "name": "wrong", "rewire_users": true}])"));
        m_center->setDocument(m_document.get());
        QTRY_VERIFY_WITH_TIMEOUT(m_document->shapes() && !m_document->shapes()->failures.empty(), kPatience);
        QTRY_COMPARE_WITH_TIMEOUT(session().state(), State::Failed, kPatience);
        QVERIFY(!session().guessDoesNotFit());
        QCOMPARE(verdictOf(session()).word, QStringLiteral("cannot run"));
    }

    /// As `lancet verify` guesses them; the panel shows what was used.
    void guessedInputs_areVerifiedWithABatchOfTwo() {
        open("simple_net.pt");
        QTRY_VERIFY_WITH_TIMEOUT(!session().guesses().empty() && !session().guessDoesNotFit(), kPatience);
        QCOMPARE(session().inputs().inputs[0].sizes.front(), std::int64_t(1));
        QVERIFY(m_document->edit(QStringLiteral("Rename"), R"([{"step": "rename", "node": "relu", "name": "act"}])"));
        QTRY_COMPARE_WITH_TIMEOUT(session().state(), State::Done, kPatience);
        const auto& inputs = session().current()->report->inputs;
        QVERIFY2(!inputs.empty() && inputs[0].find("2×3×16×16") != std::string::npos, inputs[0].c_str());
    }

    /// Also where the edited model fails before the original does.
    void inputsThatTheOriginalRefuses_areNotTheEditsFault() {
        openNet();
        fx::InputDescription wrong = session().inputs();
        wrong.inputs[0].sizes = {1, 5, 16, 16};
        session().setInputs(wrong);
        QVERIFY(m_document->edit(
            QStringLiteral("Early"),
            R"([{"step": "insert_after", "node": "x", "op": "call_function", "target": "torch.reshape", )"
            R"("args": [{"node": "x"}, [1, 3, 16, 16]], "name": "early", "rewire_users": true}])"));
        QTRY_COMPARE_WITH_TIMEOUT(session().state(), State::Failed, kPatience);
        QVERIFY(session().current()->originalFails());
        QCOMPARE(verdictOf(session()).word, QStringLiteral("inputs do not fit"));
        QVERIFY(m_center->verifyPanel()->page()->toPlainText().contains(QStringLiteral("The original fails on these")));
        QTRY_VERIFY_WITH_TIMEOUT(m_document->shapes() && m_document->shapes()->original == OriginalTakes::No,
                                 kPatience);
    }

    void guessThatNothingFits_isAmberAndLeadsToTheInputs() {
        Document right(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/simple_net.pt"));
        right.load();
        QTRY_VERIFY(right.module());
        QVERIFY(
            right.edit(QStringLiteral("Wrong"),
                       R"([{"step": "insert_after", "node": "relu", "op": "call_function", "target": "torch.reshape", )"
                       R"("args": [{"node": "relu"}, [7, 7]], "name": "wrong", "rewire_users": true}])"));
        m_document = std::make_unique<Document>(QString());
        m_document->adopt(right.module(), QStringLiteral("wrong"));
        m_center->setDocument(m_document.get());
        QTRY_VERIFY_WITH_TIMEOUT(m_document->shapes() && !m_document->shapes()->failures.empty(), kPatience);
        session().verify();
        QTRY_COMPARE_WITH_TIMEOUT(session().state(), State::Failed, kPatience);
        QVERIFY(session().guessDoesNotFit());
        QCOMPARE(verdictOf(session()).role, &Theme::warning);
        VerifyPanel panel;
        panel.setSession(&session());
        auto* page = panel.findChild<QTextBrowser*>();
        QVERIFY(page->toPlainText().contains(QStringLiteral("does not accept the guessed input x")) &&
                page->toHtml().contains(QStringLiteral("href=\"inputs:")));
        QSignalSpy asked(&panel, &VerifyPanel::inputsRequested);
        Q_EMIT page->anchorClicked(QUrl(QStringLiteral("inputs:")));
        QCOMPARE(asked.size(), 1);
        panel.setSession(nullptr);
    }

    void opened_inputsAreGuessedAndNothingRuns() {
        open("simple_net.pt");
        QTRY_VERIFY(!session().guesses().empty());
        QCOMPARE(session().state(), State::Unchanged);
        QCOMPARE(session().missing(), QString());
        QVERIFY(!m_center->worker().isPending({WorkerService::Kind::Verify, &session()}));
    }

    void shapes_followOpeningEditsAndUndo() {
        openNet();
        const auto shapeOf = [&](const char* name) {
            const auto& graph = m_document->shown()->graph;
            const fx::NodeId node = graph.find(name);
            return node == fx::kNoNode                      ? std::string("gone")
                   : graph.node(node).meta().values.empty() ? std::string()
                                                            : graph.node(node).meta().values[0].shapeText();
        };
        QTRY_COMPARE_WITH_TIMEOUT(shapeOf("relu"), std::string("1×8×16×16"), kPatience);
        QVERIFY(m_document->shapes()->guessed.isEmpty()); // they were said
        QVERIFY(m_document->problems().empty());
        const auto opened = m_document->module();
        QVERIFY(m_document->edit(
            QStringLiteral("Wrong"),
            R"([{"step": "insert_after", "node": "relu", "op": "call_function", "target": "torch.reshape", )"
            R"("args": [{"node": "relu"}, [7, 7]], "name": "wrong", "rewire_users": true}])"));
        QCOMPARE(shapeOf("relu"), std::string("1×8×16×16")); // meanwhile
        QTRY_VERIFY_WITH_TIMEOUT(m_document->hasShapeFailures(), kPatience);
        const Problem problem = m_document->problems().back();
        QCOMPARE(problem.node, m_document->module()->graph.find("wrong"));
        QCOMPARE(problem.severity, Problem::Severity::Error);
        QVERIFY2(problem.what.contains(QStringLiteral("relu 1×8×16×16")), qPrintable(problem.what));
        m_document->undo();
        QVERIFY(!m_document->hasShapeFailures());
        QTRY_VERIFY_WITH_TIMEOUT(m_document->shapes()->version == opened, kPatience);
        QCOMPARE(m_document->module(), opened);
        QCOMPARE(m_document->history()->entries().size(), std::size_t(2));
    }

    void shapes_withGuessedInputs_saySo() {
        open("resnet.pt");
        QTRY_VERIFY_WITH_TIMEOUT(m_document->shapes() && m_document->shapes()->shown, kPatience);
        QVERIFY2(m_document->shapes()->guessed.contains(QStringLiteral("×3×")),
                 qPrintable(m_document->shapes()->guessed));
        fx::InputDescription same = session().inputs();
        session().setInputs(same); // now they are said
        QTRY_VERIFY_WITH_TIMEOUT(m_document->shapes()->guessed.isEmpty(), kPatience);
    }

    void edits_areVerifiedByThemselves_undoKnowsTheResult() {
        openNet();
        QVERIFY(m_document->edit(QStringLiteral("Rename relu"),
                                 R"([{"step": "rename", "node": "relu", "name": "activation"}])"));
        QTRY_COMPARE_WITH_TIMEOUT(session().state(), State::Done, kPatience);
        QCOMPARE(session().current()->report->verdict, fx::Verdict::Equal);
        QVERIFY(m_document->edit(QStringLiteral("Add"), kOther));
        QCOMPARE(session().state(), State::Running);
        QTRY_COMPARE_WITH_TIMEOUT(session().state(), State::Done, kPatience);
        QCOMPARE(session().current()->report->verdict, fx::Verdict::Different);
        QCOMPARE(m_center->verifyChip()->text(), QStringLiteral("different"));
        const QString page = m_center->verifyPanel()->page()->toPlainText();
        QVERIFY2(page.contains(QStringLiteral("First node that differs")) &&
                     page.contains(QStringLiteral("Rename relu")),
                 qPrintable(page));
        m_document->undo();
        QCOMPARE(session().state(), State::Done); // known already
        QCOMPARE(session().current()->report->verdict, fx::Verdict::Equal);
        m_document->undo();
        QCOMPARE(session().state(), State::Unchanged);
    }

    void modelThatCannotRun_saysWhereAndAClickGoesThere() {
        openNet();
        QVERIFY(m_document->edit(
            QStringLiteral("Wrong"),
            R"([{"step": "insert_after", "node": "relu", "op": "call_function", "target": "torch.reshape", )"
            R"("args": [{"node": "relu"}, [7, 7]], "name": "wrong", "rewire_users": true}])"));
        QTRY_COMPARE_WITH_TIMEOUT(session().state(), State::Failed, kPatience);
        QCOMPARE(QString::fromStdString(session().current()->error->node), QStringLiteral("wrong"));
        QCOMPARE(m_center->verifyChip()->text(), QStringLiteral("cannot run"));
        Q_EMIT m_center->verifyPanel()->page()->anchorClicked(QUrl(QStringLiteral("node:wrong")));
        QCOMPARE(m_document->selection(), std::vector<fx::NodeId>{m_document->module()->graph.find("wrong")});
    }

    void tolerances_widened_verifyAgain() {
        openNet();
        QVERIFY(m_document->edit(QStringLiteral("Add"), kOther));
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
            QVERIFY(field.text().isEmpty() && session().tolerances().types.empty());
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
        const QByteArray before = m_remembered.value(m_document->path());
        const QString path = QStringLiteral("/elsewhere/saved.pt");
        m_document->setSaved(m_document->module(), path);
        QVERIFY(m_remembered.contains(path)); // with the inputs of before
        QLineEdit& field = *m_center->verifyPanel()->absolute();
        field.setText(QStringLiteral("0.5"));
        QTest::keyClick(&field, Qt::Key_Return);
        QVERIFY(m_remembered.value(path).contains("0.5"));
        QCOMPARE(m_remembered.value(m_document->path()), before);
        Verification known;
        known.report.emplace();
        known.report->verdict = fx::Verdict::Close;
        QVERIFY2(verdictOf(session(), &known).detail.contains(QStringLiteral("atol 0.5")),
                 qPrintable(verdictOf(session(), &known).detail));
    }

    void unknownInput_isAskedForWithoutAMadeUpShape() {
        m_document = std::make_unique<Document>(QString());
        auto net = std::make_shared<fx::GraphModule>();
        net->graph.output(net->graph.placeholder("x"));
        m_document->adopt(net, QStringLiteral("identity"));
        m_center->setDocument(m_document.get());
        QTRY_COMPARE(session().state(), State::NeedsInputs);
        m_center->editInputs();
        const auto* dialog = m_window->findChild<InputsDialog*>();
        QVERIFY(dialog && dialog->shape(0)->text().isEmpty() && !dialog->accepts()->isEnabled());
    }

    void inputWithADefault_isLeftToIt() { // def forward(self, x, y=None, z=2.0)
        m_document = std::make_unique<Document>(QString());
        auto net = std::make_shared<fx::GraphModule>(*testing::matrixPower(1));
        net->graph.setInsertPoint({fx::InsertPoint::Side::Before, net->graph.find("matmul")});
        net->graph.placeholder("y", {fx::Argument()});
        net->graph.placeholder("z", {fx::Argument(2.0)});
        net->graph.setInsertPoint({});
        m_document->adopt(net, QStringLiteral("optional"));
        m_center->setDocument(m_document.get());
        QTRY_COMPARE(session().guesses().size(), 3u);
        QCOMPARE(session().inputs().inputs.size(), 1u);
        fx::InputDescription inputs = session().inputs(); // z gets a value, y does not
        inputs.inputs[0].sizes = {3, 3};
        inputs.inputs.push_back(session().guesses()[2].input);
        inputs.inputs[1].dtype = "torch.float32", inputs.inputs[1].sizes = {3, 3};
        session().setInputs(inputs);
        QVERIFY2(session().missing().isEmpty(), qPrintable(session().missing()));
        session().verify();
        QTRY_COMPARE_WITH_TIMEOUT(session().state(), State::Done, kPatience);
        QCOMPARE(session().current()->report->verdict, fx::Verdict::Equal);
    }

    void inputs_said_areRememberedForTheFile() {
        open("simple_net.pt");
        QTRY_VERIFY(!session().guesses().empty());
        fx::InputDescription inputs = session().inputs();
        fx::setBatchSize(inputs, 3);
        inputs.seed = 11;
        session().setInputs(inputs);
        cleanup();
        const auto remembered = m_remembered;
        init();
        m_remembered = remembered;
        open("simple_net.pt");
        QTRY_VERIFY(!session().guesses().empty());
        QCOMPARE(session().inputs().seed, 11u);
        QCOMPARE(fx::batchSize(session().inputs()), std::optional<std::int64_t>(3));
    }

    void inputs_ofAProject_comeBackWithIt() {
        openNet();
        fx::InputDescription inputs = session().inputs();
        inputs.seed = 23;
        session().setInputs(inputs);
        QTemporaryDir folder;
        const QString path = folder.filePath(QStringLiteral("net.lancet"));
        fx::Project project = fx::projectOf(*m_document->history());
        project.inputs = session().inputsToKeep();
        fx::saveProject(project, *m_document->module(), path.toStdString(), true);
        cleanup();
        init();                                                            // nothing is remembered
        m_remembered[path] = R"({"inputs": {"seed": "5", "inputs": []}})"; // of something else that was there
        m_document = std::make_unique<Document>(path);
        m_document->load();
        m_center->setDocument(m_document.get());
        QTRY_VERIFY(!session().guesses().empty());
        QCOMPARE(session().inputs().seed, 23u);
        QCOMPARE(session().inputs().inputs.at(0).sizes, (std::vector<std::int64_t>{1, 3, 16, 16}));
        QVERIFY(session().guessed().isEmpty());
    }

    void unknownInputs_sayWhatToDo() {
        m_document = std::make_unique<Document>(QString());
        auto net = std::make_shared<fx::GraphModule>();
        net->graph.output(net->graph.placeholder("x"));
        m_document->adopt(net, QStringLiteral("identity"));
        m_center->setDocument(m_document.get());
        QTRY_COMPARE(session().state(), State::NeedsInputs);
        QVERIFY(m_center->verifyPanel()->page()->toPlainText().contains(QStringLiteral("Edit Inputs…")));
        QVERIFY(!m_center->verifyPanel()->verifies()->isEnabled());
        QVERIFY(!m_center->verifyPanel()->verifies()->toolTip().isEmpty());
    }

    void noFile_panelSaysWhatToDo() {
        QVERIFY(m_center->verifyPanel()->page()->toPlainText().contains(QStringLiteral("Open a model")));
        QVERIFY(!m_center->verifyPanel()->verifies()->isEnabled());
    }
};

QTEST_MAIN(TestRunSession)
#include "tst_run_session.moc"
