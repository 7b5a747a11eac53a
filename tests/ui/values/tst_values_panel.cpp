// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/json_steps.h"
#include "tests/ui/support/settle.h"
#include "ui/run/run_center.h"
#include "ui/values/histogram_view.h"
#include "ui/values/slice_model.h"
#include "ui/values/values_panel.h"
#include "ui/values/values_text.h"
#include "ui/widgets/theme.h"

#include <QAbstractItemModelTester>
#include <QChart>
#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QPushButton>
#include <QSpinBox>
#include <QTableView>
#include <QTest>
#include <QTextBrowser>

#include <cmath>

using namespace ui;

/// Looking at nodes, with a real worker.
class TestValuesPanel : public QObject {
    Q_OBJECT

    std::unique_ptr<QWidget> m_window;
    std::unique_ptr<Document> m_document;
    RunCenter* m_center = nullptr;
    ValuesPanel* m_panel = nullptr;
    static constexpr int kPatience = 90000;

    void openNet() {
        m_document = std::make_unique<Document>(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/simple_net.pt"));
        m_document->load();
        m_center->setDocument(m_document.get());
        m_panel->setSession(m_center->session());
        QTRY_VERIFY(!m_center->session()->guesses().empty());
        fx::InputDescription inputs = m_center->session()->inputs();
        inputs.inputs[0].sizes = {2, 3, 16, 16};
        m_center->session()->setInputs(inputs);
    }
    void select(const char* name) { m_document->selection().select({m_document->module()->graph.find(name)}, nullptr); }
    bool shows(std::vector<std::int64_t> sizes) const {
        return m_panel->values() && m_panel->values()->value.sizes == sizes &&
               m_document->operations().running().empty();
    }

private Q_SLOTS:
    void init() {
        m_window = std::make_unique<QWidget>();
        m_center = new RunCenter({QStringLiteral(LANCET_WORKER), true, 0, 120}, {}, m_window.get());
        m_panel = new ValuesPanel(m_center->worker(), m_window.get());
        m_window->resize(1000, 400);
        m_panel->resize(1000, 400);
        m_window->show();
    }
    void cleanup() {
        m_panel->setSession(nullptr);
        m_center->setDocument(nullptr);
        m_document.reset();
        m_window.reset();
    }

    void refusal_goesWhenModelsMayRun() {
        qputenv("LANCET_SANDBOX", "off");
        const auto restored = qScopeGuard([] { qunsetenv("LANCET_SANDBOX"); });
        openNet();
        select("relu");
        QTRY_VERIFY_WITH_TIMEOUT(m_panel->message().contains(QStringLiteral("no sandbox")), kPatience);
        m_center->worker().allow();
        QTRY_VERIFY_WITH_TIMEOUT(m_panel->values() && m_panel->message().isEmpty(), kPatience);
    }

    void statistics_withoutAllValues_sayWhatTheyAreOf() {
        fx::NodeValues values;
        values.value.dtype = "torch.float32", values.value.sizes = {4};
        values.value.statistics.count = values.value.statistics.finite = 4;
        QVERIFY(!statisticsHtml(values).contains(QStringLiteral("finite values only")));
        values.value.statistics.finite = 2, values.value.statistics.nans = 2;
        QVERIFY(statisticsHtml(values).contains(QStringLiteral("finite values only")));
    }

    void model_isAsItShouldBe() {
        SliceModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        fx::NodeValues values;
        values.value.dtype = "torch.float32", values.value.sizes = {4, 2, 9}, values.value.slice = {{3}, 0, 6};
        values.value.rows = 2, values.value.columns = 3, values.value.cells = {1, 0.1, NAN, 3, -INFINITY, 5};
        model.setValues(values);
        const auto text = [&](int row, int column) { return model.index(row, column).data().toString(); };
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(text(0, 1), QStringLiteral("0.1"));
        QCOMPARE(text(0, 2), QStringLiteral("NaN"));
        QCOMPARE(text(1, 1), QStringLiteral("−∞"));
        QVERIFY(model.index(0, 2).data(Qt::BackgroundRole).isValid());
        QVERIFY(!model.index(0, 0).data(Qt::BackgroundRole).isValid());
        QCOMPARE(model.headerData(1, Qt::Horizontal, Qt::DisplayRole).toString(), QStringLiteral("7"));
        QVERIFY(model.index(1, 2).data(Qt::ToolTipRole).toString().startsWith(QStringLiteral("[3, 1, 8] = 5")));
        QCOMPARE(model.text(0, 0, 1, 1), QStringLiteral("1\t0.1\n3\t-inf"));
        model.setShow(SliceModel::Show::Original);
        QCOMPARE(model.show(), SliceModel::Show::Value); // there is none
        values.original = values.value;
        values.original->cells[0] = 0.75;
        model.setValues(values);
        model.setShow(SliceModel::Show::Difference);
        QCOMPARE(text(0, 0), QStringLiteral("0.25"));
        QCOMPARE(text(1, 1), QStringLiteral("0")); // the same infinity
        QVERIFY(model.index(0, 0).data(Qt::BackgroundRole).isValid());
        model.setValues({});
        QCOMPARE(model.rowCount(), 0);
    }

    void nothingToLookAt_saysWhatToDo() {
        QVERIFY(m_panel->message().contains(QStringLiteral("Open a model")));
        openNet();
        QVERIFY(m_panel->message().contains(QStringLiteral("Select a node")));
        m_document->selection().selectAll();
        QVERIFY(m_panel->message().contains(QStringLiteral("Select a single node")));
    }

    void node_selected_isLookedAt() {
        openNet();
        select("relu");
        QTRY_VERIFY_WITH_TIMEOUT(shows({2, 8, 16, 16}), kPatience);
        QCOMPARE(m_panel->model()->rowCount(), 16);
        QCOMPARE(m_panel->indices().size(), 2);
        const QString before = m_panel->model()->text(0, 0, 15, 15);
        m_panel->indices()[1]->setValue(5);
        QTRY_COMPARE_WITH_TIMEOUT(m_panel->values()->value.slice.indices, (std::vector<std::int64_t>{0, 5}), kPatience);
        QVERIFY(m_panel->model()->text(0, 0, 15, 15) != before);
        const QString statistics = m_panel->statistics()->toPlainText();
        QVERIFY2(statistics.contains(QStringLiteral("zeros")), qPrintable(statistics));
        QVERIFY2(statistics.contains(QStringLiteral("elements")), qPrintable(statistics));
        QCOMPARE(m_panel->findChild<HistogramView*>()->chart()->series().size(), 1);
        m_panel->copy();
        QCOMPARE(QGuiApplication::clipboard()->text().count(u'\n'), 15);
        QVERIFY(!m_panel->shows()->isVisible()); // nothing was changed
        const int widest = QFontMetrics(monoFont()).horizontalAdvance(QStringLiteral("-1.23457e-308"));
        QVERIFY(m_panel->findChild<QTableView*>()->columnWidth(0) > widest); // exponents are whole
        select("conv");
        QTRY_VERIFY_WITH_TIMEOUT(shows({2, 8, 16, 16}) && m_panel->values()->value.statistics.min < 0, kPatience);
    }

    void change_isComparedAndTheLargestDifferenceLedTo() {
        openNet();
        QVERIFY(m_document->versions().edit(
            QStringLiteral("Add"), R"([{"step": "set_target", "node": "mul", "target": "operator.add"}])"_steps));
        select("mul");
        QTRY_VERIFY_WITH_TIMEOUT(shows({2, 8, 16, 16}) && m_panel->values()->difference, kPatience);
        QVERIFY(m_panel->shows()->isVisible());
        QVERIFY(m_panel->shows()->isEnabled());
        QCOMPARE(m_panel->findChild<HistogramView*>()->chart()->series().size(), 2);
        const std::vector<std::int64_t> worst = m_panel->values()->difference->worst;
        QCOMPARE(worst.size(), std::size_t(4));
        Q_EMIT m_panel->statistics()->anchorClicked(
            QUrl(QStringLiteral("place:%1,%2,%3,%4").arg(worst[0]).arg(worst[1]).arg(worst[2]).arg(worst[3])));
        QTRY_COMPARE_WITH_TIMEOUT(m_panel->values()->value.slice.indices,
                                  (std::vector<std::int64_t>{worst[0], worst[1]}), kPatience);
        QCOMPARE(m_panel->shows()->currentIndex(), 2);
        const QString shown = m_panel->model()->text(int(worst[2]), int(worst[3]), int(worst[2]), int(worst[3]));
        QVERIFY2(std::abs(std::abs(shown.toDouble()) - m_panel->values()->difference->maxAbs) < 1e-6,
                 qPrintable(shown));
        m_document->versions().undo();
        QTRY_VERIFY_WITH_TIMEOUT(m_panel->values() && !m_panel->values()->difference, kPatience);
    }

    void failure_namesTheNodeAndLeadsToIt() {
        openNet();
        QVERIFY(m_document->versions().edit(
            QStringLiteral("Wrong"),
            R"([{"step": "insert_after", "node": "relu", "op": "call_function", "target": "torch.reshape", )"
            R"("args": [{"node": "relu"}, [7, 7]], "name": "wrong", "rewire_users": true}])"_steps));
        select("mul");
        QTRY_VERIFY_WITH_TIMEOUT(m_panel->message().contains(QStringLiteral("At node wrong")), kPatience);
        select("relu"); // comes before it
        QTRY_VERIFY_WITH_TIMEOUT(shows({2, 8, 16, 16}), kPatience);
    }

    void hidden_runsNothing() {
        openNet();
        m_panel->hide();
        select("relu");
        QVERIFY(testing::settle());
        QVERIFY(!m_panel->values());
        QVERIFY(!m_document->operations().isRunning(DocumentOperations::Kind::Values));
        m_panel->show();
        QTRY_VERIFY_WITH_TIMEOUT(shows({2, 8, 16, 16}), kPatience);
    }
};

QTEST_MAIN(TestValuesPanel)
#include "tst_values_panel.moc"
