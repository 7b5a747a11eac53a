// SPDX-License-Identifier: GPL-3.0-or-later
// LibTorch before Qt: both define words that the other uses.
#include "core/engine/calls.h"
#include "core/engine/dispatch.h"
#include "core/engine/machine.h"
#include "core/engine/modules/script_block.h"
#include "core/engine/outside.h"
#include "core/engine/shapes/shapes.h"
#include "core/torchscript/torchscript.h"
#include "core/trace/callables.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace fx;
using namespace fx::engine;

namespace {

/// The error of what must fail.
template<class Work> Error failing(Work&& work) {
    try {
        work();
    } catch (const Error& error) { return error; }
    return Error(ErrorKind::Usage, Message("engine.no_memory"));
}

/// A block of TorchScript as a module.
Module block(const std::string& graph) {
    Module out;
    out.className = script::kBlockClass, out.classModule = script::kBlockModule;
    out.attributes.emplace_back("graph", Argument(graph));
    return out;
}

} // namespace

class TestOutside : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString path(const char* name) const { return m_folder.filePath(QLatin1String(name)); }
    std::string text(const char* name) const { return path(name).toStdString(); }

private Q_SLOTS:
    void operators_thatOpenFiles_areRefusedHoweverTheyAreCalled() {
        const std::string file = text("mapped");
        const std::vector<std::function<void()>> calls = {
            [&] {
                callFunction("torch.from_file", {Value(file), true, 64});
            },
            [&] {
                callFunction("torch.ops.aten.from_file.default", {Value(file), true, 64});
            },
            [&] {
                callFunction("torch.ops.aten.from_file", {Value(file), true, 64});
            },
            [&] {
                callOperator("aten::from_file", {{Value(file), true, 64}, {}});
            },
            [&] {
                callFunction("torch.ops.aten.from_file.out",
                             {{Value(file), true, 64}, {{"out", callFunction("torch.zeros", {2})}}});
            },
            [&] { evaluateExpression("torch.from_file('" + file + "', True, 64)"); },
            [&] {
                callFunction("torch.ops.aten.save", {callFunction("torch.zeros", {2}), Value(file)});
            },
            [&] {
                callFunction("torch.ops.aten.save.default", {callFunction("torch.zeros", {2}), Value(file)});
            },
            [&] {
                callFunction("torch.save", {callFunction("torch.zeros", {2}), Value(file)});
            },
            [&] {
                callFunction("open", {Value(file), Value("w")});
            },
        };
        for (const auto& call : calls) {
            const Error refused = failing(call);
            QCOMPARE(refused.kind(), ErrorKind::Refused);
            QVERIFY2(refused.message().is("call.reaches_files"), refused.what());
            QVERIFY(!refused.hint.empty());
            QVERIFY(!QFile::exists(path("mapped")));
        }
    }

    void others_areRefusedWithTheirReason() {
        QVERIFY(failing([] { callFunction("os.system", {Value("true")}); }).message().is("call.reaches_processes"));
        QVERIFY(failing([] {
                    callFunction("torch.hub.load", {Value("a"), Value("b")});
                })
                    .message()
                    .is("call.reaches_code"));
        const Value x = callFunction("torch.zeros", {3});
        QVERIFY(failing([&] {
                    callFunction("torch.ops.inductor._reinterpret_tensor.default",
                                 {x, Value::list({100000}), Value::list({1}), 0});
                })
                    .message()
                    .is("call.reaches_memory"));
        QVERIFY(failing([&] {
                    callFunction("torch.ops._c10d_functional.all_reduce.default", {x, Value("sum"), Value("0")});
                })
                    .message()
                    .is("call.reaches_processes"));
    }

    void blocks_ofTorchScript_fail_whereverTheOperatorStands() {
        TensorStore tensors;
        const at::Tensor x = randomInput({3}, at::kFloat, 0);
        const std::string target = text("saved");
        const Module plain = block("graph(%x : Tensor):\n  %n : str = prim::Constant[value=\"" + target +
                                   "\"]()\n  aten::save(%x, %n)\n  return (%x)\n");
        const Module nested =
            block("graph(%x : Tensor):\n  %t : bool = prim::Constant[value=1]()\n  %y : Tensor = prim::If(%t)\n"
                  "    block0():\n      %n : str = prim::Constant[value=\"" +
                  target +
                  "\"]()\n      aten::save(%x, %n)\n      -> (%x)\n    block1():\n      -> (%x)\n"
                  "  return (%y)\n");
        for (const Module* each : {&plain, &nested}) {
            const Error refused = failing([&] { callScriptBlock(*each, {{x}, {}}); });
            QCOMPARE(refused.kind(), ErrorKind::Refused);
            QVERIFY2(refused.message().is("call.reaches_files"), refused.what());
            QVERIFY(!QFile::exists(path("saved")));
        }
        const Module harmless = block("graph(%x : Tensor):\n  %y : Tensor = aten::relu(%x)\n  return (%y)\n");
        QVERIFY(callScriptBlock(harmless, {{x}, {}}).isTensor());
    }

    void inference_callsPureOperatorsOfPyTorchOnly() {
        const at::Tensor x = randomInput({3}, at::kFloat, 0);
        const Module harmless = block("graph(%x : Tensor):\n  %y : Tensor = aten::relu(%x)\n  return (%y)\n");
        const InferenceOnly only(true);
        QVERIFY(callFunction("torch.relu", {x}).isTensor());
        QVERIFY(callFunction("torch.ops.aten.size.default", {x}).items());
        QVERIFY(failing([&] { callScriptBlock(harmless, {{x}, {}}); }).message().is("engine.not_inferred"));
        QVERIFY(failing([] {
                    callOperator("aten::_print", {{Value("hello")}, {}});
                })
                    .message()
                    .is("engine.not_inferred"));
        {
            const InferenceOnly notAsked(false); // does not lift the other one
            QVERIFY(InferenceOnly::active());
        }
    }

    /// A constant that code computes has the shape that the file says, and no values.
    void inference_computesNoConstants() {
        auto model = std::make_shared<GraphModule>();
        TensorRef constant;
        constant.dtype = DType::Float32, constant.sizes = {2, 3}, constant.strides = {3, 1};
        constant.storage = Storage::expression("torch.from_file('" + text("constant") + "', True, 6).view(2, 3)", 24);
        model->root->buffers.push_back({"c", std::make_shared<const TensorRef>(constant)});
        const NodeId x = model->graph.placeholder("x");
        const NodeId c = model->graph.createNode(Op::GetAttr, "c");
        model->graph.output(model->graph.callFunction(resolveCallable("torch.add"), {x, c}));
        RunInputs inputs;
        inputs.positional.push_back(shapeOnly({2, 3}, at::kFloat));
        {
            const InferenceOnly only(true);
            const NodeShapes shapes = nodeShapes(model, inputs);
            QVERIFY2(shapes.failures.empty(), shapes.failures.empty() ? "" : shapes.failures[0].what.text().c_str());
            QCOMPARE(shapes.nodes[2].second[0].shapeText(), std::string("2×3"));
        }
        const NodeShapes asked = nodeShapes(model, inputs);
        QVERIFY(!asked.failures.empty());
        QVERIFY(asked.failures[0].what.is("call.reaches_files"));
        QVERIFY(!QFile::exists(path("constant")));
    }
};

QTEST_APPLESS_MAIN(TestOutside)
#include "tst_outside.moc"
