// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/values/value_file.h"
#include "core/trace/callables.h"
#include "tests/json_steps.h"
#include "tests/ui/run/run_fixture.h"
#include "tests/ui/support/models.h"
#include "ui/run/inputs_dialog.h"
#include "ui/run/run_center.h"
#include "ui/run/run_session.h"
#include "ui/run/verify_panel.h"
#include "ui/run/verify_verdict.h"
#include "ui/widgets/elided_label.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QTextBrowser>

using namespace ui;

/// The inputs of runs: guessed, given, kept.
class TestRunInputs : public RunFixture {
    Q_OBJECT

private Q_SLOTS:
    void init() { startUp(); }
    void cleanup() { shutDown(); }

    void guessOfASquare_isTheFirstUsualOneThatFits() {
        open("simple_net.pt");
        QTRY_VERIFY_WITH_TIMEOUT(m_document->shapes().notes() && m_document->shapes().notes()->failures.empty() &&
                                     m_document->shapes().notes()->error.isEmpty(),
                                 kPatience);
        QCOMPARE(session().inputs().inputs[0].sizes, (std::vector<std::int64_t>{1, 3, 16, 16}));
        QVERIFY(session().guessed().contains(QStringLiteral("1×3×16×16")));
        QVERIFY(!session().guessDoesNotFit());
        QVERIFY(session().guesses()[0].reason().find("1×3×16×16") != std::string::npos);
        // An edit that does not fit is the edit's fault.
        QVERIFY(m_document->versions().edit(
            QStringLiteral("Wrong"),
            R"([{"step": "insert_after", "node": "relu", "op": "call_function", "target": "torch.reshape", )"
            R"("args": [{"node": "relu"}, [7, 7]], "name": "wrong", "rewire_users": true}])"_steps));
        QTRY_COMPARE_WITH_TIMEOUT(session().state(), State::Failed, kPatience);
        QCOMPARE(verdictOf(session()).word, QStringLiteral("cannot run"));
        QCOMPARE(session().inputs().inputs[0].sizes[2], std::int64_t(16));
    }

    /// As `lancet verify` guesses them; the panel shows what was used.
    void guessedInputs_areVerifiedWithABatchOfTwo() {
        open("simple_net.pt");
        QTRY_VERIFY_WITH_TIMEOUT(!session().guesses().empty() && !session().guessDoesNotFit(), kPatience);
        QCOMPARE(session().inputs().inputs[0].sizes.front(), std::int64_t(1));
        QVERIFY(m_document->versions().edit(QStringLiteral("Rename"),
                                            R"([{"step": "rename", "node": "relu", "name": "act"}])"_steps));
        QTRY_COMPARE_WITH_TIMEOUT(session().state(), State::Done, kPatience);
        const auto& inputs = session().current()->report->inputs;
        QVERIFY2(!inputs.empty(), inputs[0].c_str());
        QVERIFY2(inputs[0].find("2×3×16×16") != std::string::npos, inputs[0].c_str());
    }

    /// The shapes need more dimensions than the first layer says.
    void guessedSequence_isAnnouncedUsedAndReported() {
        auto block = std::make_shared<fx::GraphModule>();
        const fx::Argument shape = fx::Argument::tuple({fx::Argument(32)});
        const fx::NodeId norm = block->graph.callFunction(fx::resolveCallable("torch.nn.functional.layer_norm"),
                                                          {block->graph.placeholder("x"), shape}, {}, "norm");
        block->graph.output(
            block->graph.createNode(fx::Op::CallMethod, "transpose", {norm, fx::Argument(1), fx::Argument(2)}));
        m_document = std::make_unique<Document>(QString());
        m_document->adopt(block, QStringLiteral("block"));
        m_center->setDocument(m_document.get());
        QTRY_VERIFY(!session().guesses().empty());
        QTRY_COMPARE_WITH_TIMEOUT(session().inputs().inputs[0].sizes, (std::vector<std::int64_t>{1, 16, 32}),
                                  kPatience);
        const auto* told = m_center->verifyPanel()->findChild<ElidedLabel*>();
        QVERIFY2(told->text().contains(QStringLiteral("2×16×32")), qPrintable(told->text()));
        QVERIFY(m_document->versions().edit(QStringLiteral("Rename"),
                                            R"([{"step": "rename", "node": "norm", "name": "first"}])"_steps));
        QTRY_COMPARE_WITH_TIMEOUT(session().state(), State::Done, kPatience);
        QVERIFY(session().current()->report->inputs.at(0).find("2×16×32") != std::string::npos);
        QVERIFY2(told->text().contains(QStringLiteral("2×16×32")), qPrintable(told->text()));
    }

    /// Also where the edited model fails before the original does.
    void inputsThatTheOriginalRefuses_areNotTheEditsFault() {
        openNet();
        fx::InputDescription wrong = session().inputs();
        wrong.inputs[0].sizes = {1, 5, 16, 16};
        session().setInputs(wrong);
        QVERIFY(m_document->versions().edit(
            QStringLiteral("Early"),
            R"([{"step": "insert_after", "node": "x", "op": "call_function", "target": "torch.reshape", )"
            R"("args": [{"node": "x"}, [1, 3, 16, 16]], "name": "early", "rewire_users": true}])"_steps));
        QTRY_COMPARE_WITH_TIMEOUT(session().state(), State::Failed, kPatience);
        QVERIFY(session().current()->originalFails());
        QCOMPARE(verdictOf(session()).word, QStringLiteral("inputs do not fit"));
        QVERIFY(m_center->verifyPanel()->page()->toPlainText().contains(QStringLiteral("The original fails on these")));
        QTRY_VERIFY_WITH_TIMEOUT(
            m_document->shapes().notes() && m_document->shapes().notes()->original == OriginalTakes::No, kPatience);
    }

    void guessThatNothingFits_isAmberAndLeadsToTheInputs() {
        Document right(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/simple_net.pt"));
        right.load();
        QTRY_VERIFY(right.module());
        QVERIFY(right.versions().edit(
            QStringLiteral("Wrong"),
            R"([{"step": "insert_after", "node": "relu", "op": "call_function", "target": "torch.reshape", )"
            R"("args": [{"node": "relu"}, [7, 7]], "name": "wrong", "rewire_users": true}])"_steps));
        m_document = std::make_unique<Document>(QString());
        m_document->adopt(right.module(), QStringLiteral("wrong"));
        m_center->setDocument(m_document.get());
        QTRY_VERIFY_WITH_TIMEOUT(m_document->shapes().notes() && !m_document->shapes().notes()->failures.empty(),
                                 kPatience);
        session().verify();
        QTRY_COMPARE_WITH_TIMEOUT(session().state(), State::Failed, kPatience);
        QVERIFY(session().guessDoesNotFit());
        QCOMPARE(verdictOf(session()).role, &Theme::warning);
        VerifyPanel panel;
        panel.setSession(&session());
        auto* page = panel.findChild<QTextBrowser*>();
        QVERIFY(page->toPlainText().contains(QStringLiteral("does not accept the guessed input x")));
        QVERIFY(page->toHtml().contains(QStringLiteral("href=\"inputs:")));
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

    void shapes_withGuessedInputs_saySo() {
        open("resnet.pt");
        QTRY_VERIFY_WITH_TIMEOUT(m_document->shapes().notes() && m_document->shapes().notes()->shown, kPatience);
        QVERIFY2(m_document->shapes().notes()->guessed.contains(QStringLiteral("×3×")),
                 qPrintable(m_document->shapes().notes()->guessed));
        fx::InputDescription same = session().inputs();
        session().setInputs(same); // now they are said
        QTRY_VERIFY_WITH_TIMEOUT(m_document->shapes().notes()->guessed.isEmpty(), kPatience);
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
        QVERIFY(dialog);
        QVERIFY(dialog->shape(0)->text().isEmpty());
        QVERIFY(!dialog->accepts()->isEnabled());
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
        fx::Project project = fx::projectOf(*m_document->versions().history());
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

    /// A project of a stranger does not read files of the user, neither by a path nor by a link.
    void inputsOfAProject_nameFilesInItsFolder() {
        openNet();
        QTemporaryDir folder, elsewhere;
        const QString path = folder.filePath(QStringLiteral("net.lancet")),
                      other = elsewhere.filePath(QStringLiteral("x.pt"));
        fx::writeValueFile(fx::ValueTree::of(fx::Argument(1.0)), other.toStdString());
        fx::writeValueFile(fx::ValueTree::of(fx::Argument(1.0)), folder.filePath(QStringLiteral("x.pt")).toStdString());
        QVERIFY(QFile::link(other, folder.filePath(QStringLiteral("link.pt"))));
        fx::Project project = fx::projectOf(*m_document->versions().history());
        fx::InputDescription inputs = session().inputs();
        const auto reopened = [&](const QString& file) {
            inputs.inputs[0].generator = fx::Generator::File, inputs.inputs[0].file = file.toStdString();
            project.inputs = fx::inputsJson(inputs);
            fx::saveProject(project, *m_document->module(), path.toStdString(), true);
            const auto remembered = m_remembered;
            cleanup();
            init();
            m_remembered = remembered;
            m_document = std::make_unique<Document>(path);
            m_document->load();
            m_center->setDocument(m_document.get());
            QTRY_VERIFY(!session().guesses().empty());
        };
        for (const QString& outside : {other, QStringLiteral("link.pt"), QStringLiteral("../x.pt")}) {
            reopened(outside);
            QCOMPARE(session().inputs().inputs.at(0).file, std::string());
            QVERIFY2(session().missing().contains(QStringLiteral("choose a file")), qPrintable(session().missing()));
        }
        reopened(QStringLiteral("x.pt"));
        QCOMPARE(session().inputs().inputs.at(0).file, folder.filePath(QStringLiteral("x.pt")).toStdString());
        // The user's own choice of before holds.
        m_remembered[path] =
            "{\"inputs\": " + QByteArray::fromStdString(fx::inputsJson(inputs)).replace("x.pt", other.toUtf8()) + "}";
        reopened(other);
        QCOMPARE(session().inputs().inputs.at(0).file, other.toStdString());
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
};

QTEST_MAIN(TestRunInputs)
#include "tst_run_inputs.moc"
