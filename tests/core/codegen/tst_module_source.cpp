// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/computed_text.h"
#include "core/codegen/module_source.h"
#include "core/diag/error.h"

#include <QTest>

using namespace fx;

namespace {

TensorPtr tensor(std::vector<std::int64_t> sizes, DType dtype = DType::Float32, bool grad = true) {
    TensorRef result;
    result.sizes = std::move(sizes);
    result.dtype = dtype;
    result.requiresGrad = grad;
    return std::make_shared<const TensorRef>(std::move(result));
}

std::shared_ptr<Module> made(const char* classModule, const char* className) {
    auto module = std::make_shared<Module>();
    module->classModule = classModule;
    module->className = className;
    return module;
}

std::shared_ptr<Module> linear() {
    auto module = made("torch.nn.modules.linear", "Linear");
    module->parameters = {{"weight", tensor({3, 2})}, {"bias", nullptr}};
    module->attributes = {{"in_features", Argument(2)}, {"out_features", Argument(3)}};
    return module;
}

GraphModule model() {
    GraphModule module;
    Graph& graph = module.graph;
    const auto x = graph.placeholder("x");
    const auto layer = graph.createNode(Op::CallModule, "block.0", {x});
    const auto scale = graph.createNode(Op::GetAttr, "scale");
    const auto factor = graph.createNode(Op::GetAttr, "factor");
    graph.output(Argument::tuple({layer, scale, factor}));
    module.root->parameters = {{"scale", tensor({3})}, {"frozen", tensor({}, DType::Float64, false)}};
    module.root->buffers = {{"count", tensor({1}, DType::Int64, false), false}};
    module.root->attributes = {{"factor", Argument(0.5)}, {"unused", Argument(1)}};
    auto block = made("torch.nn.modules.module", "Module");
    block->children = {{"0", linear()}, {"own", made("mypkg.layers", "Own\nimport os")}};
    module.root->children = {{"block", block}, {"again", block->children[0].module}};
    return module;
}

} // namespace

class TestModuleSource : public QObject {
    Q_OBJECT
private Q_SLOTS:
    /// All classes of a file share its imports.
    void valueOfTheRoot_cannotCallWhatASubgraphImports() {
        GraphModule root = model();
        OpaqueObject printed;
        printed.repr = "mine_call('id')";
        const NodeId x = root.graph.find("x");
        root.graph.setInsertPoint({InsertPoint::Side::After, x});
        Callable relu;
        relu.module = "torch", relu.name = "relu", relu.qualifiedName = "torch.relu", relu.fromTorch = true;
        root.graph.callFunction(std::make_shared<const Callable>(relu), {x, Argument(printed)}, {}, "y");
        QVERIFY(!moduleSource(root, "test").empty());
        const auto inner = std::make_shared<GraphModule>();
        Callable call;
        call.module = "mine", call.name = "call", call.qualifiedName = "mine.call";
        inner->graph.output(inner->graph.callFunction(std::make_shared<const Callable>(call), {}, {}, "y"));
        root.subgraphs.emplace_back("inner", inner);
        try {
            moduleSource(root, "test");
            QFAIL("it was not refused");
        } catch (const Error& error) { QCOMPARE(error.node, std::string("y")); }
    }
    void constants_thatDoMoreThanCompute_areRefused() {
        const auto refused = [](const char* source) {
            try {
                requireComputation(source);
                return false;
            } catch (const Error& error) { return error.message().is("codegen.not_computation"); }
        };
        for (const char* source :
             {"__import__('os').system('id')", "exec('1')", "eval ('1')", "torch.load('a')", "torch.ones(1).__class__",
              "getattr(torch, 'load')('a')", "open('a')", "torch.ops.load_library('a')", "getattr(self, '__class__')",
              "f'{exec(1)}'", "(torch).os.system('id')", "torch . os.system('id')", "[torch][0].os.system('id')",
              "getattr(self, '_''_class_''_')", "getattr(self, '\\x5f\\x5fclass\\x5f\\x5f')",
              "[f(1) for f in [torch.os.system]]", "[torch.os.system][0]('id')"})
            QVERIFY2(refused(source), source);
        for (const char* source :
             {"torch.zeros(3, 4)", "torch.add(self.t, 1)", "getattr(self.layer1, \"0\").mask * 2",
              "torch.ops.aten.add.Tensor(self = self.b, other = self.t)", "torch.full((2,), float('-inf'))",
              "torch.arange(4, device=device(type='cpu'))", "(torch.ones(3) * 2).expand(2, 3).T.float()",
              "torch.ops.aten.__and__.Scalar(self.b, 1)"})
            QVERIFY2(!refused(source), source);
    }
    void source_fusedModule_isMadeOfItsChildren() {
        auto fused = made("torch.ao.nn.intrinsic.modules.fused", "LinearReLU");
        auto relu = made("torch.nn.modules.activation", "ReLU");
        relu->attributes = {{"inplace", Argument(false)}};
        fused->children = {{"0", linear()}, {"1", relu}};
        GraphModule module;
        module.graph.output(module.graph.createNode(Op::CallModule, "fc", {module.graph.placeholder("x")}));
        module.root->children = {{"fc", fused}, {"again", relu}};
        const QString source = QString::fromStdString(moduleSource(module, ""));
        QVERIFY2(source.contains("self.fc = torch.nn.intrinsic.LinearReLU(torch.nn.Linear(2, 3, bias=False), "
                                 "torch.nn.ReLU())"),
                 qPrintable(source));
        QVERIFY2(source.contains("self.again = self.get_submodule('fc.1')"), qPrintable(source));
        QVERIFY(source.contains("def __init__(self):"));
    }

    void source_trainedLayer_makesItsFakeQuantize() {
        const auto constant = [](const char* name) {
            return Argument(TorchConstant{TorchConstant::Kind::QScheme, name});
        };
        auto observer = made("torch.ao.quantization.observer", "MovingAverageMinMaxObserver");
        observer->attributes = {{"averaging_constant", Argument(0.01)},
                                {"dtype", Argument::dtype("torch.quint8")},
                                {"qscheme", constant("torch.per_tensor_affine")},
                                {"reduce_range", Argument(true)},
                                {"has_customized_qrange", Argument(true)},
                                {"quant_min", Argument(0)},
                                {"quant_max", Argument(127)}};
        auto fake = made("torch.ao.quantization.fake_quantize", "FusedMovingAvgObsFakeQuantize");
        fake->children = {{"activation_post_process", observer}};
        auto layer = made("torch.ao.nn.qat.modules.linear", "Linear");
        layer->attributes = {{"in_features", Argument(2)}, {"out_features", Argument(3)}};
        layer->parameters = {{"weight", tensor({3, 2})}, {"bias", nullptr}};
        layer->children = {{"weight_fake_quant", fake}};
        GraphModule module;
        module.graph.output(module.graph.createNode(Op::CallModule, "fc", {module.graph.placeholder("x")}));
        module.root->children = {{"fc", layer}};
        const QString source = QString::fromStdString(moduleSource(module, ""));
        QVERIFY2(source.contains(QStringLiteral(
                     "torch.nn.qat.Linear(2, 3, bias=False, qconfig=torch.ao.quantization.QConfig(torch.nn.Identity, "
                     "torch.ao.quantization.FusedMovingAvgObsFakeQuantize.with_args("
                     "observer=torch.ao.quantization.MovingAverageMinMaxObserver, dtype=torch.quint8, quant_min=0, "
                     "quant_max=127)))")),
                 qPrintable(source));
    }

    void source_constantsMadeOfOtherTensors_waitForTheWeights() {
        GraphModule module = model();
        for (const auto& [name, text] :
             {std::pair("made", "torch.zeros(3)"), std::pair("read", "torch.add(self.block.later, 1)")}) {
            TensorRef constant = *tensor({3});
            constant.storage = Storage::expression(text, 12);
            module.root->buffers.push_back({name, std::make_shared<const TensorRef>(constant)});
        }
        const std::string text = moduleSource(module, "a test");
        QVERIFY(text.find("self.register_buffer('made', torch.zeros(3))") != std::string::npos);
        QVERIFY(text.find("import operator\n") == std::string::npos);
        QVERIFY(text.find("self.register_buffer('read', torch.empty([3]))") != std::string::npos);
    }
    void source_constantsThatCallOtherModules_importThem() {
        GraphModule module = model();
        TensorRef constant = *tensor({3});
        constant.storage = Storage::expression("operator.add(torch.full([3], math.pi), 1)", 12);
        module.root->buffers.push_back({"made", std::make_shared<const TensorRef>(constant)});
        const std::string text = moduleSource(module, "a test");
        QVERIFY(text.find("import operator\n") != std::string::npos);
        QVERIFY(text.find("import math\n") != std::string::npos);
    }
    void source_modulesParametersAndAttributes_areMadeInInit() {
        const std::string expected =
            "# made by a test\n"
            "NoneType = type(None)\n"
            "from math import inf\n"
            "from math import nan\n"
            "from torch import device\n"
            "import torch\n"
            "import torch.fx._pytree as fx_pytree\n"
            "import torch.utils._pytree as pytree\n"
            "\n\n"
            "class GraphModule(torch.nn.Module):\n"
            "    def __init__(self, block_own):\n"
            "        super().__init__()\n"
            "        self.scale = torch.nn.Parameter(torch.empty([3]))\n"
            "        self.frozen = torch.nn.Parameter(torch.empty([], dtype=torch.float64), requires_grad=False)\n"
            "        self.register_buffer('count', torch.empty([1], dtype=torch.int64), persistent=False)\n"
            "        self.factor = 0.5\n"
            "        self.block = torch.nn.Module()\n"
            "        self.block.add_module('0', torch.nn.Linear(2, 3, bias=False))\n"
            "        # block_own: mypkg.layers.Own import os\n"
            "        self.block.own = block_own\n"
            "        self.again = self.get_submodule('block.0')\n"
            "\n"
            "    def forward(self, x):\n"
            "        block_0 = getattr(self.block, \"0\")(x);  x = None\n"
            "        scale = self.scale\n"
            "        factor = self.factor\n"
            "        return (block_0, scale, factor)\n";
        QCOMPARE(QString::fromStdString(moduleSource(model(), "made by a test")), QString::fromStdString(expected));
    }

    void source_tiedParameters_areAssignedFromTheFirst() {
        GraphModule module = model();
        auto second = linear();
        second->parameters[0].tensor = module.root->children[1].module->parameters[0].tensor;
        module.root->children.push_back({"tied", second});
        const std::string text = moduleSource(module, "");
        QVERIFY(text.find("        self.tied = torch.nn.Linear(2, 3, bias=False)\n"
                          "        self.tied.weight = self.get_submodule('block.0').weight\n") != std::string::npos);
    }

    void source_whatPythonCannotSay_isRefused_data() {
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("path");
        QTest::newRow("name with dots") << 0 << "";
        QTest::newRow("sparse parameter") << 1 << "";
        QTest::newRow("opaque attribute that the graph reads") << 2 << "factor";
    }
    void source_whatPythonCannotSay_isRefused() {
        QFETCH(int, kind);
        QFETCH(QString, path);
        GraphModule module = model();
        TensorRef sparse;
        sparse.layout = "torch.sparse_coo";
        if (kind == 0) module.root->children.push_back({"a.b", linear()});
        if (kind == 1) module.root->parameters.push_back({"sparse", std::make_shared<const TensorRef>(sparse)});
        if (kind == 2)
            module.root->attributes[0].second = Argument(OpaqueObject{"mypkg.Config", "__import__('os')", {}});
        try {
            moduleSource(module, "");
            QFAIL("not refused");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::Refused);
            QCOMPARE(QString::fromStdString(error.modulePath), path);
        }
    }

    void source_opaqueSetting_makesTheModuleAnArgument() {
        GraphModule module = model();
        module.root->children[1].module->attributes[0].second =
            Argument(OpaqueObject{"os.system", "os.system('x')", {}});
        const std::string text = moduleSource(module, "");
        QVERIFY(text.find("os.system") == std::string::npos);
        QVERIFY(text.find("def __init__(self, block_0, block_own):") != std::string::npos);
    }

    void source_graphModuleInside_isAClassOfItsOwn() {
        GraphModule module = model();
        const auto inner = std::make_shared<GraphModule>(model());
        const auto child = made("torch.fx.graph_module", "GraphModule");
        child->graphModule = inner;
        module.root->children = {{"inner", child}};
        const std::string text = moduleSource(module, "");
        QVERIFY(text.find("class GraphModule_1(torch.nn.Module):") < text.find("class GraphModule(torch.nn.Module):"));
        QVERIFY(text.find("self.inner = GraphModule_1()") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(TestModuleSource)
#include "tst_module_source.moc"
