// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/error.h"
#include "core/make/observer_tensors.h"
#include "core/module/module_editor.h"
#include "core/python/tracing/source_trace.h"
#include "core/quant/measure/layer_sizes.h"
#include "core/quant/measure/one_layer.h"
#include "core/quant/module_values.h"
#include "core/quant/quantise.h"
#include "core/quant/quantised_part.h"
#include "core/textpasses/file_classes.h"
#include "tests/core/quant/prepare_fixture.h"

#include <QtTest>

using namespace fx;
using namespace fx::quant;

/// Observers in small sources. Graphs, names and sharing are compared with torch.ao in tests/oracle/quantise.py.
class TestPrepare : public PrepareFixture {
    Q_OBJECT

    static const Placement* placement(const PreparedModel& model, const char* name) {
        for (const Placement& each : model.placements)
            if (each.observer == name) return &each;
        return nullptr;
    }

private Q_SLOTS:
    void standaloneModule_isQuantisedOnItsOwn() {
        SourceOptions options;
        options.leafPaths = {"sub"}, options.standalone = {{"sub", "", {}, {}}};
        const GraphModule model =
            tracedFile("class Sub(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                       "        self.a = nn.Linear(4, 4)\n    def forward(self, x):\n        return self.a(x).relu()\n"
                       "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                       "        self.a = nn.Linear(4, 4); self.sub = Sub(); self.b = nn.Linear(4, 4)\n"
                       "    def forward(self, x):\n        return self.b(self.sub(self.a(x)))\n",
                       "Net", Mode::Static, options);
        CustomConfig inner;
        inner.quantizedInputs = {0}, inner.quantizedOutputs = {0};
        PrepareOptions prepareOptions;
        StandaloneModule& entry = prepareOptions.custom.standalone.emplace_back();
        entry.name = "sub", entry.custom = std::make_shared<const CustomConfig>(inner);
        const PreparedModel prepared = prepare(model, defaultMapping(Backend::X86, false), prepareOptions);
        QCOMPARE(targets(prepared.model), QString("o0 a o1 sub b o2"));
        const Module* sub = prepared.model.root->child("sub");
        QVERIFY(sub);
        QVERIFY(sub->graphModule);
        QCOMPARE(targets(*sub->graphModule), QString("a o0 relu o1"));
        QVERIFY(placement(prepared, "sub.activation_post_process_0"));
        const GraphModule converted = convert(prepared, {}, nullptr);
        QCOMPARE(targets(converted), QString("a_input_scale_0 a_input_zero_point_0 torch.quantize_per_tensor a sub b "
                                             "dequantize"));
        QCOMPARE(targets(*converted.root->child("sub")->graphModule), QString("a relu"));
        prepareOptions.custom.standalone.front().name = "a"; // a layer whose source is not known
        QVERIFY_THROWS_EXCEPTION(Error, prepare(model, defaultMapping(Backend::X86, false), prepareOptions));
    }

    void ownFloatFunctional_isReplacedBeforeTheTrace() {
        SourceOptions options;
        options.swapsFloatFunctionals = true;
        const GraphModule model =
            tracedFile("class Sum(nn.quantized.FloatFunctional):\n"
                       "    def add(self, x, y):\n        return self.activation_post_process(torch.sub(x, y))\n"
                       "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                       "        self.sum = Sum(); self.a = nn.Linear(4, 4)\n"
                       "    def forward(self, x):\n        return self.sum.add(self.a(x), x)\n",
                       "Net", Mode::Static, options);
        QCOMPARE(targets(model), QString("a torch.add"));
        QCOMPARE(targets(prepare(model, defaultMapping(Backend::X86, false)).model), QString("o0 a o1 torch.add o2"));
    }

    void ownFloatFunctional_ofAnOpenSource_isReplacedUnlessEdited() {
        const std::string text = "import torch\nfrom torch import nn\nclass Sum(nn.quantized.FloatFunctional):\n"
                                 "    def add(self, x, y):\n        return torch.sub(x, y)\n"
                                 "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                                 "        self.sum = Sum(); self.a = nn.Linear(4, 4)\n"
                                 "    def forward(self, x):\n        return self.sum.add(self.a(x), x)\n";
        SourceOptions options;
        options.name = "Net", options.fx = fxClasses(false);
        GraphModule model = *traceSource(m_folder.filePath("open.py").toStdString(), text, options, {}).module;
        QCOMPARE(targets(model), QString("a torch.sub"));
        const PreparedModel prepared = prepare(model, defaultMapping(Backend::X86, false));
        QCOMPARE(targets(prepared.model), QString("o0 a o1 torch.add o2"));
        model.graph.setArgs(model.graph.find("sub"), {model.graph.find("x"), model.graph.find("x")});
        QCOMPARE(codeOf([&] { prepare(model, defaultMapping(Backend::X86, false)); }), "quant.float_functional");
    }

    /// prepare_fx traces `module.eval()`, prepare_qat_fx `module.train()`.
    void ownFloatFunctional_isTracedInTheModeOfQuantisation() {
        const std::string text = "import torch\nfrom torch import nn\nclass Sum(nn.quantized.FloatFunctional):\n"
                                 "    def add(self, x, y):\n        return torch.sub(x, y)\n"
                                 "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                                 "        self.sum = Sum(); self.a = nn.Linear(4, 4)\n"
                                 "    def forward(self, x):\n        y = self.sum.add(self.a(x), x)\n"
                                 "        return torch.sin(y) if self.training else torch.cos(y)\n";
        SourceOptions options;
        options.name = "Net", options.fx = fxClasses(false);
        const GraphModule model = *traceSource(m_folder.filePath("modes.py").toStdString(), text, options, {}).module;
        const auto last = [&](Mode mode) {
            Warnings warnings;
            PrepareOptions with;
            with.isQat = mode == Mode::Qat;
            const PreparedModel prepared =
                prepare(inModeFor(model, mode, warnings), defaultMapping(Backend::X86, with.isQat), with);
            return targets(prepared.model).section(' ', -1);
        };
        QCOMPARE(last(Mode::Static), QString("torch.cos"));
        QCOMPARE(last(Mode::Qat), QString("torch.sin"));
    }

    void nodeRules_reachOneNodeEach() {
        const GraphModule model = traced("class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                                         "        self.a = nn.Linear(4, 4); self.w = nn.Parameter(torch.zeros(4, 4))\n"
                                         "    def forward(self, x):\n"
                                         "        x = F.linear(self.a(x), self.w)\n"
                                         "        return F.linear(x, self.w).reshape(-1)\n");
        const PreparedModel prepared = prepare(model, defaultMapping(Backend::X86, false));
        const auto rules = nodeRules(prepared);
        QCOMPARE(rules.at("a").key(), std::string("a"));
        QVERIFY(rules.at("linear").kind == RuleKind::Order);
        QVERIFY(rules.at("linear_1").index == 1);
        QVERIFY(rules.at("reshape").kind == RuleKind::ObjectType);
        for (const char* name : {"a", "linear", "linear_1"}) {
            QConfigMapping mapping = defaultMapping(Backend::X86, false);
            rules.at(name).set(mapping, nullptr);
            const PreparedModel without = prepare(model, mapping);
            for (const char* other : {"a", "linear", "linear_1"})
                QCOMPARE(without.state.observed.contains(other), std::string(other) != name);
            QCOMPARE(without.state.qconfigs.at(name).key, rules.at(name).key());
        }
    }

    void quantisedPart_isFoundInWhatPrepareAndConvertMake() {
        const GraphModule model =
            traced("class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                   "        self.a = nn.Linear(4, 4)\n    def forward(self, x): return self.a(x)\n");
        QVERIFY(!quantisedPart(model));
        GraphModule sums = model;
        auto root = std::make_shared<Module>(*sums.root);
        auto sum = std::make_shared<Module>();
        sum->className = "FloatFunctional", sum->classModule = "torch.ao.nn.quantized.modules.functional_modules";
        root->children.push_back({"sum", sum});
        sums.root = root;
        QVERIFY(!quantisedPart(sums));
        const PreparedModel prepared = prepare(model, defaultMapping(Backend::X86, false));
        QCOMPARE(quantisedPart(prepared.model)->modulePath, std::string("activation_post_process_0"));
        QCOMPARE(quantisedPart(convert(prepared, {}, nullptr))->node, std::string("quantize_per_tensor"));
    }

    void layerWithAModuleOfItsOwn_isNoFusedLayer() {
        const GraphModule model = traced("class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                                         "        self.a = nn.Linear(4, 4); self.a.extra = nn.Identity()\n"
                                         "    def forward(self, x): return self.a(x)\n");
        const GraphModule made = convert(prepare(model, defaultMapping(Backend::X86, false)), {}, nullptr);
        QCOMPARE(made.root->child("a")->qualifiedType(), std::string("torch.ao.nn.quantized.modules.linear.Linear"));
    }

    void tensorBytes_countsEachTensorOnce() {
        const GraphModule model = traced("class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                                         "        self.a = nn.Linear(4, 3); self.b = self.a\n"
                                         "    def forward(self, x): return self.a(x)\n");
        QCOMPARE(tensorBytes(*model.root), std::int64_t{(4 * 3 + 3) * 4});
        Module layer; // a quantised weight per channel, and the numbers of its output
        layer.className = "Linear", layer.classModule = "torch.ao.nn.quantized.modules.linear";
        auto weight = std::make_shared<TensorRef>();
        weight->dtype = DType::QInt8, weight->sizes = {3, 4}, weight->strides = {4, 1};
        weight->quantizer =
            Quantizer{true, 1, 0, 0, floatTensor({1, 1, 1}, {3}), intTensor({0, 0, 0}, {3}, DType::Int64)};
        setAttribute(layer, "weight", weight);
        setAttribute(layer, "scale", Argument(0.5)), setAttribute(layer, "zero_point", Argument(std::int64_t{3}));
        QCOMPARE(tensorBytes(layer), std::int64_t{12 + 3 * (4 + 8) + 8 + 8});
    }

    void convBnRelu_isOneObservedLayer() {
        const GraphModule model = traced("class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                                         "        self.c = nn.Conv2d(3, 4, 3); self.b = nn.BatchNorm2d(4)\n"
                                         "    def forward(self, x): return F.relu(self.b(self.c(x)))\n");
        const PreparedModel prepared = prepare(model, defaultMapping(Backend::X86, false));
        QCOMPARE(targets(prepared.model), "o0 c o1");
        QCOMPARE(prepared.model.root->child("c")->className, std::string("ConvReLU2d"));
        QCOMPARE(prepared.model.root->child("activation_post_process_0")->className, std::string("HistogramObserver"));
        QVERIFY(prepared.model.root->child("b") == nullptr);
        const Placement* output = placement(prepared, "activation_post_process_1");
        QVERIFY(output);
        QCOMPARE(output->cause, std::string("c"));
        QVERIFY(output->role == Placement::Role::Output);
        QVERIFY(output->rule.kind == RuleKind::Global);
        QCOMPARE(output->pattern, std::string("ConvReLU2d"));
        QVERIFY(placement(prepared, "activation_post_process_0")->role == Placement::Role::Input);
    }

    void floatFunctional_becomesOneWithoutIdentity() {
        const GraphModule model = traced("class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                                         "        self.a = nn.Linear(4, 4); self.sum = nn.quantized.FloatFunctional()\n"
                                         "    def forward(self, x): return self.sum.add_relu(self.a(x), x)\n");
        QCOMPARE(targets(model), "a torch.add torch.nn.functional.relu sum.activation_post_process");
        const PreparedModel prepared = prepare(model, defaultMapping(Backend::X86, false));
        QCOMPARE(targets(prepared.model), "o0 a o1 torch.add torch.nn.functional.relu o2");
        QVERIFY(prepared.model.root->child("sum") == nullptr);
        QVERIFY(model.root->child("sum")->child("activation_post_process") != nullptr);
    }

    void derivedFloatFunctional_isReplacedToo() {
        const std::string classes = "class Sum(nn.quantized.FloatFunctional):\n    pass\n"
                                    "class Own(nn.quantized.FloatFunctional):\n"
                                    "    def add(self, x, y): return self.activation_post_process(x - y)\n"
                                    "    def turned(self, x): return torch.neg(x)\n"
                                    "class Holding(nn.quantized.FloatFunctional):\n    def __init__(self):\n"
                                    "        super().__init__()\n        self.inner = nn.Linear(4, 4)\n";
        const auto net = [&](const std::string& type, const std::string& call) {
            return tracedFile(classes +
                                  "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                                  "        self.a = nn.Linear(4, 4); self.sum = " +
                                  type + "()\n    def forward(self, x): return self.sum." + call + "\n",
                              "Net");
        };
        const auto prepared = [](const GraphModule& model) {
            return targets(prepare(model, defaultMapping(Backend::X86, false)).model);
        };
        QCOMPARE(prepared(net("Sum", "add(self.a(x), x)")), "o0 a o1 torch.add o2");
        QCOMPARE(prepared(net("Holding", "add(self.a(x), x)")), "o0 a o1 torch.add o2");
        for (const char* own : {"add(self.a(x), x)", "turned(self.a(x))"})
            QVERIFY_THROWS_EXCEPTION(Error, prepared(net("Own", own)));
        QVERIFY_THROWS_EXCEPTION(Error, prepared(net("Holding", "inner(x)")));
    }

    void graphModuleThatASourceMade_hasLostTheScopes() {
        const std::string text = "class Inner(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                                 "        self.w = nn.Parameter(torch.zeros(4, 4))\n"
                                 "    def forward(self, x): return torch.add(x, self.w)\n"
                                 "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                                 "        self.i = Inner()\n    def forward(self, x): return self.i(x)\n"
                                 "made = torch.fx.symbolic_trace(Net())\n";
        QConfigMapping mapping = defaultMapping(Backend::X86, false);
        mapping.setModuleName("i", nullptr);
        QCOMPARE(targets(prepare(tracedFile(text, "Net"), mapping).model), "i.w torch.add");
        QCOMPARE(targets(prepare(tracedFile(text, "made"), mapping).model), "o0 i.w o1 torch.add o2");
    }

    void quantizedInputsAndOutputs_areNotObservedOrDequantized() {
        const GraphModule model = traced("class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                                         "        self.a = nn.Linear(4, 4); self.unused = nn.Linear(2, 2)\n"
                                         "    def forward(self, x): return self.a(x), x\n");
        PrepareOptions options;
        options.custom.quantizedInputs = options.custom.quantizedOutputs = {0};
        options.custom.preserved = {"unused", "missing"};
        const PreparedModel prepared = prepare(model, defaultMapping(Backend::X86, false), options);
        QCOMPARE(targets(prepared.model), "a o0");
        QVERIFY(prepared.model.root->child("unused") != nullptr);
        const GraphModule made = convert(prepared, {}, nullptr);
        QCOMPARE(targets(made), "dequantize a");
        QVERIFY(made.root->child("unused") != nullptr);
        options.custom = {};
        options.custom.quantizedOutputs = {2};
        QVERIFY_THROWS_EXCEPTION(Error,
                                 convert(prepare(model, defaultMapping(Backend::X86, false), options), {}, nullptr));
    }

    void cat_sharesTheObserverOfItsFirstInput() {
        const GraphModule model = traced("class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                                         "        self.a = nn.Linear(4, 4); self.b = nn.Linear(4, 4)\n"
                                         "    def forward(self, x): return torch.cat([self.a(x), self.b(x)], 1)\n");
        const PreparedModel prepared = prepare(model, defaultMapping(Backend::Qnnpack, false));
        QCOMPARE(targets(prepared.model), "o0 a o1 b o2 torch.cat o3");
        const auto module = [&](const char* name) { return resolvePath(*prepared.model.root, name).shared; };
        QVERIFY(module("activation_post_process_1") == module("activation_post_process_2"));
        QVERIFY(module("activation_post_process_1") == module("activation_post_process_3"));
        QVERIFY(module("activation_post_process_0") != module("activation_post_process_1"));
        QCOMPARE(placement(prepared, "activation_post_process_3")->sharedWith,
                 std::string("activation_post_process_1"));
    }

    void rules_ofAnInnerModule_reachItsFunctions() {
        const char* text = "class Inner(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                           "        self.w = nn.Parameter(torch.zeros(4, 4))\n"
                           "    def forward(self, x): return F.linear(x, self.w)\n"
                           "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                           "        self.a = Inner(); self.b = Inner()\n"
                           "    def forward(self, x): return self.b(self.a(x))\n";
        QConfigMapping mapping = defaultMapping(Backend::X86, false);
        mapping.setModuleName("a", nullptr);
        const PreparedModel prepared = prepare(traced(text), mapping);
        QCOMPARE(targets(prepared.model), "a.w torch._C._nn.linear o0 b.w o1 torch._C._nn.linear o2");
        QCOMPARE(prepared.unquantised.size(), std::size_t(1));
        QVERIFY(prepared.unquantised[0].reason == Unquantised::Reason::NoQConfig);
        QVERIFY(prepared.unquantised[0].rule.kind == RuleKind::ModuleName);
        QVERIFY(placement(prepared, "activation_post_process_1")->role == Placement::Role::Weight);
    }

    void dynamic_observesInputsAlone() {
        const GraphModule model =
            traced("class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                   "        self.a = nn.Linear(4, 4)\n    def forward(self, x): return F.gelu(self.a(x))\n");
        const PreparedModel prepared =
            prepare(model, QConfigMapping().setGlobal(namedQConfig("default_dynamic_qconfig")));
        QCOMPARE(targets(prepared.model), "o0 a torch._C._nn.gelu");
    }

    void scannedLayers_areAlsoRecurrentOnes() {
        const GraphModule model =
            traced("class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                   "        self.e = nn.Embedding(9, 4); self.l = nn.LSTM(4, 4); self.c = nn.Linear(4, 2)\n"
                   "    def forward(self, x):\n        y, _ = self.l(self.e(x))\n        return self.c(y)\n");
        const PreparedModel prepared = prepare(model, mappingFor(Backend::X86, Mode::Dynamic, {}));
        QCOMPARE(quantisedLayers(prepared), (std::vector<std::string>{"e", "l", "c"}));
        const PreparedModel without = prepare(model, withoutLayers(prepared, {"l"}));
        QCOMPARE(quantisedLayers(without), (std::vector<std::string>{"e", "c"}));
    }

    /// torch.ao asks the relu of a pattern for its QConfig: a rule for one layer is one for all of its nodes.
    void rulesOfOneLayer_reachItsWholePattern() {
        const GraphModule model =
            traced("class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                   "        self.w = nn.Parameter(torch.randn(4, 3, 1, 1)); self.c = nn.Conv2d(4, 2, 1)\n"
                   "    def forward(self, x):\n"
                   "        return self.c(F.relu(F.conv2d(x, self.w, None, (1, 1), (0, 0), (1, 1), 1)))\n");
        const PreparedModel prepared = prepare(model, mappingFor(Backend::X86, Mode::Static, {}));
        QCOMPARE(quantisedLayers(prepared), (std::vector<std::string>{"conv2d", "c"}));
        const auto quantised = [&](const QConfigMapping& mapping) {
            std::string out;
            for (const Placement& each : prepare(model, mapping).placements) out += each.cause + " ";
            return out;
        };
        QCOMPARE(quantised(onlyLayers(prepared, {"conv2d"})), std::string("conv2d conv2d relu "));
        QCOMPARE(quantised(withoutLayers(prepared, {"conv2d"})), std::string("c c "));
    }

    void qat_layersQuantiseTheirWeight() {
        const GraphModule model =
            traced("class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                   "        self.c = nn.Conv2d(3, 4, 3); self.b = nn.BatchNorm2d(4); self.r = nn.ReLU()\n"
                   "    def forward(self, x): return self.r(self.b(self.c(x)))\n",
                   Mode::Qat);
        PrepareOptions options;
        options.isQat = true;
        const PreparedModel prepared = prepare(model, defaultMapping(Backend::X86, true), options);
        QCOMPARE(targets(prepared.model), "o0 c o1");
        const Module* conv = prepared.model.root->child("c");
        QCOMPARE(conv->className, std::string("ConvBnReLU2d"));
        QVERIFY(conv->child("bn"));
        QVERIFY(conv->child("weight_fake_quant")->child("activation_post_process"));
    }

    void standalone_usesModulesOfItsGraphAlone() {
        // relu is a part of the fused layer, and not called any more
        SourceOptions options;
        options.leafPaths = {"sub"}, options.standalone = {{"sub", "", {}, {}}};
        const GraphModule model =
            tracedFile("class Sub(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                       "        self.a = nn.Linear(4, 4)\n    def forward(self, x):\n        return self.a(x)\n"
                       "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                       "        self.sub = Sub(); self.a = nn.Linear(4, 4); self.relu = nn.ReLU()\n"
                       "        self.b = nn.Linear(4, 4); self.c = nn.Linear(4, 4)\n"
                       "    def forward(self, x):\n        y = self.sub(x)\n        z = self.relu(self.a(y))\n"
                       "        return self.relu(self.b(z) + self.c(z))\n",
                       "Net", Mode::Static, options);
        PrepareOptions prepareOptions;
        prepareOptions.custom.standalone.emplace_back().name = "sub";
        const PreparedModel prepared = prepare(model, defaultMapping(Backend::X86, false), prepareOptions);
        const GraphModule converted = convert(prepared, {}, nullptr);
        QVERIFY(!converted.root->child("relu"));
    }
};

QTEST_APPLESS_MAIN(TestPrepare)
#include "tst_prepare.moc"
