// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/canned_answers.h"
#include "ui/canvas/canvas_look.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/result/result_card.h"
#include "ui/run/run_center.h"
#include "ui/shell/document_page.h"
#include "ui/shell/legend.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/main_window.h"
#include "ui/timing/heat_legend.h"

#include <QDockWidget>
#include <QFile>
#include <QLabel>
#include <QTabWidget>
#include <QTest>
#include <QToolButton>

#include <cmath>

using namespace ui;
using Answer = ResultText::Answer;

/// Results of edits in the window: cards, errors along the graph, and that they stay with their document.
class TestResults : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<testing::CannedAnswers> m_answers;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;

    static QString sample(const char* name) {
        return QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/") + QLatin1String(name);
    }
    Document& document() const { return *m_window->currentDocument(); }
    GraphCanvas& canvas() const { return m_window->currentPage()->canvas(); }
    RunSession& run() const { return *m_window->run().session(); }
    WindowActions& actions() const { return m_window->actions(); }
    QTabWidget& tabs() const { return *m_window->findChild<QTabWidget*>(QStringLiteral("documents")); }
    ResultCard& cardIn(const char* dock) const {
        return *m_window->findChild<QDockWidget*>(QLatin1String(dock))->findChild<ResultCard*>();
    }
    void open(const char* name) {
        m_window->openFile(sample(name));
        QTRY_VERIFY(m_window->currentDocument() && document().state() == Document::State::Ready &&
                    document().picture().scene() && m_window->run().session() && !run().guesses().empty());
    }
    void edit() {
        QVERIFY(document().edit(QStringLiteral("relu → relu6"),
                                R"([{"step": "rename", "node": "relu", "name": "relu6"}])"));
        QTRY_COMPARE(run().state(), RunSession::State::Done);
    }
    const NodeStyle* styleOf(const char* name) const {
        const auto look = canvas().look();
        return look ? look->styleAt(document().module()->graph.find(name)) : nullptr;
    }

private Q_SLOTS:
    void init() {
        m_answers = std::make_unique<testing::CannedAnswers>();
        m_answers->verifyWith(testing::inconclusive("relu6"));
        m_settings = std::make_unique<Settings>(
            m_folder.filePath(QString::fromLatin1(QTest::currentTestFunction()) + QStringLiteral(".ini")));
        WorkerSettings worker;
        worker.command = m_answers->command();
        m_settings->setWorker(worker);
        m_window = std::make_unique<MainWindow>(*m_settings);
        m_window->resize(1280, 800);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowExposed(m_window.get()));
    }
    void cleanup() { m_window.reset(); }

    void edit_hasItsCardAboveVerifyAndBesideHistory() {
        open("simple_net.pt");
        for (const char* dock : {"verify", "history"}) QVERIFY(cardIn(dock).isHidden());
        edit();
        for (const char* dock : {"verify", "history"}) {
            QVERIFY(!cardIn(dock).isHidden());
            QCOMPARE(cardIn(dock).title()->text(), QStringLiteral("relu → relu6"));
            QCOMPARE(cardIn(dock).pill(Answer::Right)->text(), QStringLiteral("cannot tell"));
        }
        QCOMPARE(m_window->run().verifyChip()->text(), QStringLiteral("cannot tell"));
        // Amber everywhere: on the card, in the status bar, in the history and on the tab.
        QCOMPARE(cardIn("history").pill(Answer::Right)->property("role").toString(), QStringLiteral("warning"));
        QVERIFY(m_window->run().verifyChip()->styleSheet().contains(theme().warning.fill.name()));
        const auto mark = [&] { return tabs().tabIcon(0).pixmap(32, 32).toImage().pixelColor(16, 16); };
        QCOMPARE(mark(), theme().warning.line);
        QVERIFY(tabs().tabToolTip(0).contains(QStringLiteral("cannot tell")));
        open("resnet.pt");
        for (const char* dock : {"verify", "history"}) QVERIFY(cardIn(dock).isHidden()); // of the other document
        QCOMPARE(m_window->run().verifyChip()->isHidden(), true);
    }

    void errors_colourTheirDocumentAlone() {
        open("simple_net.pt");
        QVERIFY(!actions().errorMap->isEnabled());
        edit();
        QTRY_VERIFY(actions().errorMap->isEnabled());
        QVERIFY(!styleOf("relu6"));
        actions().errorMap->trigger();
        QVERIFY(styleOf("relu6"));
        const double place = 1 - std::log10(0.25) / -8;
        QCOMPARE(styleOf("relu6")->fill, rampColor(theme(), Ramp::Errors, place));
        QVERIFY(styleOf("relu6")->note.find("12 of 64") != std::string::npos);
        QVERIFY(styleOf("mul")->hatch >= 0); // not compared
        open("resnet.pt");
        QVERIFY(!actions().errorMap->isChecked() && !canvas().look());
        QVERIFY(m_window->findChild<Legend*>()->colours().empty());
        tabs().setCurrentIndex(0);
        QVERIFY(actions().errorMap->isChecked() && styleOf("relu6"));
        QCOMPARE(m_window->findChild<Legend*>()->colours().kind, Ramp::Errors);
        document().undo();
        QVERIFY(!styleOf("relu")); // what was found out about the other version stands nowhere
        QVERIFY(!m_window->findChild<Legend*>()->colours().note.isEmpty());
        actions().errorMap->trigger();
        QVERIFY(m_window->findChild<Legend*>()->colours().empty());
    }

    void errorsAndTimes_oneAtATime() {
        open("simple_net.pt");
        edit();
        actions().errorMap->setEnabled(true);
        actions().errorMap->trigger();
        actions().heatMap->setEnabled(true);
        actions().heatMap->trigger();
        QVERIFY(actions().heatMap->isChecked() && !actions().errorMap->isChecked());
        actions().errorMap->setEnabled(true);
        actions().errorMap->trigger();
        QVERIFY(!actions().heatMap->isChecked() && actions().errorMap->isChecked());
    }

    void exportedPicture_hasTheErrorsAndTheirLegend() {
        open("simple_net.pt");
        edit();
        QTRY_VERIFY(actions().errorMap->isEnabled());
        actions().errorMap->trigger();
        const QString path = m_folder.filePath(QStringLiteral("errors.svg"));
        m_window->exportFile(path, ExportKind::Svg);
        QTRY_VERIFY(QFile::exists(path));
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString svg = QString::fromUtf8(file.readAll());
        QVERIFY(svg.contains(QStringLiteral("Largest error of each node")));
        QVERIFY(svg.contains(styleOf("relu6")->fill.name(), Qt::CaseInsensitive));
    }

    void probe_ofTheDocumentBehind_waits() {
        open("simple_net.pt");
        edit();
        QTRY_VERIFY(m_answers->count("probe") >= 1);
        open("resnet.pt");
        QTRY_COMPARE(m_answers->count("cancelled"), m_answers->count("probe"));
        const qsizetype asked = m_answers->count("probe");
        QTest::qWait(100);
        QCOMPARE(m_answers->count("probe"), asked);
        tabs().setCurrentIndex(0);
        QTRY_VERIFY(m_answers->count("probe") > asked);
    }

    void timingOfEdits_isOffUntilChosen_andRemembered() {
        QVERIFY(!actions().timeEdits->isChecked());
        actions().timeEdits->trigger();
        m_window = std::make_unique<MainWindow>(*m_settings);
        QVERIFY(m_window->actions().timeEdits->isChecked());
    }
};

QTEST_MAIN(TestResults)
#include "tst_results.moc"
