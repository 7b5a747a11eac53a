// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/python_code.h"
#include "core/edit/erase_choices.h"
#include "core/edit/history.h"
#include "core/edit/python/recipe_python.h"
#include "core/edit/recipe.h"
#include "core/edit/steps/step_list.h"
#include "core/make/module_factory.h"
#include "core/python/tracing/trace_definition.h"

#include <QtTest>

using namespace fx;

/// Replacements that create modules, classes of modules that are replaced, nodes whose users get another value.
class TestNewModuleSteps : public QObject {
    Q_OBJECT

    static GraphModule net() {
        return traceDefinition("class Net(nn.Module):\n"
                               "    def __init__(self):\n"
                               "        super().__init__()\n"
                               "        self.conv, self.relu, self.act = nn.Conv2d(3, 3, 1), nn.ReLU(), nn.ReLU()\n"
                               "        self.block = nn.Sequential(nn.Conv2d(3, 3, 1), nn.ReLU())\n"
                               "        self.same = self.act\n"
                               "    def forward(self, x):\n"
                               "        return self.act(self.block(self.relu(self.conv(x)))) + self.act(x)\n",
                               {"Net", true});
    }
    static std::shared_ptr<const GraphModule> edited(const StepList& steps) {
        GraphModule model = net();
        model.root->training = false;
        return History::edited(model, steps);
    }
    static StepList pattern(const std::string& type, const std::string& replacement) {
        return StepList().replacePattern("def pattern(x, m: " + type + "):\n    return m(x)\n",
                                         "def replacement(x, m):\n    return " + replacement + "\n", {});
    }
    static std::string typeAt(const GraphModule& model, const char* path) {
        const auto target = resolvePath(*model.root, path);
        return target.module ? target.module->className : std::string();
    }
    static std::vector<std::byte> valuesOf(const Module& module) {
        const TensorRef& tensor = *module.parameters[0].tensor;
        std::vector<std::byte> bytes(static_cast<std::size_t>(tensor.byteCount()));
        tensor.storage->read(0, bytes);
        return bytes;
    }
    static std::string code(const GraphModule& model) { return generatePython(model.graph).text; }

private Q_SLOTS:
    void newModule_takesThePathOfTheOneThatGoes_elseAFreeOne() {
        const auto model = edited(pattern("nn.ReLU", "nn.ReLU6()(x)"));
        QCOMPARE(typeAt(*model, "relu"), std::string("ReLU6"));
        QCOMPARE(typeAt(*model, "block.1"), std::string("ReLU6"));
        // `act` was called twice: the first call gets a module beside it, the last its path.
        QCOMPARE(typeAt(*model, "relu6_1"), std::string("ReLU6"));
        QCOMPARE(typeAt(*model, "act"), std::string("ReLU6"));
        QCOMPARE(typeAt(*model, "same"), std::string("ReLU"));
        const QString text = QString::fromStdString(code(*model));
        QVERIFY2(text.contains("self.relu("), qPrintable(text));
        QVERIFY2(text.contains("self.relu6_1("), qPrintable(text));
    }

    void modulesOfEachMatch_haveTheirOwnWeights() {
        const auto model = edited(pattern("nn.Conv2d", "nn.GELU()(nn.Conv2d(3, 8, 1)(x))"));
        const auto first = resolvePath(*model->root, "conv2d_1").module;
        const auto second = resolvePath(*model->root, "block.conv2d_1").module;
        QVERIFY(first);
        QVERIFY(second);
        QVERIFY(first != second);
        TorchGenerator random(0);
        const ModuleSettings settings{{{"in_channels", 3}, {"out_channels", 8}, {"kernel_size", 1}}, {}};
        for (const Module* made : {first, second}) {
            const auto expected = makeModule("torch.nn.Conv2d", settings, random);
            QVERIFY(valuesOf(*made) == valuesOf(*expected));
        }
        QVERIFY(!first->training); // as the model
        QCOMPARE(typeAt(*model, "block.gelu_1"), std::string("GELU"));
        QCOMPARE(typeAt(*model, "conv"), std::string("Conv2d")); // as torch.fx, which removes no modules here
    }

    void newModules_areUndoneAndRedone() {
        History history(std::make_shared<const GraphModule>(net()));
        const std::string before = code(*history.model());
        history.edit("replace", pattern("nn.ReLU", "nn.ReLU6()(x)"));
        const std::string after = code(*history.model());
        QVERIFY(after.find("relu6_1") != std::string::npos);
        history.goTo(0);
        QCOMPARE(code(*history.model()), before);
        QCOMPARE(typeAt(*history.model(), "relu"), std::string("ReLU"));
        history.goTo(1);
        QCOMPARE(typeAt(*history.model(), "relu"), std::string("ReLU6"));
    }

    void newModules_areAddedByTheScript() {
        const StepList steps = pattern("nn.Conv2d", "nn.Conv2d(3, 3, 1, bias=False)(x)");
        const QString script = QString::fromStdString(recipePython(net(), steps, "net.pt"));
        QVERIFY2(
            script.contains("    torch.manual_seed(0)\n    gm.add_submodule(\"conv\", torch.nn.Conv2d(in_channels=3, "
                            "out_channels=3, kernel_size=1, bias=False))\n    gm.add_submodule(\"block.0\", "),
            qPrintable(script));
    }

    void moduleClass_isReplacedEverywhere_sharedOnesOnce() {
        const auto model = edited(StepList().replaceModuleClass("torch.nn.ReLU", {"torch.nn.ReLU6", {}}, false));
        for (const char* path : {"relu", "act", "same", "block.1"})
            QCOMPARE(typeAt(*model, path), std::string("ReLU6"));
        QVERIFY(resolvePath(*model->root, "act").module == resolvePath(*model->root, "same").module);
        QVERIFY(resolvePath(*model->root, "act").module != resolvePath(*model->root, "relu").module);
        QCOMPARE(code(*model), code(net()));
        QVERIFY(resolvePath(*model->root, "relu").module->training);
        const auto none = edited(StepList().replaceModuleClass("torch.nn.Tanh", {"torch.nn.ReLU6", {}}, false));
        QCOMPARE(none->warnings.size(), 1u);
        QVERIFY(none->warnings[0].what.is("edit.no_module_of_class"));
    }

    void erasedNode_leavesItsUsersAnInput() {
        const GraphModule model = traceDefinition(
            "def net(x, y):\n    a = torch.neg(y)\n    b = torch.relu(x)\n    return torch.exp(b + a)\n",
            {"net", false});
        const NodeId add = model.graph.find("add"), relu = model.graph.find("relu"), neg = model.graph.find("neg");
        const EraseChoices choices = eraseChoices(model, {add});
        QCOMPARE(choices.candidates, (std::vector<NodeId>{relu, neg}));
        QCOMPARE(choices.users, (std::vector<NodeId>{model.graph.find("exp")}));
        QCOMPARE(deadAfterErase(model, {add}, relu), (std::vector<NodeId>{neg}));
        QCOMPARE(deadAfterErase(model, {add}, neg), (std::vector<NodeId>{relu}));
        const auto left = History::edited(model, StepList().erase("add", "relu"));
        QVERIFY(left->graph.find("add") == kNoNode);
        QVERIFY(left->graph.find("neg") != kNoNode);
        QVERIFY(left->warnings.back().what.is("edit.left_unused"));
        QCOMPARE(left->warnings.back().node, std::string("neg"));
        const auto cascaded = History::edited(model, StepList().erase("add", "relu", true));
        QVERIFY(cascaded->graph.find("neg") == kNoNode);
        QVERIFY(cascaded->warnings.empty());
    }

    void rename_notPossible_saysWhy_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("text");
        QTest::newRow("taken") << "relu"
                               << "'relu' is the name of another node or was one: the node is called relu_1";
        QTest::newRow("reserved") << "class"
                                  << "'class' is reserved by Python or torch.fx: the node is called class_1";
        QTest::newRow("invalid") << "a-b"
                                 << "'a-b' is not a valid Python name: the node is called a_b";
    }
    void rename_notPossible_saysWhy() {
        QFETCH(QString, name);
        QFETCH(QString, text);
        History history(std::make_shared<const GraphModule>(
            traceDefinition("def net(x):\n    return torch.exp(torch.relu(x))\n", {"net", false})));
        history.edit("Rename", StepList().rename("exp", name.toStdString()));
        QCOMPARE(QString::fromStdString(history.model()->warnings.back().what.text()), text);
    }

    void warnings_ofAnEdit_goWithWhatTheyAreAbout() {
        History history(std::make_shared<const GraphModule>(traceDefinition(
            "def net(x, y):\n    a = torch.neg(y)\n    return torch.exp(torch.relu(x) + a)\n", {"net", false})));
        const auto codes = [&] {
            QStringList told;
            for (const Warning& warning : history.model()->warnings)
                told << QString::fromStdString(std::string(warning.what.code()) + " " + warning.node);
            return told;
        };
        history.edit("Rename", StepList().rename("relu", "neg"));
        QCOMPARE(codes(), QStringList{QStringLiteral("edit.name_taken neg_1")});
        history.edit("Rename another", StepList().rename("exp", "last"));
        QCOMPARE(codes(), QStringList{QStringLiteral("edit.name_taken neg_1")}); // it is still so
        history.edit("Rename what has the name", StepList().rename("neg", "minus"));
        QCOMPARE(codes(), QStringList());
        history.goTo(0);
        history.edit("Rename twice", StepList().rename("relu", "neg").rename("neg_1", "free"));
        QCOMPARE(codes(), QStringList());
        history.edit("Erase", StepList().erase("add", "free"));
        QCOMPARE(codes(), QStringList{QStringLiteral("edit.left_unused neg")});
        history.edit("Rename what is unused", StepList().rename("neg", "unused"));
        QCOMPARE(codes(), QStringList{QStringLiteral("edit.left_unused unused")});
        history.edit("Erase it", StepList().erase("unused"));
        QCOMPARE(codes(), QStringList());
    }

    void candidates_ofTheSameShapeComeFirst() {
        GraphModule model = traceDefinition("def net(x, y):\n    return torch.exp(x + y)\n", {"net", false});
        const auto shaped = [&](const char* name, std::vector<std::string> sizes) {
            NodeMeta meta;
            meta.values = {{"torch.float32", std::move(sizes), {}, "cpu", true, false}};
            model.graph.setMeta(model.graph.find(name), std::make_shared<const NodeMeta>(std::move(meta)));
            return model.graph.find(name);
        };
        const NodeId x = shaped("x", {"8"}), y = shaped("y", {"4", "8"}), add = shaped("add", {"4", "8"});
        const EraseChoices choices = eraseChoices(model, {add});
        QCOMPARE(choices.candidates, (std::vector<NodeId>{y, x}));
        QCOMPARE(choices.sameForm, 1u);
    }

    void wrongCallsInSteps_areRefused_data() {
        QTest::addColumn<QString>("target");
        QTest::addColumn<int>("numbers");
        QTest::addColumn<bool>("refused");
        QTest::newRow("unknown") << "torch.reluu" << 0 << true;
        QTest::newRow("class") << "torch.nn.ReLU" << 0 << true;
        QTest::newRow("too many") << "torch.clamp" << 4 << true;
        QTest::newRow("good") << "torch.clamp" << 2 << false;
        QTest::newRow("no bound") << "torch.clamp" << 0 << true; // the schema lets both be left out
        QTest::newRow("no bound of an operator") << "torch.ops.aten.clamp.default" << 0 << true;
        QTest::newRow("one bound") << "torch.clamp" << 1 << false;
        QTest::newRow("neither size nor scale") << "torch.nn.functional.interpolate" << 0 << true;
        QTest::newRow("a size") << "torch.nn.functional.interpolate" << 1 << false;
        QTest::newRow("size and scale") << "torch.nn.functional.interpolate" << 2 << true;
        QTest::newRow("not PyTorch's") << "mypackage.own" << 4 << false;
    }
    void wrongCallsInSteps_areRefused() {
        QFETCH(QString, target);
        QFETCH(int, numbers);
        QFETCH(bool, refused);
        const GraphModule model = net();
        std::vector<Argument> args{model.graph.find("relu")};
        for (int i = 0; i < numbers; ++i) args.emplace_back(i);
        const StepList steps = StepList().insertAfter("relu", {Op::CallFunction, target.toStdString(), {}, true, {}},
                                                      {model.graph, args, {}});
        if (refused) QVERIFY_THROWS_EXCEPTION(Error, History::edited(model, steps));
        else QVERIFY(History::edited(model, steps)->graph.size() == model.graph.size() + 1);
        QString line = "    own = " + target + "(relu";
        for (int i = 0; i < numbers; ++i) line += ", " + QString::number(i);
        QString text = QString::fromStdString(code(model));
        text.replace("(relu)", "(own)").replace("    block_0 =", line + ")\n    block_0 =");
        if (target.startsWith(QStringLiteral("mypackage"))) text = QStringLiteral("import mypackage\n") + text;
        const StepList codeSteps = StepList().setCode(text.toStdString());
        if (refused) QVERIFY_THROWS_EXCEPTION(Error, History::edited(model, codeSteps));
        else QVERIFY(History::edited(model, codeSteps)->graph.find("own") != kNoNode);
    }
};

QTEST_GUILESS_MAIN(TestNewModuleSteps)
#include "tst_new_module_steps.moc"
