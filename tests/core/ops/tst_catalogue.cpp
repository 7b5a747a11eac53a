// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/catalogue.h"

#include <QTest>

using namespace fx::ops;

class TestCatalogue : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void findOperator_spelling_found_data();
    void findOperator_spelling_found();
    void findOperator_unknownName_isNothing_data();
    void findOperator_unknownName_isNothing();
    void schema_anyOperator_readsAsPyTorchPrintsIt_data();
    void schema_anyOperator_readsAsPyTorchPrintsIt();
    void purity_anyOperator_followsAliasAndTags_data();
    void purity_anyOperator_followsAliasAndTags();
    void overloads_ofAdd_areSortedAndComplete();
    void search_words_putExactNamesFirst();
    void table_everyRow_isFoundByItsName();
};

void TestCatalogue::findOperator_spelling_found_data() {
    QTest::addColumn<QString>("spelling");
    QTest::addColumn<QString>("qualified");
    QTest::newRow("schema") << "aten::add.Tensor"
                            << "aten.add.Tensor";
    QTest::newRow("packet") << "aten.add.Tensor"
                            << "aten.add.Tensor";
    QTest::newRow("python") << "torch.ops.aten.add.Tensor"
                            << "aten.add.Tensor";
    QTest::newRow("default named") << "torch.ops.aten.relu.default"
                                   << "aten.relu.default";
    QTest::newRow("default left out") << "aten::relu"
                                      << "aten.relu.default";
    QTest::newRow("quantized") << "quantized::linear"
                               << "quantized.linear.default";
    QTest::newRow("from python") << "prims::convert_element_type"
                                 << "prims.convert_element_type.default";
}

void TestCatalogue::findOperator_spelling_found() {
    QFETCH(QString, spelling);
    QFETCH(QString, qualified);
    const auto op = findOperator(spelling.toStdString());
    QVERIFY(op);
    QCOMPARE(QString::fromStdString(op->qualifiedName()), qualified);
}

void TestCatalogue::findOperator_unknownName_isNothing_data() {
    QTest::addColumn<QString>("name");
    for (const char* name : {"", "::", "aten", "aten::", "aten::ad", "aten::add.Tenso", "aten::add.default.x",
                             "zzz::add", "torch.ops.", "."})
        QTest::newRow(name) << name;
}

void TestCatalogue::findOperator_unknownName_isNothing() {
    QFETCH(QString, name);
    QVERIFY(!findOperator(name.toStdString()));
}

void TestCatalogue::schema_anyOperator_readsAsPyTorchPrintsIt_data() {
    QTest::addColumn<QString>("schema");
    for (const char* schema : {
             "aten::relu(Tensor self) -> Tensor",
             "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
             "aten::add_.Tensor(Tensor(a!) self, Tensor other, *, Scalar alpha=1) -> Tensor(a!)",
             "aten::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
             "aten::gelu(Tensor self, *, str approximate='none') -> Tensor",
             "aten::split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]",
             "aten::layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float "
             "eps=1e-05, bool cudnn_enable=True) -> Tensor",
             "aten::to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False, MemoryFormat? "
             "memory_format=None) -> Tensor(a)",
             "aten::conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=[1, 1], SymInt[2] "
             "padding=[0, 0], SymInt[2] dilation=[1, 1], SymInt groups=1) -> Tensor",
         })
        QTest::newRow(schema) << schema;
}

void TestCatalogue::schema_anyOperator_readsAsPyTorchPrintsIt() {
    QFETCH(QString, schema);
    const auto op = findOperator(schema.left(schema.indexOf('(')).toStdString());
    QVERIFY(op);
    QCOMPARE(QString::fromStdString(op->schema()), schema);
}

void TestCatalogue::purity_anyOperator_followsAliasAndTags_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<bool>("isMutable");
    QTest::addColumn<bool>("isSeeded");
    QTest::newRow("relu") << "aten::relu" << false << false;
    QTest::newRow("relu_") << "aten::relu_" << true << false;
    QTest::newRow("copy_") << "aten::copy_" << true << false;
    QTest::newRow("out") << "aten::add.out" << true << false;
    QTest::newRow("rand") << "aten::rand" << false << true;
    QTest::newRow("dropout") << "aten::dropout" << false << true;
    QTest::newRow("bernoulli_") << "aten::bernoulli_.float" << true << true;
    QTest::newRow("from python") << "prims::normal" << false << true;
    QTest::newRow("batch_norm") << "aten::batch_norm" << false << false;
}

void TestCatalogue::purity_anyOperator_followsAliasAndTags() {
    QFETCH(QString, name);
    const auto op = findOperator(name.toStdString());
    QVERIFY(op);
    QTEST(op->isMutable(), "isMutable");
    QTEST(op->isNondeterministicSeeded(), "isSeeded");
}

void TestCatalogue::overloads_ofAdd_areSortedAndComplete() {
    QStringList names;
    for (const Operator& op : overloads("aten.add"))
        if (!op.isScriptOnly()) names << QString::fromStdString(std::string(op.overload()));
    QCOMPARE(names, (QStringList{"Scalar", "Scalar_out", "Tensor", "out"}));
    QVERIFY(findOperator("aten::add.Tensor")->registered() < findOperator("aten::add.Scalar")->registered());
    QVERIFY(overloads("aten::nothing").empty());
}

void TestCatalogue::search_words_putExactNamesFirst() {
    const auto found = searchOperators("ADD tensor", 3);
    QCOMPARE(found.size(), std::size_t(3));
    QCOMPARE(found[0].qualifiedName(), std::string("aten.add.Tensor"));
    QVERIFY(searchOperators("  ").empty());
    QVERIFY(searchOperators("no_such_operator").empty());
}

void TestCatalogue::table_everyRow_isFoundByItsName() {
    QVERIFY(operatorCount() > 4000);
    for (std::size_t i = 0; i < operatorCount(); ++i) {
        const Operator op = operatorAt(i);
        const std::string name =
            std::string(op.name()) + (op.overload().empty() ? "" : ".") + std::string(op.overload());
        const auto found = findOperator(name);
        QVERIFY2(found, name.c_str());
        QVERIFY2(*found == op, name.c_str());
    }
}

QTEST_APPLESS_MAIN(TestCatalogue)
#include "tst_catalogue.moc"
