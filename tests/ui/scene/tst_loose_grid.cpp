// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/scene/loose_grid.h"

#include <QTest>

#include <random>

using fx::Rect;

class TestLooseGrid : public QObject {
    Q_OBJECT
private:
    static std::vector<std::uint32_t> found(const ui::LooseGrid& grid, const Rect& area, double minSize = 0) {
        std::vector<std::uint32_t> result;
        grid.query(area, minSize, [&](std::uint32_t box) { result.push_back(box); });
        std::sort(result.begin(), result.end());
        return result;
    }
private Q_SLOTS:
    void query_empty_findsNothing() {
        QVERIFY(found(ui::LooseGrid(), {0, 0, 100, 100}).empty());
        QVERIFY(found(ui::LooseGrid(std::vector<Rect>{}), {0, 0, 100, 100}).empty());
    }
    void query_boxesOfAllSizes_equalsBruteForce() {
        std::mt19937 random(7);
        std::uniform_real_distribution<double> place(-50'000, 50'000), power(0, 16), one(0, 1);
        std::vector<Rect> boxes;
        for (int i = 0; i < 3000; ++i) {
            const double side = std::pow(2, power(random));
            boxes.push_back({place(random), place(random), side, side * one(random)});
        }
        const ui::LooseGrid grid(boxes);
        std::size_t total = 0;
        for (int i = 0; i < 200; ++i) {
            const double side = std::pow(2, power(random));
            const Rect area{place(random), place(random), side, side};
            const double minSize = i % 3 ? 0 : side / 20;
            std::vector<std::uint32_t> expected;
            for (std::uint32_t b = 0; b < boxes.size(); ++b)
                if (ui::touches(boxes[b], area) && std::max(boxes[b].w, boxes[b].h) >= minSize) expected.push_back(b);
            total += expected.size();
            QCOMPARE(found(grid, area, minSize), expected);
        }
        QVERIFY(total > 1000);
    }
    void query_farAwayAndHuge_staysExact() {
        const ui::LooseGrid grid(std::vector<Rect>{{-1e7, -1e7, 2e7, 2e7}, {6.9e6, 6.9e6, 200, 46}, {5, 5, 0, 0}});
        QCOMPARE(found(grid, {6.9e6 + 10, 6.9e6 + 10, 1, 1}), (std::vector<std::uint32_t>{0, 1}));
        QCOMPARE(found(grid, {5, 5, 0, 0}), (std::vector<std::uint32_t>{0, 2}));
        QCOMPARE(found(grid, {-1e12, -1e12, 2e12, 2e12}), (std::vector<std::uint32_t>{0, 1, 2}));
        QVERIFY(found(grid, {3e7, 3e7, 10, 10}).empty());
    }
};

QTEST_GUILESS_MAIN(TestLooseGrid)
#include "tst_loose_grid.moc"
