// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/open.h"
#include "core/model_files/save_project.h"
#include "tests/json_steps.h"
#include "ui/result/result_card.h"
#include "ui/run/run_center.h"
#include "ui/shell/document_page.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/main_window.h"

#include <QDockWidget>
#include <QLabel>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

using namespace ui;
using Answer = ResultText::Answer;

/// What somebody sees who edits networks whose signals fade: no verdict flatters. With the real worker.
class TestStories : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;

    QString file(const QString& name) const { return m_folder.filePath(name); }
    static bool lancet(const QStringList& arguments) {
        QProcess process;
        process.start(QStringLiteral(LANCET_CLI), arguments);
        return process.waitForFinished(120'000) && process.exitCode() == 0;
    }
    /// A network of tests/data/stories in evaluation mode, as a file.
    void open(const QString& net) {
        const QString source = QStringLiteral(LANCET_SOURCE_DIR "/tests/data/stories/nets.py:") + net;
        const QString traced = file(net + QStringLiteral("_traced.pt")), path = file(net + QStringLiteral(".pt"));
        QVERIFY(lancet({QStringLiteral("trace"), source, QStringLiteral("-o"), traced}));
        QVERIFY(lancet({QStringLiteral("edit"), traced, QStringLiteral("--step"),
                        QStringLiteral(R"({"step": "set_training", "value": false})"), QStringLiteral("-o"), path}));
        m_window->openFile(path);
        QTRY_VERIFY_WITH_TIMEOUT(m_window->currentDocument() && document().state() == Document::State::Ready &&
                                     m_window->run().session() && !run().guesses().empty(),
                                 60'000);
    }
    Document& document() const { return *m_window->currentDocument(); }
    RunSession& run() const { return *m_window->run().session(); }
    QString right() const {
        return m_window->findChild<QDockWidget*>(QStringLiteral("verify"))
            ->findChild<ResultCard*>()
            ->pill(Answer::Right)
            ->text();
    }
    QString chip() const { return m_window->run().verifyChip()->text(); }

    /// The wrong edit that was just made is never called right: at first, and after trying further.
    void expectDoubt() {
        QTRY_COMPARE_WITH_TIMEOUT(run().state(), RunSession::State::Done, 120'000);
        const Verification& known = *run().current();
        QVERIFY2(known.report, known.report ? known.report->reason.text().c_str() : "not verified");
        QVERIFY2(!known.report->agrees(), known.report ? known.report->reason.text().c_str() : "not verified");
        QVERIFY(chip() == QStringLiteral("inconclusive") || chip() == QStringLiteral("different"));
        QTRY_VERIFY_WITH_TIMEOUT(!run().current()->isOpen() && !run().isProbing(), 300'000);
        const fx::VerifyReport& report = *run().current()->report;
        QVERIFY(!report.agrees());
        const std::string why = report.reason.text(); // trying found it
        const auto says = [&why](const char* words) { return why.find(words) != std::string::npos; };
        QVERIFY2(says("different") || says("the outputs differ") || says("the outputs themselves are at most"),
                 why.c_str());
        QCOMPARE(right(), report.verdict == fx::Verdict::Different ? QStringLiteral("different")
                                                                   : QStringLiteral("inconclusive"));
        QCOMPARE(chip(), right());
    }

private Q_SLOTS:
    void initTestCase() { qputenv("XDG_STATE_HOME", m_folder.path().toUtf8()); }
    void init() {
        m_settings = std::make_unique<Settings>(file(QString::fromLatin1(QTest::currentTestFunction())));
        m_settings->setWorker({QStringLiteral(LANCET_WORKER), true, 0, 120});
        m_window = std::make_unique<MainWindow>(*m_settings);
        m_window->resize(1280, 800);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    }
    void cleanup() { m_window.reset(); }

    /// A project opens at its last version: its original was never current, and its shapes are asked for.
    void project_openedAtAnEdit_knowsItsActivations() {
        fx::History history(fx::openModel(LANCET_SOURCE_DIR "/resources/samples/simple_net.pt"));
        history.edit("relu", R"([{"step": "insert_after", "node": "relu", "op": "call_function", "target": )"
                             R"("torch.relu", "args": [{"node": "relu"}], "rewire_users": true}])"_steps);
        const std::string path = file(QStringLiteral("net.lancet")).toStdString();
        fx::saveProject(fx::projectOf(history), *history.model(), path, true);
        m_window->openFile(QString::fromStdString(path));
        QTRY_VERIFY_WITH_TIMEOUT(m_window->run().session(), 60'000);
        const ResultSession* result =
            ResultSession::of(*TimingSession::of(run(), m_window->run().worker()), m_window->run().worker());
        QTRY_VERIFY_WITH_TIMEOUT(result->activationDifference().has_value(), 60'000);
        QVERIFY(*result->activationDifference() > 0); // one more value
    }

    /// Everything about the input follows from the layers but how many there are at once.
    void assumedBatchSize_isToldAboveTheGraph() {
        QFile source(file(QStringLiteral("net.py")));
        QVERIFY(source.open(QIODevice::WriteOnly));
        source.write("from torch import nn\n\n\nclass Net(nn.Module):\n    def __init__(self):\n"
                     "        super().__init__()\n        self.fc = nn.Linear(4, 2)\n\n"
                     "    def forward(self, x):\n        return self.fc(x)\n");
        source.close();
        m_window->openFile(source.fileName());
        QTRY_VERIFY_WITH_TIMEOUT(
            document().shapes().notes() && document().shapes().notes()->version == document().module(), 60'000);
        QCOMPARE(run().guesses().front().sureness, fx::InputGuess::Sureness::Follows);
        QStringList names;
        for (const QToolButton* button : m_window->currentPage()->findChildren<QToolButton*>())
            if (button->isVisible()) names << button->accessibleName();
        QVERIFY2(names.contains(QStringLiteral("Shapes: Assumed Batch Size")), qPrintable(names.join(u'\n')));
    }

    void googleNet_firstPoolErased_isNotEqual() {
        open(QStringLiteral("GoogLike"));
        document().selection().select({document().module()->graph.find("pool")}, nullptr);
        m_window->actions().eraseNodes->trigger();
        QTRY_COMPARE(document().module()->graph.find("pool"), fx::kNoNode);
        expectDoubt();
        QVERIFY(run().current()->report->nodesDiffering > 100);
    }

    void mobileNet_oneActivationReplaced_isNotClose() {
        open(QStringLiteral("MobileLike"));
        QVERIFY(document().versions().edit(QStringLiteral("Hardswish"),
                                           R"([{"step": "replace_module", "path": "body.5.2",
                                     "module": {"type": "torch.nn.Hardswish"}}])"_steps));
        expectDoubt();
    }

    void erasedDropout_isEqual() {
        open(QStringLiteral("GoogLike"));
        document().selection().select({document().module()->graph.find("dropout")}, nullptr);
        m_window->actions().eraseNodes->trigger();
        QTRY_COMPARE(document().module()->graph.find("dropout"), fx::kNoNode);
        QTRY_COMPARE_WITH_TIMEOUT(run().state(), RunSession::State::Done, 120'000);
        QCOMPARE(chip(), QStringLiteral("equal")); // doubt is no habit: faded signals, but nothing changed
    }
};

QTEST_MAIN(TestStories)
#include "tst_stories.moc"
