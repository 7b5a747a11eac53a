// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/canvas/edge_path.h"

#include <QTest>

using Points = std::vector<QPointF>;

class TestEdgeCurve : public QObject {
    Q_OBJECT
private:
    static constexpr QRectF kAll{-1e6, -1e6, 2e6, 2e6};
    static QPainterPath curve(const Points& points, fx::Direction direction = fx::Direction::TopDown) {
        QPainterPath path;
        ui::appendCurve(path, points, direction, kAll);
        return path;
    }
private Q_SLOTS:
    void curve_endsWhereThePointsEnd() {
        const QPainterPath path = curve({{0, 0}, {80, 50}, {80, 200}, {10, 260}});
        QCOMPARE(path.elementAt(0), QPointF(0, 0));
        QCOMPARE(path.currentPosition(), QPointF(10, 260));
    }
    void curve_leavesAndArrivesAlongTheDirection() {
        const QPainterPath down = curve({{0, 0}, {100, 80}});
        QCOMPARE(down.elementAt(1).x, 0.0);
        QCOMPARE(down.elementAt(2).x, 100.0);
        const QPainterPath right = curve({{0, 0}, {100, 80}}, fx::Direction::LeftRight);
        QCOMPARE(right.elementAt(1).y, 0.0);
        QCOMPARE(right.elementAt(2).y, 80.0);
    }
    void curve_neverSwingsWiderThanItsPoints() {
        const Points points{{0, 0}, {10, 30}, {200, 60}, {200, 160}, {-40, 190}, {-40, 300}};
        for (std::size_t i = 0; i + 1 < points.size(); ++i) {
            QPainterPath piece = curve(points);
            for (double t = 0; t <= 1; t += 0.002) {
                const QPointF p = piece.pointAtPercent(t);
                for (std::size_t k = 0; k + 1 < points.size(); ++k) {
                    if (p.y() < points[k].y() || p.y() > points[k + 1].y()) continue;
                    QVERIFY(p.x() >= std::min(points[k].x(), points[k + 1].x()) - 0.01);
                    QVERIFY(p.x() <= std::max(points[k].x(), points[k + 1].x()) + 0.01);
                }
            }
        }
    }
    void curve_alongOrAcross_isStraight() {
        const QPainterPath path = curve({{0, 0}, {0, 100}, {300, 100}});
        QCOMPARE(path.elementCount(), 3);
        QVERIFY(path.elementAt(1).isLineTo());
        QVERIFY(path.elementAt(2).isLineTo());
    }
    void curve_outsideTheClip_isLeftOut() {
        QPainterPath path;
        ui::appendCurve(path, Points{{0, 0}, {0, 1000}, {0, 2000}, {0, 3000}}, fx::Direction::TopDown,
                        QRectF(-10, 1100, 20, 50));
        QCOMPARE(path.boundingRect(), QRectF(0, 1000, 0, 1000));
    }
    void curve_fewerThanTwoPoints_isEmpty() {
        QVERIFY(curve({}).isEmpty());
        QVERIFY(curve({{3, 4}}).isEmpty());
    }
    void distance_straightAndCurved() {
        QVERIFY(qAbs(ui::distanceToCurve({7, 50}, Points{{0, 0}, {0, 100}}, fx::Direction::TopDown) - 7) < 0.01);
        QVERIFY(ui::distanceToCurve({50, 40}, Points{{0, 0}, {100, 80}}, fx::Direction::TopDown) < 0.5);
        QVERIFY(ui::distanceToCurve({300, 50}, Points{{0, 0}, {0, 100}}, fx::Direction::TopDown) > 100);
    }
};

QTEST_GUILESS_MAIN(TestEdgeCurve)
#include "tst_edge_curve.moc"
