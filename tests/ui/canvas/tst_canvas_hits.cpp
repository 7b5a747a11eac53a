// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/canvas/sample_pictures.h"
#include "ui/canvas/badge_painter.h"
#include "ui/canvas/band_painter.h"
#include "ui/canvas/canvas_hits.h"
#include "ui/canvas/group_painter.h"

#include <QTest>

using namespace ui;

class TestCanvasHits : public QObject {
    Q_OBJECT

    /// A sample as a canvas of 1000 x 1000 shows it, without a canvas.
    struct Fixture {
        sample::Sample graph;
        CanvasState state;
        CanvasFonts fonts;
        Camera camera;
        CanvasHits hits{state, fonts, camera, QRectF(0, 0, 1000, 1000)};

        explicit Fixture(bool isOpen = true) : graph(sample::small(isOpen)) {
            state.scene = Scene::make(graph.picture, graph.module);
            state.flags.assign(state.scene->itemCount(), 0);
        }
        const Scene& scene() const { return *state.scene; }
        fx::NodeId node(const char* name) const { return graph.module->graph.find(name); }
        ItemIndex item(const char* name) const { return scene().itemOf(node(name)); }
        ItemIndex layer() const { return scene().groupByPath("layer1"); }
        QPointF middle(const fx::Rect& rect) const { return camera.toScreen(rect).center(); }
        QPointF middle(ItemIndex of) const { return middle(scene().rect(of)); }
        std::uint32_t edge(const char* from, const char* to) const {
            const auto& edges = scene().picture().edges;
            for (std::uint32_t i = 0; i < edges.size(); ++i)
                if (edges[i].from == item(from) && edges[i].to == item(to)) return i;
            return kNoEdge;
        }
        /// The middle of an edge of one part.
        QPointF onEdge(const char* from, const char* to) const {
            const auto& points = scene().picture().edges[edge(from, to)].points;
            return (camera.toScreen(points.front()) + camera.toScreen(points.back())) / 2;
        }
    };

private Q_SLOTS:
    void itemAt_followsTheCamera() {
        Fixture f;
        QCOMPARE(f.hits.itemAt(f.middle(f.item("relu"))), f.item("relu"));
        const QPointF before = f.middle(f.item("relu"));
        f.camera.origin += QPointF(0, 5000);
        QCOMPARE(f.hits.itemAt(before), kNoItem);
        f.camera.zoom = 0.5;
        QCOMPARE(f.hits.itemAt(f.middle(f.item("relu"))), f.item("relu"));
        const fx::Point world = f.hits.worldAt(QPointF(10, 20));
        QCOMPARE(QPointF(world.x, world.y), QPointF(20, 5040));
    }

    void edgeAt_withinReach_atReadableZoom() {
        Fixture f;
        const QPointF on = f.onEdge("x", "conv");
        QCOMPARE(f.hits.edgeAt(on), f.edge("x", "conv"));
        QCOMPARE(f.hits.edgeAt(on + QPointF(20, 0)), kNoEdge);
        QCOMPARE(f.hits.edgeAt(on + QPointF(20, 0), 30), f.edge("x", "conv"));
        f.camera.zoom = 0.2;
        QCOMPARE(f.hits.edgeAt(f.onEdge("x", "conv")), kNoEdge);
    }

    void nodeNear_nearestWithinReach() {
        Fixture f;
        const QRectF box = f.camera.toScreen(f.scene().rect(f.item("x")));
        const QPointF left(box.left() - 10, box.center().y());
        QCOMPARE(f.hits.nodeNear(left, 12), f.node("x"));
        QCOMPARE(f.hits.nodeNear(left, 8), fx::kNoNode);
    }

    void hoverableAt_nodesAndClosedGroups_elseEdges() {
        Fixture open, closed(false);
        using Found = std::pair<ItemIndex, std::uint32_t>;
        QCOMPARE(open.hits.hoverableAt(open.middle(open.item("relu"))), Found(open.item("relu"), kNoEdge));
        QCOMPARE(open.hits.hoverableAt(open.onEdge("x", "conv")), Found(kNoItem, open.edge("x", "conv")));
        QCOMPARE(open.hits.hoverableAt(QPointF(-500, -500)), Found(kNoItem, kNoEdge));
        QCOMPARE(closed.hits.hoverableAt(closed.middle(closed.layer())).first, closed.layer());
        const QPointF header =
            GroupPainter::headerRect(open.scene().group(open.layer()), open.camera).topRight() + QPointF(-6, 6);
        QCOMPARE(open.hits.hoverableAt(header).first, kNoItem); // an open group is a background
    }

    void chevron_isOfGroupsOnly() {
        Fixture f;
        const QPointF at = GroupPainter::chevronRect(f.scene().group(f.layer()), f.camera).center();
        QVERIFY(f.hits.isOnChevron(f.layer(), at));
        QVERIFY(!f.hits.isOnChevron(f.layer(), f.middle(f.item("add"))));
        QVERIFY(!f.hits.isOnChevron(f.item("add"), at));
        QVERIFY(!f.hits.isOnChevron(kNoItem, at));
    }

    void stubTarget_isTheOtherEnd_whileItsLabelIsDrawn() {
        Fixture f;
        const fx::Picture& picture = f.scene().picture();
        QVERIFY(!picture.stubLabels.empty());
        for (const fx::StubLabel& label : picture.stubLabels) {
            const fx::EdgeItem& edge = picture.edges[label.edge];
            QCOMPARE(f.hits.stubTargetAt(f.middle(label.rect)), label.atTarget ? edge.from : edge.to);
        }
        const fx::StubLabel& label = picture.stubLabels.front();
        f.state.flags[picture.edges[label.edge].from] = CanvasState::Selected; // then the edge is drawn in full
        QCOMPARE(f.hits.stubTargetAt(f.middle(label.rect)), kNoItem);
        f.state.flags[picture.edges[label.edge].from] = 0;
        f.camera.zoom = 0.5;
        QCOMPARE(f.hits.stubTargetAt(f.middle(label.rect)), kNoItem);
    }

    void badge_isHitWhereItIsDrawn() {
        Fixture f;
        const QPointF on = f.onEdge("x", "conv");
        QCOMPARE(f.hits.badgeAt(on), kNoEdge); // there are none
        const EdgeBadge badge{"O", Qt::red, "observer"};
        f.state.badger = [&](fx::NodeId from, fx::NodeId) { return from == f.node("x") ? &badge : nullptr; };
        const QRectF disc = BadgePainter::place(f.state, f.edge("x", "conv"), f.camera);
        QCOMPARE(f.hits.badgeAt(disc.center()), f.edge("x", "conv"));
        QCOMPARE(f.hits.badgeAt(disc.center() + QPointF(disc.width(), 0)), kNoEdge);
    }

    void cut_handleBeforeLine() {
        Fixture f;
        QCOMPARE(f.hits.cutAt(QPointF(500, 500)), -1); // no bands
        auto bands = std::make_shared<CanvasBands>();
        const fx::Rect x = f.scene().rect(f.item("x")), conv = f.scene().rect(f.item("conv"));
        bands->bands.resize(2);
        bands->cuts = {{(x.bottom() + conv.y) / 2, "2 tensors"}};
        f.state.bands = bands;
        const QRectF handle = f.hits.cutHandle(0);
        QCOMPARE(f.hits.cutAt(handle.center()), 0);
        QCOMPARE(f.hits.cutAt(QPointF(990, handle.center().y())), 0); // on its line
        QCOMPARE(f.hits.cutAt(QPointF(990, handle.center().y() + 10)), -1);
    }
};

QTEST_MAIN(TestCanvasHits)
#include "tst_canvas_hits.moc"
