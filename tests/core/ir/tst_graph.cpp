// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/error.h"
#include "core/ir/graph.h"
#include "core/ir/lint.h"

#include <QTest>
#include <map>
#include <random>

using fx::Argument;
using fx::Graph;
using fx::NodeId;
using fx::Op;

namespace {
NodeId method(Graph& graph, const char* name, std::vector<Argument> args) {
    return graph.createNode(Op::CallMethod, name, std::move(args));
}
QString usersOf(const Graph& graph, NodeId id) {
    QStringList names;
    for (const NodeId user : graph.node(id).users()) names << QString::fromStdString(graph.node(user).name());
    return names.join(' ');
}
QString namesOf(const Graph& graph) {
    QStringList names;
    for (const auto& node : graph.nodes()) names << QString::fromStdString(node.name());
    return names.join(' ');
}
} // namespace

class TestGraph : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// After any change, LintMemory finds what lint finds, and what differs is in the difference.
    void lintMemory_randomChanges_findsWhatLintFinds() {
        std::mt19937 random(5);
        Graph graph;
        for (int i = 0; i < 300; ++i) {
            const NodeId input = i ? static_cast<NodeId>(random() % static_cast<unsigned>(i)) : fx::kNoNode;
            if (i % 40 == 0) graph.placeholder("x");
            else graph.createNode(Op::CallMethod, "relu", {input});
        }
        fx::LintMemory memory;
        QVERIFY(memory.check(graph).empty());
        Graph clean = graph;
        for (int change = 0; change < 2000; ++change) {
            const Graph before = graph;
            const std::vector<NodeId> order = graph.order();
            const NodeId node = order[random() % order.size()], other = order[random() % order.size()];
            switch (random() % 6) {
            case 0: graph.moveBefore(node, other); break;
            case 1: graph.setArgs(node, {other}); break;
            case 2:
                if (graph.node(node).users().empty() && graph.size() > 100) graph.erase(node);
                break;
            case 3: graph.setInsertPoint({fx::InsertPoint::Side::After, node}); break;
            case 4: graph.createNode(Op::CallMethod, "neg", {other}); break;
            default: graph.replaceAllUses(node, other); break;
            }
            const auto wanted = fx::lint(graph), found = memory.check(graph);
            QCOMPARE(found.size(), wanted.size());
            for (std::size_t i = 0; i < found.size(); ++i) QCOMPARE(found[i].node, wanted[i].node);
            const fx::GraphDifference difference = graph.differenceFrom(before);
            for (const NodeId id : graph.order()) {
                const bool isNew = index(id) >= before.idLimit() || before.node(id).erased();
                if (isNew || before.node(id).args() != graph.node(id).args())
                    QVERIFY(std::count(difference.nodes.begin(), difference.nodes.end(), id));
            }
            QVERIFY(difference.nodes.size() < 200);
            if (wanted.empty()) clean = graph;
            else if (random() % 2) graph = clean; // goes back
        }
    }
    void inOrder_fewAndMany_asTheyStand() {
        Graph graph;
        std::vector<NodeId> ids;
        for (int i = 0; i < 100; ++i) ids.push_back(graph.placeholder("x"));
        graph.moveAfter(ids[0], ids[99]);
        graph.erase(ids[50]);
        QCOMPARE(graph.inOrder({ids[0], ids[7], ids[50], ids[3], ids[7]}),
                 (std::vector<NodeId>{ids[3], ids[7], ids[0]}));
        std::shuffle(ids.begin(), ids.end(), std::mt19937(1));
        QCOMPARE(graph.inOrder(ids), graph.order());
    }
    void createNode_targets_nameAsTorchFx() {
        Graph graph;
        graph.placeholder("camelCase");
        graph.placeholder("*args");
        method(graph, "__getitem__", {});
        method(graph, "max", {});
        graph.createNode(Op::CallModule, "Layer1.0.ConvBN");
        graph.createNode(Op::GetAttr, "Layer1.fooBar");
        auto add = std::make_shared<fx::Callable>();
        add->name = "add.Tensor";
        graph.callFunction(add);
        graph.createNode(Op::CallMethod, "relu", {}, {}, "CamelCase");
        QCOMPARE(namesOf(graph),
                 QString("camel_case _args getitem max_1 layer1_0_conv_bn layer1_foo_bar add_tensor CamelCase"));
    }
    void setArgs_sameInputs_movesToEndOfUsers() {
        Graph graph;
        const NodeId x = graph.placeholder("x");
        const NodeId relu = method(graph, "relu", {x});
        const NodeId neg = method(graph, "neg", {x});
        method(graph, "abs", {x, Argument::list({x, Argument::slice(x, {}, {})})});
        QCOMPARE(usersOf(graph, x), QString("relu neg abs_1"));
        graph.setArgs(relu, {x});
        QCOMPARE(usersOf(graph, x), QString("neg abs_1 relu"));
        graph.setKwargs(neg, {{"out", x}});
        QCOMPARE(usersOf(graph, x), QString("abs_1 relu neg"));
    }
    void replaceAllUses_byOwnUser_includesIt() {
        Graph graph;
        const NodeId a = graph.placeholder("a");
        const NodeId b = method(graph, "relu", {a});
        const NodeId c = method(graph, "neg", {Argument::tuple({a, Argument::dict({{"k", a}})})});
        const auto changed = graph.replaceAllUses(a, b);
        QCOMPARE(changed, (std::vector<NodeId>{b, c}));
        QCOMPARE(graph.node(b).args()[0].node(), b);
        QVERIFY(graph.node(a).users().empty());
        QCOMPARE(usersOf(graph, b), QString("relu neg"));
    }
    void erase_withUsers_isRefusedByName() {
        Graph graph;
        const NodeId x = graph.placeholder("x");
        const NodeId relu = method(graph, "relu", {x});
        method(graph, "neg", {relu});
        try {
            graph.erase(relu);
            QFAIL("must throw");
        } catch (const fx::Error& error) {
            QCOMPARE(std::string(error.what()),
                     std::string("Tried to erase Node relu but it still had 1 users in the graph: {neg: None}!"));
        }
        const NodeId last = graph.last();
        graph.erase(last);
        QCOMPARE(graph.size(), std::size_t{2});
        QVERIFY(graph.node(last).erased());
        QVERIFY(graph.node(relu).users().empty());
        QCOMPARE(graph.find("neg"), fx::kNoNode);
        method(graph, "neg", {relu});
        QCOMPARE(namesOf(graph), QString("x relu neg_1"));
    }
    void insertAfter_repeated_comesOutReversed() {
        Graph graph;
        const NodeId x = graph.placeholder("x");
        method(graph, "end", {x});
        graph.setInsertPoint({fx::InsertPoint::Side::After, x});
        method(graph, "a", {x});
        method(graph, "b", {x});
        graph.setInsertPoint({fx::InsertPoint::Side::After, fx::kNoNode});
        graph.placeholder("first");
        QCOMPARE(namesOf(graph), QString("first x b a end"));
    }
    void isBefore_manyRandomInsertsAndMoves_agreesWithList() {
        Graph graph;
        std::mt19937 random(3);
        std::vector<NodeId> all{graph.placeholder("x")};
        for (int i = 0; i < 20000; ++i) { // most inserts hit one place: the worst case for keys
            graph.setInsertPoint({i % 2 ? fx::InsertPoint::Side::After : fx::InsertPoint::Side::Before,
                                  i % 10 ? all[0] : all[random() % all.size()]});
            all.push_back(method(graph, "n", {}));
            if (i % 7 == 0) graph.moveAfter(all[random() % all.size()], all[random() % all.size()]);
        }
        NodeId before = fx::kNoNode;
        std::size_t count = 0;
        for (const auto& node : graph.nodes()) {
            if (before != fx::kNoNode) {
                QVERIFY(graph.isBefore(before, node.id()));
                QVERIFY(!graph.isBefore(node.id(), before));
            }
            QCOMPARE(graph.prev(node.id()), before);
            before = node.id();
            ++count;
        }
        QCOMPARE(count, graph.size());
        QCOMPARE(count, all.size());
    }
    void copy_afterEdit_keepsSnapshot() {
        Graph graph;
        const NodeId x = graph.placeholder("x");
        const NodeId relu = method(graph, "relu", {x});
        const Graph snapshot = graph;
        graph.erase(relu);
        graph.rename(x, "y");
        QCOMPARE(namesOf(snapshot), QString("x relu"));
        QCOMPARE(usersOf(snapshot, x), QString("relu"));
        QCOMPARE(namesOf(graph), QString("y"));
    }
    void find_randomEdits_equalsAMap() {
        Graph graph;
        std::map<std::string, NodeId> expected; // of the nodes that had a name first
        std::vector<NodeId> alive;
        std::mt19937 random(3);
        for (int i = 0; i < 3000; ++i) {
            const std::size_t kind = alive.empty() ? 0 : random() % 4;
            if (kind < 2) {
                alive.push_back(graph.placeholder("x_" + std::to_string(random() % 400)));
                expected[graph.node(alive.back()).name()] = alive.back();
                continue;
            }
            const std::size_t at = random() % alive.size();
            expected.erase(graph.node(alive[at]).name());
            if (kind == 2) {
                expected[graph.rename(alive[at], "y_" + std::to_string(random() % 400))] = alive[at];
            } else {
                graph.erase(alive[at]);
                alive.erase(alive.begin() + static_cast<std::ptrdiff_t>(at));
            }
        }
        for (const auto& [name, id] : expected) QCOMPARE(graph.find(name), id);
        for (int i = 0; i < 400; ++i)
            if (const std::string name = "x_" + std::to_string(i); !expected.contains(name))
                QCOMPARE(graph.find(name), fx::kNoNode);
        QVERIFY(graph.namesAreUnique());
        QCOMPARE(graph.size(), expected.size());
    }
    void withOnly_inputs_areLeftUnderTheirIds() {
        Graph graph;
        const NodeId x = graph.placeholder("x"), relu = graph.createNode(Op::CallMethod, "relu", {x});
        const NodeId y = graph.placeholder("y", {1}), sum = graph.createNode(Op::CallMethod, "add", {relu, y});
        graph.output(sum);
        Graph inputs = graph.withOnly([](const fx::Node& node) { return node.op() == Op::Placeholder; });
        QCOMPARE(inputs.order(), (std::vector<NodeId>{x, y}));
        QVERIFY(inputs.node(x).users().empty());
        QVERIFY(inputs.node(relu).erased());
        QVERIFY(!inputs.node(y).erased());
        QCOMPARE(inputs.node(y).args(), (std::vector<Argument>{1}));
        QCOMPARE(inputs.find("y"), y);
        QCOMPARE(inputs.find("relu"), fx::kNoNode);
        QVERIFY(inputs.namesAreUnique());
        QCOMPARE(index(inputs.output(x)), graph.idLimit());
        QCOMPARE(graph.size(), 5u);
    }
    void setNameUnchecked_nextRequest_seesTheNamesGivenBefore() {
        // as after `node.name = ...` in torch.fx: the namespace knows what it gave, not what was assigned
        Graph graph;
        const NodeId x = graph.placeholder("max");
        graph.setNameUnchecked(x, "max");
        QCOMPARE(graph.node(method(graph, "max", {x})).name(), std::string("max_2"));
        const NodeId y = graph.placeholder("foo");
        graph.setNameUnchecked(y, "bar");
        QCOMPARE(graph.node(method(graph, "bar", {x})).name(), std::string("bar"));
        QCOMPARE(graph.node(method(graph, "foo", {x})).name(), std::string("foo_1"));
    }
    void find_nameOfTwoNodes_whenOneGoes_findsTheOther() {
        Graph graph;
        const NodeId x = graph.placeholder("x");
        const NodeId a = method(graph, "a", {x}), b = method(graph, "b", {x}), c = method(graph, "c", {x});
        for (const NodeId id : {b, c}) graph.setNameUnchecked(id, "a");
        QVERIFY(!graph.namesAreUnique());
        QCOMPARE(graph.find("a"), a);
        graph.setNameUnchecked(a, "first");
        QCOMPARE(graph.find("a"), b);
        graph.erase(b);
        QCOMPARE(graph.find("a"), c);
        QVERIFY(graph.namesAreUnique());
        graph.setNameUnchecked(a, "a"); // now c had it first
        graph.erase(a);
        QCOMPARE(graph.find("a"), c);
        graph.erase(c);
        QCOMPARE(graph.find("a"), fx::kNoNode);
        QVERIFY(fx::lint(graph).empty());
    }
    void setUsersOrder_permutation_taken_othersRefused() {
        Graph graph;
        const NodeId x = graph.placeholder("x");
        const NodeId a = method(graph, "a", {x}), b = method(graph, "b", {x});
        QVERIFY(graph.setUsersOrder(x, std::vector{b, a}));
        QCOMPARE(usersOf(graph, x), QString("b a"));
        QVERIFY(!graph.setUsersOrder(x, std::vector{a}));
        QVERIFY(!graph.setUsersOrder(x, std::vector{a, a}));
        QVERIFY(!graph.setUsersOrder(x, std::vector{a, x}));
        QCOMPARE(usersOf(graph, x), QString("b a"));
    }
    void createNode_afterTwoMillions_isRefused() {
        if (LANCET_SLOWNESS > 1) return; // a minute in a sanitized build
        Graph graph;
        NodeId last = fx::kNoNode;
        const auto fill = [&] {
            for (;;) last = graph.placeholder("x"); // as steps that double a graph would
        };
        QVERIFY_THROWS_EXCEPTION(fx::Error, fill());
        QCOMPARE(graph.size(), std::size_t{1} << 21);
        QCOMPARE(graph.last(), last);
    }
    void lint_brokenGraph_namesTheNode() {
        Graph graph;
        const NodeId x = graph.placeholder("x");
        const NodeId relu = method(graph, "relu", {x});
        const NodeId neg = method(graph, "neg", {relu});
        QVERIFY(fx::lint(graph).empty());
        graph.moveBefore(neg, relu);
        graph.setNameUnchecked(relu, "x");
        const auto problems = fx::lint(graph);
        QCOMPARE(problems.size(), std::size_t{2});
        QVERIFY(problems[0].message.is("edit.lint_order"));
        QVERIFY(
            problems[0].message.text().starts_with("Argument 'x' of Node 'neg' was used before it has been defined!"));
        QCOMPARE(problems[1].message.text(), std::string("Node redefined name x!"));
    }
};

QTEST_APPLESS_MAIN(TestGraph)
#include "tst_graph.moc"
