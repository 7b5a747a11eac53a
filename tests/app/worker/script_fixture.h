// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/print.h"
#include "core/torchscript/torchscript.h"

#include <QFile>
#include <QTest>

namespace fx::remote {

/// Reads TorchScript files by the worker.
class ScriptFixture : public QObject {
protected:
    static std::string file(const char* name) {
        return std::string(LANCET_SOURCE_DIR "/tests/data/torchscript/") + name;
    }
    static WorkerOptions options() { return {{LANCET_WORKER}, true, 0}; }

    static RunResult run(WorkerClient& worker, ModelRef model, std::vector<RandomInput> random,
                         std::optional<ValueTree> inputs = {}, const char* verb = "run") {
        RunRequest request;
        request.model = std::move(model);
        request.random = std::move(random);
        request.inputs = std::move(inputs);
        return runResult(worker.call(toFrame(request, worker.nextNumber(), true, verb), {}, {}));
    }

    static ValueTree ones() {
        TensorRef tensor;
        tensor.sizes = {1, 3};
        tensor.strides = {3, 1};
        std::vector<std::byte> bytes(12);
        for (std::size_t i = 0; i < 12; i += 4) bytes[i + 2] = std::byte{0x80}, bytes[i + 3] = std::byte{0x3f};
        tensor.storage = Storage::inMemory(std::move(bytes));
        return ValueTree::of(std::make_shared<const TensorRef>(tensor));
    }

    static int blocksOf(const GraphModule& module) {
        int out = 0;
        for (const Node& node : module.graph.nodes())
            if (node.op() == Op::CallModule)
                out += script::isScriptBlock(*resolvePath(*module.root, node.target()).module);
        return out;
    }

    static QString text(const GraphModule& module) { return QString::fromStdString(graphText(module.graph)); }
};

} // namespace fx::remote
