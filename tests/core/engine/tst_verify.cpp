// SPDX-License-Identifier: GPL-3.0-or-later
// LibTorch before Qt: both define words that the other uses.
#include "core/engine/draw.h"
#include "core/engine/machine.h"
#include "core/engine/verify/compare.h"
#include "core/engine/verify/probe.h"
#include "core/engine/verify/verify.h"
#include "core/python/tracing/trace_definition.h"
#include "core/trace/callables.h"

#include <ATen/TensorOperators.h>

#include <QTest>

#include <cmath>
#include <limits>
#include <utility>

using namespace fx;
using engine::TensorStore;
using engine::Value;
using engine::VerifySide;

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

at::Tensor random(std::vector<std::int64_t> sizes) { return engine::randomInput(sizes, at::kFloat, 0); }

at::Tensor numbers(const std::vector<double>& values, at::ScalarType type = at::kFloat) {
    at::Tensor out = engine::randomInput({static_cast<std::int64_t>(values.size())}, at::kDouble, 0);
    for (std::size_t i = 0; i < values.size(); ++i) static_cast<double*>(out.mutable_data_ptr())[i] = values[i];
    return out.to(type);
}

/// A chain of calls: {"relu", "torch.relu"} is relu = torch.relu(what came before).
using Chain = std::vector<std::pair<std::string, std::string>>;
std::shared_ptr<GraphModule> chain(const Chain& calls, const std::vector<std::vector<Argument>>& more = {}) {
    auto model = std::make_shared<GraphModule>();
    NodeId last = model->graph.placeholder("x");
    for (std::size_t i = 0; i < calls.size(); ++i) {
        std::vector<Argument> args = {last};
        if (i < more.size()) args.insert(args.end(), more[i].begin(), more[i].end());
        last = model->graph.callFunction(resolveCallable(calls[i].second), args, {}, calls[i].first);
    }
    model->graph.output(last);
    return model;
}

VerifySide side(std::shared_ptr<GraphModule> model, Value input) {
    return {std::move(model), std::make_shared<TensorStore>(), {{engine::copyOf(input)}, {}}, {}};
}

VerifyReport verified(const std::shared_ptr<GraphModule>& a, const std::shared_ptr<GraphModule>& b,
                      const Value& input) {
    return engine::verify(side(a, input), side(b, input));
}

} // namespace

class TestVerify : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { engine::seed(0); } // LibTorch starts each process with a new seed
    void compare_measuresErrors() {
        const ValueDifference d = engine::compareTensors(numbers({1, 2, 0, -4}), numbers({1, 2.5, 0, -5}), {});
        QVERIFY(!d.equal);
        QVERIFY(!d.close);
        QCOMPARE(d.maxAbs, 1.0);
        QCOMPARE(d.maxRel, 0.25);
        QCOMPARE(d.beyond, 2);
        QVERIFY((d.worst == std::vector<std::int64_t>{3}));
        QCOMPARE(d.tolerance.rtol, 1.3e-6);
        QCOMPARE(engine::compareTensors(numbers({0}), numbers({1}), {}).maxRel, kInf);
        Tolerances loose;
        loose.rtol = 0.3;
        QVERIFY(engine::compareTensors(numbers({1, 2, 0, -4}), numbers({1, 2.5, 0, -5}), loose).close);
        loose.types = {{"torch.float32", {0, 0}}};
        QVERIFY(!engine::compareTensors(numbers({1, 2}), numbers({1, 2.5}), loose).close); // the type wins
    }

    void compare_nanInfinityAndSignOfZero() {
        const double nan = std::nan("");
        ValueDifference d = engine::compareTensors(numbers({nan, kInf, 1}), numbers({nan, kInf, 1}), {});
        QVERIFY(d.equal);
        QVERIFY(d.close);
        QCOMPARE(d.nansBoth, 1);
        d = engine::compareTensors(numbers({nan, 1}), numbers({1, 1}), {});
        QVERIFY(!d.close);
        QVERIFY(!d.equal);
        QCOMPARE(d.nansA, 1);
        QCOMPARE(d.nansB, 0);
        QVERIFY(!engine::compareTensors(numbers({kInf}), numbers({-kInf}), {}).close);
        d = engine::compareTensors(numbers({0.0}), numbers({-0.0}), {});
        QVERIFY(!d.equal);
        QVERIFY(d.close); // bit for bit they differ
        QCOMPARE(d.maxAbs, 0.0);
    }

    /// A few bytes that stand for 4 GB are compared once.
    void compare_expanded_countsAllAndCopiesNone() {
        constexpr std::int64_t kCount = 1'000'000'000;
        const auto wide = [](double value) { return numbers({0, value}).unsqueeze(0).expand({kCount, 2}); };
        const ValueDifference d = engine::compareTensors(wide(1), wide(3), {});
        QCOMPARE(d.count, 2 * kCount);
        QCOMPARE(d.beyond, kCount);
        QCOMPARE(d.maxAbs, 2.0);
        QVERIFY((d.worst == std::vector<std::int64_t>{0, 1}));
        QCOMPARE(engine::compareTensors(wide(std::nan("")), wide(std::nan("")), {}).nansBoth, kCount);
    }

    void compare_integersExactly_beyondDoubles() {
        const at::Tensor big = numbers({9007199254740992.0}, at::kLong);
        const ValueDifference d = engine::compareTensors(big, big + 1, {});
        QVERIFY(!d.close);
        QCOMPARE(d.maxAbs, 1.0);
    }

    void compare_typesAndShapes_areReasons() {
        const at::Tensor x = random({2, 3});
        ValueDifference d = engine::compareTensors(x, x.to(at::kHalf), {});
        QCOMPARE(d.reason.text(), std::string("float32 in A, float16 in B"));
        QVERIFY(!d.close);
        QVERIFY(d.maxAbs < 1e-2); // the error is measured all the same
        QVERIFY(d.sameShape);
        d = engine::compareTensors(x, x.flatten(), {});
        QCOMPARE(d.reason.text(), std::string("2×3 in A, 6 in B"));
        QVERIFY(!d.sameShape);
        d = engine::compareTensors(x, x.flatten().to(at::kHalf), {});
        QVERIFY(!d.sameShape); // whatever the text begins with
    }

    void largeTensors_blockByBlock() {
        const at::Tensor x = random({700000});
        at::Tensor y = x.clone();
        static_cast<float*>(y.mutable_data_ptr())[600001] += 8;
        const ValueDifference d = engine::compareTensors(x.view({7, 100000}), y.view({7, 100000}), {});
        QVERIFY((d.worst == std::vector<std::int64_t>{6, 1}));
        QCOMPARE(d.beyond, 1);
    }

    void same_isEqual() {
        const auto model = chain({{"relu", "torch.relu"}, {"tanh", "torch.tanh"}});
        const VerifyReport report = verified(model, model, random({3}));
        QCOMPARE(report.verdict, Verdict::Equal);
        QVERIFY(!report.first);
        QCOMPARE(report.nodesCompared, 2);
        QCOMPARE(report.outputs.size(), 1u);
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

    void outputsThatAgree_areBelievedOnlyWhenTheyCouldDiffer_data() {
        QTest::addColumn<QString>("a");
        QTest::addColumn<QString>("b");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* name, const char* a, const char* b, const char* expected) {
            QTest::newRow(name) << QString("def net(x):\n    ") + a << QString("def net(x):\n    ") + b
                                << QString(expected);
        };
        row("same", "return torch.sin(x)", "return torch.sin(x)", "equal same_model");
        row("dead code", "y = torch.cos(x)\n    return torch.sin(x)", "return torch.sin(x)", "equal same_model");
        row("rounding", "return torch.sin(x) / 3.0", "return torch.sin(x) * (1 / 3.0)", "close none");
        row("the same otherwise", "return x + x", "return x * 2", "equal none");
        row("a shift before a softmax", "return torch.softmax(x, -1)", "return torch.softmax(x + 3, -1)", "close none");
        row("no need of it", "return torch.softmax(x, -1).abs()", "return torch.softmax(x, -1)", "equal none");
        row("saturated", "return torch.sigmoid(x + 1e4)", "return torch.sigmoid(torch.sin(x) + 1e4)",
            "inconclusive saturated_outputs");
        row("constant", "return torch.sin(x) * 0.0 + 5.0", "return torch.cos(x) * 0.0 + 5.0",
            "inconclusive constant_outputs");
        row("next to nothing", "return torch.sin(x) * 1e-9", "return torch.cos(x) * 1e-9",
            "inconclusive small_against_atol");
        row("no way out", "return x + torch.sin(x) * 0.0", "return x + torch.cos(x) * 0.0", "inconclusive signal_lost");
        row("an index of ties", "return (x == x.amax(-1, keepdim=True)).float()",
            "return torch.nn.functional.one_hot(x.argmax(-1), x.size(-1)).float()", "inconclusive other_data");
        row("NaN in a sum of all", "return x.nansum()", "return x.sum()", "inconclusive not_finite");
        row("NaN of the larger", "return torch.fmax(x, x.flip(0))", "return torch.maximum(x, x.flip(0))",
            "inconclusive not_finite");
        row("in place", "return torch.sin(torch.tanh(x) * torch.sigmoid(x) + 1)",
            "y = torch.tanh(x)\n    y.mul_(torch.sigmoid(x))\n    y.add_(1)\n    return torch.sin(y)", "equal none");
        row("in place through a view", "return torch.cat([torch.tanh(x)[:1] * 2, torch.tanh(x)[1:]]).exp()",
            "y = torch.tanh(x)\n    z = y[:1]\n    z.mul_(2)\n    return y.exp()", "equal none");
        row("in place, something else", "return torch.sin(torch.tanh(x) * torch.sigmoid(x).clamp(max=0.99999))",
            "y = torch.tanh(x)\n    y.mul_(torch.sigmoid(x).clamp(max=0.5))\n    return torch.sin(y)",
            "different beyond_tolerance");
        row("no way in", "return x + torch.sin(torch.relu(x - 1e4))", "return x + torch.tan(torch.relu(x - 1e4))",
            "inconclusive not_reached");
        row("range not met", "return x + torch.clamp(x, -50.0, 50.0)", "return x + x", "inconclusive not_reached");
        row("end of a range beyond the data", "return torch.clamp(x, max=500.0)", "return torch.clamp(x, max=800.0)",
            "inconclusive not_reached");
        row("threshold beyond the data", "return x + torch.threshold(x, -1000.0, 0.0)",
            "return x + torch.threshold(x, -2000.0, 0.0)", "inconclusive not_reached");
        row("the same threshold otherwise", "return x + torch.clamp(x, max=500.0)",
            "return x + torch.clamp(x, -1e30, 500.0)", "equal none");
        row("a clamp that sigmoid needs not", "return torch.sin(torch.clamp(torch.sigmoid(x), 0.0, 2.0))",
            "return torch.sin(torch.sigmoid(x))", "equal none");
        row("a slice wider than the data", "return x[:20]", "return x[:30]", "inconclusive other_sizes");
        row("both halves", "return torch.sin(torch.cat([x[:5], x[5:]]))", "return torch.sin(x)", "equal none");
        row("no NaN", "return torch.sin(torch.nan_to_num(x))", "return torch.sin(x)", "inconclusive not_finite");
        row("NaN replaced twice", "return torch.sin(torch.nan_to_num(torch.nan_to_num(x)))",
            "return torch.sin(torch.nan_to_num(x))", "equal none");
        row("eps of a norm", "return torch.nn.functional.normalize(x, dim=0)",
            "return torch.nn.functional.normalize(x, dim=0, eps=1e-7)", "inconclusive not_reached");
        row("eps of a logarithm", "return torch.log(torch.abs(x) + 1e-9)", "return torch.log(torch.abs(x) + 1e-8)",
            "inconclusive not_reached");
        row("eps elsewhere", "return x * torch.rsqrt(x.square().mean() + 1e-6)",
            "return x / (x.square().mean().sqrt() + 1e-6)", "inconclusive not_reached");
        row("the same eps", "return torch.nn.functional.normalize(x, dim=0)",
            "return x / torch.clamp_min(torch.norm(x, dim=0, keepdim=True), 1e-12)", "equal none");
        row("halves", "return x * 0.5", "return x / 2", "equal none");
        row("a bend far from the data", "return torch.tanh(x * 1e-5)", "return x * 1e-5", "inconclusive not_reached");
        row("multiples of a size", "return x.reshape(2, 6).reshape(x.shape[0] // 6, -1)",
            "return x.reshape(2, 6).reshape(-1, 6)", "equal none");
        row("the same decision", "return torch.argmax(torch.softmax(x, -1))", "return torch.argmax(x)", "equal none");
        row("nothing but NaN", "return torch.log(x * 0.0 - 1.0)", "return torch.log(x * 0.0 - 2.0)",
            "inconclusive nan_outputs");
        row("another shape", "return x.sum()", "return x.sum(0, keepdim=True)", "different shapes");
        row("another type", "return x.sum()", "return x.sum().double()", "different not_comparable");
    }
    void outputsThatAgree_areBelievedOnlyWhenTheyCouldDiffer() {
        QFETCH(QString, a);
        QFETCH(QString, b);
        engine::seed(3);
        const auto model = [](const QString& source) {
            return std::make_shared<GraphModule>(traceFunctionSource(source.toStdString()));
        };
        const VerifyReport report = verified(model(a), model(b), random({12}));
        QTEST(QString("%1 %2").arg(verdictName(report.verdict), reasonName(report.code)), "expected");
        QVERIFY(report.agrees() || !report.reason.text().empty());
    }

    void integerDivisions_thatRoundOtherwise_areNotEqual() {
        const auto model = [](const std::string& rounding) {
            return std::make_shared<GraphModule>(
                traceFunctionSource("def net(x):\n    return torch.div(x, 7, rounding_mode='" + rounding + "')"));
        };
        const at::Tensor positive = numbers({3, 14, 8, 29, 0, 6}).to(at::kLong);
        QCOMPARE(verified(model("floor"), model("trunc"), positive).verdict, Verdict::Inconclusive);
        QCOMPARE(verified(model("floor"), model("floor"), positive).verdict, Verdict::Equal);
    }

    void decisions_thatFallElsewhere_areNotEqual() {
        engine::seed(3);
        const auto model = [](const std::string& value) {
            return std::make_shared<GraphModule>(
                traceFunctionSource("def net(x):\n    return torch.argmax(" + value + ")"));
        };
        std::vector<double> values;
        for (int i = 0; i < 12; ++i) values.push_back(i * 7 % 12); // far apart: the index moves no maximum
        const VerifyReport report = verified(model("x"), model("x + torch.arange(12) * 0.001"), numbers(values));
        QVERIFY(report.outputs[0].value.equal);
        QCOMPARE(report.verdict, Verdict::Inconclusive);
    }

    /// `LINEAR` in an expression is a layer of ten classes; that of B has other weights by `change`, relative to them.
    static VerifyReport decided(QString a, QString b, double change, at::ScalarType type = at::kFloat) {
        engine::seed(3);
        const at::Tensor x = random({4, 16}), weight = random({16, 10}), other = random({16, 10});
        const auto model = [&](QString source, double part) {
            const QString layer = part == 0 ? "(x @ w)" : "(x @ (w + v * " + QString::number(part) + "))";
            source.replace("LINEAR", layer);
            return std::make_shared<GraphModule>(
                traceFunctionSource("def net(x, w, v):\n    return " + source.toStdString()));
        };
        const auto given = [&](std::shared_ptr<GraphModule> net) {
            VerifySide out = side(std::move(net), x.to(type));
            out.inputs.positional.insert(out.inputs.positional.end(), {Value(weight.to(type)), Value(other.to(type))});
            return out;
        };
        return engine::verify(given(model(a, 0)), given(model(b, change)));
    }

    void decisions_byOtherFloats_data() {
        QTest::addColumn<QString>("a");
        QTest::addColumn<QString>("b");
        QTest::addColumn<double>("change");
        QTest::addColumn<bool>("agrees");
        const auto row = [](const char* name, const char* a, const char* b, double change, bool agrees) {
            QTest::newRow(name) << a << b << change << agrees;
        };
        for (const char* call :
             {"torch.argmax(LINEAR, -1)", "torch.topk(LINEAR, 3)[1]", "LINEAR.max(-1)[1]", "torch.argsort(LINEAR, -1)",
              "LINEAR > 0.3", "torch.floor(LINEAR)", "LINEAR.int()", "x.sum() * (LINEAR > 0)"}) {
            row(call, call, call, 1e-3, false);
            row(QByteArray(call) + ", a little", call, call, 1e-4, false);
        }
        row("softmax", "torch.argmax(torch.softmax(LINEAR, -1), -1)", "torch.argmax(LINEAR, -1)", 0, true);
        row("log_softmax", "torch.topk(torch.log_softmax(LINEAR, -1), 3)[1]", "torch.topk(LINEAR, 3)[1]", 0, true);
        row("scaled", "torch.argsort(LINEAR / 0.7, -1)", "torch.argsort(LINEAR, -1)", 0, true);
        row("scaled, one by one", "torch.argmax(LINEAR * (1 + 0.01 * torch.arange(10)), -1)",
            "torch.argmax(LINEAR, -1)", 0, false);
        row("sign of what is scaled", "LINEAR * (1 + torch.arange(10)) > 0", "LINEAR > 0", 0, true);
        row("sigmoid", "torch.sigmoid(LINEAR) > 0.5", "LINEAR > 0", 0, true);
        row("another threshold", "torch.sigmoid(LINEAR) > 0.5001", "LINEAR > 0", 0, false);
    }
    void decisions_byOtherFloats() {
        QFETCH(QString, a);
        QFETCH(QString, b);
        QFETCH(double, change);
        const VerifyReport report = decided(a, b, change);
        QTEST(report.agrees(), "agrees");
    }

    void decisions_inHalf_andTheNodeIsNamed() {
        const VerifyReport half = decided("torch.argmax(LINEAR, -1)", "torch.argmax(LINEAR, -1)", 0.05, at::kHalf);
        QVERIFY(!half.agrees());
        QVERIFY(decided("torch.argmax(LINEAR, -1)", "torch.argmax(LINEAR * 2, -1)", 0, at::kHalf).agrees());
        // What decides differs by less than further inputs show, and still the models are not called equal.
        QVERIFY(!decided("torch.argmax(LINEAR, -1)", "torch.argmax(LINEAR, -1)", 5e-5).agrees());
        const VerifyReport report = decided("torch.argmax(LINEAR, -1)", "torch.argmax(LINEAR, -1)", 5e-4);
        QCOMPARE(report.code, VerdictReason::OtherDecision);
        QVERIFY2(report.reason.text().find("different values (argmax)") != std::string::npos,
                 report.reason.text().c_str());
    }

    void erasedNodes_areNamed_notThoseBehindThem() {
        const auto a = std::make_shared<GraphModule>(
                       traceFunctionSource("def net(x):\n    return torch.sin(torch.clamp(x, max=500.0))")),
                   b = std::make_shared<GraphModule>(traceFunctionSource("def net(x):\n    return torch.sin(x)"));
        const VerifyReport gone = verified(a, b, random({12})), added = verified(b, a, random({12}));
        QVERIFY2(gone.reason.text().find("(clamp)") != std::string::npos, gone.reason.text().c_str());
        QVERIFY2(added.reason.text().find("(clamp)") != std::string::npos, added.reason.text().c_str());
    }

    void stoppingWhileLookingElsewhere_isAnError() {
        const auto a = chain({{"end", "torch.clamp_max"}}, {{Argument(500.0)}}),
                   b = chain({{"end", "torch.clamp_max"}}, {{Argument(800.0)}});
        int nodes = 0, last = 1 << 20;
        engine::VerifyOptions options;
        options.atNode = [&](const Node&) {
            if (++nodes == last) throw Error(ErrorKind::Cancelled, Message("app.cancelled"));
        };
        const Value input = random({12});
        const auto run = [&] { return engine::verify(side(a, input), side(b, input), options); };
        QCOMPARE(run().code, VerdictReason::NotReached);
        last = std::exchange(nodes, 0); // the last node of all is one of what is looked at elsewhere
        try {
            run();
            QFAIL("no error");
        } catch (const Error& error) { QVERIFY(error.kind() == ErrorKind::Cancelled); }
    }

    void sizesThatMustBeMultiples_areTriedToo() {
        const auto model = [](const char* sizes) {
            return std::make_shared<GraphModule>(
                traceFunctionSource(std::string("def net(x):\n    return x.reshape(") + sizes + ")"));
        };
        const Value x = random({2, 4, 16});
        QCOMPARE(verified(model("x.shape[0], -1"), model("-1, 64"), x).code, VerdictReason::OtherSizes);
        QCOMPARE(verified(model("x.shape[0], 64"), model("-1, 64"), x).verdict, Verdict::Equal);
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

    void buffersThatRunsWrite_areCompared_data() {
        QTest::addColumn<QString>("act");
        QTest::addColumn<bool>("writes");
        QTest::addColumn<bool>("writesAgain");
        QTest::addColumn<QString>("expected");
        QTest::newRow("the same otherwise") << "torch.nn.functional.relu" << true << false << "equal none";
        QTest::newRow("another update") << "torch.relu" << true << true << "different other_state";
        QTest::newRow("no buffer") << "torch.relu" << false << false << "inconclusive lost_state";
    }
    void buffersThatRunsWrite_areCompared() {
        QFETCH(QString, act);
        QFETCH(bool, writes);
        QFETCH(bool, writesAgain);
        QFETCH(QString, expected);
        const auto model = [](const std::string& function, bool adds, bool again) {
            auto out = std::make_shared<GraphModule>();
            Graph& graph = out->graph;
            const NodeId x = graph.placeholder("x");
            Argument by(2.0);
            if (adds) {
                out->root->buffers.push_back({"seen", engine::toTensorRef(numbers({0})), true});
                const NodeId seen = graph.createNode(Op::GetAttr, "seen");
                graph.createNode(Op::CallMethod, "add_", {seen, Argument(2.0)});
                by = Argument(graph.createNode(Op::CallMethod, "mul", {seen, Argument(1.0)}));
                if (again) graph.createNode(Op::CallMethod, "mul_", {seen, Argument(2.0)});
            }
            const NodeId y = graph.callFunction(resolveCallable(function), {x}, {}, "act");
            graph.output(graph.callFunction(resolveCallable("torch.add"), {y, by}, {}, "sum"));
            return out;
        };
        const VerifyReport report =
            verified(model("torch.relu", true, false), model(act.toStdString(), writes, writesAgain), random({4, 3}));
        const QString got = QString("%1 %2").arg(verdictName(report.verdict), reasonName(report.code));
        QVERIFY2(got == expected, qPrintable(got + ' ' + QString::fromStdString(report.reason.text())));
    }

    void laterCalls_data() {
        QTest::addColumn<QString>("ofA");
        QTest::addColumn<QString>("ofB");
        QTest::addColumn<QString>("expected");
        QTest::newRow("limit") << "(n * 0.01).clamp(max=1.0)"
                               << "(n * 0.01).clamp(max=0.5)"
                               << "inconclusive";
        QTest::newRow("one call") << "torch.where(n == 77, 2.0, 1.0)"
                                  << "1.0 + 0 * n"
                                  << "inconclusive";
        QTest::newRow("a million") << "n.clamp(max=900000)"
                                   << "n * 1.0"
                                   << "inconclusive";
        QTest::newRow("the same") << "(n * 0.01).clamp(max=1.0)"
                                  << "torch.minimum(n * 0.01, torch.ones(()))"
                                  << "equal";
    }
    /// A buffer counts the calls.
    void laterCalls() {
        QFETCH(QString, ofA);
        QFETCH(QString, ofB);
        QFETCH(QString, expected);
        const auto model = [](const QString& factor) {
            const QString body = "def net(x, n):\n    return x * (" + factor + ")";
            auto out = std::make_shared<GraphModule>(traceFunctionSource(body.toStdString()));
            out->root->buffers.push_back({"n", engine::toTensorRef(numbers({0})), true});
            Graph& graph = out->graph;
            const NodeId input = graph.find("n");
            graph.setInsertPoint({InsertPoint::Side::After, input});
            const NodeId n = graph.createNode(Op::GetAttr, "n");
            graph.setInsertPoint({InsertPoint::Side::After, n});
            graph.createNode(Op::CallMethod, "add_", {n, Argument(1.0)});
            graph.setInsertPoint({});
            graph.replaceAllUses(input, n);
            graph.erase(input);
            return out;
        };
        const VerifyReport report = verified(model(ofA), model(ofB), random({4, 3}));
        QVERIFY2(QString::fromLatin1(verdictName(report.verdict)) == expected,
                 qPrintable(QString::fromStdString(report.reason.text())));
    }

    static VerifyReport ofSources(const std::string& a, const std::string& b, const Value& input) {
        const auto model = [](const std::string& body) {
            return std::make_shared<GraphModule>(traceFunctionSource("def net(x):\n    return " + body));
        };
        return verified(model(a), model(b), input);
    }

    void thresholds_thatLargerInputsReach_areTried() {
        const Value x = random({4, 8});
        const VerifyReport report = ofSources("(x * 0.5).max() * 1.0 > 50.0", "(x * 0.5).max() * 1.0 > 60.0", x);
        QCOMPARE(report.verdict, Verdict::Inconclusive);
        QVERIFY(ofSources("torch.sigmoid(x).clamp(0.0, 2.0)", "torch.sigmoid(x) * 1.0", x).agrees());
    }

    void differencesAtSingleValues_count_thoseAtSpecialValues_areRemarks() {
        const auto remarks = [](const char* a, const char* b) {
            const VerifyReport report = ofSources(a, b, random({4, 8}));
            std::string text = report.agrees() ? "" : "doubted";
            for (const Message& remark : report.remarks) text += remark.text() + '\n';
            return QString::fromStdString(text);
        };
        const QString halves = remarks("torch.round(x.exp() * 1.0)", "torch.floor(x.exp() + 0.5)");
        QVERIFY2(halves.startsWith("doubted"), qPrintable(halves));
        QVERIFY2(halves.contains("gives another result"), qPrintable(halves));
        QVERIFY(!ofSources("x > 0.5", "x >= 0.5", random({4, 8})).agrees());
        QVERIFY(remarks("torch.softmax(x, -1)", "x.exp() / x.exp().sum(-1, keepdim=True)")
                    .contains("values as large as 100"));
        QCOMPARE(remarks("torch.relu(x) * 2", "torch.relu(x) + torch.relu(x)"), QString());
    }

    void writesThatOnlyTheirResultShows_areNoDifference_thoseIntoAnInputAre() {
        const Value x = random({3, 4});
        QCOMPARE(ofSources("x.clone().add_(1).mul_(2)", "(x + 1) * 2", x).verdict, Verdict::Equal);
        QCOMPARE(ofSources("(x + 1) * 2", "x.clone().add_(1).mul_(2)", x).verdict, Verdict::Equal);
        const VerifyReport report = ofSources("torch.sin(x.add_(1))", "torch.sin(x + 1)", x);
        QCOMPARE(report.code, VerdictReason::OtherInputs);
        QVERIFY2(report.reason.text().find("input x") != std::string::npos, report.reason.text().c_str());
    }

    void elementsThatReductionsLeaveOut_areMet() {
        const Value x = random({2, 1000});
        QVERIFY(!ofSources("x.amax(-1)", "x[:, :-1].amax(-1)", x).agrees());
        QVERIFY(!ofSources("x.argmax(-1)", "x[:, :-1].argmax(-1)", x).agrees());
        QVERIFY(ofSources("x.amax(-1)", "x.max(-1)[0]", x).agrees());
    }

    void lengthsBeyondIntegersOfWhatChanged_areTried() {
        const Value x = random({1, 16, 4});
        QVERIFY(!ofSources("x[:, -512:].mean(1)", "x[:, -1024:].mean(1)", x).agrees());
    }

    void tablesThatDiffer_whereNoRunReads_areDoubted() {
        const auto model = [](double element) {
            auto out = std::make_shared<GraphModule>();
            const at::Tensor table = random({64, 4}).clone();
            table.zero_();
            table.select(0, 40).add_(element);
            out->root->buffers.push_back({"table", engine::toTensorRef(table)});
            const NodeId x = out->graph.placeholder("x");
            const NodeId w = out->graph.createNode(Op::GetAttr, "table");
            const NodeId size = out->graph.createNode(Op::CallMethod, "size", {x, Argument(0)});
            const NodeId rows = out->graph.callFunction(resolveCallable("_operator.getitem"),
                                                        {w, Argument::slice(Argument(), size, Argument())});
            out->graph.output(out->graph.callFunction(resolveCallable("_operator.add"), {x, rows}));
            return out;
        };
        const VerifyReport report = verified(model(0), model(1), random({8, 4}));
        QVERIFY2(!report.agrees(), report.reason.text().c_str());
        QVERIFY(verified(model(1), model(1), random({8, 4})).agrees());
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

    void sizes_thatOnlyBRefuses_areTold() {
        const VerifyReport report = ofSources("torch.nn.functional.group_norm(x, 1)",
                                              "torch.nn.functional.layer_norm(x, (3, 4))", random({2, 3, 4}));
        QVERIFY(report.agrees());
        QVERIFY(std::any_of(report.remarks.begin(), report.remarks.end(),
                            [](const Message& remark) { return remark.is("verify.other_extents"); }));
        QCOMPARE(ofSources("x.squeeze(0)", "x.squeeze()", random({1, 4, 8})).code, VerdictReason::OtherSizes);
    }

    void batchThatBRefuses_isTheReason() {
        const VerifyReport report =
            ofSources("torch.sin(x.view(x.size(0), 12))", "torch.sin(x.view(2, 12))", random({2, 3, 4}));
        QCOMPARE(report.verdict, Verdict::Inconclusive);
        QCOMPARE(report.code, VerdictReason::OtherSizes);
        QVERIFY2(report.reason.is("verify.refused_sizes"), report.reason.text().c_str());
        QVERIFY2(report.reason.text().find("B stops at view") != std::string::npos, report.reason.text().c_str());
        QVERIFY2(report.reason.text().find("write view without a fixed size") != std::string::npos,
                 report.reason.text().c_str());
    }

    void remarksOnSpecialValues_leaveTheVerdict() {
        const VerifyReport report =
            ofSources("torch.log1p(torch.exp(x))", "torch.nn.functional.softplus(x)", random({3, 4}));
        QVERIFY(report.agrees());
        const auto remark = std::find_if(report.remarks.begin(), report.remarks.end(),
                                         [](const Message& each) { return each.is("verify.special_values"); });
        QVERIFY(remark != report.remarks.end());
        QVERIFY2(remark->text().starts_with("for "), remark->text().c_str());
    }

    void integers_atTheLimitsOfTheirType_areTried() {
        const Value few = numbers({1, 2, 3}, at::kByte);
        QCOMPARE(ofSources("(x + 100).float()", "x.float() + 100", few).code, VerdictReason::NotReached);
        QVERIFY(ofSources("x * 2", "x + x", few).agrees());
    }

    void furtherInputs_showWhatTheGivenOnesDoNot() {
        const Value row = random({1, 9}), few = numbers({7, 8, 9}, at::kLong);
        const VerifyReport batch = ofSources("x.median()", "x.median(-1)[0].median()", row);
        QCOMPARE(batch.code, VerdictReason::OtherSizes);
        const VerifyReport signs = ofSources("torch.div(x, x.flip(0), rounding_mode='floor')",
                                             "torch.div(x, x.flip(0), rounding_mode='trunc')", few);
        QCOMPARE(signs.verdict, Verdict::Inconclusive);
        const VerifyReport rows = ofSources("x.masked_fill(x < -5, -1e9).softmax(-1)",
                                            "x.masked_fill(x < -5, float('-inf')).softmax(-1)", random({4, 8}));
        QCOMPARE(rows.verdict, Verdict::Inconclusive);
    }

    void outputsWithoutElements_besideOnesThatDiffer() {
        QCOMPARE(ofSources("(x[:, :0], x.median())", "(x[:, :0], x.median(-1)[0].median())", random({1, 9})).code,
                 VerdictReason::OtherSizes);
    }

    void defaultsOfInputs_areVaried_unusedInputsAreTold() {
        const auto model = [](const char* text) {
            return std::make_shared<GraphModule>(
                traceFunctionSource(std::string("def net(x, n=2):\n    return ") + text));
        };
        const Value x = random({4, 8});
        QCOMPARE(verified(model("x.roll(n, 0)"), model("x.roll(2, 0)"), x).verdict, Verdict::Inconclusive);
        QCOMPARE(verified(model("x.roll(n, 0) * 2"), model("(x * 2).roll(n, 0)"), x).verdict, Verdict::Equal);
        const VerifyReport report = verified(model("x * 2 + (n - n)"), model("x + x"), x);
        QVERIFY(report.agrees());
        QVERIFY(std::any_of(report.remarks.begin(), report.remarks.end(),
                            [](const Message& remark) { return remark.is("verify.unused_in_b"); }));
    }

    void repeatedFloatsAndZeros_areTried() {
        const Value x = random({4, 8});
        QCOMPARE(ofSources("x.unique().sum()", "x.sum()", x).verdict, Verdict::Inconclusive);
        QVERIFY(!ofSources("x.bool()", "torch.ones_like(x).bool()", x).agrees());
        QVERIFY(ofSources("x.sort(-1)[0]", "x.gather(-1, x.argsort(-1))", x).agrees());
        QVERIFY(ofSources("x.count_nonzero()", "(x != 0).sum()", x).agrees());
    }

    void comparisons_thatNoInputsShowTheOtherWay_areNamed() {
        const Value x = random({4, 8});
        const VerifyReport report = ofSources("x + 0.0", "x + (x.sum() > 1e5)", x);
        QCOMPARE(report.code, VerdictReason::OtherBranch);
        QVERIFY2(report.reason.text().find("(gt)") != std::string::npos, report.reason.text().c_str());
        QVERIFY(ofSources("torch.where(x.mean() > 2, x * 0, x)", "x * (x.mean() <= 2)", x).agrees());
    }

    void integers_beyondFloat64_areComparedExactly() {
        const Value few = numbers({1, 2, 3}, at::kLong);
        QCOMPARE(ofSources("x * x", "(x.double() * x.double()).long()", few).verdict, Verdict::Inconclusive);
        QVERIFY(ofSources("x * x", "x.square()", few).agrees());
    }

    void outputsOfOneValue_inAnotherOrder_areEqual() {
        QCOMPARE(ofSources("(x * 2, x + x)", "(x + x, x * 2)", random({4, 8})).verdict, Verdict::Equal);
    }

    void writesWhoseResultsNothingUses_areRunInTrials() {
        const auto model = [](const char* body) {
            return std::make_shared<GraphModule>(traceFunctionSource(std::string("def net(x):\n") + body));
        };
        const auto inPlace = model("    y = x.clone()\n    y.mul_(2)\n    y.add_(1)\n    y.relu_()\n    return y\n"),
                   apart = model("    return (x * 2 + 1).relu()\n");
        QCOMPARE(verified(inPlace, apart, random({4, 8})).verdict, Verdict::Equal);
        QCOMPARE(verified(apart, inPlace, random({4, 8})).verdict, Verdict::Equal);
    }

    void callThatGetsNoElements_isNotKnownToBeTheSame() {
        const auto model = [](const char* function) {
            auto out = std::make_shared<GraphModule>();
            Graph& graph = out->graph;
            const NodeId x = graph.placeholder("x");
            const NodeId rest = graph.callFunction(resolveCallable("torch.narrow"),
                                                   {x, Argument(0), Argument(1), Argument(0)}, {}, "rest");
            const NodeId act = graph.callFunction(resolveCallable(function), {rest}, {}, "act");
            graph.output(graph.callFunction(resolveCallable("torch.cat"), {Argument::list({x, act})}));
            return out;
        };
        const VerifyReport report = verified(model("torch.sin"), model("torch.cos"), random({2, 3}));
        QCOMPARE(report.verdict, Verdict::Inconclusive);
        QVERIFY2(report.reason.text().find("act") != std::string::npos, report.reason.text().c_str());
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
