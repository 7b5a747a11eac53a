// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/module/model_info.h"

#include "core/tensor/tensor_ref.h"

#include <QTest>

using namespace fx;

namespace {

CallablePtr function(Callable::Kind kind, const char* module, const char* name, bool opaque = false) {
    Callable callable;
    callable.kind = kind;
    callable.module = module;
    callable.name = name;
    callable.qualifiedName = std::string(module) + "." + name;
    callable.opaque = opaque;
    return std::make_shared<const Callable>(callable);
}

} // namespace

class TestModelInfo : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void nodes_eachKind_areCounted() {
        GraphModule module;
        Graph& graph = module.graph;
        const auto x = graph.placeholder("x");
        const auto relu = graph.callFunction(function(Callable::Kind::Function, "torch", "relu"), {x});
        const auto view = graph.createNode(Op::CallMethod, "view", {relu, -1});
        graph.output(view);
        const ModelInfo info = modelInfo(module);
        QCOMPARE(info.nodeCount(), 4);
        QCOMPARE(info.nodes[static_cast<std::size_t>(Op::CallMethod)], 1);
        QCOMPARE(info.inputs, std::vector<NodeId>{x});
        QCOMPARE(info.dialect, std::string_view("fx"));
    }

    void dialect_overloadsAndOperators_isAten() {
        GraphModule module;
        const auto x = module.graph.placeholder("x");
        module.graph.callFunction(function(Callable::Kind::OpOverload, "torch.ops.aten", "relu.default"), {x});
        module.graph.callFunction(function(Callable::Kind::Function, "_operator", "getitem"), {x, 0});
        QCOMPARE(modelInfo(module).dialect, std::string_view("aten"));
        module.graph.callFunction(function(Callable::Kind::Function, "torch", "relu"), {x});
        QCOMPARE(modelInfo(module).dialect, std::string_view("fx"));
        module.format = Format::TorchScript;
        QCOMPARE(modelInfo(module).dialect, std::string_view("torchscript"));
    }

    /// As docs/cli/look.md defines it: modules have no say, scripts rely on it.
    void dialect_modulesAndOperators_isAten() {
        GraphModule module;
        const auto x = module.graph.placeholder("x");
        const auto y = module.graph.createNode(Op::CallModule, "conv", {x});
        module.graph.callFunction(function(Callable::Kind::Function, "_operator", "add"), {x, y});
        QCOMPARE(modelInfo(module).dialect, std::string_view("aten"));
    }

    void dialect_withoutFunctions_isThatOfTheFile() {
        GraphModule module;
        module.graph.output(module.graph.placeholder("x"));
        QCOMPARE(modelInfo(module).dialect, std::string_view("fx"));
        module.format = Format::Pt2;
        QCOMPARE(modelInfo(module).dialect, std::string_view("aten"));
    }

    void inputs_liftedOnes_areNotTheUsers() {
        GraphModule module;
        const auto weight = module.graph.placeholder("p_w"), x = module.graph.placeholder("x"),
                   flag = module.graph.placeholder("flag");
        module.lifted = {{weight, LiftedInput::Kind::Parameter, "w"},
                         {x, LiftedInput::Kind::UserInput, ""},
                         {flag, LiftedInput::Kind::ConstantInput, ""}};
        const ModelInfo info = modelInfo(module);
        QCOMPARE(info.nodeCount(), 3);
        QCOMPARE(info.inputs, (std::vector<NodeId>{x, flag}));
    }

    void packedWeights_ofQuantisedLayers_areCountedApart() {
        const auto tensor = [](DType dtype) {
            auto made = std::make_shared<TensorRef>();
            made->dtype = dtype, made->sizes = {4, 8};
            return made;
        };
        const auto module = [](const char* place, const char* type) {
            auto made = std::make_shared<Module>();
            made->classModule = place, made->className = type;
            return made;
        };
        const auto layer = module("torch.ao.nn.quantized.modules.conv", "Conv2d");
        const auto object = module("__torch__.torch.classes.quantized", "LinearPackedParamsBase");
        const auto other = module("net", "Constants");
        const TensorPtr weight = tensor(DType::QInt8);
        layer->attributes.emplace_back("weight", weight), object->attributes.emplace_back("weight", weight);
        object->attributes.emplace_back("bias", tensor(DType::Float32));
        other->attributes.emplace_back("table", tensor(DType::Float32));
        GraphModule model;
        auto root = std::make_shared<Module>();
        root->children = {{"a", layer}, {"b", object}, {"c", other}};
        model.root = root;
        const ModelInfo info = modelInfo(model);
        QCOMPARE(info.packed.tensors, 2);
        QCOMPARE(info.packed.elements, 64);
        QCOMPARE(info.packed.bytes, 4 * 8 + 4 * 8 * 4);
        QCOMPARE(info.totals.parameters.tensors, 0);
    }

    void unknownTargets_missingPathsAndOpaqueFunctions_areListedOnce() {
        GraphModule module;
        const auto x = module.graph.placeholder("x");
        const auto own = function(Callable::Kind::Function, "mypkg", "f", true);
        module.graph.callFunction(own, {x});
        module.graph.createNode(Op::CallModule, "gone.layer", {x});
        module.graph.createNode(Op::GetAttr, "gone.weight");
        module.subgraphs.emplace_back("true_graph_0", std::make_shared<GraphModule>());
        module.graph.createNode(Op::GetAttr, "true_graph_0");
        module.graph.callFunction(own, {x});
        QCOMPARE(modelInfo(module).unknownTargets, (std::vector<std::string>{"mypkg.f", "gone.layer", "gone.weight"}));
    }
};

QTEST_APPLESS_MAIN(TestModelInfo)
#include "tst_model_info.moc"
