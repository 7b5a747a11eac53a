// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/python_code.h"
#include "core/make/source_module.h"
#include "core/module/module_editor.h"
#include "core/passes/manager/pass_manager.h"
#include "core/trace/function_source.h"

#include <QtTest>

using namespace fx;

namespace {

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
    NodeShapes shapes(const GraphModule&) override { return {}; }
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

} // namespace

/// Compared with torch.fx, and by numbers, in tests/oracle/passes.py; here: text in, text out.
class TstBuiltInPasses : public QObject {
    Q_OBJECT

    static QStringList statements(const GraphModule& model) {
        QStringList lines = QString::fromStdString(generatePython(model.graph).text)
                                .split('\n', Qt::SkipEmptyParts)
                                .filter(QRegularExpression("^    \\S"));
        for (QString& line : lines) line = line.section(";  ", 0, 0).trimmed();
        return lines;
    }
    static bool runOn(GraphModule& model, const QByteArray& name, const QByteArray& settings = "{}",
                      TensorEngine* engine = nullptr) {
        const auto document = JsonDocument::parse(settings.toStdString());
        Warnings warnings;
        return anyChanged(runPasses(model, {{name.toStdString(), document->root()}}, warnings, {}, engine));
    }
    static GraphModule module(const QByteArray& init, const QByteArray& body) {
        const std::string source =
            "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n        " +
            init.toStdString() + "\n        self.eval()\n    def forward(self, x):\n        " + body.toStdString() +
            "\n";
        GraphModule model =
            traceClassSource("import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\n" + source, "Net");
        return model;
    }

private Q_SLOTS:
    void pass_changesTheGraph_data() {
        QTest::addColumn<QByteArray>("pass");
        QTest::addColumn<QByteArray>("settings");
        QTest::addColumn<QString>("before"); // statements of net(x, y)
        QTest::addColumn<QString>("after");
        const auto row = [](const char* name, const char* pass, const char* settings, const QString& before,
                            const QString& after) {
            QTest::newRow(name) << QByteArray(pass) << QByteArray(settings) << before << after;
        };
        row("views join", "clean_views", "{}", "return x.view(2, 3, 4).view(6, 4).reshape(24)",
            "reshape = x.reshape(24)|return reshape");
        row("a view of a copy stays", "clean_views", "{}", "return x.reshape(6, 4).view(24)",
            "reshape = x.reshape(6, 4)|view = reshape.view(24)|return view");
        row("a view as another dtype stays", "clean_views", "{}", "return x.view(6, 4).view(torch.int32)",
            "view = x.view(6, 4)|view_1 = view.view(torch.int32)|return view_1");
        row("permutations join", "clean_views", "{}", "return x.permute(2, 0, 1).permute(0, 2, 1)",
            "permute_1 = x.permute(2, 1, 0)|return permute_1");
        row("permutations cancel out", "clean_views", "{}",
            "return torch.permute(x.permute(2, 0, 1), (1, 2, 0)) + x.transpose(0, 1).transpose(0, 1)",
            "add = x + x|return add");
        row("written to", "clean_views", "{}", "a = x.view(6, 4)\n    a.mul_(2)\n    return a.view(24)",
            "view = x.view(6, 4)|mul_ = view.mul_(2)|view_1 = view.view(24)|return view_1");
        row("unsqueeze and squeeze", "clean_views", "{}",
            "return x.unsqueeze(1).squeeze(1) + x.unsqueeze(0).squeeze(1)",
            "unsqueeze_1 = x.unsqueeze(0)|squeeze_1 = unsqueeze_1.squeeze(1)|add = x + squeeze_1|return add");
        row("detach", "remove_identities", "{}", "return torch.relu(x.detach()) + y.detach().detach()",
            "relu = torch.relu(x)|add = relu + y|return add");
        row("detach stays", "remove_identities", R"({"detach": false})", "return x.detach()",
            "detach = x.detach()|return detach");
        row("dropout", "remove_identities", "{}", "return F.dropout(x, 0.5, False) + F.dropout(x, 0.5, True)",
            "dropout_1 = torch.nn.functional.dropout(x, p = 0.5, training = True, inplace = False)|add = x + "
            "dropout_1|return add");
        row("clone of an input that is returned", "remove_identities", "{}", "return x.clone()",
            "clone = x.clone()|return clone");
        row("clone that nothing needs", "remove_identities", "{}", "return torch.relu(x.clone())",
            "relu = torch.relu(x)|return relu");
        row("clone that is written to", "remove_identities", "{}", "a = x.clone()\n    a.add_(1)\n    return a * x",
            "clone = x.clone()|add_ = clone.add_(1)|mul = clone * x|return mul");
        row("silu", "fuse_patterns", "{}", "return x * torch.sigmoid(x) + y.sigmoid() * y",
            "silu = torch.nn.functional.silu(x, inplace = False)|silu_1 = torch.nn.functional.silu(y, inplace = "
            "False)|add = silu + silu_1|return add");
        row("gelu", "fuse_patterns", "{}", "return 0.5 * x * (1 + torch.erf(x / 1.4142135))",
            "gelu = torch._C._nn.gelu(x)|return gelu");
        row("no gelu", "fuse_patterns", "{}", "return 0.5 * x * (1 + torch.erf(x / 1.5))",
            "mul = 0.5 * x|truediv = x / 1.5|erf = torch.erf(truediv)|add = 1 + erf|mul_1 = mul * add|return mul_1");
        row("gelu by tanh", "fuse_patterns", "{}",
            "return 0.5 * x * (1 + torch.tanh(0.7978845608 * (x + 0.044715 * x ** 3)))",
            "gelu = torch._C._nn.gelu(x, approximate = 'tanh')|return gelu");
        row("other operators", "fuse_patterns", R"({"operators": ["gelu"]})", "return x * torch.sigmoid(x)",
            "sigmoid = torch.sigmoid(x)|mul = x * sigmoid|return mul");
        row("hardswish", "fuse_patterns", "{}", "return x * F.relu6(x + 3) / 6",
            "hardswish = torch.nn.functional.hardswish(x, inplace = False)|return hardswish");
        row("add with alpha", "fuse_patterns", "{}", "return x * F.relu6(torch.add(x, 3, alpha=2)) / 6",
            "add = torch.add(x, 3, alpha = 2)|relu6 = torch.nn.functional.relu6(add, inplace = False)|mul = x * "
            "relu6|truediv = mul / 6|return truediv");
        row("attention", "fuse_patterns", "{}",
            "return torch.matmul(F.softmax(torch.matmul(x, y.transpose(-2, -1)) / 8.0, dim=-1), y)",
            "scaled_dot_product_attention = torch._C._nn.scaled_dot_product_attention(x, y, y, attn_mask = None, scale "
            "= "
            "0.125)|return scaled_dot_product_attention");
        row("softmax over another dimension", "fuse_patterns", "{}",
            "return torch.matmul(torch.softmax(torch.matmul(x, y), 1), y)",
            "matmul = torch.matmul(x, y)|softmax = torch.softmax(matmul, 1)|matmul_1 = torch.matmul(softmax, y)|return "
            "matmul_1");
        row("rms_norm", "fuse_patterns", "{}", "return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6)",
            "getattr_1 = x.shape|getitem = getattr_1[slice(-1, None, None)]|rms_norm = "
            "torch.nn.functional.rms_norm(x, getitem, weight = None, eps = 1e-06)|return rms_norm");
        row("merge_matmul, unsafe", "merge_matmul", R"({"safe": false})",
            "return torch.matmul(x, y) + torch.matmul(x + 1, y)",
            "add = x + 1|cat = torch.cat([x, add])|matmul_2 = torch.matmul(cat, y)|getattr_1 = x.shape|getitem_2 = "
            "getattr_1[0]|getattr_2 = add.shape|getitem_3 = getattr_2[0]|split = torch.functional.split(matmul_2, "
            "[getitem_2, getitem_3])|getitem = split[0]|getitem_1 = split[1]|add_1 = getitem + getitem_1|return add_1");
        row("merge_matmul, shapes unknown", "merge_matmul", "{}", "return torch.matmul(x, y) + torch.matmul(x + 1, y)",
            "matmul = torch.matmul(x, y)|add = x + 1|matmul_1 = torch.matmul(add, y)|add_1 = matmul + matmul_1|return "
            "add_1");
        row("types", "annotate_types", "{}", "return F.relu6(x).sum(), F.max_pool1d(y, 2)",
            "relu6 : torch.Tensor = torch.nn.functional.relu6(x, inplace = False)|sum_1 = relu6.sum()|max_pool1d = "
            "torch.nn.functional.max_pool1d(y, 2, stride = None, padding = 0, dilation = 1, ceil_mode = False, "
            "return_indices = False)|return (sum_1, max_pool1d)");
    }
    void pass_changesTheGraph() {
        QFETCH(QByteArray, pass);
        QFETCH(QByteArray, settings);
        QFETCH(QString, before);
        GraphModule model = traceFunctionSource("def net(x, y):\n    " + before.toStdString());
        const QStringList unchanged = statements(model);
        const bool changed = runOn(model, pass, settings);
        QTEST(statements(model).join('|'), "after");
        QCOMPARE(changed, statements(model) != unchanged);
    }

    void constants_areFolded() {
        GraphModule model = module("self.a = nn.Parameter(torch.ones(3))\n        self.b = nn.Parameter(torch.ones(3))",
                                   "return x * (self.a + self.b) + torch.relu(self.a) + self.b");
        OneElement engine;
        QVERIFY(runOn(model, "const_fold", "{}", &engine));
        QCOMPARE(engine.asked, std::size_t{2});
        QCOMPARE(statements(model).join('|'),
                 QString("b = self.b|_fx_const_folded_attrs_0 = getattr(self._FX_CONST_FOLDED_ATTRS, \"0\")|mul = x * "
                         "_fx_const_folded_attrs_0|_fx_const_folded_attrs_1 = getattr(self._FX_CONST_FOLDED_ATTRS, "
                         "\"1\")|add_1 = mul + _fx_const_folded_attrs_1|add_2 = add_1 + b|return add_2"));
        QVERIFY(!model.root->parameter("a")); // nothing names it any more
        QVERIFY(model.root->parameter("b"));
        QVERIFY(resolvePath(*model.root, "_FX_CONST_FOLDED_ATTRS.1").tensor->requiresGrad);
        QVERIFY(!runOn(model, "const_fold", "{}", &engine));
    }
    void writesBesideConstants_stay() {
        GraphModule model = module("self.a = nn.Parameter(torch.ones(3))",
                                   "y = x.clone()\n        y.mul_(2)\n        return y * torch.relu(self.a)");
        OneElement engine;
        QVERIFY(runOn(model, "const_fold", "{}", &engine));
        QVERIFY(statements(model).join('|').contains("mul_"));
    }
    void skippedConstants_stay() {
        GraphModule model = module("self.a = nn.Parameter(torch.ones(3))", "return x * torch.relu(self.a)");
        OneElement engine;
        QVERIFY(!runOn(model, "const_fold", R"({"skip": ["relu"]})", &engine));
        QVERIFY(runOn(model, "const_fold", "{}", &engine));
        QVERIFY(model.root->parameter("_FX_CONST_FOLDED_ATTRS"));
        QVERIFY_THROWS_EXCEPTION(Error, runOn(model, "const_fold")); // no worker
    }
    void constants_areSplitOff() {
        GraphModule model =
            module("self.a = nn.Parameter(torch.ones(3))", "return x * torch.relu(self.a) + self.a.sum()");
        QVERIFY(runOn(model, "split_const"));
        QCOMPARE(
            statements(model).join('|'),
            QString("const_subgraph_module = self.const_subgraph_module()|getitem = const_subgraph_module[0]|getitem_1 "
                    "= const_subgraph_module[1]|mul = x * getitem|add = mul + getitem_1|return add"));
        const Module* split = model.root->child("const_subgraph_module");
        QVERIFY(split && split->graphModule && split->parameter("a"));
        QVERIFY(!model.root->parameter("a"));
    }

    /// Compared with torch.fx in tests/oracle/retraces.py.
    void retrace_goesIntoChosenModules() {
        GraphModule model;
        auto act = std::make_shared<Module>();
        act->className = "ReLU", act->classModule = "torch.nn.modules.activation";
        act->attributes.emplace_back("inplace", Argument(false));
        model.root->children.push_back({"act", act});
        const NodeId x = model.graph.placeholder("x");
        model.graph.output({model.graph.createNode(Op::CallModule, "act", {x})});
        const auto run = [&](const char* settings) {
            const auto document = JsonDocument::parse(settings);
            Warnings warnings;
            return anyChanged(runPasses(model, {{"retrace", document->root()}}, warnings));
        };
        QVERIFY(!run("{}"));
        QVERIFY(!run(R"({"inline": ["ReLU"], "keep": ["a*"]})"));
        QVERIFY(run(R"({"inline": ["torch.nn.ReLU"]})"));
        QVERIFY(generatePython(model.graph).text.find("torch.nn.functional.relu(x, inplace = False)") !=
                std::string::npos);
        QVERIFY(model.root->children.empty()); // nothing calls it any more
    }

    void functionsAndTransposed_areFolded_data() {
        QTest::addColumn<QByteArray>("init");
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QByteArray>("settings");
        QTest::addColumn<bool>("folds");
        const QByteArray tensors =
            "self.w = nn.Parameter(torch.ones(2, 2, 1))\n        self.b = nn.Parameter(torch.ones(2)); "
            "self.register_buffer('m', torch.zeros(2))\n        self.register_buffer('v', torch.ones(2))";
        QTest::newRow("function") << tensors
                                  << QByteArray("return F.batch_norm(F.conv1d(x, self.w, self.b), self.m, self.v)")
                                  << QByteArray("{}") << true;
        QTest::newRow("without bias") << tensors
                                      << QByteArray(
                                             "return F.batch_norm(F.conv1d(x, self.w), self.m, self.v, None, self.b)")
                                      << QByteArray("{}") << true;
        QTest::newRow("in training") << tensors
                                     << QByteArray(
                                            "return F.batch_norm(F.conv1d(x, self.w), self.m, self.v, training=True)")
                                     << QByteArray("{}") << false;
        QTest::newRow("weight used twice")
            << tensors << QByteArray("return F.batch_norm(F.conv1d(x, self.w), self.m, self.v) + F.conv1d(x, self.w)")
            << QByteArray("{}") << false;
        QTest::newRow("as torch.fx") << tensors
                                     << QByteArray("return F.batch_norm(F.conv1d(x, self.w), self.m, self.v)")
                                     << QByteArray(R"({"as_torch_fx": true})") << false;
        QTest::newRow("linear of unknown rank")
            << QByteArray(tensors).replace("2, 2, 1", "2, 2")
            << QByteArray("return F.batch_norm(F.linear(x, self.w), self.m, self.v)") << QByteArray("{}") << false;
        const QByteArray up = "self.up = nn.ConvTranspose1d(2, 2, 1)\n        self.bn = nn.BatchNorm1d(2)";
        QTest::newRow("transposed") << up << QByteArray("return self.bn(self.up(x))") << QByteArray("{}") << true;
        QTest::newRow("transposed as torch.fx")
            << up << QByteArray("return self.bn(self.up(x))") << QByteArray(R"({"as_torch_fx": true})") << false;
    }
    void functionsAndTransposed_areFolded() {
        QFETCH(QByteArray, init);
        QFETCH(QByteArray, body);
        QFETCH(QByteArray, settings);
        GraphModule model = module(init, body);
        QTEST(runOn(model, "conv_bn_fuse", settings), "folds");
        const QString code = statements(model).join('|');
        QFETCH(bool, folds);
        QCOMPARE(code.contains("batch_norm") || code.contains("self.bn"), !folds);
        if (!folds) return;
        QVERIFY2(!code.contains("self.m") && !code.contains("self.v"), qPrintable(code));
        QVERIFY(!model.root->buffer("m") && !model.root->child("bn"));
    }

    void equalModulesAndTensors_becomeOne() {
        GraphModule model = module(
            "self.a = nn.Linear(2, 2)\n        self.b = nn.Linear(2, 2)\n        self.c = nn.ReLU()\n        self.d = "
            "nn.ReLU(); "
            "self.e = nn.Parameter(torch.ones(2))\n        self.f = nn.Parameter(torch.ones(2))",
            "return self.d(self.c(self.b(self.a(x)))) + torch.relu(self.a.weight) + self.e * torch.relu(self.f)");
        QVERIFY(runOn(model, "deduplicate"));
        const QString code = statements(model).join('|');
        QVERIFY2(code.contains("self.b(") && !code.contains("self.d(") && !code.contains("self.f"), qPrintable(code));
        QVERIFY(!model.root->child("d") && !model.root->parameter("f") && model.root->child("b"));
        QVERIFY(!runOn(model, "deduplicate"));
    }

    void weightOfLayerNorm_givesTheShape() {
        GraphModule model = module(
            "self.w = nn.Parameter(torch.ones(5))\n        self.b = nn.Parameter(torch.ones(5))",
            "d = x - x.mean(-1, keepdim=True)\n        return d / torch.sqrt((d * d).mean(-1, keepdim=True) + 1e-5) * "
            "self.w + self.b");
        QVERIFY(runOn(model, "fuse_patterns"));
        QVERIFY2(statements(model).join('|').contains("layer_norm(x, (5,), weight = w, bias = b, eps = 1e-05)"),
                 qPrintable(statements(model).join('|')));
    }

    void everyPass_runs() {
        for (const Pass& pass : allPasses()) {
            QVERIFY2(pass.run, pass.name.data());
            GraphModule model = traceFunctionSource("def net(x):\n    return torch.relu(x)");
            OneElement engine;
            runOn(model, QByteArray(pass.name.data(), static_cast<qsizetype>(pass.name.size())), "{}", &engine);
        }
        GraphModule model = traceFunctionSource("def net(x):\n    return torch.relu(x)");
        QVERIFY_THROWS_EXCEPTION(Error, runOn(model, "optimize_for_inference", R"({"mkldnn_layout_optimize": true})"));
        QVERIFY_THROWS_EXCEPTION(Error, runOn(model, "fuse_patterns", R"({"operators": ["relu"]})"));
    }

    void optimizeForInference_keepsLongSubgraphsInMkldnnLayout() {
        const GraphModule before =
            module("self.a = nn.Conv2d(3, 4, 3); self.b = nn.BatchNorm2d(4); self.c = nn.Conv2d(4, 4, 1, "
                   "padding_mode='reflect')",
                   "y = torch.relu(self.a(x))\n        return self.c(torch.tanh(self.b(y + y) + 1))");
        GraphModule model = before;
        QVERIFY(runOn(model, "optimize_for_inference"));
        QCOMPARE(statements(model).join('|'),
                 QString("to_mkldnn = x.to_mkldnn()|a = self.a(to_mkldnn)|relu = torch.relu(a)|add = relu + relu|"
                         "b = self.b(add)|to_dense_3 = b.to_dense()|add_1 = to_dense_3 + 1|tanh = torch.tanh(add_1)|"
                         "c = self.c(tanh)|return c"));
        QCOMPARE(model.root->child("a")->qualifiedType(), std::string("torch.utils.mkldnn.MkldnnConv2d"));
        QCOMPARE(model.root->child("b")->className, std::string("MkldnnBatchNorm"));
        QCOMPARE(model.root->child("c")->className, std::string("Conv2d"));
        model = before;
        QVERIFY(!runOn(model, "optimize_for_inference", R"({"mkldnn_layout_optimize": false})"));
        OneElement engine;
        engine.ratio = 1.5;
        const QByteArray autotuner = R"({"mkldnn_layout_optimize": {"heuristic": "gen_mkl_autotuner"}})";
        QVERIFY(!runOn(model, "optimize_for_inference", autotuner, &engine));
        QCOMPARE(statements(model), statements(before));
        QCOMPARE(model.root->child("a")->className, std::string("Conv2d"));
        engine.ratio = 0.5;
        QVERIFY(runOn(model, "optimize_for_inference", autotuner, &engine));
        QVERIFY_THROWS_EXCEPTION(Error, runOn(model, "optimize_for_inference", autotuner));
    }

    void onednn_makesModulesOfFasterLayers() {
        GraphModule model =
            module("self.a = nn.Conv2d(3, 4, 3); self.b = nn.BatchNorm2d(4); self.c = nn.Conv2d(4, 4, 1)",
                   "y = torch.relu(self.b(self.a(x)))\n        z = torch.relu(self.c(y) + y)\n"
                   "        return z.view(-1)");
        OneElement engine;
        QVERIFY(runOn(model, "onednn", "{}", &engine));
        QCOMPARE(statements(model).join('|'),
                 QString("a_fused = self.a_fused(x)|c_fused = self.c_fused(a_fused)|contiguous = "
                         "c_fused.contiguous()|view = contiguous.view(-1)|return view"));
        const Module* fused = model.root->child("c_fused");
        QVERIFY(fused && onednn::kernelOf(*fused) == onednn::Kernel::OneDnn);
        QVERIFY(onednn::asFusedLayer(*fused->graphModule));
        QVERIFY(!model.root->child("a") && !model.root->child("b") && !model.root->child("c"));
    }
    void onednn_leavesASlowerModelAlone() {
        GraphModule model = module("self.l = nn.Linear(3, 4)", "return torch.relu(self.l(x))");
        const QStringList before = statements(model);
        OneElement engine;
        engine.ratio = 1.1;
        QVERIFY(!runOn(model, "onednn", "{}", &engine));
        engine.ratio = 0.5, engine.plainMs = 0.5;
        QVERIFY(!runOn(model, "onednn", "{}", &engine));
        QCOMPARE(statements(model), before);
    }
    void onednn_keepsOnlyWhatIsShownToBeFaster_data() {
        QTest::addColumn<double>("high");
        QTest::addColumn<int>("rounds");
        QTest::addColumn<QString>("code");
        QTest::newRow("shown") << 0.7 << 30 << "passes.onednn_whole";
        QTest::newRow("the interval includes slower") << 1.9 << 30 << "passes.onednn_not_faster";
        QTest::newRow("one sample") << 0.5 << 1 << "passes.onednn_few";
    }
    void onednn_keepsOnlyWhatIsShownToBeFaster() {
        QFETCH(double, high);
        QFETCH(int, rounds);
        QFETCH(QString, code);
        GraphModule model = module("self.l = nn.Linear(3, 4)", "return torch.relu(self.l(x))");
        const QStringList before = statements(model);
        OneElement engine;
        engine.high = high, engine.rounds = static_cast<std::size_t>(rounds);
        engine.doubts = {Message("timing.steal", {{"share", "9 %"}})};
        Warnings warnings;
        const auto reports = runPasses(model, {{"onednn", {}}}, warnings, {}, &engine);
        const bool isKept = code == "passes.onednn_whole";
        QCOMPARE(anyChanged(reports), isKept);
        QCOMPARE(statements(model) == before, !isKept);
        QCOMPARE(reports[0].rewrites > 0, isKept);
        const Warnings& notes = reports[0].notes;
        QCOMPARE(QString::fromStdString(notes.back().what.code()), code);
        QCOMPARE(notes.front().what.is("passes.onednn_fused"), isKept); // of a model that stays, nothing is fused
        QCOMPARE(notes.front().what.is("passes.onednn_stays"), !isKept);
        QVERIFY(warnings.size() == 1 && warnings[0].what.is("timing.steal"));
    }
    /// The report tells of folded normalisations and of layers without kernels, too.
    void onednn_tellsWhatIsFoldedAndWhatHasNoKernel() {
        GraphModule model =
            module("self.a = nn.Conv2d(3, 4, 1); self.b = nn.BatchNorm2d(4); self.c = nn.Conv1d(4, 4, 1)",
                   "return self.c(torch.relu(self.b(self.a(x))).flatten(2))");
        const GraphModule before = model;
        OneElement engine;
        Warnings warnings;
        const auto notes = runPasses(model, {{"onednn", {}}}, warnings, {}, &engine)[0].notes;
        const auto noteOf = [](const Warnings& all, const char* code) {
            const auto found =
                std::find_if(all.begin(), all.end(), [code](const Warning& note) { return note.what.is(code); });
            return found == all.end() ? Warning() : *found;
        };
        QCOMPARE(noteOf(notes, "passes.onednn_folded").what.argument("nodes"), std::string("a + b"));
        QCOMPARE(noteOf(notes, "passes.onednn_one_dimension").node, std::string("c"));
        model = before;
        engine.ratio = 1.5;
        const auto stays = runPasses(model, {{"onednn", {}}}, warnings, {}, &engine)[0].notes;
        QCOMPARE(noteOf(stays, "passes.onednn_folded_stays").what.argument("nodes"), std::string("a + b"));
        QVERIFY(noteOf(stays, "passes.onednn_folded").what.code().empty());
    }
    /// The median of the fused runs alone would be 0.4.
    void onednn_tellsMillisecondsOfTheSameStatistic() {
        GraphModule model = module("self.l = nn.Linear(3, 4)", "return torch.relu(self.l(x))");
        OneElement engine;
        engine.ratio = 0.5, engine.afterMs = 0.4;
        Warnings warnings;
        const auto notes = runPasses(model, {{"onednn", {}}}, warnings, {}, &engine)[0].notes;
        QCOMPARE(notes.back().what.argument("before"), std::string("1"));
        QCOMPARE(notes.back().what.argument("after"), std::string("0.5"));
        QCOMPARE(notes.back().what.argument("factor"), std::string("2"));
        engine.plainMs = 0.2; // a kernel takes 5 times that
        model = module("self.l = nn.Linear(3, 4)", "return torch.relu(self.l(x))");
        QVERIFY(
            runPasses(model, {{"onednn", {}}}, warnings, {}, &engine)[0].notes.front().what.is("passes.onednn_slower"));
    }
    void onednn_triesSmallGainsTogether() {
        GraphModule model = module("self.l = nn.Linear(3, 4)", "return torch.relu(self.l(x))");
        OneElement engine;
        engine.plainMs = 1.01, engine.layerNoise = 0.05;
        Warnings warnings;
        const auto reports = runPasses(model, {{"onednn", {}}}, warnings, {}, &engine);
        QVERIFY(anyChanged(reports) && reports[0].notes.front().what.is("passes.onednn_together"));
        QCOMPARE(engine.compared, 2U);
    }
    void onednn_namesNoiseAsTheReason() {
        GraphModule model = module("self.l = nn.Linear(3, 4)", "return torch.relu(self.l(x))");
        OneElement engine;
        engine.plainMs = 1.5, engine.layerNoise = 0.4, engine.high = 1.2;
        Warnings warnings;
        const auto reports = runPasses(model, {{"onednn", {}}}, warnings, {}, &engine);
        QVERIFY(!anyChanged(reports));
        const Message& why = reports[0].notes.front().what;
        QVERIFY2(why.is("passes.onednn_layer_noise") && why.argument("noise") == "40", why.text().c_str());
    }
    void onednn_fusesSlowerConvolutionsWhereTheModelGetsFaster() {
        const GraphModule before =
            module("self.c = nn.Conv2d(3, 4, 3); self.p = nn.MaxPool2d(2)", "return self.p(self.c(x))");
        OneElement engine;
        engine.plainMs = 0.5;
        GraphModule model = before;
        QVERIFY(runOn(model, "onednn", "{}", &engine));
        QCOMPARE(engine.compared, 2U);
        QCOMPARE(statements(model).join('|'), QString("c_fused = self.c_fused(x)|p = self.p(c_fused)|return p"));
        engine.ratio = 1.1, model = before;
        QVERIFY(!runOn(model, "onednn", "{}", &engine));
        QCOMPARE(statements(model), statements(before));
    }
    void onednn_refusesModelsInTraining() {
        GraphModule model = module("self.l = nn.Linear(3, 4); self.d = nn.Dropout(0.5)", "return self.d(self.l(x))");
        ModuleEditor(model).writable("d")->training = true;
        OneElement engine;
        try {
            runOn(model, "onednn", "{}", &engine);
            QFAIL("it was not refused");
        } catch (const Error& error) { QVERIFY2(QString(error.what()).contains("training mode"), error.what()); }
    }
};

QTEST_APPLESS_MAIN(TstBuiltInPasses)
#include "tst_built_in_passes.moc"
