// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/probe.h"
#include "tests/core/engine/verify_fixture.h"

#include <QTest>

#include <cmath>

using namespace verifying;

/// Two models run side by side: the first node that differs, the reason, and rounding.
class TestVerify : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { engine::seed(0); } // LibTorch starts each process with a new seed

    void same_isEqual() {
        const auto model = chain({{"relu", "torch.relu"}, {"tanh", "torch.tanh"}});
        const VerifyReport report = verified(model, model, random({3}));
        QCOMPARE(report.verdict, Verdict::Equal);
        QVERIFY(!report.first);
        QCOMPARE(report.nodesCompared, 2);
        QCOMPARE(report.outputs.size(), 1u);
    }

    /// As models do that keep what they were given.
    void sameStructure_thatDiffersInItsRun_hasAReason() {
        const auto model = chain({{"relu", "torch.relu"}});
        const auto beside = [&](const at::Tensor& other) {
            return engine::verify(side(model, numbers({1, 2})), side(model, other), {});
        };
        const VerifyReport values = beside(numbers({1, 3})), sizes = beside(numbers({1, 2, 3}));
        QCOMPARE(values.code, VerdictReason::BeyondTolerance);
        QVERIFY(values.reason.is("verify.beyond_tolerance"));
        QCOMPARE(sizes.code, VerdictReason::Shapes);
        QVERIFY(!sizes.reason.text().empty());
    }

    /// A matrix product in two halves: the same numbers, added up in another order, at a scale where float32's rounding
    /// is beyond the standard atol for elements near zero.
    static std::shared_ptr<GraphModule> product(bool halves, double factor) {
        auto model = std::make_shared<GraphModule>();
        Graph& graph = model->graph;
        const NodeId x = graph.placeholder("x");
        const auto call = [&](const char* target, std::vector<Argument> args) {
            return graph.callFunction(resolveCallable(target), std::move(args), {}, "");
        };
        const auto part = [&](std::int64_t start) {
            const NodeId rows = call("torch.narrow", {x, std::int64_t{0}, start, std::int64_t{1024}});
            return call("torch.mm", {call("torch.t", {rows}), rows});
        };
        NodeId y = halves ? call("torch.add", {part(0), part(1024)}) : call("torch.mm", {call("torch.t", {x}), x});
        if (factor != 1) y = call("torch.mul", {y, factor});
        graph.output(y);
        return model;
    }

    void rounding_beyondTheTolerance_isClose() {
        engine::seed(3);
        const at::Tensor x = random({2048, 64}).mul(3);
        const auto judged = [&](double factor, const Tolerances& tolerances) {
            const auto a = product(false, 1), b = product(true, factor);
            engine::VerifyOptions options;
            options.tolerances = tolerances;
            options.freshA = [&] { return side(a, x); };
            return engine::verify(side(a, x), side(b, x), options);
        };
        const VerifyReport report = judged(1, {});
        QVERIFY(!report.outputs[0].value.close);
        QCOMPARE(report.verdict, Verdict::Close);
        QCOMPARE(report.code, VerdictReason::Rounding);
        QVERIFY2(report.reason.text().find("it is rounding") != std::string::npos, report.reason.text().c_str());
        QCOMPARE(judged(1 + 2e-5, {}).verdict, Verdict::Different); // float32 resolves that
        QCOMPARE(judged(1 + 1e-3, {}).verdict, Verdict::Different);
        Tolerances asked;
        asked.rtol = 1.3e-6, asked.atol = 1e-5;
        QCOMPARE(judged(1, asked).verdict, Verdict::Different); // what the user asks for is what counts
        QCOMPARE(verified(product(false, 1), product(true, 1), x).verdict, Verdict::Different); // nothing to ask
    }

    void rounding_ofNarrowTypes_isClose_data() {
        QTest::addColumn<QString>("a");
        QTest::addColumn<QString>("b");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* name, const char* a, const char* b, const char* expected) {
            QTest::newRow(name) << QString(a) << QString(b) << QString(expected);
        };
        const char* const sum = "((x + x.flip(0)) + x.sin())";
        row("another order", sum, "(x + (x.flip(0) + x.sin()))", "close rounding");
        row("5 % too much", sum, "(x + (x.flip(0) + x.sin()) * 1.05)", "different beyond_tolerance");
        row("a term less", sum, "(x + x.sin())", "different beyond_tolerance");
        row("conversions", "((x.float().exp().half() + x.sin().half()) + x.cos())",
            "(x.float().exp().half() + (x.sin().half() + x.cos()))", "close rounding");
        row("conversions, 5 % too much", "((x.float().exp().half() + x.sin().half()) + x.cos())",
            "(x.float().exp().half() + (x.sin().half() + x.cos()) * 1.05)", "different beyond_tolerance");
    }
    void rounding_ofNarrowTypes_isClose() {
        QFETCH(QString, a);
        QFETCH(QString, b);
        QFETCH(QString, expected);
        for (const at::ScalarType type : {at::kHalf, at::kBFloat16}) {
            const auto traced = [&](QString code) {
                if (type == at::kBFloat16) code.replace("half()", "bfloat16()");
                return std::make_shared<GraphModule>(
                    traceFunctionSource("def net(x):\n    return " + code.toStdString()));
            };
            const auto modelA = traced(a), modelB = traced(b);
            const at::Tensor x = random({64, 32}).to(type);
            engine::VerifyOptions options;
            options.freshA = [&] { return side(modelA, x); };
            const VerifyReport report = engine::verify(side(modelA, x), side(modelB, x), options);
            QCOMPARE(verdictName(report.verdict) + QString(" ") + reasonName(report.code), expected);
        }
    }

    void reordered_isEqual() {
        auto a = std::make_shared<GraphModule>(), b = std::make_shared<GraphModule>();
        for (const bool second : {false, true}) {
            Graph& graph = (second ? b : a)->graph;
            const NodeId x = graph.placeholder("x");
            const auto make = [&](const char* name) {
                return graph.callFunction(resolveCallable(std::string("torch.") + name), {x}, {}, name);
            };
            const NodeId sin = second ? kNoNode : make("sin"), cos = make("cos"), late = second ? make("sin") : sin;
            graph.output(Argument::tuple({late, cos}));
        }
        const VerifyReport report = verified(a, b, random({3}));
        QCOMPARE(report.verdict, Verdict::Equal);
        QCOMPARE(report.nodesCompared, 2);
    }

    void valueThatWaits_isNotChangedInPlace() { // B makes cos first and then doubles it; A's cos is compared with what
                                                // it was
        auto a = std::make_shared<GraphModule>(), b = std::make_shared<GraphModule>();
        for (const bool second : {false, true}) {
            Graph& graph = (second ? b : a)->graph;
            const NodeId x = graph.placeholder("x");
            const auto make = [&](const char* name) {
                return graph.callFunction(resolveCallable(std::string("torch.") + name), {x}, {}, name);
            };
            NodeId sin = kNoNode;
            if (!second) sin = make("sin");
            const NodeId cos = make("cos");
            const NodeId twice = graph.createNode(Op::CallMethod, "mul_", {cos, Argument(2)}, {}, "twice");
            if (second) sin = make("sin");
            graph.output(Argument::tuple({sin, twice}));
        }
        QCOMPARE(verified(a, b, random({3})).verdict, Verdict::Equal);
    }

    void difference_firstNodeAndItsError() {
        const auto a =
            chain({{"relu", "torch.relu"}, {"add", "operator.add"}, {"tanh", "torch.tanh"}}, {{}, {Argument(1)}});
        const auto b =
            chain({{"relu", "torch.relu"}, {"add", "operator.add"}, {"tanh", "torch.tanh"}}, {{}, {Argument(1.5)}});
        const VerifyReport report = verified(a, b, random({3}));
        QCOMPARE(report.verdict, Verdict::Different);
        QCOMPARE(report.first->node, std::string("add"));
        QVERIFY(std::abs(report.first->value.maxAbs - 0.5) < 1e-6);
        QVERIFY(!report.first->passing);
        QVERIFY2(QByteArray::fromStdString(report.first->why.text()).contains("1.5"), report.first->why.text().c_str());
        QCOMPARE(report.nodesDiffering, 2);
    }

    void differenceThatHeals_isPassing_andNotToBlame() { // B's scale does what A's scale and shift do; then tanh
                                                         // differs for good
        const Chain shifted = {
            {"scale", "operator.mul"}, {"shift", "operator.add"}, {"relu", "torch.relu"}, {"late", "operator.add"}};
        const auto a = chain(shifted, {{Argument(2)}, {Argument(1)}, {}, {Argument(0)}});
        const auto fused = [&](double late) {
            auto model = std::make_shared<GraphModule>();
            Graph& graph = model->graph;
            const NodeId x = graph.placeholder("x");
            const NodeId scale =
                graph.callFunction(resolveCallable("torch.add"), {Argument(1), x}, {{"alpha", Argument(2)}}, "scale");
            const NodeId relu = graph.callFunction(resolveCallable("torch.relu"), {scale}, {}, "relu");
            graph.output(graph.callFunction(resolveCallable("operator.add"), {relu, Argument(late)}, {}, "late"));
            return model;
        };
        const at::Tensor x = numbers({1, 2, 3});
        const VerifyReport close = verified(a, fused(0), x);
        QVERIFY(close.verdict == Verdict::Equal || close.verdict == Verdict::Close);
        QCOMPARE(close.first->node, std::string("scale"));
        QVERIFY(close.first->passing);
        const VerifyReport wrong = verified(a, fused(7), x);
        QCOMPARE(wrong.verdict, Verdict::Different);
        QCOMPARE(wrong.first->node, std::string("late"));
    }

    void reason_namesNodesOfNestedGraphs_byTheirCall() {
        const auto inner = chain({{"mul", "operator.mul"}}, {{Argument(2)}});
        const auto net = [&](bool whole) {
            auto model = std::make_shared<GraphModule>();
            auto child = std::make_shared<Module>();
            child->graphModule = inner;
            model->root->children.push_back({"inner", child});
            Graph& graph = model->graph;
            NodeId last = graph.createNode(Op::CallModule, "inner", {graph.placeholder("x")}, {}, "inner");
            if (whole) last = graph.callFunction(resolveCallable("torch.tanh"), {last}, {}, "tanh");
            graph.output(graph.callFunction(resolveCallable("operator.add"), {last, Argument(1)}, {}, "add"));
            return model;
        };
        const VerifyReport report = verified(net(true), net(false), numbers({1, 2, 3}));
        QCOMPARE(report.first->node, std::string("add"));
        QCOMPARE(report.first->why.text(), std::string("argument 0 of add is tanh in A, inner (mul) in B"));
    }

    void numberedResults_areKnownByIndexAndProducer_notByName() { // B takes one more out of the tuple, which renumbers
                                                                  // what comes behind it
        const auto net = [](bool more, double late) {
            auto model = std::make_shared<GraphModule>();
            Graph& graph = model->graph;
            const NodeId x = graph.placeholder("x");
            const NodeId chunk = graph.callFunction(resolveCallable("torch.chunk"), {x, Argument(3)}, {}, "chunk");
            const auto part = [&](std::int64_t place) {
                return graph.callFunction(resolveCallable("operator.getitem"), {chunk, Argument(place)});
            };
            const NodeId first = part(0);
            if (more) part(2);
            const NodeId second = part(1);
            graph.output(Argument::tuple(
                {first, graph.callFunction(resolveCallable("operator.add"), {second, Argument(late)}, {}, "late")}));
            return model;
        };
        const VerifyReport same = verified(net(false, 0), net(true, 0), numbers({1, 2, 3}));
        QCOMPARE(same.verdict, Verdict::Equal);
        QVERIFY(!same.first);
        QCOMPARE(same.nodesCompared, 4); // chunk, both that are taken out of it, and late
        const VerifyReport other = verified(net(false, 0), net(true, 7), numbers({1, 2, 3}));
        QCOMPARE(other.first->node, std::string("late"));
        QCOMPARE(other.nodesDiffering, 1);
    }

    void modelWithoutAnOutput_isComparedAsWell() {
        auto none = std::make_shared<GraphModule>();
        none->graph.callFunction(resolveCallable("torch.relu"), {none->graph.placeholder("x")});
        QVERIFY(verified(none, chain({{"relu", "torch.relu"}}), numbers({1, 2})).verdict == Verdict::Different);
        QVERIFY(verified(chain({{"relu", "torch.relu"}}), none, numbers({1, 2})).verdict == Verdict::Different);
    }

    void nodeWithAnotherTarget_isTheFirstThatDiffers() {
        const Chain after = {{"tanh", "torch.tanh"}};
        const VerifyReport report = verified(chain({{"act", "torch.relu"}, after[0]}),
                                             chain({{"act", "torch.neg"}, after[0]}), numbers({1, 2}));
        QCOMPARE(report.first->node, std::string("act"));
        QCOMPARE(report.first->why.text(), std::string("it is torch.relu in A, torch.neg in B"));
    }

    void arguments_thatDiffer_areNamedInTheirOrder() {
        const auto net = [](std::int64_t second, std::int64_t tenth,
                            std::vector<std::pair<std::string, Argument>> named) {
            auto model = std::make_shared<GraphModule>();
            std::vector<Argument> args = {model->graph.placeholder("x")};
            for (std::int64_t i = 1; i < 12; ++i) args.emplace_back(i == 2 ? second : i == 10 ? tenth : i);
            model->graph.output(
                model->graph.createNode(Op::CallMethod, "view", args, Kwargs(named.begin(), named.end())));
            return model;
        };
        const VerifySide a = side(net(2, 10, {{"only", Argument(1)}}), random({1})),
                         b = side(net(20, 100, {}), random({1}));
        const auto view = [](const VerifySide& model) -> const Node& {
            return model.model->graph.node(model.model->graph.find("view"));
        };
        QCOMPARE(engine::differenceAt(view(a), view(b), a, b).text(),
                 std::string("argument 2 of view is 2 in A, 20 in B; argument 10 of view is 10 in A, 100 in B; "
                             "argument 'only' of view is 1 in A, missing in B"));
        QCOMPARE(engine::differenceAt(view(a), view(a), a, a).text(), std::string());
    }

    void outputs_ofOtherStructure_areNotComparable() {
        const auto a = chain({{"relu", "torch.relu"}});
        auto b = std::make_shared<GraphModule>();
        const NodeId x = b->graph.placeholder("x");
        const NodeId relu = b->graph.callFunction(resolveCallable("torch.relu"), {x});
        b->graph.output(Argument::tuple({relu, relu}));
        const VerifyReport report = verified(a, b, random({3}));
        QCOMPARE(report.verdict, Verdict::Different);
        QVERIFY2(report.reason.text().find("a tuple of 2 in B") != std::string::npos, report.reason.text().c_str());
        auto named = std::make_shared<GraphModule>(), other = std::make_shared<GraphModule>();
        for (const auto& [model, key] : {std::pair(named, "y"), std::pair(other, "z")})
            model->graph.output(Argument::dict({{Argument(key), model->graph.placeholder("x")}}));
        QCOMPARE(verified(named, other, random({3})).reason.text(), std::string("the output: B has no ['y']"));
        QCOMPARE(verified(named, named, random({3})).outputs[0].path, std::string("['y']"));
    }

    void dropout_startsFromTheSameState_inBoth() {
        const auto on = [](const char* extra) {
            Chain calls = {{"dropout", "torch.nn.functional.dropout"}};
            if (*extra) calls.insert(calls.begin(), {extra, "torch.neg"});
            return chain(calls, *extra ? std::vector<std::vector<Argument>>{{}, {Argument(0.5), Argument(true)}}
                                       : std::vector<std::vector<Argument>>{{Argument(0.5), Argument(true)}});
        };
        const at::Tensor x = random({1000});
        QCOMPARE(verified(on(""), on(""), x).verdict, Verdict::Equal);
        const auto off = chain({{"dropout", "torch.nn.functional.dropout"}}, {{Argument(0.5), Argument(false)}});
        const VerifyReport report = verified(off, on(""), x);
        QCOMPARE(report.verdict, Verdict::Different);
        QCOMPARE(report.first->node, std::string("dropout"));
        QVERIFY(!report.remarks.empty());
        QVERIFY2(QByteArray::fromStdString(report.remarks[0].text()).contains("dropout is active in B"),
                 report.remarks[0].text().c_str());
    }

    void momentum_inTrainingMode_isADifferenceOfBuffers() {
        const auto model = [](double momentum) {
            const std::string source = "import torch\nimport torch.nn as nn\nclass Net(nn.Module):\n"
                                       "    def __init__(self):\n        super().__init__()\n"
                                       "        self.norm = nn.BatchNorm1d(3, momentum=" +
                                       std::to_string(momentum) +
                                       ")\n    def forward(self, x):\n        return self.norm(x)\n";
            return std::make_shared<GraphModule>(traceDefinition(source, {"Net", true}));
        };
        const VerifyReport report = verified(model(0.1), model(0.2), random({6, 3}));
        QCOMPARE(report.verdict, Verdict::Different);
        QCOMPARE(report.code, VerdictReason::OtherState);
        QVERIFY2(report.reason.text().find("norm.running_mean") != std::string::npos, report.reason.text().c_str());
    }

    void batchNormInTraining_ofOneValuePerChannel_isRefused() {
        const auto model = std::make_shared<GraphModule>(traceDefinition(
            "import torch.nn as nn\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.norm = nn.BatchNorm1d(3)\n    def forward(self, x):\n        return self.norm(x)\n",
            {"Net", true}));
        QCOMPARE(verified(model, model, random({2, 3})).verdict, Verdict::Equal);
        try {
            verified(model, model, random({1, 3}));
            QFAIL("no error");
        } catch (const Error& error) {
            QVERIFY2(QString(error.what()).contains("more than 1 value per channel"), error.what());
        }
    }

    void tupleAndList_areDifferentStructures() {
        const auto model = [](bool list) {
            auto out = std::make_shared<GraphModule>();
            const NodeId x = out->graph.placeholder("x");
            const NodeId y = out->graph.callFunction(resolveCallable("torch.sin"), {x}, {}, "y");
            out->graph.output(list ? Argument::list({x, y}) : Argument::tuple({x, y}));
            return out;
        };
        const VerifyReport report = verified(model(false), model(true), random({3}));
        QCOMPARE(report.code, VerdictReason::NotComparable);
        QCOMPARE(verified(model(true), model(true), random({3})).verdict, Verdict::Equal);
    }

    void outputsOfOneValue_inAnotherOrder_areEqual() {
        QCOMPARE(ofSources("(x * 2, x + x)", "(x + x, x * 2)", random({4, 8})).verdict, Verdict::Equal);
    }

    void valuesInMkldnnLayout_areTriedInThatLayout() {
        const auto pooled = [](bool inMkldnn) {
            auto model = std::make_shared<GraphModule>();
            Graph& graph = model->graph;
            NodeId last = graph.placeholder("x");
            if (inMkldnn) last = graph.createNode(Op::CallMethod, "to_mkldnn", {last});
            last = graph.callFunction(resolveCallable("torch.relu"), {last}, {}, "relu");
            const char* pool =
                inMkldnn ? "torch.ops.aten.mkldnn_max_pool2d.default" : "torch.ops.aten.max_pool2d.default";
            last = graph.callFunction(resolveCallable(pool), {last, Argument::list({2, 2})}, {}, "pool");
            if (inMkldnn) last = graph.createNode(Op::CallMethod, "to_dense", {last});
            graph.output(last);
            return model;
        };
        const Value image = random({1, 2, 4, 4});
        const VerifyReport report = verified(pooled(false), pooled(true), image);
        QVERIFY2(report.agrees(), report.reason.text().c_str());
        const VerifyReport back = verified(pooled(true), pooled(false), image);
        QVERIFY2(back.agrees(), back.reason.text().c_str());
    }

    void passing_onlyWhenWhatUsesItAgreesWithASignal() {
        const auto model = [](const std::string& source) {
            return std::make_shared<GraphModule>(traceFunctionSource("def net(x):\n    " + source));
        };
        const VerifyReport lost =
            verified(model("return torch.sin(x) * 0.0 + x"), model("return torch.sin(x + 1) * 0.0 + x"), random({8}));
        QCOMPARE(lost.first->node, std::string("sin"));
        QVERIFY(!lost.first->passing);
        const VerifyReport healed = verified(model("return torch.softmax(torch.add(x, 1), -1)"),
                                             model("return torch.softmax(torch.add(x, 2), -1)"), random({8}));
        QVERIFY(healed.agrees());
        QCOMPARE(healed.first->node, std::string("add"));
        QVERIFY(healed.first->passing);
    }

    void nodeErrors_areRelativeToTheScale_inOrder() {
        const VerifyReport report =
            verified(chain({{"big", "operator.mul"}, {"add", "operator.add"}}, {{Argument(100)}, {Argument(1)}}),
                     chain({{"big", "operator.mul"}, {"add", "operator.add"}}, {{Argument(100)}, {Argument(2)}}),
                     numbers({1, 3}));
        QCOMPARE(report.nodeErrors.size(), 2u);
        QCOMPARE(report.nodeErrors[0].error, 0.0);
        QCOMPARE(report.nodeErrors[1].node, std::string("add"));
        QCOMPARE(report.nodeErrors[1].maxAbs, 1.0);
        QCOMPARE(report.nodeErrors[1].error, 1.0 / 301);
    }

    void nodeErrors_nameTheNodeInB_whenItIsRenamed() {
        const auto a = chain({{"big", "operator.mul"}, {"add", "operator.add"}}, {{Argument(100)}, {Argument(1)}});
        VerifyReport report =
            verified(a, chain({{"large", "operator.mul"}, {"add", "operator.add"}}, {{Argument(100)}, {Argument(1)}}),
                     numbers({1, 3}));
        QVERIFY(report.identical);
        QCOMPARE(report.nodeErrors[0].node, std::string("big"));
        QCOMPARE(report.nodeErrors[0].nameInB, std::string("large"));
        QCOMPARE(report.nodeErrors[1].nameInB, std::string());
        report =
            verified(a, chain({{"large", "operator.mul"}, {"add", "operator.add"}}, {{Argument(100)}, {Argument(2)}}),
                     numbers({1, 3}));
        QCOMPARE(report.nodeErrors[0].nameInB, std::string("large"));
        QCOMPARE(report.nodeErrors[1].error, 1.0 / 301);
    }

    void probe_findsWhatOtherInputsShow_data() {
        QTest::addColumn<QString>("a");
        QTest::addColumn<QString>("b");
        QTest::addColumn<QString>("what");
        QTest::newRow("larger inputs") << "x + torch.clamp(x, -50.0, 50.0)"
                                       << "x + x"
                                       << "inputs ×100";
        QTest::newRow("nothing") << "torch.sigmoid(torch.sin(x) + 1e4)"
                                 << "torch.sigmoid(torch.cos(x) + 1e4)"
                                 << "";
    }
    void probe_findsWhatOtherInputsShow() {
        QFETCH(QString, a);
        QFETCH(QString, b);
        const auto model = [](const QString& source) {
            return std::make_shared<GraphModule>(
                traceFunctionSource("def net(x):\n    return " + source.toStdString()));
        };
        const auto sides = [&](std::uint64_t seed) {
            engine::seed(seed);
            const at::Tensor x = random({12});
            return std::pair(side(model(a), x), side(model(b), x));
        };
        const std::vector<Probe> probes = engine::probe(sides, {}, 0);
        const bool differs = probes.back().verdict == Verdict::Different;
        QTEST(QString::fromStdString(differs ? probes.back().what : ""), "what");
        QCOMPARE(probes.size(), differs ? 4u : 6u);
    }

    void inputs_changedInPlace_doNotReachTheOther() {
        auto model = std::make_shared<GraphModule>();
        const NodeId x = model->graph.placeholder("x");
        model->graph.output(model->graph.createNode(Op::CallMethod, "mul_", {x, Argument(3)}));
        QCOMPARE(verified(model, model, random({5})).verdict, Verdict::Equal);
    }

    void changedInPlace_isReadFromEitherName() {
        const auto model = [](const std::string& value) {
            return std::make_shared<GraphModule>(traceFunctionSource(
                "def net(x):\n    a = torch.neg(x)\n    b = a.relu_()\n    return torch.sin(" + value + ")\n"));
        };
        const VerifyReport report = verified(model("b"), model("a"), random({12}));
        QCOMPARE(report.verdict, Verdict::Equal);
        QVERIFY(!report.identical);
    }

    void failure_saysWhichModel() {
        const auto good = chain({{"relu", "torch.relu"}}), bad = chain({{"relu", "torch.nobody"}});
        try {
            verified(good, bad, random({2}));
            QFAIL("no error");
        } catch (const Error& error) {
            QCOMPARE(error.side, Side::B);
            QCOMPARE(error.where, std::string("model B"));
            QCOMPARE(error.node, std::string("relu"));
        }
    }
};

QTEST_APPLESS_MAIN(TestVerify)
#include "tst_verify.moc"
