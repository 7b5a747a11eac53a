// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ir/print.h"
#include "core/model_files/after_loading.h"
#include "core/model_files/open.h"
#include "core/model_files/save_graphmodule.h"
#include "core/trace/callables.h"
#include "core/trace/retrace.h"

#include <QTemporaryDir>
#include <QtTest>

using namespace fx;

namespace {

TensorPtr zeros(bool parameter = false) {
    TensorRef out;
    out.sizes = {3}, out.strides = {1};
    out.isParameter = parameter;
    out.storage = Storage::inMemory(std::vector<std::byte>(12));
    return std::make_shared<const TensorRef>(std::move(out));
}

/// As if it had been loaded: x times what `code` computes of the buffers pos and layers.0.scale and the parameter
/// weight.
GraphModule computing(const std::string& code) {
    GraphModule model;
    model.root->className = "GraphModule", model.root->classModule = "torch.fx.graph_module";
    auto layers = std::make_shared<Module>(), first = std::make_shared<Module>();
    for (Module* module : {layers.get(), first.get()})
        module->className = "Module", module->classModule = "torch.nn.modules.module";
    first->buffers.push_back({"scale", zeros()});
    layers->children.push_back({"0", first});
    model.root->children.push_back({"layers", layers});
    model.root->buffers.push_back({"pos", zeros()});
    model.root->parameters.push_back({"weight", zeros(true)});
    retraceSavedCode(model, "import torch\nimport operator\nfrom torch import device",
                     "\n\n\ndef forward(self, x):\n    return x * (" + code + ")\n    ");
    return model;
}

std::string refusal(const GraphModule& model) {
    try {
        codeForSaving(model);
    } catch (const Error& error) {
        return error.kind() == ErrorKind::Refused && !error.node.empty() ? error.what() : "another kind of error";
    }
    return {};
}

} // namespace

class TestAfterLoading : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void constantsMadeOfTensors_areComputedByTheFileAgain_data() {
        QTest::addColumn<QString>("code");
        QTest::addColumn<QString>("imports"); // beside torch's
        QTest::newRow("a buffer") << "torch.add(self.pos, 1)"
                                  << "";
        QTest::newRow("a nested one") << "getattr(self.layers, '0').scale + self.pos"
                                      << "import operator";
        QTest::newRow("keywords of operators")
            << "torch.ops.aten.add.Tensor(self=self.pos, other=self.pos.unsqueeze(0))"
            << "";
        QTest::newRow("a device") << "torch.arange(3, device=device(type='cpu'))"
                                  << "from torch import device";
    }
    void constantsMadeOfTensors_areComputedByTheFileAgain() {
        QFETCH(QString, code);
        QFETCH(QString, imports);
        const GraphModule model = computing(code.toStdString());
        QVERIFY(model.root->buffer("_tensor_constant0")->tensor->storage->isExpression());
        const SavedCode saved = codeForSaving(model);
        QVERIFY2(saved.text.find("_tensor_constant0 = " +
                                 model.root->buffer("_tensor_constant0")->tensor->storage->expressionSource()) !=
                     std::string::npos,
                 saved.text.c_str());
        for (const QString& line : (imports + "\nimport torch").trimmed().split('\n'))
            QVERIFY2(QString::fromStdString(saved.imports).split('\n').contains(line), saved.imports.c_str());
        QTemporaryDir folder;
        const std::string path = folder.filePath(QStringLiteral("m.pt")).toStdString();
        QVERIFY(saveGraphModule(model, path, true).verified);
        QCOMPARE(graphText(openModel(path)->graph), graphText(model.graph));
    }

    void constantsOfGraphsThatWereInlined_readTheirOwnModel() {
        const auto inner = std::make_shared<GraphModule>(computing("torch.add(self.pos, 1)"));
        GraphModule model = computing("torch.add(self.pos, 2)");
        auto child = std::make_shared<Module>(*inner->root);
        child->graphModule = inner;
        model.root->children.push_back({"inner", child});
        const NodeId own = model.graph.find("_tensor_constant0");
        model.graph.setTarget(own, "inner._tensor_constant0");
        QVERIFY(codeForSaving(model).text.find("_tensor_constant0 = torch.add(self.inner.pos, 1)") !=
                std::string::npos);
    }

    void constantsBelowNumbers_areReplacedWhereTheCodeReadsThem() { // torch.fx writes getattr(self.layers, "0")
        GraphModule model = computing("torch.add(self.pos, 1)");
        Module& first = *model.root->children[0].module->children[0].module;
        first.buffers.push_back(model.root->buffers.back());
        model.graph.setTarget(model.graph.find("_tensor_constant0"), "layers.0._tensor_constant0");
        QVERIFY(codeForSaving(model).text.find("_tensor_constant0 = torch.add(self.pos, 1)") != std::string::npos);
    }

    void constantThatTwoNodesRead_isComputedOnce() {
        GraphModule model = computing("torch.add(self.pos, 1)");
        model.graph.setInsertPoint({InsertPoint::Side::Before, model.graph.outputNode()});
        const NodeId again = model.graph.createNode(Op::GetAttr, "_tensor_constant0");
        const NodeId sum = model.graph.callFunction(resolveCallable("operator.add"), {model.graph.find("mul"), again});
        model.graph.setArgs(model.graph.outputNode(), {Argument(sum)});
        const std::string text = codeForSaving(model).text;
        QVERIFY2(text.find("_tensor_constant0_value = torch.add(self.pos, 1)\n    _tensor_constant0 = "
                           "_tensor_constant0_value\n") != std::string::npos,
                 text.c_str());
        QVERIFY2(text.find("_tensor_constant0_1 = _tensor_constant0_value\n") != std::string::npos, text.c_str());
        QTemporaryDir folder;
        const std::string path = folder.filePath(QStringLiteral("m.pt")).toStdString();
        QVERIFY(saveGraphModule(model, path, true).verified);
        QCOMPARE(graphText(openModel(path)->graph), graphText(model.graph));
    }

    void foreignModulesThatOnlyHoldOthers_becomePlain() {
        GraphModule model = computing("torch.add(self.pos, 1)");
        Module& layers = *model.root->children[0].module;
        layers.className = "Layers", layers.classModule = "net";
        layers.attributes.emplace_back("depth", Argument(std::int64_t{3}));
        QTemporaryDir folder;
        const std::string path = folder.filePath(QStringLiteral("m.pt")).toStdString();
        const SaveReport report = saveGraphModule(model, path, true);
        QVERIFY(report.verified);
        QVERIFY(report.warnings.empty());
        const auto opened = openModel(path);
        const Module* written = opened->root->child("layers");
        QVERIFY(written);
        QCOMPARE(written->className, std::string("Module"));
        QVERIFY(!written->attribute("depth"));
        QCOMPARE(layers.className, std::string("Layers"));
    }

    void constantsThatLoadingWouldNotCompute_areRefused() {
        const std::string gone = "which PyTorch computes while the file loads: ";
        GraphModule model = computing("torch.add(self.pos, 1)");
        const auto pos = std::find_if(model.root->buffers.begin(), model.root->buffers.end(),
                                      [](const auto& slot) { return slot.name == "pos"; });
        const TensorPtr kept = pos->tensor;
        pos->name = "renamed";
        QVERIFY(refusal(model).ends_with(gone + "the model no longer has tensor pos"));
        pos->name = "pos";
        pos->tensor = zeros(true);
        QVERIFY(refusal(model).find("pos is a parameter") != std::string::npos);
        pos->tensor = kept;
        QVERIFY(refusal(model).empty());
        GraphModule other = computing("self.pos + 1");
        other.graph.rename(other.graph.find("x"), "operator");
        QVERIFY(refusal(other).ends_with("a node is called operator"));
    }
};

QTEST_GUILESS_MAIN(TestAfterLoading)
#include "tst_after_loading.moc"
