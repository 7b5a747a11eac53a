// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/cow_map.h"

#include <QtTest>

#include <thread>

/// Containers that copies share: what one copy writes the other never sees.
class TestCow : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void chunks_writtenCopy_leavesTheOther() {
        fx::CowChunks<int, 4> original;
        for (int i = 0; i < 1000; ++i) original.push(i);
        auto copy = original;
        copy.mut(700) = -1;
        copy.push(1000);
        original.mut(3) = -2;
        QCOMPARE(original[700], 700);
        QCOMPARE(copy[3], 3);
        QCOMPARE(original.size(), 1000u);
        QCOMPARE(copy[1000], 1000);
        for (std::size_t i = 4; i < 1000; ++i)
            if (i != 700) QCOMPARE(&original[i] == &copy[i], i / 4 != 700 / 4);
    }
    void chunks_pushedOnBothCopies_stayApart() {
        fx::CowChunks<int, 4> a;
        for (int i = 0; i < 256; ++i) a.push(i); // exactly one branch
        auto b = a;
        a.push(1);
        b.push(2);
        QCOMPARE(a[256], 1);
        QCOMPARE(b[256], 2);
    }
    void chunks_ofVersions_whatDiffersIsVisited() {
        fx::CowChunks<int, 4> original;
        for (int i = 0; i < 1000; ++i) original.push(i);
        const auto visited = [&](const fx::CowChunks<int, 4>& other) {
            std::vector<std::size_t> all;
            fx::CowChunks<int, 4>::visitUnshared(original, other, [&](std::size_t i) { all.push_back(i); });
            return all;
        };
        auto copy = original;
        QVERIFY(visited(copy).empty());
        copy.mut(2) = -1, copy.mut(701) = -1;
        QCOMPARE(visited(copy), (std::vector<std::size_t>{0, 1, 2, 3, 700, 701, 702, 703}));
        auto longer = original;
        longer.push(1000), longer.push(1001);
        QCOMPARE(visited(longer), (std::vector<std::size_t>{1000, 1001}));
        QCOMPARE(visited({}).size(), 1000u);
        auto branches = longer;
        for (int i = 0; i < 24; ++i) original.push(i), branches.push(i); // to and beyond the end of a branch
        QCOMPARE(visited(branches).size(), 26u);
    }
    void map_manyKeys_areFound() {
        fx::CowMap<int> map;
        QCOMPARE(map.find("a"), map.kNone);
        for (int i = 0; i < 20000; ++i) map.mut(map.enter("key_" + std::to_string(i))) = i;
        QCOMPARE(map.size(), 20000u);
        for (int i = 0; i < 20000; ++i) QCOMPARE(map[map.find("key_" + std::to_string(i))], i);
        QCOMPARE(map.find("key_20000"), map.kNone);
        QCOMPARE(map.key(7), std::string("key_7"));
        QCOMPARE(map.enter("key_7"), 7u);
    }
    void map_writtenCopy_leavesTheOther() {
        fx::CowMap<int> map;
        for (int i = 0; i < 100; ++i) map.enter(std::to_string(i));
        auto copy = map;
        copy.mut(copy.find("5")) = 50;
        for (int i = 100; i < 5000; ++i) copy.enter(std::to_string(i)); // grows its table
        QCOMPARE(map[map.find("5")], 0);
        QCOMPARE(map.find("4000"), map.kNone);
        QCOMPARE(map.size(), 100u);
    }
};

QTEST_APPLESS_MAIN(TestCow)
#include "tst_cow.moc"
