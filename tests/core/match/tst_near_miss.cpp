// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/match/near_miss.h"
#include "core/python/tracing/trace_definition.h"
#include "tests/sanitized.h"

#include <QtTest>

#include <ctime>

using namespace fx;

/// Where patterns nearly match: which rule is broken, and that what is proposed against it really helps.
class TestNearMiss : public QObject {
    Q_OBJECT

    static std::string name(const Graph& graph, NodeId id) { return id == kNoNode ? "-" : graph.node(id).name(); }
    static GraphModule traced(const char* source) { return traceFunctionSource(source); }
    static std::string relaxWords(const GraphModule& pattern, const NearMiss& miss) {
        std::string words;
        for (const auto& list : miss.relax) words += (words.empty() ? "" : " | ") + relaxationText(pattern.graph, list);
        return words;
    }
    /// "relu_3 2/3 target relu=gelu"
    static std::string summary(const GraphModule& net, const GraphModule& pattern, const NearMiss& miss) {
        const Mismatch& first = miss.mismatches.at(0);
        return name(net.graph, miss.anchor) + " " + std::to_string(miss.matched) + "/" + std::to_string(miss.of) + " " +
               std::string(ruleName(first.rule)) + " " + name(pattern.graph, first.patternNode) + "=" +
               name(net.graph, first.graphNode);
    }
    static bool matchesAt(const GraphModule& net, const GraphModule& pattern, MatcherOptions options,
                          const RelaxationList& list, NodeId anchor) {
        if (!list.empty()) relax(options, parseRelaxations(pattern.graph, relaxationText(pattern.graph, list)));
        for (const auto& match : SubgraphMatcher(pattern, options).match(net))
            if (match.returningNodes[0].value == Argument(anchor)) return true;
        return false;
    }
    /// relu, linear and add in turn.
    static GraphModule longChain(int nodes) {
        const GraphModule calls = traced("def f(x, w):\n    return torch.relu(torch.add(F.linear(x, w), x))\n");
        const auto callable = [&](const char* node) { return calls.graph.node(calls.graph.find(node)).callable(); };
        const CallablePtr relu = callable("relu"), linear = callable("linear"), add = callable("add");
        GraphModule net;
        NodeId last = net.graph.placeholder("x");
        const NodeId weight = net.graph.placeholder("w");
        while (net.graph.size() < static_cast<std::size_t>(nodes)) {
            const NodeId product = net.graph.callFunction(linear, {last, weight});
            last = net.graph.callFunction(relu, {net.graph.callFunction(add, {product, last})});
        }
        net.graph.output(last);
        return net;
    }

private Q_SLOTS:
    void oneDifference_isNamedWithWhatHelps_data() {
        QTest::addColumn<QString>("net");
        QTest::addColumn<QString>("pattern");
        QTest::addColumn<QString>("summary");
        QTest::addColumn<QString>("relax");
        const auto row = [](const char* title, const char* net, const char* pattern, const char* summary,
                            const char* relax) { QTest::newRow(title) << net << pattern << summary << relax; };
        row("another function", "def f(x): return torch.neg(F.relu6(torch.sigmoid(x)))\n",
            "def p(x): return torch.neg(torch.relu(torch.sigmoid(x)))\n", "neg 2/3 target relu=relu6",
            "target:relu=torch.nn.functional.relu6");
        row("the last one differs", "def f(x): return F.gelu(torch.sigmoid(x))\n",
            "def p(x): return torch.relu(torch.sigmoid(x))\n", "gelu 1/2 target relu=gelu",
            "target:relu=torch._C._nn.gelu");
        row("same operation, other kind", "def f(x): return x.relu() + 1\n", "def p(x): return torch.relu(x)\n",
            "relu 0/1 op relu=relu", "target:relu=relu");
        row("a literal", "def f(x): return torch.relu(x) + 2\n", "def p(x): return torch.relu(x) + 3\n",
            "add 2/2 literal add=add", "argument:add=1 | literals");
        row("a literal in a list", "def f(x): return x.view([1, 2])\n", "def p(x): return x.view([1, 3])\n",
            "view 1/1 literal view=view", "argument:view=1 | literals");
        row("number of arguments", "def f(x): return torch.sum(x, 1)\n", "def p(x): return torch.sum(x)\n",
            "sum_1 1/1 args sum_1=sum_1", "argument:sum_1=*");
        row("keyword arguments", "def f(x): return torch.sum(x, dim=1)\n", "def p(x): return torch.sum(x)\n",
            "sum_1 1/1 kwargs sum_1=sum_1", "argument:sum_1=*");
        row("used outside", "def f(x):\n    a = torch.relu(x)\n    return torch.neg(a), torch.sigmoid(a)\n",
            "def p(x): return torch.neg(torch.relu(x))\n", "neg 2/2 users_outside relu=relu", "users:relu");
        row("one is missing", "def f(x, y): return torch.relu(x) + y\n",
            "def p(x, y): return F.dropout(torch.relu(x)) + y\n", "add 2/3 target dropout=relu", "optional:dropout");
        row("the last one is missing", "def f(x): return torch.neg(torch.relu(x))\n",
            "def p(x): return F.dropout(torch.neg(torch.relu(x)))\n", "neg 2/3 target dropout=neg", "optional:dropout");
        row("one too many", "def f(x): return torch.neg(torch.sigmoid(torch.relu(x)))\n",
            "def p(x): return torch.neg(torch.relu(x))\n", "neg 2/2 target relu=sigmoid", "");
        row("swapped operands", "def f(x, y): return torch.relu(x) + y.abs()\n",
            "def p(x, y): return y.abs() + torch.relu(x)\n", "add 3/3 args add=add", "commutative");
        row("one input for two", "def f(x, y): return x + y\n", "def p(x): return x + x\n", "add 1/1 args add=add",
            "argument:add=1");
        row("two inputs for one", "def f(x): return x + x\n", "def p(x, y): return x + y\n", "add 1/1 args add=add",
            "");
        row("overlap", "def f(x): return torch.relu(torch.relu(torch.relu(x)))\n",
            "def p(x): return torch.relu(torch.relu(x))\n", "relu_2 2/2 overlap relu=relu_1", "overlap");
        row("two results", "def f(x):\n    a = torch.relu(x)\n    return torch.neg(a), torch.cos(a)\n",
            "def p(x):\n    a = torch.relu(x)\n    return torch.neg(a), torch.sin(a)\n", "neg 2/3 target sin=cos",
            "target:sin=torch.cos");
    }
    void oneDifference_isNamedWithWhatHelps() {
        QFETCH(QString, net);
        QFETCH(QString, pattern);
        QFETCH(QString, summary);
        QFETCH(QString, relax);
        const GraphModule model = traced(qPrintable(net)), wanted = traced(qPrintable(pattern));
        const auto misses = explain(model, wanted);
        QVERIFY(!misses.empty());
        QCOMPARE(QString::fromStdString(TestNearMiss::summary(model, wanted, misses[0])), summary);
        QCOMPARE(QString::fromStdString(relaxWords(wanted, misses[0])), relax);
        QVERIFY(!misses[0].mismatches[0].why.code().empty());
        for (const auto& list : misses[0].relax) {
            QVERIFY(matchesAt(model, wanted, {}, list, misses[0].anchor));
            QVERIFY(!matchesAt(model, wanted, {}, {}, misses[0].anchor));
        }
    }

    void matchOptions_areExplainedToo() {
        const GraphModule net = traced("def f(x): return torch.neg(torch.relu(torch.sigmoid(x)))\n");
        const GraphModule pattern = traced("def p(x): return torch.relu(torch.sigmoid(x))\n");
        MatcherOptions options;
        options.matchOutput = true;
        auto misses = explain(net, pattern, options);
        QCOMPARE(QString::fromStdString(summary(net, pattern, misses.at(0))), QString("relu 2/2 output output=output"));
        QCOMPARE(relaxWords(pattern, misses[0]), std::string("output"));
        const GraphModule inner = traced("def p(x): return torch.neg(torch.relu(x))\n");
        options = {};
        options.matchPlaceholder = true;
        misses = explain(net, inner, options);
        QCOMPARE(QString::fromStdString(summary(net, inner, misses.at(0))),
                 QString("neg 2/2 placeholder_type x=sigmoid"));
        QCOMPARE(relaxWords(inner, misses[0]), std::string("inputs"));
    }

    void modules_ofAnotherType_areTold() {
        GraphModule net;
        auto conv = std::make_shared<Module>();
        conv->className = "Conv1d";
        conv->classModule = "torch.nn.modules.conv";
        net.root->children.push_back({"c", conv});
        net.graph.output(net.graph.createNode(
            Op::CallMethod, "relu", {net.graph.createNode(Op::CallModule, "c", {net.graph.placeholder("x")})}));
        const GraphModule pattern = traced("def p(x, conv: nn.Conv2d): return conv(x).relu()\n");
        const auto misses = explain(net, pattern);
        QCOMPARE(misses.size(), 1u);
        QCOMPARE(misses[0].mismatches[0].rule, MatchRule::PlaceholderType);
        QVERIFY(misses[0].mismatches[0].why.text().find("the module c (Conv1d)") != std::string::npos);
        QCOMPARE(QString::fromStdString(relaxWords(pattern, misses[0])),
                 QString("target:call=torch.nn.Conv1d | target:call=c"));
        for (const auto& list : misses[0].relax) QVERIFY(matchesAt(net, pattern, {}, list, misses[0].anchor));
    }

    void severalDifferences_areAllTold_andRelaxedTogether() {
        const GraphModule net = traced("def f(x, y):\n    a = F.relu6(x)\n    return torch.neg(a) * 2 + y, a\n");
        const GraphModule pattern = traced("def p(x, y): return torch.neg(torch.relu(x)) * 3 + y\n");
        const auto misses = explain(net, pattern);
        QCOMPARE(misses.size(), 1u);
        QCOMPARE(misses[0].mismatches.size(), 3u);
        QCOMPARE(QString::fromStdString(relaxWords(pattern, misses[0])),
                 QString("target:relu=torch.nn.functional.relu6,argument:mul=1,users:relu | "
                         "optional:relu,argument:mul=1,users:relu | "
                         "target:relu=torch.nn.functional.relu6,literals,users:relu"));
    }

    void places_areRanked_withoutThoseInsideOfMatches() {
        const GraphModule net =
            traced("def f(x, y):\n    a = torch.neg(torch.relu(torch.sigmoid(x)))\n    b = "
                   "torch.neg(torch.relu(torch.cos(y)))\n    c = torch.neg(torch.tanh(y))\n    return a, b, c\n");
        const GraphModule pattern = traced("def p(x): return torch.neg(torch.relu(torch.sigmoid(x)))\n");
        const auto misses = explain(net, pattern);
        QCOMPARE(misses.size(), 2u);
        QCOMPARE(QString::fromStdString(summary(net, pattern, misses[0])), QString("neg_1 2/3 target sigmoid=cos"));
        QCOMPARE(QString::fromStdString(summary(net, pattern, misses[1])), QString("neg_2 1/3 target relu=tanh"));
        QCOMPARE(explain(net, pattern, {}, 1).size(), 1u);
        QVERIFY(explain(net, pattern, {}, 0).empty());
    }

    void nodesOfMatches_areNoPlaces() {
        const GraphModule net = traced("def f(x, y):\n    a = torch.relu(torch.sigmoid(x))\n    b = "
                                       "torch.neg(torch.relu(torch.sigmoid(a)))\n    return torch.tanh(b)\n");
        const GraphModule pattern = traced("def p(x): return torch.neg(torch.relu(torch.sigmoid(x)))\n");
        for (const bool overlapping : {false, true}) {
            MatcherOptions options;
            options.removeOverlapping = !overlapping;
            std::set<std::string> places;
            for (const NearMiss& miss : explain(net, pattern, options)) places.insert(name(net.graph, miss.anchor));
            for (const char* matched : {"sigmoid_1", "relu_1", "neg"}) QVERIFY2(!places.contains(matched), matched);
        }
    }

    void words_areReadBack_andWrongOnesRefused() {
        const GraphModule pattern = traced("def p(x): return torch.neg(torch.relu(x))\n");
        const std::string text = "target:relu=torch.nn.functional.relu6,argument:neg=0,users:relu,optional:neg,"
                                 "commutative,literals,overlap,inputs,output";
        QCOMPARE(relaxationText(pattern.graph, parseRelaxations(pattern.graph, text)), text);
        for (const char* wrong : {"", "target:relu", "users", "users:nobody", "anything", "commutative,"})
            QVERIFY_THROWS_EXCEPTION(Error, parseRelaxations(pattern.graph, wrong));
    }

    void largeGraphs_areQuick_andStoppable() {
        const GraphModule net = longChain(10'000);
        for (const char* source : {"def p(x, w): return torch.relu(torch.sub(F.linear(x, w), x))\n",
                                   "def p(x, w): return F.gelu(torch.add(F.linear(x, w), x))\n"}) {
            const GraphModule pattern = traced(source);
            const std::clock_t start = std::clock();
            QCOMPARE(explain(net, pattern).size(), 10u);
            const double millis = 1e3 * static_cast<double>(std::clock() - start) /
                                  CLOCKS_PER_SEC; // of the processor: others may work too
            QVERIFY2(millis < kPatience * 500, qPrintable(QString::number(millis)));
        }
        std::stop_source stop;
        stop.request_stop();
        const GraphModule pattern = traced("def p(x, w): return torch.relu(torch.sub(F.linear(x, w), x))\n");
        QVERIFY_THROWS_EXCEPTION(Error, explain(net, pattern, {}, 10, Progress(stop.get_token())));
    }

    /// Relaxations that cut a pattern in two are no help: each half would match anywhere.
    void severalResults_staysQuick() {
        GraphModule net;
        const GraphModule calls = traced("def f(x):\n    return torch.relu(x), torch.neg(x), torch.add(x, x)\n");
        const auto callable = [&](const char* node) { return calls.graph.node(calls.graph.find(node)).callable(); };
        NodeId last = net.graph.placeholder("x");
        for (int i = 0; i < 3'000; ++i) {
            const NodeId relu = net.graph.callFunction(callable("relu"), {last});
            last = net.graph.callFunction(callable("add"), {relu, net.graph.callFunction(callable("neg"), {last})});
        }
        net.graph.output(last);
        const GraphModule pattern =
            traced("def p(x, y):\n    t = torch.add(x, y)\n    return torch.relu(t), torch.neg(torch.neg(t))\n");
        const std::clock_t start = std::clock();
        const auto misses = explain(net, pattern);
        QVERIFY(!misses.empty());
        for (const auto& miss : misses)
            for (const auto& list : miss.relax)
                QVERIFY(relaxationText(pattern.graph, list).find("argument:neg=0") == std::string::npos);
        const double millis = 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
        QVERIFY2(millis < kPatience * 1'000, qPrintable(QString::number(millis)));
    }

    /// A pattern as large as a model: in the worst case each of its nodes is compared with each of the graph.
    void largePatterns_stayPolynomial() {
        const GraphModule net = longChain(4'000);
        GraphModule pattern = longChain(600);
        const NodeId deepest = pattern.graph.next(pattern.graph.find("w"));
        pattern.graph.setCallable(deepest, pattern.graph.node(pattern.graph.find("relu")).callable());
        const std::clock_t start = std::clock();
        QVERIFY(!explain(net, pattern, {}, 3).empty());
        const double millis = 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
        QVERIFY2(millis < kPatience * 10'000, qPrintable(QString::number(millis)));
    }
};

QTEST_APPLESS_MAIN(TestNearMiss)
#include "tst_near_miss.moc"
