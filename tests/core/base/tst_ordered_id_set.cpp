// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/ordered_id_set.h"

#include <QTest>
#include <algorithm>
#include <random>

enum class Id : std::uint32_t {};

class TestOrderedIdSet : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void randomEdits_anySize_equalsPlainList_data() {
        QTest::addColumn<int>("limit");
        QTest::newRow("few") << 3;
        QTest::newRow("around those that need no memory") << 5;
        QTest::newRow("small") << 10;
        QTest::newRow("around the index") << 30;
        QTest::newRow("large") << 500;
    }
    void randomEdits_anySize_equalsPlainList() {
        QFETCH(int, limit);
        std::mt19937 random(7);
        fx::OrderedIdSet<Id> set;
        std::vector<Id> expected;
        for (int step = 0; step < 5000; ++step) {
            const auto id = static_cast<Id>(random() % static_cast<unsigned>(limit));
            const auto at = std::find(expected.begin(), expected.end(), id);
            QCOMPARE(set.contains(id), at != expected.end());
            if (random() % 2) {
                if (at == expected.end()) expected.push_back(id);
                set.add(id);
            } else {
                if (at != expected.end()) expected.erase(at);
                set.remove(id);
            }
            QCOMPARE(set.size(), expected.size());
            QVERIFY(std::equal(set.begin(), set.end(), expected.begin(), expected.end()));
        }
        const fx::OrderedIdSet<Id> copy = set;
        QVERIFY(std::equal(copy.begin(), copy.end(), expected.begin(), expected.end()));
        QVERIFY(!copy.contains(static_cast<Id>(0xFFFFFFFFu)));
        fx::OrderedIdSet<Id> moved = std::move(set);
        QVERIFY(std::equal(moved.begin(), moved.end(), expected.begin(), expected.end()));
        moved = fx::OrderedIdSet<Id>();
        QVERIFY(moved.empty());
        QVERIFY(moved.begin() == moved.end());
    }
};

QTEST_APPLESS_MAIN(TestOrderedIdSet)
#include "tst_ordered_id_set.moc"
