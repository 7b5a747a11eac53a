// SPDX-License-Identifier: GPL-3.0-or-later
// Selecting, hovering, walking and toggling with real mouse and key events.
#include "tests/ui/canvas/canvas_fixture.h"
#include "ui/canvas/band_painter.h"
#include "ui/canvas/canvas_look.h"

#include <QContextMenuEvent>
#include <QVariantAnimation>

class TestGraphCanvas : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void badge_ofAnEdge_isSeen_told_andClicked() {
        CanvasFixture f;
        const fx::NodeId from = f.node("conv"), to = f.node("relu");
        QVERIFY(f.canvas.badgeRect(from, to).isEmpty());
        const ui::EdgeBadge badge{"H", QColor(Qt::magenta), "HistogramObserver"};
        f.canvas.setEdgeBadger([&](fx::NodeId a, fx::NodeId b) { return a == from && b == to ? &badge : nullptr; });
        f.canvas.setZoom(1);
        f.canvas.revealNode(to);
        QVERIFY(testing::settle());
        const QRectF disc = f.canvas.badgeRect(from, to);
        QVERIFY(!disc.isEmpty());
        QCOMPARE(f.canvas.grab().toImage().pixelColor((disc.center() + QPointF(0, disc.height() / 2 - 2)).toPoint()),
                 QColor(Qt::magenta));
        QSignalSpy clicked(&f.canvas, &ui::GraphCanvas::badgeClicked);
        f.click(disc.center().toPoint());
        QCOMPARE(clicked.count(), 1);
        QCOMPARE(clicked[0][1].value<fx::NodeId>(), from);
        QCOMPARE(clicked[0][2].value<fx::NodeId>(), to);
        QVERIFY(f.selected().isEmpty());
        f.canvas.setEdgeBadger({});
        QVERIFY(f.canvas.badgeRect(from, to).isEmpty());
        f.click(disc.center().toPoint());
        QCOMPARE(clicked.count(), 1);
    }
    void longBadge_leavesWhatTheNodeDoes() {
        CanvasFixture f;
        ui::NodeStyle style;
        f.canvas.setNodeStyler([&](fx::NodeId) { return &style; });
        f.canvas.setZoom(1);
        f.canvas.revealNode(f.node("relu"));
        QVERIFY(testing::settle());
        const QRectF card = f.canvas.nodeRect(f.node("relu"));
        const QRect lower(qRound(card.left()) + 6, qRound(card.top()) + 24, qRound(card.width()) - 12, 14);
        const QImage without = f.grab();
        style.badge = std::string(40, 'm'); // no room beside it
        f.canvas.update();
        const QImage with = f.grab();
        QVERIFY(with != without);
        QCOMPARE(with.copy(lower), without.copy(lower));
    }
    void titleOfABand_avoidsNodes() {
        const sample::Sample small = sample::small(true);
        ui::CanvasState state;
        state.scene = ui::Scene::make(small.picture, small.module);
        auto bands = std::make_shared<ui::CanvasBands>();
        bands->bands.push_back({QColor(Qt::blue), 0, "Stage 0"});
        state.bands = bands;
        const ui::CanvasFonts fonts;
        QImage image(1600, 300, QImage::Format_RGB32);
        QPainter painter(&image);
        const fx::Rect node = state.scene->rect(state.scene->itemOf(small.module->graph.find("x")));
        const auto titleAt = [&](QPointF origin) {
            const ui::Frame frame{painter, state, fonts, ui::lightTheme(), {origin, 1}, QRectF(0, 0, 1600, 300)};
            return ui::BandPainter(frame).titleRect(0);
        };
        QVERIFY(titleAt({node.x - 5000, node.y - 5000}).left() < 100); // nothing there
        QVERIFY(titleAt({node.x - 30, node.y - 10}).left() > 1000);    // the first node is in the corner
    }
    void farNodes_areSeenInTheirColours() {
        CanvasFixture f(sample::large(5'000));
        f.canvas.fit();
        QVERIFY(testing::settle());
        const ui::Theme::Role& role = ui::theme().op(fx::Op::CallModule);
        const QColor colour = ui::Frame::mixed(role.fill, role.line, 0.55);
        const int all = f.count(colour);
        QVERIFY(all > 1000);
        QCOMPARE(f.count(ui::theme().accent), 0);
        const auto order = f.graph.module->graph.order();
        f.canvas.setSelection({order.begin() + 100, order.begin() + 200}, false);
        QVERIFY(testing::settle());
        QVERIFY(f.count(ui::theme().accent) > 100);
        QVERIFY(f.count(colour) < all);
    }
    void click_node_selectsIt() {
        CanvasFixture f;
        QSignalSpy changed(&f.canvas, &ui::GraphCanvas::selectionChanged);
        f.click(f.at("layer1_bn1"));
        QCOMPARE(f.selected(), QStringList{"layer1_bn1"});
        QCOMPARE(changed.count(), 1);
        f.click(f.at("layer1_bn1"));
        QCOMPARE(changed.count(), 1); // nothing new
        f.click(f.at("relu"));
        QCOMPARE(f.selected(), QStringList{"relu"});
    }
    void shiftF10_opensTheMenuAtTheSelectedNode() {
        CanvasFixture f;
        f.canvas.setSelection({f.node("layer1_conv2")}, false);
        QSignalSpy asked(&f.canvas, &ui::GraphCanvas::contextMenuRequested);
        QTest::keyClick(&f.canvas, Qt::Key_F10, Qt::ShiftModifier);
        QCOMPARE(asked.count(), 1);
        QVERIFY((asked[0][0].toPoint() - f.canvas.mapToGlobal(f.at("layer1_conv2"))).manhattanLength() <= 2);
        QCOMPARE(asked[0][1].value<fx::NodeId>(), f.node("layer1_conv2"));
    }
    void closedGroup_inARegion_liesOnTopOfTheHatching() {
        CanvasFixture f(sample::small(false));
        const ui::NodeRegion region{QColor(Qt::red), 3, "partition 0"};
        ui::NodeStyle style;
        style.region = &region;
        f.canvas.setNodeStyler([&](fx::NodeId) { return &style; });
        f.canvas.setRegions([&](const std::string&) { return ui::RegionShares{{&region, 5}}; });
        const auto& scene = f.canvas.scene();
        for (const double zoom : {1.0, 0.4}) {
            ui::Camera camera;
            camera.zoom = zoom;
            const fx::Rect& box = scene.rect(scene.groupByPath("layer1"));
            camera.centerOn({box.center().x, box.center().y}, f.canvas.size());
            f.canvas.setCamera(camera);
            const QImage drawn = f.canvas.grab().toImage();
            const QRect inside = f.canvas.camera().toScreen(box).toRect().adjusted(3, 3, -3, -12);
            int text = 0, hatched = 0;
            for (int y = inside.top(); y <= inside.bottom(); ++y)
                for (int x = inside.left(); x <= inside.right(); ++x) {
                    const QColor colour = drawn.pixelColor(x, y);
                    text += colour.lightness() < 110;
                    hatched += colour.red() > colour.green() + 40;
                }
            QVERIFY2(text > 20, qPrintable(QString::number(text)));
            QCOMPARE(hatched, 0);
        }
    }
    void click_withControlAndShift_togglesAndAdds() {
        CanvasFixture f;
        f.click(f.at("add"));
        f.click(f.at("conv"), Qt::ShiftModifier);
        f.click(f.at("x"), Qt::ControlModifier);
        QCOMPARE(f.selected(), (QStringList{"x", "conv", "add"})); // in graph order
        f.click(f.at("conv"), Qt::ControlModifier);
        QCOMPARE(f.selected(), (QStringList{"x", "add"}));
    }
    void click_empty_selectsNothing() {
        CanvasFixture f;
        f.click(f.at("add"));
        f.click(f.atWorld(-150, 500));
        QVERIFY(f.selected().isEmpty());
        QVERIFY(f.canvas.currentGroup().isEmpty());
    }
    void click_insideOpenGroup_makesItCurrent() {
        CanvasFixture f;
        f.click(f.atWorld(420, 400));
        QCOMPARE(f.canvas.currentGroup(), QString("layer1"));
        QVERIFY(f.selected().isEmpty());
    }
    void click_hubCopy_selectsTheNodeAndEnterGoesToIt() {
        CanvasFixture f;
        const auto& scene = f.canvas.scene();
        const auto copy = scene.nextCopy(scene.itemOf(f.node("mask")));
        QVERIFY(copy != ui::kNoItem);
        QCOMPARE(scene.node(copy).copy, 1u);
        f.click(f.canvas.camera().toScreen(scene.rect(copy)).center().toPoint());
        QCOMPARE(f.selected(), QStringList{"mask"});
        QSignalSpy activated(&f.canvas, &ui::GraphCanvas::nodeActivated);
        QTest::keyClick(&f.canvas, Qt::Key_Return);
        QCOMPARE(activated.count(), 0); // from the copy to the node
        QTest::keyClick(&f.canvas, Qt::Key_Return);
        QCOMPARE(activated.count(), 1);
    }
    void click_chip_selectsTheParameter() {
        CanvasFixture f;
        f.canvas.setCamera({QPointF(0, -50), 1.0});
        f.click(f.atWorld(130, 76 + fx::kNodeHeight + 6));
        QCOMPARE(f.selected(), QStringList{"weight"});
        QSignalSpy activated(&f.canvas, &ui::GraphCanvas::nodeActivated);
        QTest::mouseDClick(&f.canvas, Qt::LeftButton, {}, f.atWorld(130, 76 + fx::kNodeHeight + 6));
        QCOMPARE(activated.count(), 1);
        QCOMPARE(activated[0][0].value<fx::NodeId>(), f.node("weight"));
        QSignalSpy asked(&f.canvas, &ui::GraphCanvas::revealRequested);
        f.canvas.setSelection({f.node("weight")}, true); // it is seen on its user: no group has to be opened
        f.canvas.revealNode(f.node("weight"));
        QCOMPARE(asked.count(), 0);
        QVERIFY(f.canvas.describe(f.node("weight")).startsWith("weight\nself.weight\nget_attr"));
    }
    void rubberBand_selectsWhatItTouches() {
        CanvasFixture f;
        f.drag(f.atWorld(70, -20), f.atWorld(330, 160));
        QCOMPARE(f.selected(), (QStringList{"x", "conv", "relu"}));
        f.drag(f.atWorld(430, 570), f.atWorld(300, 600), Qt::LeftButton, Qt::ShiftModifier);
        QCOMPARE(f.selected(), (QStringList{"x", "conv", "relu", "add"}));
        f.drag(f.atWorld(70, -20), f.atWorld(330, 80), Qt::LeftButton, Qt::ControlModifier);
        QCOMPARE(f.selected(), (QStringList{"relu", "add"}));
    }
    void chevron_click_asksToClose() {
        CanvasFixture f;
        QSignalSpy toggled(&f.canvas, &ui::GraphCanvas::groupToggled);
        f.click(f.atWorld(55, 246));
        QCOMPARE(toggled.count(), 1);
        QCOMPARE(toggled[0][0].toString(), QString("layer1"));
        QCOMPARE(toggled[0][1].toBool(), false);
    }
    void look_hasTheMarksOfNodes() {
        CanvasFixture f;
        QVERIFY(!f.canvas.look());
        const ui::NodeMark edited{ui::NodeMark::Kind::Edited, "edited", {}};
        f.canvas.setNodeMarker([&](fx::NodeId node) { return node == f.node("relu") ? &edited : nullptr; });
        const auto look = f.canvas.look();
        QVERIFY(look);
        QVERIFY(look->marks.size() == 1);
        QVERIFY(look->marks.at(f.node("relu")).text == "edited");
        ui::CanvasState state;
        state.scene = ui::Scene::make(f.graph.picture, f.graph.module);
        ui::CanvasLook::put(look, state);
        QVERIFY(state.marker);
        QVERIFY(state.marker(f.node("relu")));
        QVERIFY(!state.marker(f.node("add")));
    }
    void groupThatCloses_takesItsNodesFromTheSelection() {
        CanvasFixture f;
        f.canvas.setSelection({f.node("layer1_bn1"), f.node("relu")}, false);
        f.click(f.atWorld(55, 246));
        QCOMPARE(f.selected(), QStringList{"relu"}); // what went out of sight is not erased by the next key
    }
    void header_doubleClick_asksToClose() {
        CanvasFixture f;
        QSignalSpy toggled(&f.canvas, &ui::GraphCanvas::groupToggled);
        QTest::mouseDClick(&f.canvas, Qt::LeftButton, {}, f.atWorld(300, 246));
        QCOMPARE(toggled.count(), 1);
    }
    void closedGroup_doubleClickAndEnter_askToOpen() {
        CanvasFixture f(sample::small(false));
        QSignalSpy toggled(&f.canvas, &ui::GraphCanvas::groupToggled);
        QTest::mouseDClick(&f.canvas, Qt::LeftButton, {}, f.atWorld(250, 262));
        QCOMPARE(toggled.count(), 1);
        QCOMPARE(toggled[0][1].toBool(), true);
        f.click(f.atWorld(250, 262));
        QTest::keyClick(&f.canvas, Qt::Key_Enter);
        QCOMPARE(toggled.count(), 2);
    }
    void toggle_animated_endsAndKeepsTheHeaderInPlace() {
        CanvasFixture f;
        const QPoint chevron = f.atWorld(55, 246);
        const auto closed = sample::small(false);
        connect(&f.canvas, &ui::GraphCanvas::groupToggled, this, [&] { f.show(closed.picture, true); });
        const auto corner = [&] {
            const auto& scene = f.canvas.scene();
            return f.canvas.camera().toScreen(scene.rect(scene.groupByPath("layer1"))).topLeft();
        };
        const QPointF before = corner();
        f.click(chevron);
        for (const auto* animation : f.canvas.findChildren<QVariantAnimation*>())
            QVERIFY(animation->totalDuration() <= 250);
        QVERIFY(testing::settle());
        QVERIFY(QLineF(corner(), before).length() < 0.01);
        QVERIFY(f.canvas.scene().itemOf(f.node("add")) == ui::kNoItem);
        // After the animation the picture is what a canvas without animation shows.
        CanvasFixture still(sample::small(false));
        const ui::Scene& drawn = still.canvas.scene();
        still.click(still.canvas.camera().toScreen(drawn.rect(drawn.groupByPath("layer1"))).center().toPoint());
        still.canvas.setCamera(f.canvas.camera());
        f.canvas.clearFocus(), still.canvas.clearFocus();
        QTRY_COMPARE(f.grab(), still.grab());
    }
    /// As in the picture of a large model that fits in the view: the cuts are a few pixels apart.
    void handlesOfCuts_coverNoNodes_andNotEachOther() {
        CanvasFixture f;
        f.canvas.setZoom(0.2);
        f.canvas.centerOn({f.canvas.scene().picture().bounds.center().x, f.canvas.scene().picture().bounds.center().y});
        QVERIFY(testing::settle());
        auto bands = std::make_shared<ui::CanvasBands>();
        const fx::Rect& all = f.canvas.scene().picture().bounds;
        for (int i = 0; i < 6; ++i) {
            bands->bands.push_back({Qt::blue, i, "Stage"});
            const double apart = 5 / f.canvas.zoom();
            if (i < 5) bands->cuts.push_back({all.y + all.h * 0.4 + i * apart, "2 tensors · 1.2 MB"});
        }
        f.canvas.setBands(bands);
        std::vector<QRectF> handles;
        for (std::size_t i = 0; i < bands->cuts.size(); ++i) {
            const QRectF handle = f.canvas.cutHandle(i);
            QVERIFY(QRectF(f.canvas.rect()).contains(handle));
            QCOMPARE(qRound(handle.center().y()),
                     qRound(f.canvas.camera().toScreen(QPointF(0, bands->cuts[i].place)).y()));
            for (const QRectF& other : handles) QVERIFY(!handle.intersects(other));
            for (const fx::Node& node : f.graph.module->graph.nodes())
                QVERIFY(!handle.intersects(f.canvas.nodeRect(node.id())));
            handles.push_back(handle);
        }
    }
    void whatClosesWithItsGroup_isNotSelectedAnyMore() {
        CanvasFixture f;
        const auto both = [&f] { f.canvas.setSelection({f.node("relu"), f.node("layer1_bn1")}, false); };
        both();
        f.canvas.deselectIn(QStringLiteral("layer1"));
        QCOMPARE(f.selected(), QStringList{"relu"});
        both();
        f.canvas.deselectIn(QStringLiteral("another"));
        QCOMPARE(f.selected().size(), 2);
        f.canvas.deselectIn(); // all groups
        QCOMPARE(f.selected(), QStringList{"relu"});
    }
    void selection_survivesClosingAndOpening() {
        CanvasFixture f;
        f.click(f.at("layer1_bn1"));
        f.show(sample::small(false).picture, false);
        QCOMPARE(f.selected(), QStringList{"layer1_bn1"});
        f.show(sample::small(true).picture, false);
        QVERIFY(f.count(ui::theme().accent) > 100); // outlined again
    }
    void setSelection_ofHiddenNode_asksToReveal() {
        CanvasFixture f(sample::small(false));
        QSignalSpy asked(&f.canvas, &ui::GraphCanvas::revealRequested);
        f.canvas.setSelection({f.node("add")}, true);
        QCOMPARE(asked.count(), 1);
        f.canvas.setSelection({f.node("conv")}, true);
        QCOMPARE(asked.count(), 1);
    }
    void setSelection_unknownAndDoubleIds_dropOut() {
        CanvasFixture f;
        f.canvas.setSelection({f.node("add"), static_cast<fx::NodeId>(5000), f.node("conv"), f.node("add")}, false);
        QCOMPARE(f.selected(), (QStringList{"conv", "add"}));
        f.canvas.setSelection(f.graph.module->graph.order(), false); // the way of many
        QCOMPARE(f.canvas.selection(), f.graph.module->graph.order());
    }
    void keys_walkAlongEdges() {
        CanvasFixture f;
        f.click(f.at("layer1_bn1"));
        const auto press = [&](Qt::Key key) {
            QTest::keyClick(&f.canvas, key);
            return f.selected().join(' ');
        };
        QCOMPARE(press(Qt::Key_Up), QString("layer1_conv1"));
        QCOMPARE(press(Qt::Key_Up), QString("relu"));
        QCOMPARE(press(Qt::Key_Down), QString("layer1_conv1"));
        QCOMPARE(press(Qt::Key_Right), QString("add")); // both use relu
        QCOMPARE(press(Qt::Key_Left), QString("layer1_conv1"));
        QCOMPARE(press(Qt::Key_End), QString("output"));
        QCOMPARE(press(Qt::Key_Home), QString("x"));
        QTest::keyClick(&f.canvas, Qt::Key_Down, Qt::ShiftModifier);
        QCOMPARE(f.selected(), (QStringList{"x", "conv"}));
        QTest::keyClick(&f.canvas, Qt::Key_Escape);
        QVERIFY(f.selected().isEmpty());
    }
    void keys_walkThroughClosedGroup() {
        CanvasFixture f(sample::small(false));
        f.click(f.at("relu"));
        QTest::keyClick(&f.canvas, Qt::Key_Down);
        QCOMPARE(f.canvas.currentGroup(), QString("layer1"));
        QTest::keyClick(&f.canvas, Qt::Key_Down);
        QCOMPARE(f.selected(), QStringList{"mean"});
    }
    void hover_node_bringsOutItsNeighbours() {
        CanvasFixture f;
        QSignalSpy hovered(&f.canvas, &ui::GraphCanvas::hovered);
        const QColor plain = ui::theme().op(fx::Op::Placeholder).line;
        QVERIFY(f.count(plain) > 50);
        f.hover(f.at("layer1_bn1"));
        QTRY_VERIFY(f.count(plain) == 0);          // x is no neighbour: it steps back
        QVERIFY(f.count(ui::theme().accent) > 10); // its edges
        QVERIFY(f.count(ui::theme().op(fx::Op::CallModule).line) > 50);
        QCOMPARE(qvariant_cast<fx::NodeId>(hovered.last()[0]), f.node("layer1_bn1"));
        f.hover(f.atWorld(-150, 500));
        QTRY_VERIFY(f.count(plain) > 50);
    }
    void hover_nodeThatMovesAwayWithTheCamera_isOver() {
        CanvasFixture f;
        const QColor plain = ui::theme().op(fx::Op::Placeholder).line;
        f.hover(f.at("layer1_bn1"));
        QTRY_VERIFY(f.count(plain) == 0);
        f.canvas.centerOn(QPointF(-1500, 500)); // as a key does
        QVERIFY(testing::settle());
        f.canvas.fit();
        QVERIFY(testing::settle());
        QTRY_VERIFY(f.count(plain) > 50);
        f.hover({2, 2}); // the pointer is one for all tests
    }
    void doubleClick_edge_goesToTheFartherEnd() {
        CanvasFixture f;
        QTest::mouseDClick(&f.canvas, Qt::LeftButton, {}, f.atWorld(370, 330)); // relu → add, near relu
        QCOMPARE(f.selected(), QStringList{"add"});
    }
    void stub_click_goesToTheOtherEnd() {
        CanvasFixture f;
        f.click(f.atWorld(300, 766 - 10 - 8)); // the label above output
        QCOMPARE(f.selected(), QStringList{"x"});
    }
    void contextMenu_onNode_selectsAndAsks() {
        CanvasFixture f;
        QSignalSpy asked(&f.canvas, &ui::GraphCanvas::contextMenuRequested);
        QContextMenuEvent event(QContextMenuEvent::Mouse, f.at("add"), f.canvas.mapToGlobal(f.at("add")));
        QCoreApplication::sendEvent(&f.canvas, &event);
        QCOMPARE(asked.count(), 1);
        QCOMPARE(qvariant_cast<fx::NodeId>(asked[0][1]), f.node("add"));
        QCOMPARE(f.selected(), QStringList{"add"});
    }
    void describe_node_saysEverything() {
        CanvasFixture f;
        const QString text = f.canvas.describe(f.node("add"));
        QVERIFY2(text.startsWith("add\nadd\n"), qPrintable(text));
        QVERIFY2(text.contains("call_function"), qPrintable(text));
        QVERIFY2(text.contains("operator.add"), qPrintable(text));
        QVERIFY2(text.contains("(layer1_conv2, relu)"), qPrintable(text));
        QVERIFY2(text.contains("module: layer1 (BasicBlock)"), qPrintable(text));
        fx::NodeMeta meta;
        meta.stackTrace = "  File \"/home/me/net.py\", line 12, in forward\n    y = x + self.conv2(z)\n";
        meta.values = {{"torch.float32", {"1", "64"}, {}, "cpu", true, false}};
        f.graph.module->graph.setMeta(f.node("add"), std::make_shared<const fx::NodeMeta>(meta));
        const QString known = f.canvas.describe(f.node("add"));
        QVERIFY2(known.contains("source: net.py:12  y = x + self.conv2(z)"), qPrintable(known));
        QVERIFY2(known.contains("1×64 torch.float32"), qPrintable(known));
    }
    void accessible_description_followsTheKeyboard() {
        CanvasFixture f;
        f.click(f.at("conv"));
        QVERIFY(f.canvas.accessibleDescription().startsWith("conv\n"));
        QTest::keyClick(&f.canvas, Qt::Key_Down);
        QVERIFY(f.canvas.accessibleDescription().startsWith("relu\n"));
    }
    void styler_coloursAndBadges_areDrawn() {
        CanvasFixture f;
        ui::NodeStyle style;
        style.fill = QColor(12, 200, 90), style.line = QColor(1, 2, 3), style.badge = "refused", style.struck = true;
        f.canvas.setNodeStyler([&](fx::NodeId id) { return id == f.node("conv") ? &style : nullptr; });
        QVERIFY(f.count(style.fill) > 1000);
        f.canvas.setNodeStyler({});
        QCOMPARE(f.count(style.fill), 0);
    }
    void marks_areDrawnOverAnyColours_failingNodesKeepThoseOfTheirKind() {
        CanvasFixture f;
        const ui::NodeMark fails{ui::NodeMark::Kind::Fails, "fails", "its input has no third dimension"};
        f.canvas.setCamera({QPointF(0, -50), 1.0});
        const ui::Theme& theme = ui::theme();
        QCOMPARE(f.count(theme.error.line), 0);
        const int kind = f.count(theme.op(fx::Op::CallModule).fill);
        f.canvas.setNodeMarker([&](fx::NodeId id) { return id == f.node("conv") ? &fails : nullptr; });
        QVERIFY(f.count(theme.error.line) > 200); // pill and dashes
        QVERIFY(f.count(theme.op(fx::Op::CallModule).fill) > kind - 800);
        QVERIFY(f.canvas.describe(f.node("conv")).endsWith("fails: its input has no third dimension"));
        f.canvas.setCamera({QPointF(0, -50), 0.2});
        QVERIFY(f.count(theme.error.line) > 4);
        f.canvas.setNodeMarker({});
        QCOMPARE(f.count(theme.error.line), 0);
    }
    void marks_areDrawnOverTheRingOfTheSelection() {
        CanvasFixture f;
        const ui::NodeMark fresh{ui::NodeMark::Kind::New, "new", {}};
        f.canvas.setCamera({QPointF(0, -50), 1.0});
        f.canvas.setNodeMarker([&](fx::NodeId id) { return id == f.node("conv") ? &fresh : nullptr; });
        const int whole = f.count(ui::theme().ok.line);
        QVERIFY(whole > 100);
        f.click(f.at("conv"));
        QVERIFY(testing::settle());
        QCOMPARE(f.selected(), QStringList{QStringLiteral("conv")});
        f.canvas.setCamera({QPointF(0, -50), 1.0});
        QCOMPARE(f.count(ui::theme().ok.line), whole);
    }
    void names_ofGroups_coverNoNode_data() {
        QTest::addColumn<double>("zoom");
        for (const double zoom : {0.6, 0.39, 0.3, 0.2, 0.12}) QTest::addRow("%.2f", zoom) << zoom;
    }
    void names_ofGroups_coverNoNode() {
        QFETCH(double, zoom);
        CanvasFixture f(sample::large(60));
        // Whatever is drawn in a node's box keeps its border: the upper left corner shows the stripe's colour.
        f.canvas.setCamera({QPointF(-40, -40), zoom});
        const QImage drawn = f.canvas.grab().toImage();
        for (const fx::NodeItem& node : f.canvas.scene().picture().nodes) {
            const QRectF box = f.canvas.camera().toScreen(node.rect);
            if (!QRectF(f.canvas.rect()).contains(box)) continue;
            const fx::Op op = f.canvas.scene().op(f.canvas.scene().itemOf(node.node));
            const QColor stripe = drawn.pixelColor(QPointF(box.left() + 0.5, box.center().y()).toPoint());
            QVERIFY2(qAbs(stripe.hue() - ui::theme().op(op).line.hue()) < 30,
                     qPrintable(QStringLiteral("%1: %2").arg(QString::fromStdString(node.title), stripe.name())));
        }
    }
    void emptyPicture_everything_isHarmless() {
        CanvasFixture f;
        f.show(std::make_shared<fx::Picture>(), true);
        for (Qt::Key key :
             {Qt::Key_Home, Qt::Key_End, Qt::Key_Down, Qt::Key_Return, Qt::Key_F, Qt::Key_0, Qt::Key_Plus})
            QTest::keyClick(&f.canvas, key);
        f.click({400, 300});
        f.hover({300, 300});
        QVERIFY(testing::settle());
        QVERIFY(f.count(ui::theme().canvas) == 1000 * 800);
    }
};

QTEST_MAIN(TestGraphCanvas)
#include "tst_graph_canvas.moc"
