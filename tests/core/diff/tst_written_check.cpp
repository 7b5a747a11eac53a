// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diff/written_check.h"

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
    child->attributes = {{"in_features", Argument(2)}, {"_private", Argument(1)}};
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

class TestWrittenCheck : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void compare_equalModels_findsNothing() { QVERIFY(sameInFiles(*model(), *model())); }

    void compare_sameValuesOtherStrides_findsNothing() {
        const auto a = model(), b = model();
        const auto turned = tensor({9, 1, 3, 2, 4}, {2, 2}, {1, 2}, 1);
        b->root->parameters[0].tensor = turned;
        childOf(*b)->parameters[0].tensor = turned;
        QVERIFY(sameInFiles(*a, *b));
    }

    /// Elements that nobody could visit: the time follows from the storages.
    void compare_expandedTensors_byTheirDistinctElements_data() {
        QTest::addColumn<std::vector<qint64>>("sizes");
        QTest::addColumn<std::vector<qint64>>("stridesA");
        QTest::addColumn<std::vector<qint64>>("stridesB");
        QTest::addColumn<std::vector<float>>("a");
        QTest::addColumn<std::vector<float>>("b");
        QTest::addColumn<bool>("same");
        using Numbers = std::vector<qint64>;
        using Values = std::vector<float>;
        const qint64 many = 1'000'000'000;
        QTest::newRow("one value") << Numbers{many} << Numbers{0} << Numbers{0} << Values{1} << Values{1} << true;
        QTest::newRow("other value") << Numbers{many} << Numbers{0} << Numbers{0} << Values{1} << Values{2} << false;
        QTest::newRow("rows") << Numbers{many, 2} << Numbers{0, 1} << Numbers{0, 1} << Values{1, 2} << Values{1, 2}
                              << true;
        QTest::newRow("other rows") << Numbers{many, 2} << Numbers{0, 1} << Numbers{0, 1} << Values{1, 2}
                                    << Values{1, 3} << false;
        QTest::newRow("crosswise, constant")
            << Numbers{many, 3, 2} << Numbers{0, 0, 1} << Numbers{0, 1, 0} << Values{4, 4} << Values{4, 4, 4} << true;
        QTest::newRow("crosswise, a varies")
            << Numbers{many, 3, 2} << Numbers{0, 0, 1} << Numbers{0, 1, 0} << Values{4, 5} << Values{4, 4, 4} << false;
        QTest::newRow("crosswise, b varies")
            << Numbers{many, 3, 2} << Numbers{0, 0, 1} << Numbers{0, 1, 0} << Values{4, 4} << Values{4, 4, 5} << false;
        QTest::newRow("crosswise, other constants")
            << Numbers{many, 3, 2} << Numbers{0, 0, 1} << Numbers{0, 1, 0} << Values{4, 4} << Values{5, 5, 5} << false;
        QTest::newRow("expanded and copied")
            << Numbers{3, 2} << Numbers{0, 1} << Numbers{2, 1} << Values{4, 5} << Values{4, 5, 4, 5, 4, 5} << true;
        QTest::newRow("expanded and no copy")
            << Numbers{3, 2} << Numbers{0, 1} << Numbers{2, 1} << Values{4, 5} << Values{4, 5, 4, 5, 4, 6} << false;
        QTest::newRow("overlapping rows") << Numbers{100'000, 100'000} << Numbers{1, 1} << Numbers{1, 1}
                                          << Values(200'000) << Values(200'000) << true;
        QTest::newRow("no elements") << Numbers{many, 0} << Numbers{0, 7} << Numbers{7, 0} << Values{1} << Values{2}
                                     << true;
    }
    void compare_expandedTensors_byTheirDistinctElements() {
        using Numbers = std::vector<std::int64_t>;
        const auto numbers = [](const std::vector<qint64>& from) { return Numbers(from.begin(), from.end()); };
        QFETCH(std::vector<qint64>, sizes);
        QFETCH(std::vector<qint64>, stridesA);
        QFETCH(std::vector<qint64>, stridesB);
        QFETCH(std::vector<float>, a);
        QFETCH(std::vector<float>, b);
        const auto one = model(), other = model();
        childOf(*one)->buffers[0].tensor = tensor(a, numbers(sizes), numbers(stridesA));
        childOf(*other)->buffers[0].tensor = tensor(b, numbers(sizes), numbers(stridesB));
        QTEST(sameInFiles(*one, *other), "same");
    }

    /// Overlapping elements in two layouts, alike as far as anybody would look.
    void compare_elementsBeyondNumber_refused() {
        const auto one = model(), other = model();
        childOf(*one)->buffers[0].tensor = tensor(std::vector<float>(300'000), {100'000, 100'000}, {1, 1});
        childOf(*other)->buffers[0].tensor = tensor(std::vector<float>(300'000), {100'000, 100'000}, {1, 2});
        try {
            requireSame(*one, *other, "file");
            QFAIL("expected an error");
        } catch (const Error& error) {
            QCOMPARE(
                error.message().text(),
                std::string("the tensor repeats 1.1 MiB as 10000000000 elements (37.3 GiB), too many to read one by "
                            "one"));
            QCOMPARE(error.modulePath, std::string("layer.mean"));
        }
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
            "node more", [](GraphModule& m) { m.graph.placeholder("y"); }, "the node is new", "y", "");
        row(
            "class", [](GraphModule& m) { childOf(m)->className = "Conv2d"; }, "other class", "", "layer");
        row(
            "order of attributes",
            [](GraphModule& m) { std::swap(childOf(m)->attributes[0], childOf(m)->attributes[1]); }, "other order", "",
            "layer");
        row(
            "mode", [](GraphModule& m) { childOf(m)->training = false; }, "other training", "", "layer");
        row(
            "setting", [](GraphModule& m) { childOf(m)->attributes[0].second = Argument(3); }, "other attributes", "",
            "layer");
        row(
            "persistence", [](GraphModule& m) { childOf(m)->buffers[0].persistent = true; }, "other persistence", "",
            "layer");
        row(
            "value", [](GraphModule& m) { childOf(m)->buffers[0].tensor = tensor({-0.5F}, {1}, {1}); }, "other values",
            "", "layer.mean");
        row(
            "shape", [](GraphModule& m) { childOf(m)->buffers[0].tensor = tensor({0.5F}, {}, {}); }, "other shape", "",
            "layer.mean");
        row(
            "untied",
            [](GraphModule& m) {
                childOf(m)->parameters[0].tensor = tensor({1, 2, 3, 4}, {2, 2}, {2, 1});
            },
            "other sharing", "", "layer.weight");
        row(
            "no longer None", [](GraphModule& m) { m.root->parameters[1].tensor = tensor({1}, {1}, {1}); },
            "the parameter is new", "", "none");
        row(
            "child less", [](GraphModule& m) { m.root->children.clear(); }, "other order", "", "");
    }
    void compare_oneChange_isNamed() {
        QFETCH(Change, change);
        QFETCH(QString, what);
        QFETCH(QString, node);
        QFETCH(QString, path);
        const auto a = model(), b = model();
        change(*b);
        try {
            requireSame(*a, *b, "file");
            QFAIL("expected an error");
        } catch (const Error& error) {
            QCOMPARE(QString::fromStdString(error.message().argument("difference")), what);
            QCOMPARE(QString::fromStdString(error.node), node);
            QCOMPARE(QString::fromStdString(error.modulePath), path);
        }
    }
};

QTEST_APPLESS_MAIN(TestWrittenCheck)
#include "tst_written_check.moc"
