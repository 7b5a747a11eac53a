// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/remote/bench_message.h"
#include "core/remote/verify_message.h"
#include "core/remote/worker_client.h"
#include "core/trace/callables.h"
#include "tests/failure.h"

#include <QTest>

using namespace fx;
using namespace fx::remote;

namespace {

/// Returns the first input minus the second.
std::shared_ptr<const GraphModule> difference(const std::vector<std::string>& names) {
    auto model = std::make_shared<GraphModule>();
    std::vector<Argument> inputs;
    for (const std::string& name : names) inputs.emplace_back(model->graph.placeholder(name));
    model->graph.output(model->graph.callFunction(resolveCallable("operator.sub"), {inputs[0], inputs[1]}));
    return model;
}

ValueTree dict(const std::vector<std::pair<std::string, double>>& entries) {
    ValueTree out;
    out.kind = ValueTree::Kind::Dict;
    for (const auto& [name, value] : entries) {
        out.items.push_back(ValueTree::of(Argument(name)));
        out.items.push_back(ValueTree::of(Argument(value)));
    }
    return out;
}

RunRequest runOf(std::shared_ptr<const GraphModule> model, ValueTree inputs) {
    RunRequest request;
    request.model = std::move(model);
    request.inputs = std::move(inputs);
    request.threads = 1;
    return request;
}

} // namespace

/// Inputs that are given by name, to one model and to two.
class TestVerifyInputs : public QObject {
    Q_OBJECT

    WorkerClient m_worker{WorkerOptions{{LANCET_WORKER}, true, 0}};

    VerifyReport verified(const std::vector<std::string>& namesA, const std::vector<std::string>& namesB,
                          ValueTree inputs) {
        return fx::remote::verify(m_worker, {runOf(difference(namesA), std::move(inputs)), difference(namesB), {}});
    }

private Q_SLOTS:
    void otherNamesInB_getTheValuesByPosition_data() {
        QTest::addColumn<QStringList>("names");
        QTest::newRow("same") << QStringList{"x", "y"};
        QTest::newRow("all renamed") << QStringList{"p", "q"};
        QTest::newRow("one renamed") << QStringList{"x", "q"};
    }
    void otherNamesInB_getTheValuesByPosition() {
        QFETCH(QStringList, names);
        const VerifyReport report =
            verified({"x", "y"}, {names[0].toStdString(), names[1].toStdString()}, dict({{"y", 2}, {"x", 7}}));
        QVERIFY2(report.verdict == Verdict::Equal, report.reason.text().c_str());
    }
    void sameNamesElsewhereInB_getTheValuesByName() {
        QCOMPARE(verified({"x", "y"}, {"y", "x"}, dict({{"x", 7}, {"y", 2}})).verdict, Verdict::Different);
    }
    /// A block that needs sequences, although its first layer says the features only.
    void guessedFeatures_areSequencesWhereTheModelNeedsThem() {
        auto model = std::make_shared<GraphModule>();
        const Argument shape = Argument::tuple({Argument(32)});
        const NodeId norm = model->graph.callFunction(resolveCallable("torch.nn.functional.layer_norm"),
                                                      {model->graph.placeholder("x"), shape});
        model->graph.output(model->graph.createNode(Op::CallMethod, "transpose", {norm, Argument(1), Argument(2)}));
        VerifyRequest request;
        request.run.model = std::shared_ptr<const GraphModule>(model), request.run.threads = 1;
        request.run.anyGuess = true;
        request.other = std::shared_ptr<const GraphModule>(model);
        const VerifyReport report = fx::remote::verify(m_worker, request);
        QCOMPARE(report.verdict, Verdict::Equal);
        QVERIFY2(report.inputs.at(0).starts_with("x: 2×16×32 "), report.inputs[0].c_str());
        request.run.anyGuess = false; // then it is proposed
        const Error error = failure([&] { fx::remote::verify(m_worker, request); });
        QVERIFY2(error.hint.find("x=1x16x32:float32") != std::string::npos, error.hint.c_str());
    }
    void inputThatOnlyBHas_isNotComparable() {
        const VerifyReport report = verified({"x", "y"}, {"x", "y", "z"}, dict({{"x", 7}, {"y", 2}}));
        QCOMPARE(report.verdict, Verdict::Different);
        QCOMPARE(report.reason.text(), std::string("B takes an input 'z' that A does not"));
    }

    void nameThatNoInputHas_isAnError() {
        const ValueTree wrong = dict({{"x", 7}, {"why", 2}});
        BenchRequest bench;
        bench.run = runOf(difference({"x", "y"}), wrong);
        bench.names = {"net.pt"};
        const Error errors[] = {failure([&] {
                                    verified({"x", "y"}, {"x", "y"}, wrong);
                                }),
                                failure([&] { m_worker.run(bench.run); }),
                                failure([&] { fx::remote::bench(m_worker, bench, {}, {}); })};
        for (const Error& error : errors) {
            QCOMPARE(error.kind(), ErrorKind::Usage);
            QCOMPARE(error.what(), "unknown input 'why'");
            QCOMPARE(error.hint, std::string("use one of x, y"));
        }
        QCOMPARE(errors[0].where, std::string("model A"));
        QCOMPARE(errors[0].side, Side::A);
        QCOMPARE(errors[1].side, Side::None);
        QCOMPARE(errors[2].file, std::string("net.pt"));
    }
};

QTEST_APPLESS_MAIN(TestVerifyInputs)
#include "tst_verify_inputs.moc"
