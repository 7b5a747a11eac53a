// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/canvas/canvas_fixture.h"
#include "ui/canvas/minimap.h"

class TestMinimap : public QObject {
    Q_OBJECT
private:
    static int count(QWidget& widget, const QColor& color) {
        const QImage image = widget.grab().toImage();
        int n = 0;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x) n += image.pixelColor(x, y) == color;
        return n;
    }
private Q_SLOTS:
    void click_centresTheCanvasThere() {
        CanvasFixture f(sample::large(2000));
        ui::Minimap map;
        map.resize(220, 150);
        map.setCanvas(&f.canvas);
        map.show();
        QTest::mouseClick(&map, Qt::LeftButton, {}, {110, 75});
        const fx::Rect all = f.graph.picture->bounds, seen = f.canvas.visibleArea();
        QVERIFY(qAbs(seen.center().x - all.center().x) < all.w * 0.02);
        QVERIFY(qAbs(seen.center().y - all.center().y) < all.h * 0.02);
    }
    void drag_movesTheCanvas() {
        CanvasFixture f(sample::large(2000));
        ui::Minimap map;
        map.resize(220, 150);
        map.setCanvas(&f.canvas);
        map.show();
        QTest::mousePress(&map, Qt::LeftButton, {}, {110, 75});
        const double before = f.canvas.visibleArea().x;
        QMouseEvent move(QEvent::MouseMove, QPointF(90, 75), map.mapToGlobal(QPointF(90, 75)), Qt::NoButton,
                         Qt::LeftButton, {});
        QCoreApplication::sendEvent(&map, &move);
        QVERIFY(f.canvas.visibleArea().x < before - 100);
    }
    void coloursOfNodes_areThoseOfTheCanvas() {
        CanvasFixture f;
        ui::Minimap map;
        map.resize(220, 150);
        map.setCanvas(&f.canvas);
        map.show();
        const QImage empty = map.grab().toImage();
        QTRY_VERIFY(map.grab().toImage() != empty);
        ui::NodeStyle style;
        style.fill = style.line = QColor(250, 20, 130);
        const QImage before = map.grab().toImage();
        f.canvas.setNodeStyler([&](fx::NodeId) { return &style; });
        QTRY_VERIFY(map.grab().toImage() != before);
    }
    void changesInARow_areDrawnOnce() {
        CanvasFixture f;
        ui::Minimap map;
        map.resize(220, 150);
        map.setCanvas(&f.canvas);
        map.show();
        const QImage empty = map.grab().toImage();
        QTRY_VERIFY(map.grab().toImage() != empty);
        std::size_t asked = 0;
        for (int i = 0; i < 20; ++i) {
            f.canvas.setNodeStyler([&](fx::NodeId) -> const ui::NodeStyle* {
                ++asked;
                return nullptr;
            });
            map.grab(); // as each change is shown on the canvas at once
        }
        QCOMPARE(asked, std::size_t(0));
        QTRY_VERIFY(asked > 0);
        QVERIFY(asked <= 8 * f.canvas.scene().itemCount());
    }
    void paint_frameFollowsTheCanvas_andNoCanvasIsFine() {
        ui::Minimap map;
        map.resize(220, 150);
        map.show();
        QCOMPARE(count(map, ui::theme().accent), 0);
        CanvasFixture f(sample::large(2000));
        map.setCanvas(&f.canvas);
        QVERIFY(count(map, ui::theme().accent) > 20);
        map.setCanvas(nullptr);
        QCOMPARE(count(map, ui::theme().accent), 0);
    }
};

QTEST_MAIN(TestMinimap)
#include "tst_minimap.moc"
