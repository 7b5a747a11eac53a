// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/codegen/python_code.h"
#include "core/passes/manager/pass_manager.h"
#include "core/python/tracing/trace_definition.h"

#include <QtTest>

namespace fx {

/// Gives each value that is asked for as a tensor of one element.
class OneElement : public TensorEngine {
public:
    double ratio = 0.5;      ///< of the whole model after to before
    double high = 0;         ///< end of its interval; 0: none to speak of
    double afterMs = 0;      ///< median of the model after; 0: as the ratio says
    std::size_t rounds = 30; ///< in which whole models are compared
    double plainMs = 2;      ///< of each layer, for which oneDNN takes 1 and MKL 1.5
    double layerNoise = 0;   ///< by how much a layer differs from itself
    std::vector<Message> doubts;
    std::size_t compared = 0; ///< whole models
    std::size_t asked = 0;
    std::size_t dimensions = 0; ///< of each value; 0: unknown
    bool guessed = false;       ///< because the inputs are
    NodeShapes shapes(const GraphModule& model) override {
        NodeShapes out;
        ValueInfo info;
        info.dtype = "torch.float32";
        info.sizes.assign(dimensions, "4");
        if (dimensions > 0)
            for (const Node& node : model.graph.nodes()) out.nodes.emplace_back(node.name(), std::vector{info});
        out.guessed = guessed;
        return out;
    }
    std::vector<onednn::LayerTimes> layerTimes(const GraphModule& model) override {
        std::vector<onednn::LayerTimes> out;
        PathResolver paths(*model.root);
        for (const Node& node : model.graph.nodes()) {
            const Module* module = node.op() == Op::CallModule ? paths.resolve(node.target()).module : nullptr;
            if (module && onednn::kernelOf(*module)) out.push_back(timesOf(node.target()));
        }
        return out;
    }
    onednn::WholeTimes wholeTimes(const GraphModule&, const GraphModule&) override {
        ++compared;
        return {1, afterMs > 0 ? afterMs : ratio, ratioOf(ratio, high), rounds, 0.001, doubts};
    }
    static timing::RatioTiming ratioOf(double ratio, double high = 0) {
        timing::RatioTiming out;
        out.ratio = ratio, out.ci95 = {ratio, high > 0 ? high : ratio};
        return out;
    }
    onednn::LayerTimes timesOf(const std::string& path) const {
        onednn::LayerTimes out;
        out.path = path, out.plain = plainMs, out.rounds = 20, out.noiseFloor = layerNoise;
        out.oneDnn = onednn::KernelTime{1, ratioOf(1 / plainMs)};
        out.mkl = onednn::KernelTime{1.5, ratioOf(1.5 / plainMs)};
        return out;
    }
    std::vector<ValueTree> values(const GraphModule& model) override {
        const Node& output = model.graph.node(model.graph.outputNode());
        asked = output.args()[0].as<Sequence>()->items.size();
        TensorRef tensor;
        tensor.sizes = {1}, tensor.strides = {1};
        tensor.storage = Storage::inMemory(std::vector<std::byte>(4));
        return std::vector<ValueTree>(asked, ValueTree::of(std::make_shared<const TensorRef>(tensor)));
    }
};

/// Runs built-in passes on small sources.
class PassFixture : public QObject {
protected:
    static QStringList statements(const GraphModule& model) {
        QStringList lines = QString::fromStdString(generatePython(model.graph).text)
                                .split('\n', Qt::SkipEmptyParts)
                                .filter(QRegularExpression("^    \\S"));
        for (QString& line : lines) line = line.section(";  ", 0, 0).trimmed();
        return lines;
    }
    static bool runOn(GraphModule& model, const QByteArray& name, const QByteArray& settings = "{}",
                      TensorEngine* engine = nullptr, Warnings* warnings = nullptr) {
        const auto document = JsonDocument::parse(settings.toStdString());
        Warnings unread;
        Warnings& told = warnings ? *warnings : unread;
        return anyChanged(runPasses(model, {{name.toStdString(), document->root()}}, told, {}, engine));
    }
    static GraphModule module(const QByteArray& init, const QByteArray& body) {
        const std::string source =
            "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        " +
            init.toStdString() + "\n        self.eval()\n    def forward(self, x):\n        " + body.toStdString() +
            "\n";
        GraphModule model = traceDefinition(
            "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n" + source, {"Net", true});
        return model;
    }
};

} // namespace fx
