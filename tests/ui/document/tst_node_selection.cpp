// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/models.h"
#include "ui/document/document_picture.h"
#include "ui/document/node_selection.h"

#include <QSignalSpy>
#include <QTest>

using namespace ui;

class TestNodeSelection : public QObject {
    Q_OBJECT

    using Nodes = std::vector<fx::NodeId>;

private Q_SLOTS:
    void withoutAModel_nothingIsSelected() {
        DocumentPicture picture;
        NodeSelection selection(picture);
        QSignalSpy told(&selection, &NodeSelection::changed);
        selection.select({static_cast<fx::NodeId>(0)}, nullptr);
        selection.selectAll();
        selection.selectModule(QString(), nullptr);
        QVERIFY(told.isEmpty());
        QVERIFY(selection.nodes().empty());
        QVERIFY(selection.inGraphOrder().empty());
    }

    void select_nodes_emitsOnceWithSource() {
        DocumentPicture picture;
        NodeSelection selection(picture);
        const auto net = testing::smallNet();
        selection.reset(net);
        QSignalSpy told(&selection, &NodeSelection::changed);
        const fx::NodeId relu = net->graph.find("relu");
        selection.select({relu}, this);
        selection.select({relu}, this);
        QCOMPARE(told.size(), 1);
        QCOMPARE(told.first().first().value<QObject*>(), this);
        QVERIFY(selection.contains(relu));
        selection.selectAll();
        QCOMPARE(selection.nodes(), net->graph.order());
        selection.select({static_cast<fx::NodeId>(1'000'000)}, nullptr);
        QVERIFY(selection.nodes().empty());
        QVERIFY(!selection.contains(relu));
    }

    void select_keepsTheOrderOfSelection() {
        DocumentPicture picture;
        NodeSelection selection(picture);
        const auto net = testing::smallNet();
        selection.reset(net);
        const fx::NodeId x = net->graph.find("x"), relu = net->graph.find("relu");
        selection.select({relu, x}, nullptr);
        QCOMPARE(selection.nodes(), (Nodes{relu, x}));
        QCOMPARE(selection.inGraphOrder(), (Nodes{x, relu}));
    }

    void selectModule_path_itsNodes() {
        DocumentPicture picture;
        NodeSelection selection(picture);
        const auto net = testing::chain(20);
        selection.reset(net);
        selection.selectModule(QStringLiteral("blocks.1"), nullptr);
        QCOMPARE(selection.nodes(), Nodes{net->graph.find("blocks_1_linear")});
        QCOMPARE(selection.module(), std::optional(QStringLiteral("blocks.1")));
        selection.selectModule(QStringLiteral("blocks"), nullptr);
        QCOMPARE(selection.nodes().size(), std::size_t(9));
        selection.select({}, nullptr);
        QVERIFY(!selection.module());
    }

    void follow_renamedAndErased_keepsWhatIsThere() {
        DocumentPicture picture;
        NodeSelection selection(picture);
        const auto net = testing::smallNet();
        selection.reset(net);
        const fx::NodeId relu = net->graph.find("relu"), view = net->graph.find("view");
        selection.select({relu, view}, nullptr);
        QSignalSpy told(&selection, &NodeSelection::changed);
        auto renamed = std::make_shared<fx::GraphModule>(*net);
        renamed->graph.rename(relu, "act");
        QVERIFY(!selection.follow(renamed));
        QCOMPARE(selection.nodes(), (Nodes{relu, view}));
        auto erased = std::make_shared<fx::GraphModule>(*renamed);
        erased->graph.replaceAllUses(view, relu);
        erased->graph.erase(view);
        QVERIFY(selection.follow(erased));
        QCOMPARE(selection.nodes(), Nodes{relu});
        QVERIFY(!selection.contains(view));
        QVERIFY(told.isEmpty()); // its owner tells, when everything has the version
    }

    void followNames_anotherTrace_selectsTheSameNames() {
        DocumentPicture picture;
        NodeSelection selection(picture);
        const auto net = testing::chain(20), longer = testing::chain(40);
        selection.reset(net);
        QVERIFY(!selection.followNames(longer)); // nothing was selected
        selection.selectModule(QStringLiteral("blocks.1"), nullptr);
        QVERIFY(selection.followNames(net));
        QCOMPARE(selection.nodes(), Nodes{net->graph.find("blocks_1_linear")});
        QVERIFY(!selection.module());
        selection.select({net->graph.order().back()}, nullptr);
        QVERIFY(selection.followNames(testing::smallNet()));
        QCOMPARE(selection.nodes().size(), std::size_t(1)); // the output
    }

    void restore_lastsUntilTheUserSelects() {
        DocumentPicture picture;
        NodeSelection selection(picture);
        const auto net = testing::smallNet();
        selection.reset(net);
        bool wasRestored = false;
        connect(&selection, &NodeSelection::changed, this, [&] { wasRestored = selection.isRestored(); });
        selection.restore({net->graph.find("relu")});
        QVERIFY(wasRestored);
        selection.select({net->graph.find("relu")}, nullptr); // the same
        QVERIFY(!selection.isRestored());
    }

    void goTo_severalNodes_isGoingWhileTheyAreSelected() {
        DocumentPicture picture;
        NodeSelection selection(picture);
        const auto net = testing::smallNet();
        picture.setModule(net);
        selection.reset(net);
        bool wasGoing = false;
        connect(&selection, &NodeSelection::changed, this, [&] { wasGoing = selection.isGoing(); });
        QSignalSpy revealed(&picture, &DocumentPicture::revealedAll);
        const Nodes nodes{net->graph.find("x"), net->graph.find("relu")};
        selection.goTo(nodes, nullptr);
        QVERIFY(wasGoing);
        QVERIFY(!selection.isGoing());
        QTRY_COMPARE(revealed.size(), 1);
    }
};

QTEST_MAIN(TestNodeSelection)
#include "tst_node_selection.moc"
