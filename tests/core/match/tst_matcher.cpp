// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/match/overlapped.h"
#include "core/match/subgraph_matcher.h"
#include "core/python/tracing/trace_definition.h"
#include "tests/sanitized.h"

#include <QtTest>

using namespace fx;

/// What torch.fx does is compared with torch.fx itself (tests/oracle/surgery.py); here is what it does not have, and
/// speed.
class TestMatcher : public QObject {
    Q_OBJECT

    static NodeId named(const GraphModule& module, std::string_view name) { return module.graph.find(name); }
    static std::size_t count(const GraphModule& target, const GraphModule& pattern, MatcherOptions options = {}) {
        return SubgraphMatcher(pattern, std::move(options)).match(target).size();
    }
    static std::shared_ptr<Module> moduleOf(const std::string& name, const std::string& in) {
        auto module = std::make_shared<Module>();
        module->className = name;
        module->classModule = in;
        return module;
    }
    /// x -> conv1 -> bn1 -> conv2 -> bn2
    static GraphModule convNet() {
        GraphModule net;
        NodeId last = net.graph.placeholder("x");
        for (const char* path : {"conv1", "bn1", "conv2", "bn2"}) {
            const bool conv = std::string_view(path).starts_with("conv");
            net.root->children.push_back({path, conv ? moduleOf("Conv2d", "torch.nn.modules.conv")
                                                     : moduleOf("BatchNorm2d", "torch.nn.modules.batchnorm")});
            last = net.graph.createNode(Op::CallModule, path, {last});
        }
        net.graph.output(last);
        return net;
    }

private Q_SLOTS:
    void typedInput_calledAsModule_matchesAnyOfThatType() {
        const GraphModule net = convNet();
        const GraphModule pattern =
            traceFunctionSource("def pattern(x, c: nn.Conv2d, b: nn.BatchNorm2d):\n    return b(c(x))\n");
        const auto matches = SubgraphMatcher(pattern).match(net);
        QCOMPARE(matches.size(), 2u);
        QCOMPARE(matches[1].placeholderNodes[1].modulePath, std::string("conv2"));
        QCOMPARE(matches[1].placeholderNodes[0].value, Argument(named(net, "bn1")));
        const GraphModule other =
            traceFunctionSource("def pattern(x, c: nn.Conv1d, b: nn.BatchNorm2d):\n    return b(c(x))\n");
        QCOMPARE(count(net, other), 0u);
        const GraphModule same =
            traceFunctionSource("def pattern(x, c: nn.Conv2d, b: nn.BatchNorm2d):\n    return c(b(c(x)))\n");
        QCOMPARE(count(net, same), 0u); // conv1 and conv2 are two modules
    }

    void commutative_moreCombinationsThanAreTried_isTold() {
        // Each of the 13 additions can be turned round before the search sees that the last operand differs.
        const auto sum = [](const char* last, int additions = 13) {
            std::string source = "def f(x, y):\n    a0 = torch." + std::string(last) + "(x) + y\n";
            for (int i = 1; i < additions; ++i)
                source += "    a" + std::to_string(i) + " = a" + std::to_string(i - 1) + " + a" +
                          std::to_string(i - 1) + "\n";
            return traceFunctionSource(source + "    return a" + std::to_string(additions - 1) + "\n");
        };
        MatcherOptions options;
        options.relaxations.commutative = true;
        std::size_t givenUp = 0;
        const GraphModule pattern = sum("relu"), net = sum("tanh");
        QVERIFY(SubgraphMatcher(pattern, options).match(net, {}, &givenUp).empty());
        QCOMPARE(givenUp, std::size_t{1});
        QVERIFY(gaveUp(givenUp).what.text().find("gave up at 1 node after 4096 combinations") != std::string::npos);
        const GraphModule longer = sum("relu", 14); // its last two additions have more than 4096 combinations
        QVERIFY(SubgraphMatcher(longer, options).match(sum("tanh", 14), {}, &givenUp).empty());
        QCOMPARE(givenUp, std::size_t{2});
        QCOMPARE(SubgraphMatcher(pattern, options).match(sum("relu"), {}, &givenUp).size(), 1u);
        QCOMPARE(givenUp, std::size_t{0});
    }

    void overlapped_whatIsDropped_saysForWhichAndWhere() {
        const GraphModule net =
            traceFunctionSource("def net(x):\n    return torch.relu(torch.relu(torch.relu(torch.relu(x))))\n");
        const GraphModule pair = traceFunctionSource("def pattern(x):\n    return torch.relu(torch.relu(x))\n");
        const SubgraphMatcher matcher(pair);
        const auto kept = matcher.match(net);
        QCOMPARE(kept.size(), 2u); // relu_1 of relu, relu_3 of relu_2
        const auto dropped = overlappedMatches(net, matcher, kept, 10);
        QCOMPARE(dropped.size(), 1u);
        QCOMPARE(dropped[0].match.returningNodes[0].value, Argument(named(net, "relu_2")));
        QCOMPARE(dropped[0].with, 0u);
        QCOMPARE(dropped[0].shared, named(net, "relu_1"));
        QVERIFY(overlappedMatches(net, matcher, kept, 0).empty());

        MatcherOptions options;
        options.removeOverlapping = false;
        const SubgraphMatcher all(pair, options);
        QCOMPARE(all.match(net).size(), 3u);
        QVERIFY(overlappedMatches(net, all, all.match(net), 10).empty());
        options.limit = 2;
        QCOMPARE(SubgraphMatcher(pair, options).match(net).size(), 2u);
    }

    void relaxations_loosenWhatTheyName() {
        const GraphModule net = traceFunctionSource("def net(x, y):\n    a = torch.relu(x) + y\n    b = y * "
                                                    "torch.nn.functional.relu6(x)\n    return a + 2, b\n");
        const GraphModule swapped = traceFunctionSource("def pattern(x, y):\n    return y + torch.relu(x)\n");
        QCOMPARE(count(net, swapped), 0u);
        MatcherOptions options;
        options.relaxations.commutative = true;
        QCOMPARE(count(net, swapped, options), 1u);

        const GraphModule relu = traceFunctionSource("def pattern(x):\n    return torch.relu(x)\n");
        options = {};
        options.relaxations.targets[named(relu, "relu")] = {"torch.nn.functional.relu6"};
        QCOMPARE(count(net, relu, options), 2u);

        const GraphModule literal = traceFunctionSource("def pattern(x):\n    return x + 3\n");
        options = {};
        options.relaxations.arguments[named(literal, "add")] = {"1"};
        QCOMPARE(count(net, literal, options), 2u);

        const GraphModule optional =
            traceFunctionSource("def pattern(x, y):\n    return torch.neg(torch.relu(x)) + y\n");
        options = {};
        options.relaxations.optional = {named(optional, "neg")};
        QCOMPARE(count(net, optional, options), 1u);
    }

    void outsideUsers_areRefusedUnlessAllowed() {
        const GraphModule net =
            traceFunctionSource("def net(x):\n    a = torch.relu(x)\n    return torch.neg(a), torch.sigmoid(a)\n");
        const GraphModule pattern = traceFunctionSource("def pattern(x):\n    return torch.neg(torch.relu(x))\n");
        QCOMPARE(count(net, pattern), 0u);
        MatcherOptions options;
        options.relaxations.outsideUsers = {named(pattern, "relu")};
        QCOMPARE(count(net, pattern, options), 1u);
    }

    void patternsThatCannotBeUsed_areRefused() {
        for (const char* source : {"def pattern(x, y):\n    return torch.relu(x)\n",
                                   "def pattern(x):\n    torch.neg(x)\n    return torch.relu(x)\n"}) {
            const GraphModule pattern = traceFunctionSource(source);
            QVERIFY_THROWS_EXCEPTION(Error, SubgraphMatcher{pattern});
        }
        QVERIFY_THROWS_EXCEPTION(Error, SubgraphMatcher{GraphModule()});
    }

    void severalResults_onManyNodes_areFoundInOrder() {
        GraphModule net;
        NodeId x = net.graph.placeholder("x");
        const GraphModule calls = traceFunctionSource("def f(x):\n    return torch.relu(x), torch.neg(x)\n");
        const CallablePtr relu = calls.graph.node(named(calls, "relu")).callable(),
                          neg = calls.graph.node(named(calls, "neg")).callable();
        std::vector<Argument> results;
        for (int i = 0; i < 3000; ++i) {
            const NodeId shared = net.graph.callFunction(relu, {x});
            results.push_back(net.graph.callFunction(relu, {shared}));
            results.push_back(net.graph.callFunction(neg, {shared}));
            x = results.back().node();
        }
        net.graph.output(Argument::tuple(results));
        QElapsedTimer timer;
        timer.start();
        QCOMPARE(count(net, traceFunctionSource(
                                "def pattern(x):\n    a = torch.relu(x)\n    return torch.relu(a), torch.neg(a)\n")),
                 3000u);
        QVERIFY2(timer.elapsed() < kPatience * 2000, qPrintable(QString::number(timer.elapsed())));
    }
};

QTEST_APPLESS_MAIN(TestMatcher)
#include "tst_matcher.moc"
