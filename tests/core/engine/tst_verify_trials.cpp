// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/core/engine/verify_fixture.h"

#include <QTest>

#include <cmath>

using namespace verifying;

/// Outputs that agree count only if they could have differed: inputs, states and decisions that `verify` tries.
class TestVerifyTrials : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void init() { engine::seed(0); } // LibTorch starts each process with a new seed

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
                                            "x.masked_fill(x < -5, float('-inf')).softmax(-1)", random({4, 8}), 60);
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
};

QTEST_APPLESS_MAIN(TestVerifyTrials)
#include "tst_verify_trials.moc"
