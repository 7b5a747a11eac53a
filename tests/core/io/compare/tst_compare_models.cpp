// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/compare/compare_models.h"

#include <QTest>
#include <cstring>

using namespace fx;

namespace {

TensorPtr tensor(const std::vector<float>& values, std::vector<std::int64_t> sizes, std::vector<std::int64_t> strides,
                 std::int64_t offset = 0) {
    TensorRef result;
    std::vector<std::byte> bytes(values.size() * sizeof(float));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    result.storage = Storage::inMemory(std::move(bytes));
    result.sizes = std::move(sizes);
    result.strides = std::move(strides);
    result.offset = offset;
    return std::make_shared<const TensorRef>(std::move(result));
}

/// x -> relu -> output, with a child that has a weight tied with the root's.
std::unique_ptr<GraphModule> model() {
    auto module = std::make_unique<GraphModule>();
    Graph& graph = module->graph;
    const auto x = graph.placeholder("x");
    const auto layer = graph.createNode(Op::CallModule, "layer", {x}, {{"k", Argument::tuple({1, x})}});
    graph.output(layer);
    const auto child = std::make_shared<Module>();
    child->className = "Linear";
    child->attributes = {{"in_features", Argument(2)}};
    const auto weight = tensor({1, 2, 3, 4}, {2, 2}, {2, 1});
    module->root->parameters = {{"weight", weight}, {"none", nullptr}};
    child->parameters = {{"weight", weight}};
    child->buffers = {{"mean", tensor({0.5F}, {1}, {1}), false}};
    module->root->children = {{"layer", child}};
    return module;
}

using Change = void (*)(GraphModule&);

std::shared_ptr<Module> childOf(GraphModule& module) { return module.root->children[0].module; }

} // namespace

class TstCompareModels : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void compare_equalModels_findsNothing() { QVERIFY(compareModels(*model(), *model()).empty()); }

    void compare_sameValuesOtherStrides_findsNothing() {
        const auto a = model(), b = model();
        const auto turned = tensor({9, 1, 3, 2, 4}, {2, 2}, {1, 2}, 1);
        b->root->parameters[0].tensor = turned;
        childOf(*b)->parameters[0].tensor = turned;
        QVERIFY(compareModels(*a, *b).empty());
    }

    void compare_oneChange_isNamed_data() {
        QTest::addColumn<Change>("change");
        QTest::addColumn<QString>("what");
        QTest::addColumn<QString>("node");
        QTest::addColumn<QString>("path");
        const auto row = [](const char* name, Change change, const char* what, const char* node, const char* path) {
            QTest::newRow(name) << change << what << node << path;
        };
        row(
            "name", [](GraphModule& m) { m.graph.rename(m.graph.find("layer"), "other"); }, "name: layer became other",
            "layer", "");
        row(
            "argument",
            [](GraphModule& m) {
                m.graph.setKwargs(m.graph.find("layer"), {{"k", 1}});
            },
            "kwargs: {'k': (1, x)} became {'k': 1}", "layer", "");
        row(
            "node more", [](GraphModule& m) { m.graph.placeholder("y"); }, "the number of nodes: 3 became 4", "", "");
        row(
            "class", [](GraphModule& m) { childOf(m)->className = "Conv2d"; }, "class: Linear became Conv2d", "",
            "layer");
        row(
            "mode", [](GraphModule& m) { childOf(m)->training = false; }, "training mode changed", "", "layer");
        row(
            "setting", [](GraphModule& m) { childOf(m)->attributes[0].second = Argument(3); }, "value: 2 became 3", "",
            "layer.in_features");
        row(
            "persistence", [](GraphModule& m) { childOf(m)->buffers[0].persistent = true; }, "persistence changed", "",
            "layer.mean");
        row(
            "value", [](GraphModule& m) { childOf(m)->buffers[0].tensor = tensor({-0.5F}, {1}, {1}); },
            "the values differ", "", "layer.mean");
        row(
            "shape", [](GraphModule& m) { childOf(m)->buffers[0].tensor = tensor({0.5F}, {}, {}); },
            "tensor: torch.float32 [1 ]", "", "layer.mean");
        row(
            "untied",
            [](GraphModule& m) {
                childOf(m)->parameters[0].tensor = tensor({1, 2, 3, 4}, {2, 2}, {2, 1});
            },
            "a tensor shared with another place is shared no longer", "", "layer.weight");
        row(
            "no longer None", [](GraphModule& m) { m.root->parameters[1].tensor = tensor({1}, {1}, {1}); },
            "None became a tensor", "", "none");
        row(
            "child less", [](GraphModule& m) { m.root->children.clear(); }, "the number of submodules: 1 became 0", "",
            "");
    }
    void compare_oneChange_isNamed() {
        QFETCH(Change, change);
        QFETCH(QString, what);
        QFETCH(QString, node);
        QFETCH(QString, path);
        const auto a = model(), b = model();
        change(*b);
        const auto differences = compareModels(*a, *b, 1);
        QCOMPARE(differences.size(), std::size_t{1});
        QVERIFY2(QString::fromStdString(differences[0].what).startsWith(what), differences[0].what.c_str());
        QCOMPARE(QString::fromStdString(differences[0].node), node);
        QCOMPARE(QString::fromStdString(differences[0].modulePath), path);
    }
};

QTEST_APPLESS_MAIN(TstCompareModels)
#include "tst_compare_models.moc"
