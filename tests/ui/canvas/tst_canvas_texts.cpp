// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/canvas/sample_pictures.h"
#include "ui/canvas/canvas_hits.h"
#include "ui/canvas/canvas_texts.h"

#include <QTest>

using namespace ui;

class TestCanvasTexts : public QObject {
    Q_OBJECT

    /// A sample as a canvas shows it, without a canvas.
    struct Fixture {
        sample::Sample graph;
        CanvasState state;
        CanvasTexts texts{state};

        explicit Fixture(bool isOpen = true) : graph(sample::small(isOpen)) {
            state.scene = Scene::make(graph.picture, graph.module);
            state.flags.assign(state.scene->itemCount(), 0);
        }
        fx::NodeId node(const char* name) const { return graph.module->graph.find(name); }
        ItemIndex item(const char* name) const { return state.scene->itemOf(node(name)); }
        ItemIndex layer() const { return state.scene->groupByPath("layer1"); }
    };

private Q_SLOTS:
    void node_hasNameTargetArgumentsAndUsers() {
        Fixture f;
        const QStringList lines = f.texts.ofNode(f.node("relu")).split(u'\n');
        QCOMPARE(lines.first(), QStringLiteral("relu"));
        QVERIFY(lines.contains(QStringLiteral("call_function  torch.relu")));
        QVERIFY(lines.contains(QStringLiteral("args: (conv,)")));
        QVERIFY(lines.contains(QStringLiteral("2 users")));
        QCOMPARE(f.texts.ofNode(static_cast<fx::NodeId>(1'000'000)), QString());
    }

    void node_inAGroup_namesItsModule() {
        Fixture f;
        const QString text = f.texts.ofNode(f.node("layer1_conv1"));
        QVERIFY2(text.contains(QStringLiteral("module: layer1")), qPrintable(text));
    }

    void item_hasTheNoteOfItsStyle() {
        Fixture f;
        NodeStyle style;
        style.note = "3.1 ms";
        f.state.styler = [&](fx::NodeId) { return &style; };
        QVERIFY(f.texts.ofItem(f.item("relu")).endsWith(QStringLiteral("\n3.1 ms")));
    }

    void group_saysWhetherItIsOpen() {
        Fixture open, closed(false);
        QVERIFY(open.texts.ofItem(open.layer()).startsWith(QStringLiteral("layer1\n")));
        QVERIFY(open.texts.ofItem(open.layer()).contains(QStringLiteral(", open")));
        QVERIFY(closed.texts.ofItem(closed.layer()).contains(QStringLiteral(", closed")));
    }

    void edge_namesItsEnds() {
        Fixture f;
        int found = 0;
        for (const fx::EdgeItem& edge : f.state.scene->picture().edges) {
            if (edge.from != f.item("x") || edge.to != f.item("conv")) continue;
            ++found;
            QCOMPARE(f.texts.ofEdge(edge), QStringLiteral("x → conv"));
        }
        QCOMPARE(found, 1);
    }

    void tooltip_isOfTheHoveredItem_stubsFirst() {
        Fixture f;
        const CanvasFonts fonts;
        const Camera camera;
        const CanvasHits hits(f.state, fonts, camera, QRectF(0, 0, 1000, 1000));
        QCOMPARE(f.texts.tooltipAt(hits, QPointF(-500, -500)), QString());
        f.state.hoverItem = f.item("relu");
        QCOMPARE(f.texts.tooltipAt(hits, QPointF(-500, -500)), f.texts.ofItem(f.item("relu")));
        const fx::Rect label = f.state.scene->picture().stubLabels.front().rect;
        QVERIFY(f.texts.tooltipAt(hits, camera.toScreen(label).center())
                    .startsWith(QStringLiteral("Click to go to the other end:\n")));
    }
};

QTEST_MAIN(TestCanvasTexts)
#include "tst_canvas_texts.moc"
