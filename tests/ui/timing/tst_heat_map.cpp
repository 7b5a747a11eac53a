// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/json_steps.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/timing/heat_legend.h"
#include "ui/timing/heat_map.h"
#include "ui/widgets/theme.h"

#include <QTest>

using namespace ui;

/// Colours of nodes by their times, also when the times are of another version.
class TestHeatMap : public QObject {
    Q_OBJECT

    std::shared_ptr<fx::GraphModule> m_model;
    fx::timing::NodeReport m_report;

    fx::NodeId find(const fx::GraphModule& model, const char* name) const { return model.graph.find(name); }
    static QString note(const NodeStyle* style) { return style ? QString::fromStdString(style->note) : QString(); }

private Q_SLOTS:
    void init() {
        m_model = std::make_shared<fx::GraphModule>();
        fx::Graph& graph = m_model->graph;
        const fx::NodeId x = graph.placeholder("x");
        const fx::NodeId relu = graph.createNode(fx::Op::CallMethod, "relu", {x});
        const fx::NodeId neg = graph.createNode(fx::Op::CallMethod, "neg", {relu});
        graph.output(neg);
        m_report = {};
        for (const auto& [name, ms] : {std::pair{"relu", 4.0}, {"neg", 1.0}}) {
            fx::timing::NodeTiming node;
            node.name = name, node.op = "call_method", node.ms = ms, node.share = ms / 5;
            m_report.nodes.push_back(node);
        }
    }

    void current_longestIsDarkest_inputsStayPlain() {
        const fx::History history(m_model);
        HeatMap heat;
        heat.make({&m_report, m_model, 0, true}, &history);
        QCOMPARE(heat.longestMs(), 4.0);
        QVERIFY(heat.stale().isEmpty());
        QCOMPARE(heat.styleOf(find(*m_model, "relu"))->fill, theme().heat(1));
        QCOMPARE(heat.styleOf(find(*m_model, "neg"))->fill, theme().heat(0.25));
        QCOMPARE(heat.styleOf(find(*m_model, "relu"))->badge, std::string("4.00\u00a0ms"));
        QVERIFY(note(heat.styleOf(find(*m_model, "relu"))).contains(QStringLiteral("80.0\u00a0%")));
        QCOMPARE(heat.styleOf(find(*m_model, "x"))->fill, theme().panel);
        QCOMPARE(heat.legend().ramp,
                 (QStringList{QStringLiteral("0"), QStringLiteral("2.00\u00a0ms"), QStringLiteral("4.00\u00a0ms")}));
    }

    void edited_keepsWhatIsTheSame_dropsTheOthersAndSaysSo() {
        fx::History history(m_model);
        history.edit("Abs", R"([{"step": "set_target", "node": "neg", "target": "abs"}])"_steps);
        HeatMap heat;
        heat.make({&m_report, m_model, 0, false}, &history);
        const fx::GraphModule& now = *history.model();
        QVERIFY(!heat.stale().isEmpty());
        QCOMPARE(heat.styleOf(find(now, "relu"))->badge, std::string("4.00\u00a0ms"));
        QVERIFY(note(heat.styleOf(find(now, "relu"))).contains(heat.stale()));
        QVERIFY2(heat.styleOf(find(now, "neg"))->badge.empty(), "the node of this name does something else now");
    }

    void textOnHeat_canBeRead_data() {
        QTest::addColumn<double>("t");
        for (const double t : {0.0, 0.25, 0.5, 0.75, 1.0}) QTest::addRow("%.2f", t) << t;
    }
    void textOnHeat_canBeRead() {
        QFETCH(double, t);
        m_report.nodes[1].ms = 4 * t;
        const fx::History history(m_model);
        HeatMap heat;
        heat.make({&m_report, m_model, 0, true}, &history);
        const NodeStyle* style = heat.styleOf(find(*m_model, "neg"));
        QVERIFY(contrastRatio(style->badgeColor, style->fill) >= 4.5);
        for (const Theme* each : {&lightTheme(), &darkTheme()})
            for (int i = 0; i <= 20; ++i)
                for (const QColor& text : {each->text, each->muted})
                    QVERIFY(contrastRatio(readableOn(each->heat(i / 20.0), text), each->heat(i / 20.0)) >= 4.5);
        QCOMPARE(readableOn(Qt::white, theme().muted), lightTheme().muted); // what can be read stays
    }

    void groups_showTheirShareOfAll() {
        const fx::History history(m_model);
        HeatMap heat;
        heat.make({&m_report, m_model, 0, true}, &history);
        const auto times = groupTimes(*m_model, heat.times(), {});
        QCOMPARE(times.size(), std::size_t(1));
        QCOMPARE(times.begin()->second, 5.0);
        heat.setGroups({{"layer1", 1.25}});
        const RegionShares shares = heat.sharesOf("layer1");
        QCOMPARE(shares.size(), std::size_t(2)); // two: no hull around it
        QVERIFY(shares[0].first);
        QVERIFY(!shares[1].first);
        QCOMPARE(shares[0].second, 250u);
        QCOMPARE(shares[1].second, 750u);
        QVERIFY(heat.sharesOf("layer2").empty());
    }

    void legend_onTheCanvas_onceAndOnlyWhenAskedFor() {
        const fx::History history(m_model);
        HeatMap heat;
        heat.make({&m_report, m_model, 0, true}, &history);
        GraphCanvas canvas;
        canvas.resize(600, 400);
        canvas.show();
        HeatLegend::showOn(canvas, heat.legend());
        HeatLegend::showOn(canvas, heat.legend());
        const auto legends = canvas.findChildren<HeatLegend*>();
        QCOMPARE(legends.size(), 1);
        QVERIFY(legends[0]->isVisible());
        QVERIFY(canvas.rect().contains(legends[0]->geometry()));
        QVERIFY2(legends[0]->accessibleName().contains(QStringLiteral("4.00\u00a0ms")),
                 qPrintable(legends[0]->accessibleName()));
        HeatLegend::showOn(canvas, {});
        QVERIFY(!legends[0]->isVisible());
    }

    void nothingTimed_isEmpty() {
        const fx::History history(m_model);
        HeatMap heat;
        heat.make({}, &history);
        QVERIFY(heat.empty());
        QVERIFY(!heat.styleOf(find(*m_model, "relu")));
    }
};

QTEST_MAIN(TestHeatMap)
#include "tst_heat_map.moc"
