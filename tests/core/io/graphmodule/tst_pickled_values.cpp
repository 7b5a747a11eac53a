// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/graphmodule/value_reader.h"
#include "core/ir/print.h"
#include "core/model_files/open.h"

#include <QTest>

using namespace fx;

class TestPickledValues : public QObject {
    Q_OBJECT

    std::shared_ptr<GraphModule> m_model;

    const Argument& attribute(const char* name) const { return std::get<Argument>(*m_model->root->attribute(name)); }
    std::string repr(const char* name) const { return reprOf(m_model->graph, attribute(name)); }

private Q_SLOTS:
    void initTestCase() { m_model = openModel(LANCET_SOURCE_DIR "/tests/data/graphmodule/attributes.pt"); }

    void attributes_plainValues_asPythonPrints() {
        QCOMPARE(
            repr("values"),
            std::string("[0, -1, 1099511627776, 1180591620717411303424, 1.5, inf, nan, True, None, Ellipsis, 'text', "
                        "b'\\x00\\xff', (1+2j)]"));
        QCOMPARE(repr("containers"),
                 std::string("{'t': (1, (2,)), 'l': [1, [2]], 'd': {1: 'a'}, 's': slice(1, None, 2), "
                             "'r': range(1, 9, 2), 'e': ()}"));
        QCOMPARE(repr("ordered"), std::string("{'b': 1, 'a': 2}"));
    }

    void attribute_longInteger_isOpaque() {
        const auto model = openModel(LANCET_SOURCE_DIR "/tests/data/graphmodule/long_integer.pt");
        QVERIFY(std::get<Argument>(*model->root->attribute("long")).as<OpaqueObject>());
    }

    void attributes_torchValues_asPythonPrints() {
        QCOMPARE(repr("torch_values"),
                 std::string("[torch.float32, device(type='cuda', index=1), device(type='cpu'), (1, 2), torch.strided, "
                             "torch.per_tensor_affine]"));
    }

    void attributes_otherObjects_keptByTypeAndPlace() {
        const Sequence* objects = attribute("objects").asList();
        QVERIFY(objects);
        QVERIFY(objects->items.size() == 8);
        const char* types[] = {"set", "frozenset", "own_classes.Config", "own_classes.Colour", "own_classes.Pair"};
        for (std::size_t i = 0; i < std::size(types); ++i) {
            const auto* object = objects->items[i].as<OpaqueObject>();
            QVERIFY(object);
            QVERIFY(object->origin.index >= 0);
            QCOMPARE(object->typeName, std::string(types[i]));
        }
        QCOMPARE(objects->items[5].as<CallableValue>()->callable->qualifiedName,
                 std::string("torch.nn.functional.relu"));
        QCOMPARE(objects->items[6].as<CallableValue>()->callable->qualifiedName,
                 std::string("torch.nn.modules.activation.ReLU"));
    }

    void attributes_tensors_asTensors() {
        const auto* plain = std::get_if<TensorPtr>(m_model->root->attribute("plain_tensor"));
        QVERIFY(plain);
        QVERIFY((*plain)->dtype == DType::Int64);
        QCOMPARE(attribute("tensors").asList()->items[0].as<OpaqueObject>()->typeName, std::string("torch.Tensor"));
    }
};

QTEST_APPLESS_MAIN(TestPickledValues)
#include "tst_pickled_values.moc"
