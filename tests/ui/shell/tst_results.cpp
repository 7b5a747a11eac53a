// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/json_steps.h"
#include "tests/ui/support/canned_answers.h"
#include "tests/ui/support/settle.h"
#include "ui/canvas/canvas_look.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/changes/compare_window.h"
#include "ui/changes/diff_view.h"
#include "ui/edit/call_dialog.h"
#include "ui/partition/partition_panel.h"
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
#include <QLineEdit>
#include <QPushButton>
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
        QVERIFY(document().versions().edit(QStringLiteral("relu → relu6"),
                                           R"([{"step": "rename", "node": "relu", "name": "relu6"}])"_steps));
        QTRY_COMPARE(run().state(), RunSession::State::Done);
    }
    std::optional<NodeStyle> styleOf(const char* name) const {
        const auto look = canvas().look();
        const NodeStyle* style = look ? look->styleAt(document().module()->graph.find(name)) : nullptr;
        return style ? std::optional(*style) : std::nullopt;
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
            QCOMPARE(cardIn(dock).pill(Answer::Right)->text(), QStringLiteral("inconclusive"));
        }
        QCOMPARE(m_window->run().verifyChip()->text(), QStringLiteral("inconclusive"));
        // Amber everywhere: on the card, in the status bar, in the history and on the tab.
        QCOMPARE(cardIn("history").pill(Answer::Right)->property("role").toString(), QStringLiteral("warning"));
        QVERIFY(m_window->run().verifyChip()->styleSheet().contains(theme().warning.fill.name()));
        const auto mark = [&] { return tabs().tabIcon(0).pixmap(32, 32).toImage().pixelColor(16, 16); };
        QCOMPARE(mark(), theme().warning.line);
        QVERIFY(tabs().tabToolTip(0).contains(QStringLiteral("inconclusive")));
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
        QVERIFY(!actions().errorMap->isChecked());
        QVERIFY(!canvas().look());
        QVERIFY(m_window->findChild<Legend*>()->colours().empty());
        tabs().setCurrentIndex(0);
        QVERIFY(actions().errorMap->isChecked());
        QVERIFY(styleOf("relu6"));
        QCOMPARE(m_window->findChild<Legend*>()->colours().kind, Ramp::Errors);
        document().versions().undo();
        QVERIFY(!styleOf("relu")); // what was found out about the other version stands nowhere
        QVERIFY(!m_window->findChild<Legend*>()->colours().note.isEmpty());
        actions().errorMap->trigger();
        QVERIFY(m_window->findChild<Legend*>()->colours().empty());
    }

    void errorsBesidePartitions_areNotChosen_andComeBack() {
        open("simple_net.pt");
        edit();
        QTRY_VERIFY(actions().errorMap->isEnabled());
        actions().errorMap->trigger();
        auto* partition = m_window->findChild<PartitionPanel*>();
        partition->showStages(true);
        m_window->findChild<QDockWidget*>(QStringLiteral("partition"))->raise();
        QTRY_VERIFY(partition->colours());
        QVERIFY(!actions().errorMap->isChecked());
        QVERIFY(!actions().errorMap->isEnabled());
        QVERIFY(actions().errorMap->toolTip().contains(QLatin1String("partitions")));
        m_window->findChild<QDockWidget*>(QStringLiteral("inspector"))->raise();
        QTRY_VERIFY(!partition->colours());
        QTRY_VERIFY(actions().errorMap->isChecked() && actions().errorMap->isEnabled());
    }

    void errorsAndTimes_oneAtATime() {
        open("simple_net.pt");
        edit();
        actions().errorMap->setEnabled(true);
        actions().errorMap->trigger();
        actions().heatMap->setEnabled(true);
        actions().heatMap->trigger();
        QVERIFY(actions().heatMap->isChecked());
        QVERIFY(!actions().errorMap->isChecked());
        actions().errorMap->setEnabled(true);
        actions().errorMap->trigger();
        QVERIFY(!actions().heatMap->isChecked());
        QVERIFY(actions().errorMap->isChecked());
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

    void probe_ofTheDocumentBehind_goesOn() {
        open("simple_net.pt");
        edit();
        QTRY_VERIFY(m_answers->count("probe") >= 1);
        RunSession& first = run();
        QVERIFY(first.isProbing());
        open("resnet.pt");
        QTRY_VERIFY(document().shapes().notes()); // which made the probe wait
        QVERIFY(first.isProbing());
        QTRY_VERIFY(m_answers->count("probe") > m_answers->count("cancelled"));
        const qsizetype asked = m_answers->count("probe");
        tabs().setCurrentIndex(0);
        QVERIFY(testing::settle());
        QVERIFY(first.isProbing());
        m_answers->probeWith({});
        QTRY_VERIFY(!first.isProbing());
        QCOMPARE(m_answers->count("probe"), asked); // not from the beginning
    }

    void preview_verifiesBeforeItIsAccepted() {
        open("simple_net.pt");
        m_answers->verifyWith(testing::report(fx::Verdict::Different, 0.5));
        document().selection().select({document().module()->graph.find("mul")}, nullptr);
        actions().insertAfter->trigger();
        QPointer<CallDialog> dialog = m_window->findChild<CallDialog*>();
        QVERIFY(dialog);
        dialog->search()->setText(QStringLiteral("torch.tanh"));
        QTRY_VERIFY(dialog->previews()->isEnabled());
        dialog->previews()->click();
        QPointer<CompareWindow> preview;
        QTRY_VERIFY((preview = dialog->findChild<CompareWindow*>()));
        QTRY_COMPARE(preview->verdict()->text(), QStringLiteral("different"));
        QCOMPARE(preview->verdict()->property("role").toString(), QStringLiteral("error"));
        QVERIFY(preview->verdict()->isVisible());
        QVERIFY(preview->verdictText()->text().contains(QStringLiteral("5.0e-01")));
        QVERIFY(preview->findChild<DiffView*>()->text().contains(QStringLiteral("torch.tanh(mul)")));
        QCOMPARE(document().versions().history()->current(), 0u);
        preview->reject();
        QTRY_VERIFY(!preview);
        QVERIFY(dialog); // what was typed is still there
        QCOMPARE(dialog->search()->text(), QStringLiteral("torch.tanh"));
        dialog->previews()->click();
        QTRY_VERIFY((preview = dialog->findChild<CompareWindow*>()));
        preview->accepts()->click();
        QTRY_VERIFY(document().module()->graph.find("tanh") != fx::kNoNode);
        QTRY_VERIFY(!dialog && !preview);
        QCOMPARE(document().versions().history()->entries().size(), 2u);
    }

    void chip_saysThatTypedCodeIsNotIncluded() {
        open("simple_net.pt");
        edit();
        QToolButton& chip = *m_window->run().verifyChip();
        QCOMPARE(chip.text(), QStringLiteral("inconclusive"));
        document().setDraft(CodeDraft{"typed", document().facts().code(), document().module()});
        QCOMPARE(chip.text(), QStringLiteral("inconclusive (without the typed code)"));
        QVERIFY(chip.toolTip().contains(QStringLiteral("not applied yet")));
        open("resnet.pt");
        tabs().setCurrentIndex(0);
        QCOMPARE(chip.text(), QStringLiteral("inconclusive (without the typed code)"));
        document().setDraft({});
        QCOMPARE(chip.text(), QStringLiteral("inconclusive"));
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
