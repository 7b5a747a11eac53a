// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/error.h"
#include "core/make/observer_tensors.h"
#include "core/module/module_editor.h"
#include "core/quant/idle_rules.h"
#include "core/quant/measure/one_layer.h"
#include "core/quant/module_values.h"
#include "core/quant/qconfig_json.h"
#include "core/quant/quantise.h"
#include "core/quant/report.h"
#include "tests/core/quant/prepare_fixture.h"

#include <QtTest>

#include <limits>

using namespace fx;
using namespace fx::quant;

/// Gives scales that are NaN, as observers do whose weight has NaN.
class NanEngine final : public QuantEngine {
public:
    std::size_t calibrate(GraphModule&, std::span<const std::vector<ValueTree>>, const Progress&) override { return 0; }
    std::vector<QParams> qparams(std::span<const std::shared_ptr<const Module>> observers) override {
        return std::vector<QParams>(observers.size(), {floatTensor({1}, {1}), intTensor({0}, {1}, DType::Int64)});
    }
    std::vector<QParams> observe(std::span<const WeightJob> jobs) override {
        const TensorPtr scale = floatTensor({std::numeric_limits<double>::quiet_NaN()}, {1});
        return std::vector<QParams>(jobs.size(), {scale, intTensor({0}, {1}, DType::Int64)});
    }
    std::vector<TensorPtr> quantize(std::span<const QuantizeJob> jobs) override {
        std::vector<TensorPtr> out;
        for (const QuantizeJob& each : jobs) out.push_back(each.tensor);
        return out;
    }
    std::vector<ValueTree> values(const GraphModule&) override { return {}; }
};

/// What is warned of and refused when a model is prepared.
class TestPrepareWarnings : public PrepareFixture {
    Q_OBJECT

private Q_SLOTS:
    void observers_withoutData_areNamed() {
        const GraphModule model =
            traced("class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                   "        self.a = nn.Linear(4, 4)\n    def forward(self, x): return self.a(x)\n");
        const PreparedModel prepared = prepare(model, defaultMapping(Backend::X86, false));
        const Warnings warnings = calibrationWarnings(*prepared.model.root, activationPlaces(prepared));
        QCOMPARE(warnings.size(), std::size_t(1));
        QCOMPARE(QString::fromStdString(warnings[0].what.code()), QStringLiteral("quant.saw_nothing"));
        const PreparedModel dynamic =
            prepare(model, QConfigMapping().setGlobal(namedQConfig("default_dynamic_qconfig")));
        QVERIFY(calibrationWarnings(*dynamic.model.root, activationPlaces(dynamic)).empty());
    }

    /// torch.ao folds over the last dimension of any value.
    void foldsIntoLinear_areNamed_data() {
        QTest::addColumn<int>("dimensions"); // of the value; 0: unknown
        QTest::addColumn<int>("features");
        QTest::addColumn<QString>("codes");
        QTest::newRow("matrix") << 2 << 4 << "";
        QTest::newRow("sequence") << 3 << 4 << "quant.norm_axis";
        QTest::newRow("unknown") << 0 << 4 << "quant.norm_axis_assumed";
        QTest::newRow("one feature") << 3 << 1 << "";
    }
    void foldsIntoLinear_areNamed() {
        QFETCH(int, dimensions);
        QFETCH(int, features);
        const std::string count = std::to_string(features);
        const GraphModule model = tracedFile(
            "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
            "        self.fc, self.bn = nn.Linear(4, " +
                count + "), nn.BatchNorm1d(" + count + ")\n    def forward(self, x): return self.bn(self.fc(x))\n",
            "Net");
        NodeShapes shapes;
        if (dimensions > 0) {
            ValueInfo info;
            info.dtype = "torch.float32";
            info.sizes.assign(static_cast<std::size_t>(dimensions), "4");
            shapes.nodes.push_back({"fc", {info}});
        }
        const PreparedModel prepared = prepare(model, defaultMapping(Backend::X86, false));
        QStringList codes;
        for (const Warning& warning : linearFoldWarnings(prepared, model, shapes)) {
            codes << QString::fromStdString(warning.what.code());
            QCOMPARE(warning.what.argument("layer") + warning.what.argument("norm"), std::string("fcbn"));
        }
        QTEST(codes.join(' '), "codes");
    }

    void observers_thatSawOneValue_areNamed() {
        const GraphModule model =
            traced("class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                   "        self.a = nn.Linear(4, 4)\n    def forward(self, x): return self.a(x)\n");
        PreparedModel prepared = prepare(model, QConfigMapping().setGlobal(namedQConfig("default_qconfig")));
        ModuleEditor editor(prepared.model);
        const auto see = [&](const char* path, double least, double greatest) {
            Module* observer = editor.writable(path);
            setTensor(*observer, "min_val", floatTensor({least}, {}));
            setTensor(*observer, "max_val", floatTensor({greatest}, {}));
        };
        see("activation_post_process_0", 0, 0), see("activation_post_process_1", -1, 2);
        const Warnings warnings = calibrationWarnings(*prepared.model.root, activationPlaces(prepared));
        QCOMPARE(warnings.size(), std::size_t(1));
        QCOMPARE(QString::fromStdString(warnings[0].what.code()), QStringLiteral("quant.saw_one_value"));
        QCOMPARE(QString::fromStdString(warnings[0].what.argument("places")),
                 QStringLiteral("x (activation_post_process_0)"));
    }

    /// A state dict of another backend has one range for each channel where this one has one for all.
    void observers_withTheStateOfOthers_areFound() {
        Module root;
        root.children.push_back(
            {"weights", makeObserver({"torch.ao.quantization.observer.PerChannelMinMaxObserver", {}, nullptr})});
        root.children.push_back({"seen", makeObserver({"torch.ao.quantization.observer.MinMaxObserver", {}, nullptr})});
        QCOMPARE(misfitObserver(root), std::string());
        setTensor(*root.children[1].module, "min_val", floatTensor({1, 2, 3}, {3}));
        QCOMPARE(misfitObserver(root), std::string("seen"));
        setTensor(*root.children[1].module, "min_val", floatTensor({1}, {}));
        setTensor(*root.children[0].module, "min_val", floatTensor({1}, {}));
        QCOMPARE(misfitObserver(root), std::string("weights"));
    }

    void rules_thatApplyToNothing_areNamed() {
        const GraphModule model =
            traced("class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                   "        self.c = nn.Conv2d(3, 4, 3); self.b = nn.BatchNorm2d(4)\n        self.body = "
                   "nn.Sequential(nn.ReLU())\n"
                   "    def forward(self, x): return torch.add(self.body(self.b(self.c(x))), 1)\n");
        const QConfigMapping base = defaultMapping(Backend::X86, false);
        const auto idle = [&](const char* json) {
            const QConfigMapping mapping = mappingFromJson(JsonDocument::parse(json)->root(), base);
            QStringList keys;
            for (const Warning& each : idleRules(model, prepare(model, mapping), mapping, base))
                keys << QString::fromStdString(each.what.argument("kind") + " " + each.what.argument("key"));
            return keys.join("; ");
        };
        QCOMPARE(idle(R"({"module_name": [["c", null], ["body.0", null]], "module_name_regex": [["bo.*", null]],
                         "object_type": [["torch.add", null], ["torch.nn.Conv2d", null], ["torch.nn.ReLU", null]]})"),
                 QString());
        QCOMPARE(idle(R"({"module_name": [["cc", null]], "module_name_regex": [["layer.*", null]],
                         "object_type": [["torch.nn.Linear", null]],
                         "module_name_object_type_order": [["", "torch.add", 3, null]]})"),
                 QStringLiteral("object_type torch.nn.Linear; module_name_regex layer.*; module_name "
                                "cc; module_name_object_type_order , torch.add, 3"));
    }

    void customRules_thatApplyToNothing_areNamed() {
        const GraphModule model = traced("class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                                         "        self.a = nn.Linear(4, 4)\n"
                                         "    def forward(self, x): return self.a(x)\n");
        PrepareOptions options;
        options.custom.quantizedInputs = {0, 7}, options.custom.preserved = {"a", "nosuch"};
        const QConfigMapping base = defaultMapping(Backend::X86, false);
        QStringList keys;
        for (const Warning& each : idleRules(model, prepare(model, base, options), base, base))
            keys << QString::fromStdString(each.what.argument("kind") + " " + each.what.argument("key"));
        QCOMPARE(keys, (QStringList{"input_quantized_idxs 7", "preserved_attributes nosuch"}));
    }

    /// torch.ao leaves such layers in floating point and does not say so.
    void layersThatReuseTheirInputsObserver_areNamed() {
        const GraphModule model = traced("class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                                         "        self.a = nn.Linear(4, 4); self.b = nn.Linear(4, 4)\n"
                                         "        self.r = nn.ReLU6()\n"
                                         "    def forward(self, x): return self.b(self.r(self.a(x)))\n");
        QConfigMapping mapping = defaultMapping(Backend::X86, false);
        for (const char* path : {"b", "r"}) mapping.setModuleName(path, namedQConfig("default_reuse_input_qconfig"));
        const PreparedModel prepared = prepare(model, mapping);
        QCOMPARE(prepared.unquantised.size(), std::size_t(1));
        QCOMPARE(prepared.unquantised[0].node, std::string("b"));
        QVERIFY(prepared.unquantised[0].reason == Unquantised::Reason::ReusesInput);
        QCOMPARE(prepared.warnings.size(), std::size_t(1));
        QVERIFY(prepared.warnings[0].what.is("quant.reuses_input"));
        QCOMPARE(prepared.warnings[0].node, std::string("b"));
        QCOMPARE(quantisedLayers(prepared), std::vector<std::string>{"a"});
    }

    /// The containers that torch.fx makes are in training mode in every model.
    void containersInTrainingMode_areNotWarnedOf() {
        GraphModule model = traced("class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                                   "        self.body = nn.Sequential(nn.Linear(4, 4))\n"
                                   "    def forward(self, x): return self.body(x)\n");
        model.format = Format::GraphModule;
        const auto warned = [&](const char* path, const char* type) {
            ModuleEditor editor(model);
            Module& module = *editor.writable(path);
            module.training = true;
            module.classModule = "torch.nn.modules.module", module.className = type;
            Warnings warnings;
            const GraphModule eval = inModeFor(model, Mode::Static, warnings);
            return !eval.root->child("body")->training && !warnings.empty();
        };
        QVERIFY(!warned("body", "Module"));
        QVERIFY(warned("body", "Other"));
    }

    void weightOnly_withoutEmbeddings_isWarnedOf() {
        const GraphModule model = traced("class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                                         "        self.c = nn.Conv2d(3, 4, 3); self.b = nn.BatchNorm2d(4)\n"
                                         "    def forward(self, x): return self.b(self.c(x))\n");
        const PreparedModel prepared = prepare(model, mappingFor(Backend::X86, Mode::WeightOnly, {}));
        const Warnings warnings = nothingQuantised(model, prepared, Mode::WeightOnly);
        QCOMPARE(warnings.size(), std::size_t(2));
        QVERIFY(warnings[0].what.is("quant.nothing_quantised"));
        QVERIFY(warnings[1].what.is("quant.only_fused"));
        const GraphModule words =
            traced("class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                   "        self.e = nn.Embedding(9, 4)\n    def forward(self, x): return self.e(x)\n");
        QVERIFY(quantisesAnything(prepare(words, mappingFor(Backend::X86, Mode::WeightOnly, {}))));
    }

    void layerCalledOftener_warnsIfOneCallIsFused() {
        const auto warnings = [&](const char* forward) {
            const std::string text = "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                                     "        self.a = nn.Linear(4, 4); self.b = nn.Linear(4, 4)\n"
                                     "    def forward(self, x):\n        return " +
                                     std::string(forward) + "\n";
            return prepare(traced(text.c_str()), defaultMapping(Backend::X86, false)).warnings;
        };
        const Warnings some = warnings("self.a(F.relu(self.a(x)))");
        QCOMPARE(some.size(), std::size_t(1));
        QCOMPARE(some[0].what.code(), std::string("quant.fused_calls"));
        QVERIFY(warnings("self.b(F.relu(self.a(x)))").empty());
    }

    void rule_withDtypesThatTheBackendLacks_warns() {
        const GraphModule model = traced("class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                                         "        self.a = nn.Linear(4, 4); self.c = nn.Conv1d(4, 4, 1)\n"
                                         "    def forward(self, x): return self.c(self.a(x))\n");
        const auto warnings = [&](const char* activation) {
            const std::string text = "{\"\": {\"activation\": {\"type\": \"MinMaxObserver\", \"dtype\": \"" +
                                     std::string(activation) + "\"}, \"weight\": \"default_weight_observer\"}}";
            const QConfigMapping mapping = mappingFromJson(JsonDocument::parse(text)->root(), {});
            return prepare(model, mapping).warnings;
        };
        QVERIFY(warnings("torch.quint8").empty());
        const Warnings told = warnings("torch.qint32");
        QCOMPARE(told.size(), std::size_t(1));
        QCOMPARE(told[0].what.code(), std::string("quant.dtypes_unsupported"));
        QVERIFY(told[0].what.hint().find("activations of torch.quint8 and weights of torch.qint8") !=
                std::string::npos);
        // No remedy is what was just said to be impossible
        const GraphModule convolution =
            traced("class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                   "        self.c = nn.Conv2d(4, 4, 1)\n    def forward(self, x): return self.c(x)\n");
        const Warnings dynamic = prepare(convolution, mappingFor(Backend::X86, Mode::Dynamic, {})).warnings;
        QCOMPARE(dynamic.size(), std::size_t(1));
        QCOMPARE(dynamic[0].what.code(), std::string("quant.no_dynamic_kernel"));
        QCOMPARE(dynamic[0].what.argument("pattern"), std::string("Conv2d"));
        // One kind of layer is quantised dynamically: the rule has an effect
        QVERIFY(prepare(model, mappingFor(Backend::X86, Mode::Dynamic, {})).warnings.empty());
    }

    void refusals_areNamed_data() {
        QTest::addColumn<QByteArray>("forward");
        QTest::addColumn<QString>("code");
        QTest::newRow("quantised") << QByteArray("return torch.quantize_per_tensor(x, 0.1, 0, torch.quint8)")
                                   << "quant.already_quantised";
        QTest::newRow("constant") << QByteArray("return self.a(x), 3") << "quant.output_kind";
    }
    void dynamicInput_thatIsANumber_isRefused() {
        const GraphModule model = traced("class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                                         "        self.a = nn.Linear(4, 4)\n"
                                         "    def forward(self, x): return self.a(x.ndim)\n",
                                         Mode::Dynamic);
        const QConfigMapping dynamic = mappingFor(Backend::X86, Mode::Dynamic, "");
        QCOMPARE(codeOf([&] { prepare(model, dynamic); }), "quant.dynamic_input");
    }

    void keywordInput_isRefused_data() {
        QTest::addColumn<QByteArray>("call");
        QTest::newRow("linear") << QByteArray("F.linear(input=x, weight=self.w)");
        QTest::newRow("weight") << QByteArray("F.linear(x, weight=self.w)");
    }
    void keywordInput_isRefused() {
        QFETCH(QByteArray, call);
        const QByteArray text = "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                                "        self.w = nn.Parameter(torch.zeros(4, 4))\n    def forward(self, x): return " +
                                call + "\n";
        for (const Mode mode : {Mode::Static, Mode::Dynamic}) {
            const PreparedModel prepared = prepare(traced(text.constData(), mode), mappingFor(Backend::X86, mode, ""));
            QCOMPARE(codeOf([&] { convert(prepared, {}, nullptr); }), "quant.keyword_input");
        }
    }

    void weightWithoutShape_isRefused() {
        GraphModule model = traced("class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                                   "        self.a = nn.Linear(4, 4)\n    def forward(self, x): return self.a(x)\n");
        ModuleEditor editor(model);
        auto weight = std::make_shared<TensorRef>(); // as files give it
        weight->dtype = DType::Other, weight->dtypeText = "torch.nn.parameter.UninitializedParameter";
        weight->sizes = {0}, weight->isParameter = true;
        editor.writable("a")->parameters[0].tensor = weight;
        const PreparedModel prepared = prepare(model, defaultMapping(Backend::X86, false));
        QCOMPARE(codeOf([&] { convert(prepared, {}, nullptr); }), "quant.weight_uninitialized");
    }
    void refusals_areNamed() {
        QFETCH(QByteArray, forward);
        QFETCH(QString, code);
        const QByteArray text = "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                                "        self.a = nn.Linear(4, 4)\n    def forward(self, x):\n        " +
                                forward + "\n";
        const GraphModule model = traced(text.constData());
        try {
            prepare(model, defaultMapping(Backend::X86, false));
            QFAIL("was prepared");
        } catch (const Error& error) { QCOMPARE(QString::fromStdString(error.message().code()), code); }
    }

    void weightWithNan_isNamed() {
        const GraphModule model =
            traced("class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                   "        self.a = nn.Linear(4, 4)\n    def forward(self, x): return self.a(x)\n");
        NanEngine engine;
        const GraphModule made = convert(prepare(model, defaultMapping(Backend::X86, false)), {}, &engine);
        QCOMPARE(made.warnings.size(), std::size_t{1});
        QCOMPARE(QString::fromStdString(made.warnings[0].what.text()),
                 QString("the weight of a contains NaN or infinity: its quantised values mean nothing"));
        QCOMPARE(QString::fromStdString(std::string(made.warnings[0].what.hint())),
                 QString("repair the weight, or exclude the layer by a null qconfig"));
    }

    void transposed_perChannel_isRefused() {
        const GraphModule model = traced("class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                                         "        self.c = nn.ConvTranspose2d(3, 4, 3)\n"
                                         "    def forward(self, x): return self.c(x)\n");
        QCOMPARE(targets(prepare(model, defaultMapping(Backend::X86, false)).model), "o0 c o1");
        QVERIFY_THROWS_EXCEPTION(Error, prepare(model, defaultMapping(Backend::OneDnn, false)));
    }
};

QTEST_APPLESS_MAIN(TestPrepareWarnings)
#include "tst_prepare_warnings.moc"
