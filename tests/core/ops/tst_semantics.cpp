// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/semantics.h"

#include <QTest>

using namespace fx::ops;

namespace {

std::string placeText(const ParameterPlace& place) {
    return place.position == ParameterPlace::kKeywordOnly ? place.names.front() : std::to_string(place.position);
}
/// "0 out": what a call writes to that has these arguments.
std::string written(const OperatorSemantics& semantics, const GivenArguments& call) {
    std::string text;
    for (const WrittenParameter& each : semantics.written)
        if (call.at(each.place) != Given::Nothing && each.when.holds(call))
            text += (text.empty() ? "" : " ") + placeText(each.place);
    return text;
}

} // namespace

class TestSemantics : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void name_ofAllSpellings_isOne_data() {
        QTest::addColumn<QString>("name");
        const auto row = [](const char* spelling, const char* name) { QTest::newRow(spelling) << name; };
        for (const char* relu :
             {"torch.relu", "torch.relu_", "torch.nn.functional.relu", "torch.Tensor.relu", "Tensor.relu_",
              "aten.relu.default", "torch.ops.aten.relu", "aten::relu_", "torch.ops.aten.relu_.default"})
            row(relu, "relu");
        for (const char* add : {"_operator.add", "operator.iadd", "torch.Tensor.__add__", "torch.Tensor.__iadd__",
                                "torch.ops.aten.add_.Tensor", "torch.add"})
            row(add, "add");
        row("_operator.truediv", "div");
        row("_operator.and_", "bitwise_and");
        row("_operator.ior", "bitwise_or");
        row("_operator.setitem", "setitem");
        row("_operator.index", "index");
        row("torch._C._nn.gelu", "gelu");
        row("builtins.getattr", "getattr");
        row("math.sqrt", "math.sqrt");
        row("mine.relu_", "mine.relu_");
        row("torch.ops.mine.relu.default", "torch.ops.mine.relu.default");
    }
    void name_ofAllSpellings_isOne() {
        QFETCH(QString, name);
        QCOMPARE(QString::fromStdString(canonicalName(QTest::currentDataTag())), name);
        QCOMPARE(QString::fromStdString(semanticsOfFunction(QTest::currentDataTag()).name), name);
    }

    void written_whatACallGives_decides_data() {
        QTest::addColumn<QString>("target");
        QTest::addColumn<QString>("arguments"); // Python: `x, False, out=x`
        QTest::addColumn<QString>("places");
        const auto row = [](const char* target, const char* arguments, const char* places) {
            QTest::newRow((std::string(target) + "(" + arguments + ")").c_str()) << target << arguments << places;
        };
        row("torch.relu", "x", "");
        row("torch.relu_", "x", "0");
        row("torch.relu_", "input=x", "0");
        row("torch.nn.functional.relu", "x, True", "0");
        row("torch.nn.functional.relu", "x, False", "");
        row("torch.nn.functional.relu", "x", "");
        row("torch.nn.functional.relu", "inplace=True, input=x", "0");
        row("torch.nn.functional.dropout", "x, x, x, True", "0");
        row("torch.add", "x, x, out=x", "out");
        row("torch.add", "x, x", "");
        row("torch.ops.aten.add.out", "x, x, out=x", "out");
        row("torch.ops.aten.add_.Tensor", "x, x", "0");
        row("torch.ops.aten.add", "x, x, out=x", "out");
        row("torch.ops.aten._native_batch_norm_legit.default", "x, x, x, x, x, True, x, x", "3 4");
        row("_operator.iadd", "x, x", "0");
        row("_operator.setitem", "x, x, x", "0");
        row("_operator.invert", "x", "");
        row("torch.nn.init.uniform_", "tensor=x", "0");
        row("torch.nn.functional.batch_norm", "x, x, x, None, None, True", "1 2");
        row("torch.nn.functional.batch_norm", "x, x, x", "");
        row("torch.batch_norm", "x, None, None, x, x, True, x, x, True", "3 4");
        row("torch.batch_norm", "x, None, None, x, x, False, x, x, True", "");
        row("torch.nn.functional.embedding", "x, x", "");
        row("torch.nn.functional.embedding", "x, x, None, x", "1");
        row("torch.Tensor.copy_", "x, x", "0");
        row("torch.Tensor.requires_grad_", "x", "");
        row("mine.fill_", "x", "0");
    }
    void written_whatACallGives_decides() {
        QFETCH(QString, target);
        QFETCH(QString, arguments);
        QFETCH(QString, places);
        GivenArguments call;
        std::vector<std::string> names; // the call only views them
        const QStringList all = arguments.split(QStringLiteral(", "));
        names.reserve(static_cast<std::size_t>(all.size()));
        for (const QString& each : all) {
            const QString value = each.section(u'=', -1);
            const Given given = value == u"None" ? Given::None : value == u"False" ? Given::False : Given::Other;
            if (!each.contains(u'=')) call.positional.push_back(given);
            else call.named.emplace_back(names.emplace_back(each.section(u'=', 0, 0).toStdString()), given);
        }
        QCOMPARE(QString::fromStdString(written(semanticsOfFunction(target.toStdString()), call)), places);
    }

    void traits_tellWhatIsAboutNonFiniteValues() {
        QVERIFY(traitsOf("nan_to_num").tellsNonFinite);
        QVERIFY(traitsOf(canonicalName("torch.Tensor.isnan")).tellsNonFinite);
        QVERIFY(!traitsOf("where").tellsNonFinite);
    }

    void random_unlessTheCallSaysOtherwise_data() {
        QTest::addColumn<int>("given"); // Given of the third argument; -1: it has one argument only
        QTest::addColumn<bool>("isRandom");
        QTest::newRow("torch.nn.functional.dropout") << -1 << true;
        QTest::newRow("torch.nn.functional.alpha_dropout") << -1 << false;
        QTest::newRow("torch.dropout") << static_cast<int>(Given::Other) << true;
        QTest::newRow("torch.ops.aten.dropout.default") << static_cast<int>(Given::False) << false;
        QTest::newRow("torch.rand_like") << -1 << true;
        QTest::newRow("torch.Tensor.bernoulli_") << -1 << true;
        QTest::newRow("torch.Tensor.exponential_") << -1 << true;
        QTest::newRow("torch.nn.functional.gumbel_softmax") << -1 << true;
        QTest::newRow("torch._C._nn.scaled_dot_product_attention") << -1 << false;
        QTest::newRow("torch.relu") << -1 << false;
        QTest::newRow("mine.rand") << -1 << false;
    }
    void random_unlessTheCallSaysOtherwise() {
        QFETCH(int, given);
        QFETCH(bool, isRandom);
        GivenArguments call;
        call.positional.push_back(Given::Other);
        if (given >= 0) call.positional.insert(call.positional.end(), {Given::Other, static_cast<Given>(given)});
        const OperatorSemantics semantics = semanticsOfFunction(QTest::currentDataTag());
        QCOMPARE(semantics.isRandom && semantics.drawsRandom(call), isRandom);
    }

    void aliases_tags_costs() {
        const auto aliases = [](const char* name) { return !semanticsOfFunction(name).aliased.empty(); };
        for (const char* name : {"torch.reshape", "torch.Tensor.view", "torch.ops.aten.transpose.int", "torch.chunk",
                                 "_operator.getitem", "torch.nn.functional.dropout", "torch.Tensor.float"})
            QVERIFY2(aliases(name), name);
        for (const char* name : {"torch.relu", "torch.Tensor.clone", "_operator.add", "torch.ops.aten.mm.default"})
            QVERIFY2(!aliases(name), name);
        QVERIFY(semanticsOfMethod("relu").isPointwise);
        QVERIFY(semanticsOfFunction("_operator.iadd").isPointwise);
        QVERIFY(!semanticsOfFunction("torch.matmul").isPointwise);
        QVERIFY(semanticsOfMethod("unsqueeze_").changesSizes);
        QVERIFY(!semanticsOfMethod("add_").changesSizes);
        QVERIFY(semanticsOfFunction("torch._assert").hasEffect);
        QVERIFY(!semanticsOfFunction("torch.add").hasEffect);
        QVERIFY(semanticsOfFunction("torch.nn.functional.layer_norm").cost.kind == CostClass::Kind::Normalization);
        QVERIFY(semanticsOfFunction("torch.ops.aten.exp_.default").cost.perElement == 8);
        QVERIFY(semanticsOfFunction("_operator.truediv").keepsShape);
        QVERIFY(!semanticsOfFunction("torch.cat").keepsShape);
    }
};

QTEST_APPLESS_MAIN(TestSemantics)
#include "tst_semantics.moc"
