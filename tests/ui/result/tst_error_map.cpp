// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/graph_canvas.h"
#include "ui/result/error_map.h"
#include "ui/timing/heat_legend.h"
#include "ui/widgets/theme.h"

#include <QSignalSpy>
#include <QTest>

#include <cmath>
#include <limits>

using namespace ui;

/// Colours of nodes by their errors.
class TestErrorMap : public QObject {
    Q_OBJECT

    std::shared_ptr<fx::GraphModule> m_model;
    fx::VerifyReport m_report;
    std::unique_ptr<QWidget> m_window;
    std::unique_ptr<ErrorMap> m_map;

    const NodeStyle* style(const char* name) const { return m_map->styleOf(m_model->graph.find(name)); }
    static QString note(const NodeStyle* style) { return style ? QString::fromStdString(style->note) : QString(); }
    fx::NodeError& add(const char* name, double maxAbs, double error) {
        fx::NodeError node;
        node.node = name, node.maxAbs = maxAbs, node.error = error, node.count = 64;
        node.beyond = error > 1e-5 ? 12 : 0;
        return m_report.nodeErrors.emplace_back(node);
    }
    void show() { m_map->show(m_report, m_model); }
    bool hasEntry(const char* text) const {
        const auto entries = m_map->legend().entries;
        return std::any_of(entries.begin(), entries.end(),
                           [&](const auto& entry) { return entry.text == QString::fromUtf8(text); });
    }

private Q_SLOTS:
    void init() {
        m_model = std::make_shared<fx::GraphModule>();
        fx::Graph& graph = m_model->graph;
        const fx::NodeId x = graph.placeholder("x");
        const fx::NodeId relu = graph.createNode(fx::Op::CallMethod, "relu", {x});
        const fx::NodeId neg = graph.createNode(fx::Op::CallMethod, "neg", {relu});
        const fx::NodeId abs = graph.createNode(fx::Op::CallMethod, "abs", {neg});
        graph.output(graph.createNode(fx::Op::CallMethod, "view", {abs}));
        m_report = {};
        m_window = std::make_unique<QWidget>();
        m_map = std::make_unique<ErrorMap>(m_window.get());
    }
    void cleanup() {
        m_map.reset();
        m_window.reset();
    }

    void errors_areOnOneScaleForAllModels() {
        QCOMPARE(ErrorMap::placeOf(0), 0.0);
        QCOMPARE(ErrorMap::placeOf(1e-9), 0.0);
        QCOMPARE(ErrorMap::placeOf(1e-4), 0.5);
        QCOMPARE(ErrorMap::placeOf(1), 1.0);
        QCOMPARE(ErrorMap::placeOf(19), 1.0);
        QCOMPARE(ErrorMap::placeOf(std::numeric_limits<double>::infinity()), 1.0);
    }

    void node_hasTheColourTheNumberAndTheWords() {
        add("x", 0, 0);
        add("relu", 2e-3, 1e-4);
        show();
        QCOMPARE(style("relu")->fill, rampColor(theme(), Ramp::Errors, 0.5));
        QCOMPARE(style("relu")->badge, std::string("1.0e-04"));
        QVERIFY2(note(style("relu")).contains(QStringLiteral("2.0e-03")), qPrintable(note(style("relu"))));
        QVERIFY2(note(style("relu")).contains(QStringLiteral("12 of 64")), qPrintable(note(style("relu"))));
        QCOMPARE(style("x")->fill, theme().panel);
        QVERIFY(style("x")->badge.empty());
        QVERIFY(style("x")->hatch < 0);
        QVERIFY(note(style("x")).contains(QStringLiteral("equal")));
    }

    void otherShape_isMarked_notANumber() {
        fx::NodeError& node = add("relu", 0, std::numeric_limits<double>::infinity());
        node.comparable = false, node.reason = fx::Message("verify.sides", {{"a", "2×3"}, {"b", "3"}});
        show();
        QCOMPARE(style("relu")->fill, theme().error.fill);
        QCOMPARE(style("relu")->badge, std::string("≠"));
        QVERIFY(note(style("relu")).contains(QStringLiteral("2×3 in the original, 3 in the current version")));
        QVERIFY(hasEntry("≠ another shape or type"));
    }

    void notCompared_isHatched() {
        add("relu", 0, 0);
        show();
        QVERIFY(style("neg")->hatch >= 0);
        QVERIFY(note(style("neg")).contains(QStringLiteral("not compared")));
        QVERIFY(hasEntry("not compared"));
    }

    void input_isNotCalledMissing() {
        add("relu", 0, 0);
        show();
        QVERIFY(style("x")->hatch < 0);
        QCOMPARE(note(style("x")), QStringLiteral("not compared: it is an input"));
    }

    void renamedNode_hasTheErrorOfTheNodeItWas() {
        add("first", 2e-3, 1e-4).nameInB = "relu";
        show();
        QCOMPARE(style("relu")->badge, std::string("1.0e-04"));
    }

    void nanInOneModel_isNoSmallError() {
        fx::NodeError& node = add("relu", 0, 0);
        node.beyond = 3;
        show();
        QCOMPARE(style("relu")->fill, rampColor(theme(), Ramp::Errors, 1));
        QCOMPARE(style("relu")->badge, std::string("NaN"));
    }

    void output_hasTheErrorOfWhatIsReturned() {
        add("relu", 0, 0);
        fx::OutputDifference output;
        output.value.maxAbs = 0.5, output.value.scale = 0.5, output.value.count = 4, output.value.beyond = 4;
        m_report.outputs = {output};
        show();
        QCOMPARE(style("output")->fill, rampColor(theme(), Ramp::Errors, 1));
    }

    void legend_alwaysSaysWhatTheColoursMean() {
        QVERIFY(m_map->empty());
        QVERIFY(!m_map->legend().empty());
        QVERIFY(!m_map->legend().note.isEmpty());
        add("relu", 2e-3, 1e-4);
        show();
        const ColourLegend legend = m_map->legend();
        QCOMPARE(legend.kind, Ramp::Errors);
        QVERIFY(legend.note.isEmpty());
        QVERIFY(legend.title.contains(QStringLiteral("relative")));
        QCOMPARE(legend.ramp, (QStringList{QStringLiteral("≤ 1e-8"), QStringLiteral("1e-4"), QStringLiteral("≥ 1")}));
        GraphCanvas canvas;
        canvas.resize(600, 400);
        canvas.show();
        HeatLegend::showOn(canvas, legend);
        auto* shown = canvas.findChild<HeatLegend*>();
        QVERIFY(shown);
        QVERIFY(shown->isVisible());
        QVERIFY(canvas.rect().contains(shown->geometry()));
    }

    void groups_countNodesThatDiffer_inTheColourOfTheWorst() {
        const double kInf = std::numeric_limits<double>::infinity();
        const std::vector<double> errors = {0, 1e-4, kInf, -1, 0, 0};
        const auto groups = groupErrors(*m_model, errors, {});
        QCOMPARE(groups.size(), std::size_t(1)); // the root
        QCOMPARE(groups.begin()->second.differing, 2u);
        QCOMPARE(groups.begin()->second.compared, 5u);
        QCOMPARE(groups.begin()->second.worst, kInf);
        add("relu", 2e-3, 1e-4);
        add("neg", 0, 0);
        QSignalSpy changed(m_map.get(), &ErrorMap::changed);
        show();
        QTRY_COMPARE(changed.size(), 2); // nodes, then groups
        const RegionShares shares = m_map->sharesOf(groups.begin()->first);
        QCOMPARE(shares.size(), std::size_t(2)); // two: no hull around it
        QCOMPARE(shares[0].second, 1u);
        QCOMPARE(shares[0].first->color, rampColor(theme(), Ramp::Errors, 0.5));
        QVERIFY(shares[0].first->name.find("1.0e-04") != std::string::npos);
        QCOMPARE(shares[1].second, 1u);
    }

    void ramp_isEvenToTheEye_andTextOnItCanBeRead() {
        const auto lightness = [](const QColor& color) {
            const auto linear = [](double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); };
            const double y =
                0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
            return 116 * std::cbrt(y) - 16; // CIELAB
        };
        constexpr int kSteps = 8;
        for (const Theme* each : {&lightTheme(), &darkTheme()}) {
            const auto at = [&](int i) { return rampColor(*each, Ramp::Errors, i / double(kSteps)); };
            const double even = (lightness(at(kSteps)) - lightness(at(0))) / kSteps;
            QVERIFY(std::abs(even) > 4);
            for (int i = 0; i < kSteps; ++i) {
                const double step = (lightness(at(i + 1)) - lightness(at(i))) / even;
                QVERIFY2(step > 0.6, qPrintable(QString::number(step)));
                QVERIFY2(step < 1.4, qPrintable(QString::number(step)));
                QVERIFY(contrastRatio(readableOn(at(i), each->text), at(i)) >= 4.5);
            }
        }
    }
};

QTEST_MAIN(TestErrorMap)
#include "tst_error_map.moc"
