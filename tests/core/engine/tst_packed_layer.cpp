// SPDX-License-Identifier: GPL-3.0-or-later
// LibTorch before Qt: both define words that the other uses.
#include "core/engine/calls.h"
#include "core/engine/machine.h"
#include "core/engine/onednn/norm_kernel.h"
#include "core/engine/onednn/packed_layer.h"
#include "core/engine/onednn/time_layers.h"
#include "core/engine/shapes/shapes.h"
#include "core/passes/fusion/layer_writer.h"
#include "core/python/tracing/trace_definition.h"
#include "core/timing/statistics.h"

#include <c10/core/InferenceMode.h>

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

using namespace fx;
using engine::Interpreter;
using engine::TensorStore;
using engine::Value;

namespace {

constexpr const char* kNet = R"(
import torch
import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.c = nn.Conv2d(4, 4, 3, padding=1)
        self.d = nn.Conv2d(4, 4, 1)
        self.l = nn.Linear(6, 5)
    def forward(self, x):
        return self.l(torch.relu(self.c(x) + torch.tanh(self.d(x))))
)";

std::shared_ptr<GraphModule> fusedNet(onednn::Kernel kernel, const GraphModule& net) {
    auto model = std::make_shared<GraphModule>(net);
    LayerWriter writer(*model);
    for (const onednn::FusedLayer& each : onednn::findFusedLayers(net).layers)
        (void)writer.write(each, each.layer.kind == onednn::Layer::Kind::Linear ? kernel : onednn::Kernel::OneDnn);
    return model;
}

at::Tensor random(std::vector<std::int64_t> sizes) { return engine::randomInput(sizes, at::kFloat, 0); }

bool areClose(const Value& a, const Value& b) {
    return engine::truthOf(engine::callFunction("torch.allclose", {a, b, 1e-5, 1e-6}));
}

} // namespace

class TestPackedLayer : public QObject {
    Q_OBJECT

    const GraphModule m_net = traceDefinition(kNet, {"Net", true});

private Q_SLOTS:
    void init() { engine::seed(0); } // LibTorch starts each process with a new seed
    void kernels_giveTheNumbersOfTheNodes_data() {
        QTest::addColumn<int>("kernel");
        QTest::newRow("oneDNN") << int(onednn::Kernel::OneDnn);
        QTest::newRow("MKL") << int(onednn::Kernel::Mkl);
    }
    void kernels_giveTheNumbersOfTheNodes() {
        QFETCH(int, kernel);
        const auto model = fusedNet(static_cast<onednn::Kernel>(kernel), m_net);
        QCOMPARE(model->graph.size(), std::size_t{5}); // x, d + tanh, c + add + relu, l, output
        const auto tensors = std::make_shared<TensorStore>();
        Interpreter fused(model, tensors), plain(std::make_shared<const GraphModule>(m_net), tensors);
        const int threads = engine::threads();
        for (const std::int64_t batch : {2, 3, 2}) { // packed again for each
            const Value x = random({batch, 4, 5, 6});
            QVERIFY(areClose(fused.run({{x}, {}}), plain.run({{x}, {}})));
            engine::setThreads(batch == 3 ? threads : 1);
            QVERIFY(areClose(fused.run({{x}, {}}), plain.run({{x}, {}})));
        }
        engine::setThreads(threads);
    }

    void norms_giveTheNumbersOfTheNodesInOnePass() {
        const GraphModule net = traceDefinition(R"(
import torch
import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.b = nn.BatchNorm2d(7, eps=0.5)
        self.a = nn.ReLU(inplace=True)
    def forward(self, x, y):
        return self.a(self.b(torch.cat([x, y, x], 1)))
)",
                                                {"Net", true});
        GraphModule eval = net;
        ModuleEditor(eval).writable("b")->training = false;
        QVERIFY(onednn::findFusedNorms(net).empty()); // its statistics are those of each batch
        const auto norms = onednn::findFusedNorms(eval);
        QCOMPARE(norms.size(), std::size_t{1});
        auto model = std::make_shared<GraphModule>(eval);
        {
            LayerWriter writer(*model);
            (void)writer.write(norms[0]);
        }
        QCOMPARE(model->graph.size(), std::size_t{4}); // x, y, b_fused, output
        const auto tensors = std::make_shared<TensorStore>();
        const Module& module = *model->root->child("b_fused");
        const auto kernel = engine::NormKernel::of(module, tensors);
        QVERIFY(kernel);
        const Value x = random({2, 1, 3, 5}), y = random({2, 5, 3, 5}); // x is channels_last and contiguous at once
        const Value last = y.tensor().contiguous(at::MemoryFormat::ChannelsLast);
        QVERIFY(!kernel->run({x, y}));
        Interpreter fused(model, tensors), plain(std::make_shared<const GraphModule>(eval), tensors);
        const auto value = kernel->run({x, last});
        QVERIFY(value);
        QVERIFY(value->tensor().is_contiguous(at::MemoryFormat::ChannelsLast));
        for (const Value& each : {y, last}) QVERIFY(areClose(fused.run({{x, each}, {}}), plain.run({{x, each}, {}})));
        QVERIFY(areClose(*value, plain.run({{x, y}, {}})));
        QVERIFY(!kernel->run({x, x}));                                  // of another number of channels
        const auto shapes = engine::nodeShapes(model, {{x, last}, {}}); // which has no values of the statistics
        QVERIFY(shapes.failures.empty());
    }

    void values_thatNoKernelTakes_runAsNodes() {
        const auto tensors = std::make_shared<TensorStore>();
        Interpreter fused(fusedNet(onednn::Kernel::OneDnn, m_net), tensors);
        QCOMPARE(fused.run({{random({4, 5, 6})}, {}}).tensor().dim(), 3); // without a batch
        try {
            fused.run({{random({2, 3, 5, 6})}, {}});
            QFAIL("it has too few channels");
        } catch (const Error& error) { QVERIFY2(QString(error.what()).contains("channels"), error.what()); }
    }

    void addedValue_isOverwrittenOnlyIfNobodyHoldsIt() {
        const c10::InferenceMode inference;
        const auto model = fusedNet(onednn::Kernel::OneDnn, m_net);
        const Module* module = model->root->child("c_fused");
        QVERIFY(module);
        const auto layer = engine::PackedLayer::of(*module, std::make_shared<TensorStore>());
        QVERIFY(layer);
        QVERIFY(layer->other() == 1);
        const Value x = random({2, 4, 5, 6});
        engine::Values inputs{x, random({2, 4, 5, 6}).contiguous(at::MemoryFormat::ChannelsLast)};
        const at::Tensor held = inputs[1].tensor();
        const at::Tensor before = held.clone();
        QVERIFY(!layer->run(inputs, false)->tensor().is_same(held));
        const Value held2 = inputs[1]; // three references
        QVERIFY(!layer->run(inputs, true)->tensor().is_same(held));
        QVERIFY(areClose(held, before));
    }

    void addedValue_thatIsTheInputToo_isNotOverwritten() {
        const GraphModule net = traceDefinition(R"(
import torch
import torch.nn as nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.c = nn.Conv2d(4, 4, 3, padding=1)
    def forward(self, x):
        return torch.relu(self.c(x) + x)
)",
                                                {"Net", true});
        const c10::InferenceMode inference;
        const auto model = fusedNet(onednn::Kernel::OneDnn, net);
        const auto tensors = std::make_shared<TensorStore>();
        const auto layer = engine::PackedLayer::of(*model->root->child("c_fused"), tensors);
        QVERIFY(layer);
        const Value x = random({2, 4, 5, 6}).contiguous(at::MemoryFormat::ChannelsLast); // two references
        const Value before = x.tensor().clone();
        Interpreter plain(std::make_shared<const GraphModule>(net), tensors);
        QVERIFY(areClose(*layer->run({x}, true), plain.run({{before}, {}})));
        QVERIFY(areClose(x, before));
    }

    void times_haveIntervals_andAreRememberedIfTheyAreGood() {
        const auto model = fusedNet(onednn::Kernel::OneDnn, m_net);
        const engine::RunInputs inputs{{random({2, 4, 5, 6})}, {}};
        std::vector<onednn::LayerTimes> before;
        std::string memory;
        const int threads = engine::threads();
        engine::setThreads(1); // several wait for each other where other tests run
        for (int run = 0; run < 3; ++run) {
            std::optional<std::string> kept;
            const auto times = engine::timeLayers(model, std::make_shared<TensorStore>(), inputs, memory, kept);
            if (kept) memory = *kept;
            QCOMPARE(times.size(), std::size_t{3});
            for (std::size_t i = 0; i < times.size(); ++i) {
                QVERIFY(times[i].plain > 0);
                QVERIFY(times[i].oneDnn);
                QVERIFY(times[i].rounds >= timing::kFewestRounds);
                const timing::RatioTiming& ratio = times[i].oneDnn->ratio;
                QVERIFY(0 < ratio.ci95.low);
                QVERIFY(ratio.ci95.low <= ratio.ratio);
                QVERIFY(ratio.ratio <= ratio.ci95.high);
                QVERIFY(run > 0 || !times[i].remembered);
                if (times[i].remembered) QCOMPARE(times[i].plain, before[i].plain);
            }
            QVERIFY(times[2].mkl);
            QVERIFY(!times[0].mkl); // of the linear layer only
            before = times;
        }
        engine::setThreads(threads);
        QVERIFY(memory.starts_with("{"));
    }
};

QTEST_GUILESS_MAIN(TestPackedLayer)
#include "tst_packed_layer.moc"
