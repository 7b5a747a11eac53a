// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diff/diff.h"
#include "core/edit/recipe.h"
#include "core/edit/steps/steps.h"
#include "core/model_files/open.h"
#include "core/python/tracing/trace_definition.h"
#include "core/trace/callables.h"
#include "tests/sanitized.h"

#include <QtTest>

#include <random>

using namespace fx;

class TestDiff : public QObject {
    Q_OBJECT

    static GraphModule edited(GraphModule model, const QByteArray& steps) {
        applySteps(model, parseRecipe(("{\"lancet_recipe\": 1, \"steps\": [" + steps + "]}").toStdString()));
        return model;
    }
    static std::shared_ptr<GraphModule> sample(const char* name) {
        return openModel(std::string(LANCET_SOURCE_DIR "/resources/samples/") + name);
    }

    /// "+relu_1 -neg add:args,users scaled<mul:name"
    static QString told(const GraphModule& a, const GraphModule& b) {
        const ModelDiff diff = diffModels(a, b);
        QStringList words;
        const auto named = [](const Graph& graph, NodeId id) { return QString::fromStdString(graph.node(id).name()); };
        const auto listed = [](const std::vector<Aspect>& what) {
            QStringList list;
            for (const Aspect aspect : what)
                list << QString::fromUtf8(aspectName(aspect).data(), static_cast<qsizetype>(aspectName(aspect).size()));
            return list.join(",");
        };
        for (const NodeId id : diff.added) words << "+" + named(b.graph, id);
        for (const NodeId id : diff.removed) words << "-" + named(a.graph, id);
        for (const auto& change : diff.changed) {
            const QString x = named(a.graph, change.a), y = named(b.graph, change.b);
            words << (x == y ? x : y + "<" + x) + ":" + listed(change.what);
        }
        for (const auto& change : diff.tree)
            words << QString(change.isTensor ? "tensor " : "module ") + QString::fromStdString(change.a) + ":" +
                         listed(change.what);
        for (const auto& orphan : diff.orphans)
            words << (orphan.inA ? "a " : "b ") + QString::fromStdString(std::string(orphan.kind) + " " + orphan.path);
        return words.join(" ");
    }

private Q_SLOTS:
    void models_differ_data() {
        QTest::addColumn<QString>("a");
        QTest::addColumn<QString>("b");
        QTest::addColumn<QString>("expected");
        const QString head = "def net(x, y):\n    a = torch.relu(x)\n    b = torch.neg(a)\n    c = b + y\n";
        QTest::newRow("equal") << head + "    return c" << head + "    return c"
                               << "";
        QTest::newRow("literal") << head + "    return c * 2" << head + "    return c * 3"
                                 << "mul:args";
        QTest::newRow("keyword") << head + "    return torch.sum(c, dim=0)" << head + "    return torch.sum(c, dim=1)"
                                 << "sum_1:kwargs";
        QTest::newRow("added at the end") << head + "    return c" << head + "    return torch.exp(c)"
                                          << "+exp add:users output:args";
        QTest::newRow("removed") << head + "    return torch.exp(c)" << head + "    return c"
                                 << "-exp add:users output:args";
        QTest::newRow("other function, other name")
            << head + "    return torch.exp(c)" << head + "    return torch.sin(c)"
            << "+sin -exp add:users output:args";
        // PyTorch numbers anew: relu, relu_1 of a are relu_1, relu_2 of b.
        QTest::newRow("one more of a kind in front")
            << "def net(x, y):\n    return torch.relu(torch.neg(torch.relu(x))) + y"
            << "def net(x, y):\n    return torch.relu(torch.neg(torch.relu(torch.relu(x)))) + y"
            << "+relu_1 relu:users neg:args relu_2<relu_1:name";
        QTest::newRow("inputs called otherwise") << "def net(x, y):\n    return torch.relu(x) - y"
                                                 << "def net(a, b):\n    return torch.relu(a) - b"
                                                 << "a<x:name,target b<y:name,target";
        QTest::newRow("order alone") << "def net(x):\n    a = torch.neg(x)\n    b = torch.exp(x)\n    return a, b"
                                     << "def net(x):\n    b = torch.exp(x)\n    a = torch.neg(x)\n    return a, b"
                                     << "neg:order";
        QTest::newRow("arguments swapped") << "def net(x, y):\n    return x - y"
                                           << "def net(x, y):\n    return y - x"
                                           << "sub:args";
        QTest::newRow("nothing alike") << "def net(x):\n    return torch.exp(x)"
                                       << "def net(y):\n    return y.sum().view(-1)"
                                       << "+sum_1 +view -exp y<x:name,target,users output:args";
    }
    void models_differ() {
        QFETCH(QString, a);
        QFETCH(QString, b);
        const GraphModule first = traceFunctionSource(a.toStdString()), second = traceFunctionSource(b.toStdString());
        QTEST(told(first, second), "expected");
    }

    void editedModel_differsByTheEdit_data() {
        QTest::addColumn<QByteArray>("steps");
        QTest::addColumn<QString>("expected");
        QTest::newRow("none") << QByteArray(R"({"step": "lint"})") << "";
        QTest::newRow("rename") << QByteArray(R"({"step": "rename", "node": "relu", "name": "activation"})")
                                << "activation<relu:name";
        QTest::newRow("target") << QByteArray(R"({"step": "set_target", "node": "mul", "target": "torch.sub"})")
                                << "mul:target";
        QTest::newRow("insert before one of its kind")
            << QByteArray(R"({"step": "insert_after", "node": "linear", "op": "call_module", "target": "relu", )"
                          R"("args": [{"node": "linear"}], "rewire_users": true})")
            << "+relu_1 linear:users output:args";
        QTest::newRow("setting")
            << QByteArray(R"({"step": "replace_module", "path": "relu", "module": {"type": "torch.nn.ReLU", )"
                          R"("settings": {"inplace": true}}})")
            << "relu:module module relu:settings";
        QTest::newRow("class")
            << QByteArray(R"({"step": "replace_module", "path": "relu", "module": {"type": "torch.nn.GELU"}})")
            << "relu:module module relu:class";
        QTest::newRow("mode") << QByteArray(R"({"step": "set_training", "path": "relu", "value": true})")
                              << "relu:module module relu:training";
        QTest::newRow("module")
            << QByteArray(R"({"step": "add_module", "path": "more.act", "module": {"type": "torch.nn.ReLU"}})")
            << "b module more";
        QTest::newRow("weights")
            << QByteArray(R"({"step": "replace_module", "path": "linear", "module": {"type": "torch.nn.Linear", )"
                          R"("settings": {"in_features": 512, "out_features": 10}, "seed": 9}})")
            << "linear:tensor tensor linear.bias:values tensor linear.weight:values";
    }
    void editedModel_differsByTheEdit() {
        QFETCH(QByteArray, steps);
        const auto model = sample("simple_net.pt");
        QTEST(told(*model, edited(*model, steps)), "expected");
    }

    void tiedWeights_inOneModelOnly_differ() {
        const auto tied = [](bool one) {
            const auto model = std::make_shared<GraphModule>(traceFunctionSource("def net(x):\n    return x"));
            const auto tensor = [] {
                TensorRef made;
                made.dtype = DType::Float32, made.sizes = {2}, made.strides = {1};
                made.storage = Storage::inMemory(std::vector<std::byte>(8));
                return std::make_shared<const TensorRef>(std::move(made));
            };
            const TensorPtr first = tensor();
            model->root->parameters = {{"a", first, true}, {"b", one ? first : tensor(), true}};
            return model;
        };
        QCOMPARE(told(*tied(true), *tied(true)), "");
        QCOMPARE(told(*tied(false), *tied(false)), "");
        QCOMPARE(told(*tied(true), *tied(false)), "tensor b:sharing");
        QCOMPARE(told(*tied(false), *tied(true)), "tensor b:sharing");
    }

    void allRenamed_allFound_data() {
        QTest::addColumn<QString>("file");
        for (const char* name : {"resnet.pt", "densenet.pt", "transformer.pt", "transformer.pt2"})
            QTest::newRow(name) << name;
    }
    void allRenamed_allFound() {
        QFETCH(QString, file);
        const auto model = sample(file.toUtf8().constData());
        GraphModule renamed = *model;
        int number = 0;
        for (const NodeId id : renamed.graph.order())
            if (renamed.graph.node(id).op() != Op::Output) renamed.graph.rename(id, "n" + std::to_string(number++));
        const ModelDiff diff = diffModels(*model, renamed, {false});
        QVERIFY(diff.added.empty());
        QVERIFY(diff.removed.empty());
        for (const auto& change : diff.changed) {
            QCOMPARE(change.a, change.b);
            QVERIFY(change.what == std::vector{Aspect::Name});
        }
        QCOMPARE(diff.changed.size(), model->graph.size() - 1);
    }

    /// Names of other nodes are worse than none: all but those next to the change are still found.
    void namesRotated_structureWins() {
        const auto model = sample("resnet.pt");
        GraphModule other = *model;
        std::vector<NodeId> ids = other.graph.order();
        for (const NodeId id : ids) other.graph.rename(id, "t" + std::to_string(index(id)));
        for (std::size_t i = 1; i + 1 < ids.size(); ++i)
            other.graph.rename(ids[i], model->graph.node(ids[i % (ids.size() - 2) + 1]).name());
        const ModelDiff diff = diffModels(*model, other, {false});
        std::size_t right = 0;
        for (const NodeId id : ids) right += diff.counterparts[index(id)] == id;
        QVERIFY2(right * 10 >= ids.size() * 9, qPrintable(QString("%1 of %2").arg(right).arg(ids.size())));
    }

    void longChain_isLinear() {
        GraphModule model = traceFunctionSource("def net(x):\n    return torch.relu(x)\n");
        const CallablePtr relu = model.graph.node(model.graph.find("relu")).callable();
        model.graph.setInsertPoint({InsertPoint::Side::Before, model.graph.outputNode()});
        NodeId last = model.graph.find("relu");
        for (int i = 0; i < 100'000; ++i) last = model.graph.callFunction(relu, {last});
        model.graph.setInsertPoint({});
        GraphModule other = model;
        other.graph.setCallable(other.graph.find("relu_50000"), resolveCallable("torch.neg"));
        QElapsedTimer timer;
        timer.start();
        QCOMPARE(told(model, other), QString("relu_50000:target"));
        QVERIFY2(timer.elapsed() < kPatience * 5000, qPrintable(QString::number(timer.elapsed())));
    }
};

QTEST_APPLESS_MAIN(TestDiff)
#include "tst_diff.moc"
