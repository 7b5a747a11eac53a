// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/settle.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/code/code_view.h"
#include "ui/compilation/compilation_panel.h"
#include "ui/compilation/text_window.h"

#include <QApplication>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QTextBrowser>
#include <QTreeWidget>

using namespace ui;

namespace {
const QString kSample = QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/compilation");

template<class Window> Window* opened() {
    for (QWidget* each : QApplication::topLevelWidgets())
        if (auto* found = qobject_cast<Window*>(each)) return found;
    return nullptr;
}
} // namespace

/// The panel with the log of the sample: a graph break, a recompilation, ten stages each.
class TestCompilationPanel : public QObject {
    Q_OBJECT

    std::unique_ptr<CompilationPanel> m_panel;
    std::unique_ptr<Document> m_document;

    /// Opens a stage as the window does.
    void openDocument(const QString& path) {
        m_panel->setDocument(nullptr);
        m_document = std::make_unique<Document>(path);
        m_document->load();
        m_panel->setDocument(m_document.get());
        QTRY_COMPARE(m_document->state(), Document::State::Ready);
    }
    void select(const char* node) { m_document->selection().select({m_document->module()->graph.find(node)}, nullptr); }
    QTreeWidgetItem* row(int compilation, const char* stage) const {
        QTreeWidgetItem* top = m_panel->tree()->topLevelItem(compilation);
        for (int i = 0; i < top->childCount(); ++i)
            if (top->child(i)->text(0) == QLatin1String(stage)) return top->child(i);
        return nullptr;
    }

private Q_SLOTS:
    void init() {
        m_panel = std::make_unique<CompilationPanel>();
        m_panel->resize(320, 700);
        m_panel->show();
    }
    void cleanup() {
        delete opened<StageWindow>();
        delete opened<TextWindow>();
        m_panel.reset();
        m_document.reset();
    }

    void dump_isListed_andItsFirstGraphOpened() {
        QSignalSpy chosen(m_panel.get(), &CompilationPanel::stageChosen);
        m_panel->open(kSample);
        QTRY_COMPARE(m_panel->tree()->topLevelItemCount(), 4);
        QVERIFY(m_panel->tree()->topLevelItem(0)->text(0).contains(QLatin1String("graph break")));
        QVERIFY(m_panel->tree()->topLevelItem(2)->text(0).contains(QLatin1String("recompiled")));
        QTRY_COMPARE(chosen.size(), 1);
        QCOMPARE(chosen[0][0].toString(), kSample + QStringLiteral("#0/0:dynamo_output_graph"));
        const QString details = m_panel->details()->toPlainText();
        QVERIFY2(details.contains(QLatin1String("\nGraph Break Reason: Data-dependent branching\n")),
                 qPrintable(details));
    }

    void panel_fitsIntoALowWindow() {
        QVERIFY2(m_panel->minimumSizeHint().height() < 300,
                 qPrintable(QString::number(m_panel->minimumSizeHint().height())));
        m_panel->open(kSample);
        QTRY_COMPARE(m_panel->tree()->topLevelItemCount(), 4);
        QVERIFY2(m_panel->minimumSizeHint().height() < 300,
                 qPrintable(QString::number(m_panel->minimumSizeHint().height())));
    }

    void arrowKeys_openTheStageWhereTheyRest() {
        m_panel->open(kSample);
        QTRY_COMPARE(m_panel->tree()->topLevelItemCount(), 4);
        QSignalSpy chosen(m_panel.get(), &CompilationPanel::stageChosen);
        for (int i = 0; i < 3; ++i) QTest::keyClick(m_panel->tree(), Qt::Key_Down);
        QTRY_COMPARE(chosen.size(), 1);
        QCOMPARE(chosen[0][0].toString(), kSample + QStringLiteral("#0/0:aot_inference_graph"));
    }

    void stageInFront_isTheCurrentRow_andChoosesNothing() {
        m_panel->open(kSample);
        QTRY_COMPARE(m_panel->tree()->topLevelItemCount(), 4);
        QVERIFY(testing::settle());
        QSignalSpy chosen(m_panel.get(), &CompilationPanel::stageChosen);
        openDocument(kSample + QStringLiteral("#1/0:after_joint_graph"));
        QCOMPARE(m_panel->tree()->currentItem(), row(1, "after_joint_graph"));
        QVERIFY(testing::settle());
        QCOMPARE(chosen.size(), 0);
    }

    void selectedNode_tellsItsSourceAndKernels() {
        m_panel->open(kSample);
        QTRY_COMPARE(m_panel->tree()->topLevelItemCount(), 4);
        openDocument(kSample + QStringLiteral("#1/0:inductor_post_grad_graph"));
        select("exp");
        const QString told = m_panel->details()->toPlainText();
        QVERIFY2(told.contains(QLatin1String("compiled_net.py:32")), qPrintable(told));
        QVERIFY(told.contains(QLatin1String("torch.softmax(x, -1)")));
        QVERIFY(told.contains(QLatin1String("Came from")));
        QVERIFY(told.contains(QLatin1String("cpp_fused__softmax")));
        Q_EMIT m_panel->details()->anchorClicked(QUrl(QStringLiteral("source:")));
        QTRY_VERIFY(opened<TextWindow>());
        int line = 0, column = 0;
        opened<TextWindow>()->view()->getCursorPosition(&line, &column);
        QVERIFY(opened<TextWindow>()->view()->text().contains(QLatin1String("torch.softmax")));
    }

    void kernel_isShownInTheGeneratedCode() {
        m_panel->open(kSample);
        QTRY_COMPARE(m_panel->tree()->topLevelItemCount(), 4);
        openDocument(kSample + QStringLiteral("#1/0:inductor_post_grad_graph"));
        select("exp");
        const QString html = m_panel->details()->toHtml();
        const qsizetype at = html.indexOf(QLatin1String("kernel:"));
        QVERIFY(at > 0);
        Q_EMIT m_panel->details()->anchorClicked(QUrl(html.mid(at, html.indexOf(u'"', at) - at)));
        QTRY_VERIFY(opened<TextWindow>());
        QVERIFY(opened<TextWindow>()->view()->text().contains(QLatin1String("async_compile")));
    }

    void code_isOfferedWhereTheArrowsRest() {
        m_panel->open(kSample);
        QTRY_COMPARE(m_panel->tree()->topLevelItemCount(), 4);
        m_panel->tree()->setCurrentItem(row(1, "inductor_output_code"));
        QVERIFY(m_panel->details()->toPlainText().contains(QLatin1String("Show inductor_output_code")));
        Q_EMIT m_panel->details()->anchorClicked(QUrl(QStringLiteral("text:")));
        QTRY_VERIFY(opened<TextWindow>());
    }

    /// A folder of TORCH_COMPILE_DEBUG has no graph before Inductor, and this one has no code.
    void whereADumpEnds_namesAreNotLinks() {
        const QString dump = QStringLiteral(LANCET_SOURCE_DIR "/tests/data/compilation");
        m_panel->open(dump);
        QTRY_COMPARE(m_panel->tree()->topLevelItemCount(), 3);
        openDocument(dump + QStringLiteral("#model__2_forward_3.2:fx_graph_transformed"));
        select("relu");
        const QString told = m_panel->details()->toPlainText(), html = m_panel->details()->toHtml();
        QVERIFY2(told.contains(QLatin1String("Came from")), qPrintable(told));
        QVERIFY2(told.contains(QLatin1String("Runs in")), qPrintable(told));
        QVERIFY2(!html.contains(QLatin1String("\"pre:")), qPrintable(html));
        QVERIFY2(!html.contains(QLatin1String("\"kernel:")), qPrintable(html));
    }

    void whatANodeBecame_opensTheLastStageAtThatNode() {
        m_panel->open(kSample);
        QTRY_COMPARE(m_panel->tree()->topLevelItemCount(), 4);
        openDocument(kSample + QStringLiteral("#1/0:dynamo_output_graph"));
        select("softmax");
        QSignalSpy chosen(m_panel.get(), &CompilationPanel::stageChosen);
        Q_EMIT m_panel->details()->anchorClicked(QUrl(QStringLiteral("post:exp")));
        QCOMPARE(chosen.size(), 1);
        QCOMPARE(chosen[0][0].toString(), kSample + QStringLiteral("#1/0:inductor_post_grad_graph"));
        QCOMPARE(chosen[0][1].toString(), QStringLiteral("exp"));
    }

    void comparison_selectsWhatBelongsTogether() {
        m_panel->open(kSample);
        QTRY_COMPARE(m_panel->tree()->topLevelItemCount(), 4);
        m_panel->tree()->setCurrentItem(row(1, "dynamo_output_graph"));
        QVERIFY(!m_panel->compareButton()->isEnabled());
        m_panel->tree()->setCurrentItem(row(1, "aot_inference_graph"));
        QTest::mouseClick(m_panel->compareButton(), Qt::LeftButton);
        QTRY_VERIFY(opened<StageWindow>());
        StageWindow* window = opened<StageWindow>();
        QTRY_VERIFY(window->canvas(0)->scene().itemCount() > 0 && window->canvas(1)->scene().itemCount() > 0);
        const auto pair = fx::openStage(kSample.toStdString(), "1/0:after_pre_grad_graph");
        window->canvas(0)->setSelection({pair->graph.find("softmax")}, true);
        QVERIFY2(window->linked()->text().startsWith(QLatin1String("softmax became")),
                 qPrintable(window->linked()->text()));
        QVERIFY(!window->canvas(1)->selection().empty());
    }

    void notADump_isRefused_andTheListStays() {
        m_panel->open(kSample);
        QTRY_COMPARE(m_panel->tree()->topLevelItemCount(), 4);
        QSignalSpy failed(m_panel.get(), &CompilationPanel::failed);
        m_panel->open(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/simple_net.pt"));
        QTRY_COMPARE(failed.size(), 1);
        QCOMPARE(m_panel->tree()->topLevelItemCount(), 4);
        QCOMPARE(m_panel->dump(), kSample);
    }
};

QTEST_MAIN(TestCompilationPanel)
#include "tst_compilation_panel.moc"
