// SPDX-License-Identifier: GPL-3.0-or-later
// LibTorch before Qt: both define words that the other uses.
#include "core/engine/machine.h"
#include "core/engine/value_conversion.h"

#include <QTest>

using namespace fx;
using namespace fx::engine;

namespace {
at::Tensor random(std::vector<std::int64_t> sizes) { return randomInput(sizes, at::kFloat, 0); }
using Sizes = std::vector<std::int64_t>;
} // namespace

class TestValueTree : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void views_keepStridesAndShareTheStorage() {
        const at::Tensor x = random({3, 4});
        const ValueTree tree = toTree(Value::tuple({x.t(), x.select(1, 1), x.unsqueeze(0).expand({2, 3, 4}), x}));
        const TensorPtr& column = tree.items.at(1).tensor;
        QCOMPARE(tree.items.at(0).tensor->strides, Sizes({1, 4}));
        QCOMPARE(column->strides, Sizes({4}));
        QCOMPARE(column->offset, 1);
        QCOMPARE(tree.items.at(2).tensor->strides, Sizes({0, 4, 1}));
        for (const ValueTree& item : tree.items) {
            QVERIFY(item.tensor->storage == column->storage);
            QVERIFY(item.tensor->geometryProblem().empty());
        }
        float value = 0;
        column->storage->read(5 * sizeof value, std::as_writable_bytes(std::span(&value, 1)));
        QCOMPARE(value, x[1][1].item<float>());
    }

    void fewNumbersOfALargeStorage_areCopied() {
        const at::Tensor large = random({1024, 512});
        const TensorPtr column = toTree(large.select(1, 3)).tensor, half = toTree(large.narrow(1, 0, 256)).tensor;
        QCOMPARE(column->strides, Sizes({1}));
        QCOMPARE(column->storage->byteCount(), std::uint64_t{4096});
        QCOMPARE(half->strides, Sizes({512, 1}));
    }

    void elementTypesOfOneStorage_areApart() {
        const at::Tensor x = random({4});
        const ValueTree tree = toTree(Value::list({x, x.view(at::kInt)}));
        QVERIFY(tree.items.at(0).tensor->storage != tree.items.at(1).tensor->storage);
        QCOMPARE(tree.items.at(1).tensor->dtype, DType::Int32);
    }

    void orderedDict_staysOne() {
        auto mapping = std::make_shared<Mapping>();
        mapping->items.emplace_back("b", random({2}));
        mapping->typeName = "collections.OrderedDict";
        const ValueTree tree = toTree(mapping);
        QCOMPARE(tree.typeName, mapping->typeName);
        TensorStore tensors;
        QCOMPARE(fromTree(tree, tensors).mapping()->typeName, mapping->typeName);
    }
};

QTEST_APPLESS_MAIN(TestValueTree)
#include "tst_value_tree.moc"
