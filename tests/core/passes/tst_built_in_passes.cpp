// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/python_code.h"
#include "core/passes/manager/pass_manager.h"
#include "core/python/tracing/trace_definition.h"
#include "tests/core/passes/pass_fixture.h"

#include <QtTest>

using namespace fx;

/// Compared with torch.fx, and by numbers, in tests/oracle/passes.py; here: text in, text out.
class TestBuiltInPasses : public PassFixture {
    Q_OBJECT

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
    void foldingWhatIsWritten_warns() {
        GraphModule model =
            module("self.a = nn.Parameter(torch.ones(3))",
                   "y = torch.relu(self.a)\n        z = x * y\n        self.a.copy_(x)\n        return z");
        OneElement engine;
        Warnings warnings;
        QVERIFY(runOn(model, "const_fold", "{}", &engine, &warnings));
        QCOMPARE(warnings.size(), std::size_t{1});
        QCOMPARE(QString::fromStdString(warnings[0].node), QString("relu"));
        QVERIFY(warnings[0].what.text().find("'copy_' writes into a") != std::string::npos);
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
        QVERIFY(split);
        QVERIFY(split->graphModule);
        QVERIFY(split->parameter("a"));
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
        QTest::newRow("linear of another rank")
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
        OneElement engine;
        engine.dimensions = 3;
        QTEST(runOn(model, "conv_bn_fuse", settings, &engine), "folds");
        const QString code = statements(model).join('|');
        QFETCH(bool, folds);
        QCOMPARE(code.contains("batch_norm") || code.contains("self.bn"), !folds);
        if (!folds) return;
        QVERIFY2(!code.contains("self.m"), qPrintable(code));
        QVERIFY2(!code.contains("self.v"), qPrintable(code));
        QVERIFY(!model.root->buffer("m"));
        QVERIFY(!model.root->child("bn"));
    }

    void equalModulesAndTensors_becomeOne() {
        GraphModule model = module(
            "self.a = nn.Linear(2, 2)\n        self.b = nn.Linear(2, 2)\n        self.c = nn.ReLU()\n        self.d = "
            "nn.ReLU(); "
            "self.e = nn.Parameter(torch.ones(2))\n        self.f = nn.Parameter(torch.ones(2))",
            "return self.d(self.c(self.b(self.a(x)))) + torch.relu(self.a.weight) + self.e * torch.relu(self.f)");
        QVERIFY(runOn(model, "deduplicate"));
        const QString code = statements(model).join('|');
        QVERIFY2(code.contains("self.b("), qPrintable(code));
        QVERIFY2(!code.contains("self.d("), qPrintable(code));
        QVERIFY2(!code.contains("self.f"), qPrintable(code));
        QVERIFY(!model.root->child("d"));
        QVERIFY(!model.root->parameter("f"));
        QVERIFY(model.root->child("b"));
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
};

QTEST_APPLESS_MAIN(TestBuiltInPasses)
#include "tst_built_in_passes.moc"
