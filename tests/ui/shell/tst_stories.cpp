// SPDX-License-Identifier: GPL-3.0-or-later
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
        QVERIFY2(known.report && !known.report->agrees(),
                 known.report ? known.report->reason.text().c_str() : "not verified");
        QVERIFY(chip() == QStringLiteral("inconclusive") || chip() == QStringLiteral("different"));
        QTRY_VERIFY_WITH_TIMEOUT(!run().current()->isOpen() && !run().isProbing(), 300'000);
        const fx::VerifyReport& report = *run().current()->report;
        QVERIFY(!report.agrees());
        const std::string why = report.reason.text(); // trying found it
        QVERIFY2(why.find("different") != std::string::npos || why.find("the outputs differ") != std::string::npos,
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

    void googleNet_firstPoolErased_isNotEqual() {
        open(QStringLiteral("GoogLike"));
        document().select({document().module()->graph.find("pool")}, nullptr);
        m_window->actions().eraseNodes->trigger();
        QTRY_COMPARE(document().module()->graph.find("pool"), fx::kNoNode);
        expectDoubt();
        QVERIFY(run().current()->report->nodesDiffering > 100);
    }

    void mobileNet_oneActivationReplaced_isNotClose() {
        open(QStringLiteral("MobileLike"));
        QVERIFY(document().edit(QStringLiteral("Hardswish"),
                                R"([{"step": "replace_module", "path": "body.5.2",
                                     "module": {"type": "torch.nn.Hardswish"}}])"));
        expectDoubt();
    }

    void erasedDropout_isEqual() {
        open(QStringLiteral("GoogLike"));
        document().select({document().module()->graph.find("dropout")}, nullptr);
        m_window->actions().eraseNodes->trigger();
        QTRY_COMPARE(document().module()->graph.find("dropout"), fx::kNoNode);
        QTRY_COMPARE_WITH_TIMEOUT(run().state(), RunSession::State::Done, 120'000);
        QCOMPARE(chip(), QStringLiteral("equal")); // doubt is no habit: faded signals, but nothing changed
    }
};

QTEST_MAIN(TestStories)
#include "tst_stories.moc"
