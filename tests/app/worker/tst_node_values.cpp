// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/history.h"
#include "core/model_files/open.h"
#include "core/remote/values_message.h"
#include "core/remote/worker_client.h"
#include "core/tensor/elements.h"
#include "core/trace/callables.h"
#include "tests/json_steps.h"

#include <QTest>
#include <cmath>
#include <numeric>

using namespace fx;
using namespace fx::remote;

namespace {

constexpr const char* kNet = LANCET_SOURCE_DIR "/resources/samples/simple_net.pt";

RunRequest runOf(ModelRef model) {
    RunRequest request;
    request.model = std::move(model);
    request.random = {{"x", {2, 3, 16, 16}, "torch.float32", 0}};
    request.threads = 1;
    return request;
}

/// x → chunk → getitem, sqrt of what is negative too, an int, output.
std::shared_ptr<GraphModule> calls() {
    auto model = std::make_shared<GraphModule>();
    const auto function = [&](const char* name, std::vector<Argument> arguments) {
        return model->graph.callFunction(resolveCallable(name), std::move(arguments));
    };
    const NodeId x = model->graph.placeholder("x");
    const NodeId chunk = function("torch.chunk", {x, Argument(2)});
    const NodeId root = function("torch.sqrt", {x});
    const NodeId size = model->graph.createNode(Op::CallMethod, "size", {x, Argument(std::int64_t{0})});
    model->graph.output(Argument::tuple({chunk, root, size}));
    return model;
}

} // namespace

class TestNodeValues : public QObject {
    Q_OBJECT

    WorkerClient m_worker{WorkerOptions{{LANCET_WORKER}, true, 0}};

    NodeValues look(ModelRef model, std::string node, ValueSlice slice = {}, std::int64_t part = 0) {
        return lookAt(m_worker, {runOf(std::move(model)), {}, std::move(node), part, std::move(slice)});
    }

private Q_SLOTS:
    void node_ofARun_isWhatTheModelComputes() {
        const std::shared_ptr<const GraphModule> net = openModel(kNet);
        const NodeValues conv = look(net, "conv"), relu = look(net, "relu");
        QCOMPARE(conv.value.sizes, (std::vector<std::int64_t>{2, 8, 16, 16}));
        QCOMPARE(conv.value.dtype, std::string("torch.float32"));
        QCOMPARE(conv.value.rows * conv.value.columns, std::int64_t(256));
        for (std::size_t i = 0; i < conv.value.cells.size(); ++i)
            QCOMPARE(relu.value.cells[i], std::max(0.0, conv.value.cells[i]));
        QCOMPARE(relu.value.statistics.min, 0.0);
        QCOMPARE(relu.value.statistics.max, std::max(0.0, conv.value.statistics.max));
        QCOMPARE(relu.value.statistics.count, std::int64_t(2 * 8 * 16 * 16));
        QVERIFY(relu.value.statistics.zeros > 100);
        QCOMPARE(std::accumulate(relu.value.statistics.histogram.begin(), relu.value.statistics.histogram.end(),
                                 std::int64_t(0)),
                 relu.value.statistics.count);
        QVERIFY(relu.inputs.at(0).starts_with("x: 2×3×16×16 float32"));
        // The output of the model is that of a run.
        const RunResult whole = m_worker.run(runOf(net));
        const NodeValues output = look(net, "output");
        QCOMPARE(output.value.cells, elementValues(*whole.output.tensor));
    }

    void slice_otherOfTheSameNode_runsNothing() {
        const std::shared_ptr<const GraphModule> net = openModel(kNet);
        const NodeValues first = look(net, "relu");
        QVERIFY(first.millis > 0);
        const NodeValues other = look(net, "relu", {{1, 3}, 5, 7});
        QCOMPARE(other.millis, 0.0);
        QCOMPARE(other.value.rows, std::int64_t(11));
        QCOMPARE(other.value.columns, std::int64_t(9));
        QCOMPARE(other.value.statistics.mean, first.value.statistics.mean);
        const NodeValues whole = look(net, "relu", {{1, 3}, 0, 0});
        QCOMPARE(other.value.cells[0], whole.value.cells[5 * 16 + 7]);
        QVERIFY(whole.value.cells != first.value.cells);
        const NodeValues outside = look(net, "relu", {{9, 9}, 99, 99});
        QCOMPARE(outside.value.slice, (ValueSlice{{1, 7}, 15, 15}));
        QCOMPARE(outside.value.cells.size(), std::size_t(1));
        QVERIFY(look(net, "conv").millis > 0); // another node runs
    }

    void original_isComparedOnTheSameInputs() {
        History history(openModel(kNet));
        history.edit("Add", R"([{"step": "set_target", "node": "mul", "target": "operator.add"}])"_steps);
        ValuesRequest request{runOf(history.model()), ModelRef(history.entries().front().model), "relu", 0, {}};
        const NodeValues same = lookAt(m_worker, request);
        QVERIFY(same.original);
        QVERIFY(same.difference);
        QVERIFY(same.difference->equal);
        QCOMPARE(same.original->cells, same.value.cells);
        request.node = "mul";
        const NodeValues other = lookAt(m_worker, request);
        QVERIFY(!other.difference->equal);
        double largest = 0;
        for (const std::int64_t row : {0, 1})
            for (int channel = 0; channel < 8; ++channel) {
                request.slice.indices = {row, channel};
                const NodeValues slice = lookAt(m_worker, request);
                for (std::size_t i = 0; i < slice.value.cells.size(); ++i)
                    largest = std::max(largest, std::abs(slice.value.cells[i] - slice.original->cells[i]));
            }
        QVERIFY2(std::abs(largest - other.difference->maxAbs) < 1e-6,
                 qPrintable(QStringLiteral("%1, told %2").arg(largest).arg(other.difference->maxAbs)));
        QCOMPARE(other.difference->worst.size(), std::size_t(4));
        history.edit("Insert",
                     R"([{"step": "insert_after", "node": "relu", "op": "call_function", "target": "torch.relu", )"
                     R"("args": [{"node": "relu"}], "name": "again", "rewire_users": true}])"_steps);
        const NodeValues alone =
            lookAt(m_worker, {runOf(history.model()), ModelRef(history.entries().front().model), "again", 0, {}});
        QVERIFY(!alone.original);
        QVERIFY(alone.noOriginal.find("no node of this name") != std::string::npos);
    }

    void parts_notFinite_andNumbers() {
        const std::shared_ptr<const GraphModule> model = calls();
        const NodeValues halves = look(model, "chunk", {}, 1);
        QCOMPARE(halves.parts, (std::vector<std::string>{"[0]", "[1]"}));
        QCOMPARE(halves.value.sizes, (std::vector<std::int64_t>{1, 3, 16, 16}));
        QCOMPARE(halves.value.cells[0], look(model, "x", {{1, 0}, 0, 0}).value.cells[0]);
        const NodeValues roots = look(model, "sqrt");
        QVERIFY(roots.value.statistics.nans > 0);
        QVERIFY(std::any_of(roots.value.cells.begin(), roots.value.cells.end(),
                            [](double cell) { return std::isnan(cell); }));
        const NodeValues size = look(model, "size");
        QCOMPARE(size.value.text, std::string("2"));
        QVERIFY(!size.value.isTensor());
    }

    void failures_nameTheNode() {
        History history(openModel(kNet));
        history.edit("Wrong",
                     R"([{"step": "insert_after", "node": "relu", "op": "call_function", "target": "torch.reshape", )"
                     R"("args": [{"node": "relu"}, [7, 7]], "name": "wrong", "rewire_users": true}])"_steps);
        QCOMPARE(look(history.model(), "relu").value.sizes.size(), std::size_t(4)); // what fails comes later
        try {
            look(history.model(), "mul");
            QFAIL("it ran");
        } catch (const Error& error) { QCOMPARE(error.node, std::string("wrong")); }
        QVERIFY_THROWS_EXCEPTION(Error, look(history.model(), "nothing"));
        QCOMPARE(look(history.model(), "relu").value.sizes.size(), std::size_t(4));
    }
};

QTEST_APPLESS_MAIN(TestNodeValues)
#include "tst_node_values.moc"
