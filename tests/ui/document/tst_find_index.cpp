// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/models.h"
#include "ui/document/find_index.h"

#include <QTest>

using namespace ui;

class TestFindIndex : public QObject {
    Q_OBJECT

    static QStringList names(const fx::GraphModule& net, const FindResult& result) {
        QStringList list;
        for (const fx::NodeId node : result.nodes) list << QString::fromStdString(net.graph.node(node).name());
        return list;
    }

private Q_SLOTS:
    void find_query_nodesInGraphOrder_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<bool>("regex");
        QTest::addColumn<bool>("caseSensitive");
        QTest::addColumn<QStringList>("expected");
        QTest::newRow("nothing") << "" << false << false << QStringList();
        QTest::newRow("name") << "rel" << false << false << QStringList{"relu"};
        QTest::newRow("any case") << "RELU" << false << false << QStringList{"relu"};
        QTest::newRow("case differs") << "RELU" << false << true << QStringList();
        QTest::newRow("target of a module") << "first.conv" << false << false << QStringList{"first_conv"};
        QTest::newRow("type") << "Conv2d" << false << false << QStringList{"first_conv"};
        QTest::newRow("dtype") << "float32" << false << false << QStringList{"relu"};
        QTest::newRow("shape") << "64×56" << false << false << QStringList{"relu"};
        QTest::newRow("field") << "target:torch" << false << false << QStringList{"relu"};
        QTest::newRow("other field") << "name:torch" << false << false << QStringList();
        QTest::newRow("unknown field is text") << "colour:red" << false << false << QStringList();
        QTest::newRow("several") << "e" << false << false << QStringList{"relu", "view"};
        QTest::newRow("regex") << "^(x|view)$" << true << false << QStringList{"x", "view"};
        QTest::newRow("regex over field ends") << "relu[^q]*" << true << false << QStringList{"relu"};
        QTest::newRow("regex in field") << "name:^[a-f]" << true << false << QStringList{"first_conv"};
        QTest::newRow("regex with case") << "conv2D" << true << true << QStringList();
    }
    void find_query_nodesInGraphOrder() {
        QFETCH(QString, text);
        QFETCH(bool, regex);
        QFETCH(bool, caseSensitive);
        QFETCH(QStringList, expected);
        const auto net = testing::smallNet();
        const auto index = FindIndex::build(*net);
        QCOMPARE(names(*net, index->find({text, regex, caseSensitive})), expected);
    }

    void find_exactName_isTheBest() {
        fx::GraphModule drops;
        for (const char* name : {"i_drop", "drop", "drop_1"}) drops.graph.placeholder(name);
        const auto index = FindIndex::build(drops);
        const FindResult found = index->find({QStringLiteral("drop")});
        QCOMPARE(found.nodes.size(), std::size_t(3));
        QCOMPARE(found.best, std::size_t(1));
        QCOMPARE(index->find({QStringLiteral("name:drop_1")}).best, std::size_t(0));
        QCOMPARE(index->find({QStringLiteral("dro")}).best, std::size_t(0));
    }

    void find_brokenRegex_saysWhy() {
        const auto index = FindIndex::build(*testing::smallNet());
        const FindResult result = index->find({QStringLiteral("re("), true, false});
        QVERIFY(result.nodes.empty());
        QVERIFY(!result.error.isEmpty());
    }

    void find_stopped_throwsCancelled() {
        const auto index = FindIndex::build(*testing::chain(5000));
        std::stop_source stop;
        stop.request_stop();
        QVERIFY_THROWS_EXCEPTION(fx::Error, index->find({QStringLiteral("e")}, fx::Progress(stop.get_token())));
    }

    void find_largeGraph_everyNodeOnce() {
        const auto net = testing::chain(100'000);
        const auto index = FindIndex::build(*net);
        QBENCHMARK_ONCE { QCOMPARE(index->find({QStringLiteral("linear")}).nodes.size(), std::size_t(49'999)); }
        QCOMPARE(index->find({QStringLiteral("blocks_49998_linear|x$"), true}).nodes.size(), std::size_t(2));
    }
};

QTEST_GUILESS_MAIN(TestFindIndex)
#include "tst_find_index.moc"
