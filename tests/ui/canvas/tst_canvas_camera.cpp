// SPDX-License-Identifier: GPL-3.0-or-later
// Zooming and panning with real wheel, mouse and key events.
#include "tests/ui/canvas/canvas_fixture.h"

class TestCanvasCamera : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void firstScene_small_isFitted() {
        CanvasFixture f;
        const QRectF drawn = f.canvas.camera().toScreen(f.graph.picture->bounds);
        QVERIFY(QRectF(f.canvas.rect()).contains(drawn));
        QVERIFY(drawn.height() > 600);
    }
    void firstScene_large_startsReadableAtTheTop() {
        CanvasFixture f(sample::large(5000));
        QVERIFY(f.canvas.zoom() >= 0.8);
        const QRectF drawn = f.canvas.camera().toScreen(f.graph.picture->bounds);
        QVERIFY(drawn.top() > 0);
        QVERIFY(drawn.top() < 100);
    }
    /// A picture of which the middle is empty: two columns far from each other, and the input below what is seen.
    static std::shared_ptr<const fx::Picture> apart(const fx::Picture& of) {
        auto picture = std::make_shared<fx::Picture>(of);
        constexpr double kWide = 40'000, kHigh = 30'000;
        for (std::size_t i = 0; i < picture->nodes.size(); ++i) {
            fx::Rect& r = picture->nodes[i].rect;
            r.x = i % 2 ? kWide - r.w : 0, r.y = i == 0 ? kHigh / 2 : double(i - 1) * 100;
        }
        picture->edges.clear();
        picture->bounds = {0, 0, kWide, kHigh};
        return picture;
    }
    static bool seesANode(const CanvasFixture& f) {
        const ui::Scene& scene = f.canvas.scene();
        for (ui::ItemIndex item = 0; item < scene.itemCount(); ++item)
            if (!(scene.isGroup(item) && scene.group(item).expanded) &&
                QRectF(f.canvas.rect()).intersects(f.canvas.camera().toScreen(scene.rect(item))))
                return true;
        return false;
    }
    void emptyMiddle_aNodeIsSeen_firstAndWhenManyAreShown() {
        CanvasFixture f(sample::small(false));
        f.canvas.setScene(ui::Scene::make(nullptr, nullptr), false);
        f.show(apart(*f.graph.picture), false);
        QVERIFY(f.canvas.zoom() >= 0.5); // not all of it
        QVERIFY(seesANode(f));
        f.canvas.centerOn({20'000, 15'000});
        QVERIFY(!seesANode(f));
        f.canvas.revealNodes(f.graph.module->graph.order());
        QVERIFY(testing::settle());
        QVERIFY(seesANode(f));
    }
    /// The first nodes of a picture, as after nodes became one or groups were closed.
    static std::shared_ptr<const fx::Picture> beginningOf(const fx::Picture& of) {
        auto picture = std::make_shared<fx::Picture>(of);
        picture->nodes.resize(3);
        picture->groups.clear(), picture->edges.clear(), picture->stubLabels.clear();
        picture->bounds = picture->nodes[0].rect;
        for (fx::NodeItem& item : picture->nodes) {
            item.group = fx::kNoGroup;
            const double right = std::max(picture->bounds.right(), item.rect.right());
            const double bottom = std::max(picture->bounds.bottom(), item.rect.bottom());
            picture->bounds.w = right - picture->bounds.x, picture->bounds.h = bottom - picture->bounds.y;
        }
        return picture;
    }
    void shrunkPicture_isStillSeen() {
        for (const bool whole : {false, true}) {
            CanvasFixture f(sample::large(5000));
            if (whole) f.canvas.fit();
            else f.canvas.centerOn({f.graph.picture->nodes.back().rect.x, f.graph.picture->nodes.back().rect.y});
            QVERIFY(testing::settle());
            QVERIFY(seesANode(f));
            f.show(beginningOf(*f.graph.picture), true);
            QVERIFY(testing::settle());
            QVERIFY(seesANode(f));
            QVERIFY2(f.canvas.zoom() > 0.1, qPrintable(QString::number(f.canvas.zoom())));
        }
    }
    void keptLook_elsewhere_isBroughtToThePicture() {
        CanvasFixture f;
        for (const QPointF at : {QPointF(1e300, -1e300), QPointF(-1e9, 1e9)})
            for (const double zoom : {1e-9, 1.0, 1e300}) {
                f.canvas.lookAt(at, zoom);
                QVERIFY2(seesANode(f), qPrintable(QString::number(zoom)));
                QVERIFY(f.canvas.zoom() > 0.2);
            }
        f.canvas.fit();
        QVERIFY(testing::settle());
        const ui::Camera kept = f.canvas.camera();
        f.canvas.lookAt(kept.toWorld(QRectF(f.canvas.rect()).center()), kept.zoom); // what is sensible stays
        QVERIFY(QLineF(f.canvas.camera().origin, kept.origin).length() < 1);
        QCOMPARE(f.canvas.zoom(), kept.zoom);
    }
    void wheel_zoomsAndKeepsThePointUnderThePointer() {
        CanvasFixture f;
        const QPoint pointer(330, 210);
        const QPointF world = f.canvas.camera().toWorld(pointer);
        const double zoom = f.canvas.zoom();
        f.wheel(pointer, 120);
        f.wheel(pointer, 240);
        QVERIFY(testing::settle());
        QVERIFY(qAbs(f.canvas.zoom() / zoom - 1.2 * 1.2 * 1.2) < 0.01); // adds up while it moves
        QVERIFY(QLineF(f.canvas.camera().toScreen(world), pointer).length() < 0.01);
        f.wheel(pointer, -360, Qt::ControlModifier);
        QVERIFY(testing::settle());
        QVERIFY(qAbs(f.canvas.zoom() - zoom) < 0.01);
        QVERIFY(QLineF(f.canvas.camera().toScreen(world), pointer).length() < 0.01);
    }
    void wheel_shift_pansSideways() {
        CanvasFixture f;
        const ui::Camera before = f.canvas.camera();
        f.wheel({300, 300}, 120, Qt::ShiftModifier);
        QCOMPARE(f.canvas.zoom(), before.zoom);
        QVERIFY(f.canvas.camera().origin.x() < before.origin.x());
        QCOMPARE(f.canvas.camera().origin.y(), before.origin.y());
    }
    void wheel_tilted_pansSideways() {
        CanvasFixture f;
        const ui::Camera before = f.canvas.camera();
        f.tilt({300, 300}, 120);
        QCOMPARE(f.canvas.zoom(), before.zoom);
        QVERIFY(f.canvas.camera().origin.x() < before.origin.x());
        QCOMPARE(f.canvas.camera().origin.y(), before.origin.y());
    }
    void wheel_finePixels_pans() {
        CanvasFixture f;
        const ui::Camera before = f.canvas.camera();
        f.wheel({300, 300}, 30, {}, {8, -20});
        QVERIFY(QLineF((before.origin - f.canvas.camera().origin) * before.zoom, QPointF(8, -20)).length() < 0.001);
    }
    void resizedWhileHidden_whatWasInTheMiddleStaysThere() {
        CanvasFixture f;
        f.canvas.zoomIn();
        QVERIFY(testing::settle());
        const auto middle = [&] { return f.canvas.camera().toWorld(QRectF(f.canvas.rect()).center()); };
        const QPointF before = middle();
        f.canvas.hide();
        f.canvas.resize(700, 500);
        f.canvas.show();
        QVERIFY(QTest::qWaitForWindowExposed(&f.canvas));
        QVERIFY2(QLineF(middle(), before).length() < 1, qPrintable(QString::number(QLineF(middle(), before).length())));
        f.canvas.resize(900, 600);
        QTRY_VERIFY(QLineF(middle(), before).length() < 1);
    }
    void zoom_hasLimits() {
        CanvasFixture f;
        f.wheel({300, 300}, 120 * 60);
        QVERIFY(testing::settle());
        QCOMPARE(f.canvas.zoom(), 4.0);
        f.wheel({300, 300}, -120 * 200);
        QVERIFY(testing::settle());
        QVERIFY(f.canvas.zoom() > 0.01);
    }
    void drag_middleButton_pans() {
        CanvasFixture f;
        const QPointF world = f.canvas.camera().toWorld(QPointF(400, 300));
        f.drag({400, 300}, {520, 250}, Qt::MiddleButton);
        QVERIFY(QLineF(f.canvas.camera().toScreen(world), QPointF(520, 250)).length() < 0.01);
    }
    void drag_withSpace_pansEvenFromANode() {
        CanvasFixture f;
        const QPoint from = f.at("add");
        const QPointF world = f.canvas.camera().toWorld(from);
        QTest::keyPress(&f.canvas, Qt::Key_Space);
        f.drag(from, from + QPoint(-60, 40));
        QTest::keyRelease(&f.canvas, Qt::Key_Space);
        QVERIFY(QLineF(f.canvas.camera().toScreen(world), from + QPointF(-60, 40)).length() < 0.01);
        QVERIFY(f.selected().isEmpty());
    }
    void keys_zoom() {
        CanvasFixture f;
        QTest::keyClick(&f.canvas, Qt::Key_1);
        QVERIFY(testing::settle());
        QCOMPARE(f.canvas.zoom(), 1.0);
        QTest::keyClick(&f.canvas, Qt::Key_Plus);
        QVERIFY(testing::settle());
        QCOMPARE(f.canvas.zoom(), 1.25);
        QTest::keyClick(&f.canvas, Qt::Key_Minus);
        QVERIFY(testing::settle());
        QVERIFY(qAbs(f.canvas.zoom() - 1) < 1e-9);
        f.click(f.at("conv"));
        QTest::keyClick(&f.canvas, Qt::Key_F);
        QVERIFY(testing::settle());
        QVERIFY(QLineF(f.at("conv"), QPointF(500, 400)).length() < 3);
        QTest::keyClick(&f.canvas, Qt::Key_0);
        QVERIFY(testing::settle());
        QVERIFY(QRectF(f.canvas.rect()).contains(f.canvas.camera().toScreen(f.graph.picture->bounds)));
    }
    void reveal_nodeOutOfSight_bringsItIn() {
        CanvasFixture f(sample::large(5000));
        f.canvas.setCamera({QPointF(0, 0), 0.8});
        const auto far = f.graph.module->graph.order().back();
        f.canvas.revealNode(far);
        QVERIFY(testing::settle());
        const auto& scene = f.canvas.scene();
        QVERIFY(QRectF(f.canvas.rect()).contains(f.canvas.camera().toScreen(scene.rect(scene.itemOf(far)))));
        const ui::Camera before = f.canvas.camera();
        f.canvas.revealNode(far); // already seen: nothing moves
        QVERIFY(testing::settle());
        QCOMPARE(f.canvas.camera().origin, before.origin);
    }
    void resize_untouched_fitsAgain_touched_keepsTheMiddle() {
        CanvasFixture f;
        f.canvas.resize(900, 760);
        QCoreApplication::processEvents();
        QVERIFY(QRectF(f.canvas.rect()).contains(f.canvas.camera().toScreen(f.graph.picture->bounds)));
        QTest::keyClick(&f.canvas, Qt::Key_1);
        QVERIFY(testing::settle());
        const QPointF middle = f.canvas.camera().toWorld(QPointF(450, 380));
        f.canvas.resize(900, 700);
        QCoreApplication::processEvents();
        QVERIFY(QLineF(f.canvas.camera().toScreen(middle), QPointF(450, 350)).length() < 0.01);
    }
    void fit_afterTheViewBecameSmall_showsAll() {
        CanvasFixture f(sample::large(5000));
        f.canvas.resize(160, 90);
        QCoreApplication::processEvents();
        f.canvas.fit();
        QVERIFY(testing::settle());
        QVERIFY(QRectF(f.canvas.rect()).contains(f.canvas.camera().toScreen(f.graph.picture->bounds)));
    }
    void edit_untouched_keepsScaleAndWhatIsInTheMiddle() {
        CanvasFixture f;
        const QPoint relu = f.at("layer1_relu");
        const double zoom = f.canvas.zoom();
        sample::Sample edited = sample::small(true);
        edited.module->graph.rename(edited.module->graph.find("mean"), "average");
        for (fx::NodeItem& node : edited.picture->nodes) node.rect.y += 900;
        edited.picture->bounds.h += 900;
        f.graph = edited;
        f.canvas.setGraph(edited.module);
        f.show(edited.picture, true);
        QVERIFY(testing::settle());
        QCOMPARE(f.canvas.zoom(), zoom);
        QVERIFY(QLineF(f.at("layer1_relu"), relu).length() < 2);
    }
    void growing_untouched_isFittedAgain_touched_keepsTheScale() {
        CanvasFixture f;
        f.canvas.setGrowing(true);
        const auto grow = [&] {
            const sample::Sample next = sample::large(60);
            f.canvas.setGraph(next.module);
            f.show(next.picture, true);
            (void)testing::settle();
            return next;
        };
        const double zoom = f.canvas.zoom();
        const sample::Sample next = grow();
        QVERIFY(f.canvas.zoom() < zoom);
        QVERIFY(f.canvas.camera().toScreen(next.picture->bounds).top() >= 0);
        f.canvas.setZoom(1);
        f.wheel({500, 400}, 240);
        QVERIFY(testing::settle());
        const double chosen = f.canvas.zoom();
        grow();
        QCOMPARE(f.canvas.zoom(), chosen);
    }
    void shapes_untouched_looksAtTheBeginningAgain() {
        CanvasFixture f;
        const double top = f.canvas.camera().toScreen(f.graph.picture->bounds).top();
        sample::Sample known = sample::small(true);
        for (fx::NodeItem& node : known.picture->nodes) node.rect.y += 900;
        known.picture->bounds.y += 900;
        f.canvas.setGraph(known.module);
        f.show(known.picture, true);
        QVERIFY(testing::settle());
        QVERIFY(qAbs(f.canvas.camera().toScreen(known.picture->bounds).top() - top) < 2);
    }
    void edit_whileAllIsSeen_keepsTheScale() {
        CanvasFixture f(sample::large(5000));
        f.canvas.fit();
        QVERIFY(testing::settle());
        const double zoom = f.canvas.zoom();
        QVERIFY(zoom < 0.3);
        const sample::Sample edited = sample::large(5000);
        f.canvas.setGraph(edited.module);
        f.show(edited.picture, true);
        QVERIFY(testing::settle());
        QCOMPARE(f.canvas.zoom(), zoom);
    }
    void edit_whatIsInTheMiddleGoes_theNextStaysInPlace() {
        CanvasFixture f;
        QTest::keyClick(&f.canvas, Qt::Key_1);
        QVERIFY(testing::settle());
        const ui::Scene& scene = f.canvas.scene();
        const fx::Rect gone = scene.rect(scene.itemOf(f.node("layer1_relu")));
        f.canvas.centerOn({gone.center().x, gone.center().y});
        const QPoint next = f.at("layer1_conv2");
        sample::Sample edited = sample::small(true);
        auto& nodes = edited.picture->nodes;
        for (fx::NodeItem& node : nodes) {
            if (node.title == "layer1_relu") node.node = edited.module->graph.order().back(); // not drawn any more
            node.rect.y += 900;
        }
        f.graph = edited;
        f.canvas.setGraph(edited.module);
        f.show(edited.picture, true);
        QVERIFY(testing::settle());
        QVERIFY(QLineF(f.at("layer1_conv2"), next).length() < 2);
    }
    void between_cameras_startsAndEndsExactly() {
        const ui::Camera a{QPointF(10, 20), 0.2}, b{QPointF(900, 700), 1.5};
        const QSizeF view(800, 600);
        for (const auto& [t, expected] : {std::pair{0.0, a}, std::pair{1.0, b}}) {
            const ui::Camera c = ui::Camera::between(a, b, view, t);
            QVERIFY(QLineF(c.origin, expected.origin).length() < 1e-6);
            QVERIFY(qAbs(c.zoom - expected.zoom) < 1e-9);
        }
    }
};

QTEST_MAIN(TestCanvasCamera)
#include "tst_canvas_camera.moc"
