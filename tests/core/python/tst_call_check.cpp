// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/near_names.h"
#include "core/python/tracing/trace_definition.h"
#include "tests/failure.h"

#include <QtTest>

using namespace fx;

/// Which calls are refused is compared with PyTorch in tests/oracle/refused_calls.py; here: what is said of them.
class TestCallCheck : public QObject {
    Q_OBJECT

    static Error refusal(const QByteArray& call) {
        const std::string source =
            "def pattern(x, y, bn: nn.BatchNorm2d):\n    z = torch.neg(x)\n    return " + call.toStdString() + "\n";
        return failure([&] { (void)traceDefinition(source, {"pattern", false}); });
    }

private Q_SLOTS:
    void wrongCall_isRefusedWithARemedy_data() {
        QTest::addColumn<QByteArray>("call");
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("hint");
        const auto row = [](const char* call, const char* what, const char* hint) {
            QTest::newRow(call) << QByteArray(call) << QString(what) << QString(hint);
        };
        row("torch.reluu(x)", "AttributeError: module 'torch' has no attribute 'reluu'", "did you mean 'torch.relu'?");
        row("torch.relu6(x)", "AttributeError: module 'torch' has no attribute 'relu6'",
            "did you mean 'torch.nn.functional.relu6'?");
        row("F.relu7(x)", "AttributeError: module 'torch.nn.functional' has no attribute 'relu7'",
            "did you mean 'torch.nn.functional.relu6'?");
        row("torch.relu7(x)", "AttributeError: module 'torch' has no attribute 'relu7'",
            "did you mean 'torch.nn.functional.relu6'?");
        row("F.rleu(x)", "AttributeError: module 'torch.nn.functional' has no attribute 'rleu'",
            "did you mean 'torch.nn.functional.relu'?");
        row("torch.ops.aten.addd.Tensor(x, y)", "AttributeError: '_OpNamespace' 'aten' object has no attribute 'addd'",
            "did you mean 'torch.ops.aten.add'?");
        row("x.reluu()", "tensors have no method 'reluu'", "did you mean 'relu'?");
        row("bn(x).rleu()", "tensors have no method 'rleu'", "did you mean 'relu'?");
        row("nn.GELU()(x).rleu()", "tensors have no method 'rleu'", "did you mean 'relu'?");
        row("nn.Relu6()(x)", "AttributeError: module 'torch.nn' has no attribute 'Relu6'",
            "did you mean 'torch.nn.ReLU6'?");
        row("nn.ReLU(x)", "'torch.nn.ReLU' is a module class",
            "create the module, then call it: torch.nn.ReLU(...)(x)");
        row("torch.clamp(x, 1, 2, 3, 4)", "clamp() takes at most 3 arguments by position, got 5",
            "call clamp(input, min=None, max=None, *, out=None)");
        row("torch.clamp(x, mn=1)", "clamp() has no argument 'mn'", "did you mean 'min'?");
        row("torch.topk(x, 3.5)", "topk(): expected an integer for 'k', got a float",
            "call topk(input, k, dim=-1, largest=True, sorted=True, *, out=None)");
        row("F.dropout(x, 0.5, True, False, 1)", "dropout() takes from 1 to 4 positional arguments but 5 were given",
            "");
        row("torch.matmul(x)", "matmul() lacks its argument 'other'", "call matmul(input, other, *, out=None)");
        row("z.view()", "view() lacks its argument", "");
        // Forms that take as many arguments first; of a list that is written out, the element that is wrong.
        row("torch.add(x, 'a')", "add(): expected a tensor for 'other', got a string",
            "call add(input, other, *, alpha=1, out=None)");
        row("x.view(2, 'a')", "view(): expected an integer for 'size', got a string", "call view(size)");
        row("x.permute('a', 1)", "permute(): expected an integer for 'dims', got a string", "call permute(dims)");
        row("nn.Linear(4, 2)()", "Linear.forward() lacks its argument 'input'", "call Linear.forward(input)");
        row("nn.Linear(4, 2)(x, 3)", "Linear.forward() takes at most 1 argument by position, got 2",
            "call Linear.forward(input)");
        row("bn(x, dim=1)", "BatchNorm2d.forward() has no argument 'dim'", "");
    }
    void wrongCall_isRefusedWithARemedy() {
        QFETCH(QByteArray, call);
        QFETCH(QString, what);
        QFETCH(QString, hint);
        const Error error = refusal(call);
        QVERIFY2(error.kind() == ErrorKind::Refused, error.what());
        QVERIFY2(QString(error.what()).contains(what), error.what());
        if (!hint.isEmpty()) QCOMPARE(QString::fromStdString(error.hint), hint);
        QVERIFY2(error.where.starts_with("line 3"), error.where.c_str());
    }

    void goodCall_isAccepted_data() {
        QTest::addColumn<QByteArray>("call");
        for (const char* call : {"torch.clamp(x, y, 2)",
                                 "torch.clamp(x, min=None, max=6)",
                                 "torch.add(1, x)",
                                 "torch.sum(x, axis=1)",
                                 "x.view(2, -1)",
                                 "x.view(-1)",
                                 "x.permute(0, y.size(0), 1)",
                                 "torch.cat([x, y], 1)",
                                 "mypackage.own(x, 1, 2)",
                                 "torch.ops.mine.own(x)",
                                 "x.size().index(2)",
                                 "F.interpolate(x, scale_factor=2.0)",
                                 "x.foo.bar(1)",
                                 "bn(x).relu()",
                                 "bn(input=x)",
                                 "nn.ReLU6()(x).view(-1)",
                                 "nn.ConvTranspose2d(3, 4, 2)(x, output_size=[4, 4])",
                                 "nn.LSTM(3, 4)(x, y)[0]",
                                 "own(x).rleu()",
                                 "nn.Identity()(x).rleu()"})
            QTest::newRow(call) << QByteArray(call);
    }
    void goodCall_isAccepted() {
        QFETCH(QByteArray, call);
        const std::string imports = "import mypackage\n";
        const GraphModule traced =
            traceDefinition(imports + "def pattern(x, y, bn: nn.BatchNorm2d, own: mypackage.Own):\n    return " +
                                call.toStdString() + "\n",
                            {"pattern", false});
        QVERIFY(traced.graph.size() > 2);
    }

    void functionThatTheModelHas_isKnown() {
        DefinitionSettings settings;
        settings.known = {"torch.brand_new", "torch.ops.aten.brand_new.default"};
        const std::string source = "def pattern(x):\n    return torch.ops.aten.brand_new.default(torch.brand_new(x))\n";
        QVERIFY(traceDefinition(source, {"pattern", false}, settings).graph.find("brand_new") != kNoNode);
        QVERIFY_THROWS_EXCEPTION(Error, traceDefinition(source, {"pattern", false}));
    }

    void distance_countsEdits_andStopsAtTheLimit() {
        QCOMPARE(ops::editDistance("relu", "relu6", 3), 1u);
        QCOMPARE(ops::editDistance("rleu", "relu", 3), 1u);
        QCOMPARE(ops::editDistance("ReLU", "relu", 3), 0u);
        QCOMPARE(ops::editDistance("conv2d", "max_pool2d", 3), 4u);
    }

    void newModules_areDescribed() {
        NewModules made;
        DefinitionSettings settings;
        settings.newModules = &made;
        const GraphModule traced = traceDefinition("def replacement(x):\n    m = nn.Sequential(nn.Conv2d(3, 8, 1), "
                                                   "nn.GELU())\n    return nn.ReLU6()(m(m(x)))\n",
                                                   {"replacement", false}, settings);
        QCOMPARE(made.size(), 2u);
        QCOMPARE(made[0].first, std::string("sequential"));
        QCOMPARE(made[0].second.modules[0].module.values.size(), 3u);
        QCOMPARE(made[1].second.type, std::string("torch.nn.ReLU6"));
        QCOMPARE(traced.graph.node(traced.graph.find("sequential_1")).target(), std::string("sequential"));
        TorchGenerator random(0);
        const auto module = made[0].second.make(random);
        QCOMPARE(module->children.size(), 2u);
        QCOMPARE(module->children[0].module->parameters[0].tensor->sizes, (std::vector<std::int64_t>{8, 3, 1, 1}));
        QCOMPARE(attributeName("torch.nn.BatchNorm2d"), std::string("batch_norm2d"));
        QCOMPARE(attributeName("torch.nn.LeakyReLU"), std::string("leaky_relu"));
    }

    void newModule_thatOtherSettingsDoNotGive_isRefused_data() {
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QString>("what");
        const auto row = [](const char* title, const char* body, const char* what) {
            QTest::newRow(title) << QByteArray(body) << QString(what);
        };
        row("changed setting", "m = nn.Conv2d(3, 8, 1); m.stride = (2, 2); return m(x)",
            "cannot create torch.nn.Conv2d for each match");
        row("changed weight", "m = nn.Linear(3, 3); nn.init.zeros_(m.weight); return m(x)",
            "cannot create torch.nn.Linear for each match");
        row("changed child", "m = nn.Sequential(nn.Dropout()); m[0].p = 0.3; return m(x)",
            "cannot create torch.nn.Sequential for each match");
        row("part", "return nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2), 1).layers[0](x)",
            "torch.nn.TransformerEncoderLayer needs a value for 'd_model'");
        row("part with another setting", "return nn.TransformerEncoderLayer(8, 2).dropout(x)",
            "cannot create torch.nn.Dropout for each match");
        row("tensor", "return nn.CrossEntropyLoss(weight=torch.ones(3))(x, x)", "setting 'weight' is a tensor");
        row("own class", "return Own()(x)", "a function cannot create modules of the source's class 'Own'");
        row("deep", "m = nn.ReLU()\n    for i in range(200): m = nn.Sequential(m)\n    return m(x)",
            "modules are nested deeper than 100 levels");
    }
    void newModule_thatOtherSettingsDoNotGive_isRefused() {
        QFETCH(QByteArray, body);
        QFETCH(QString, what);
        const Error error = failure([&] {
            (void)traceDefinition(
                "class Own(nn.Module):\n    def forward(self, x): return x + 1\ndef replacement(x):\n    " +
                    body.toStdString() + "\n",
                {"replacement", false});
        });
        QVERIFY2(QString(error.what()).contains(what), error.what());
    }

    void newModuleInAPattern_isRefused() {
        DefinitionSettings settings;
        settings.needsValues = false;
        const Error error = failure([&] {
            (void)traceDefinition("def pattern(x):\n    return nn.ReLU()(x)\n", {"pattern", false}, settings);
        });
        QVERIFY(QString(error.what()).contains("a pattern cannot create modules: torch.nn.ReLU"));
        QVERIFY(QString::fromStdString(error.hint).contains("def pattern(x, m: torch.nn.ReLU)"));
    }
};

QTEST_GUILESS_MAIN(TestCallCheck)
#include "tst_call_check.moc"
