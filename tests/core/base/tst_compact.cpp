// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/base/blocks.h"
#include "core/base/id_list.h"
#include "core/base/name_hash.h"
#include "core/base/name_index.h"
#include "core/base/pointer_set.h"
#include "core/base/rare.h"

#include <QTest>
#include <algorithm>
#include <numeric>
#include <set>
#include <string>

/// Containers that save memory where there are millions of them.
class TestCompact : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void blocks_manyValues_areWhereTheyWerePut() {
        fx::Blocks<int, 16> blocks;
        for (int i = 0; i < 1000; ++i) blocks.push_back(i);
        const int* first = &blocks[0];
        blocks.push_back(1000);
        QCOMPARE(&blocks[0], first);
        for (int i = 0; i <= 1000; ++i) QCOMPARE(blocks[static_cast<std::size_t>(i)], i);
        const fx::Blocks<int, 16> moved = std::move(blocks);
        QCOMPARE(moved.size(), 1001u);
        QCOMPARE(moved[1000], 1000);
    }
    void blocks_appendedAcrossBlocks_areInOrder() {
        fx::Blocks<int, 16> blocks;
        std::vector<int> part;
        for (int size = 0, next = 0; size < 50; ++size) {
            part.resize(static_cast<std::size_t>(size));
            std::iota(part.begin(), part.end(), next);
            blocks.append(part);
            blocks.push_back(next + size);
            next += size + 1;
        }
        for (std::size_t i = 0; i < blocks.size(); ++i) QCOMPARE(blocks[i], static_cast<int>(i));
        QCOMPARE(blocks.size(), std::size_t{50 * 49 / 2 + 50});
    }
    void pointerSet_manyAddresses_areTakenOnce() {
        const std::vector<int> values(5000);
        fx::PointerSet set;
        for (std::size_t i = 0; i < values.size(); i += 2) QVERIFY(set.insert(&values[i]));
        for (std::size_t i = 0; i < values.size(); ++i) QCOMPARE(set.insert(&values[i]), i % 2 == 1);
        for (const int& value : values) QVERIFY(!set.insert(&value));
    }
    void idList_anyLength_copiesAndAssigns() {
        for (unsigned length = 0; length < 9; ++length) {
            std::vector<unsigned> ids;
            for (unsigned i = 0; i < length; ++i) ids.push_back(7 * i);
            const fx::IdList<unsigned> list(ids);
            fx::IdList<unsigned> copy(list), other(std::vector<unsigned>{1, 2, 3, 4, 5});
            other = copy;
            copy = fx::IdList<unsigned>();
            QVERIFY(copy.span().empty());
            QVERIFY(std::equal(other.span().begin(), other.span().end(), ids.begin(), ids.end()));
            QVERIFY(std::equal(list.span().begin(), list.span().end(), ids.begin(), ids.end()));
        }
    }
    void rare_valueAndNothing_areTold() {
        fx::Rare<std::string> rare;
        QCOMPARE(rare.get(), std::string());
        rare.set("text");
        const fx::Rare<std::string> copy = rare;
        rare.set("");
        QCOMPARE(rare.get(), std::string());
        QCOMPARE(copy.get(), std::string("text"));
        rare = copy;
        QCOMPARE(rare.get(), std::string("text"));
    }
    void nameIndex_manyNames_firstOneCounts() {
        std::vector<std::string> names;
        for (int i = 0; i < 3000; ++i) names.push_back((i % 3 ? "layer" : "conv_") + std::to_string(i));
        fx::NameIndex index;
        QCOMPARE(index.find("layer1"), fx::NameIndex::kNone);
        for (std::uint32_t i = 0; i < 3000; ++i) QCOMPARE(index.enter(names[i], i), i);
        index.reserve(10'000);
        QCOMPARE(index.enter("layer1", 9), 1u);
        for (std::uint32_t i = 0; i < 3000; ++i) QCOMPARE(index.find(names[i]), i);
        QCOMPARE(index.find("layer3000"), fx::NameIndex::kNone);
        QCOMPARE(index.size(), 3000u);
    }
    void nameHash_numbersOfOneText_areNeighbours() {
        for (unsigned i = 8; i < 800; ++i) {
            const std::uint32_t hash = fx::nameHash("relu_" + std::to_string(i));
            QCOMPARE(hash & 7, i & 7);
            QCOMPARE(hash - (i & 7), fx::nameHash("relu_" + std::to_string(i & ~7u)));
        }
    }
    void nameHash_differentTexts_rarelyCollide() {
        std::set<std::uint32_t> seen;
        std::size_t count = 0;
        for (const std::string text :
             {"", "a", "relu_", "relu__", "layers_0_conv", "a_name_of_more_than_sixteen_bytes_"})
            for (unsigned i = 0; i < 2000; ++i, ++count)
                seen.insert(fx::nameHash(text + std::to_string(i) + text + "x"));
        QVERIFY(seen.size() > count - 10);
    }
};

QTEST_APPLESS_MAIN(TestCompact)
#include "tst_compact.moc"
