// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/ops/python_functions.h"

#include <QTest>

using namespace fx::ops;
using Behaviour = PythonFunction::Behaviour;

namespace {
QString text(std::string_view view) { return QString::fromUtf8(view.data(), static_cast<qsizetype>(view.size())); }

QString text(const std::vector<CallArgument>& layout) {
    QStringList parts;
    for (const CallArgument& argument : layout)
        parts << (argument.keyword.empty() ? QString() : text(argument.keyword) + "=") + (argument.starred ? "*" : "") +
                     text(argument.expression);
    return parts.join(", ");
}
} // namespace

class TestPythonFunctions : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void findFunction_path_leadsToObject_data();
    void findFunction_path_leadsToObject();
    void findFunction_unknownPath_isNothing();
    void names_function_areThoseOfPyTorch_data();
    void names_function_areThoseOfPyTorch();
    void behaviour_function_isThatOfTracing_data();
    void behaviour_function_isThatOfTracing();
    void layout_rewrittenFunction_namesAllParameters_data();
    void layout_rewrittenFunction_namesAllParameters();
    void branches_maxPool_dependOnReturnIndices();
    void outcomes_operator_tellReflectedCalls();
    void parseParameters_allKinds_areTold();
    void splitTopLevel_quotesAndBrackets_areRespected();
    void listed_functionsOfTensors_tellWhatOneListGives();
    void table_everyRow_isConsistent();
};

void TestPythonFunctions::findFunction_path_leadsToObject_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("object");
    QTest::newRow("itself") << "torch.relu"
                            << "torch.relu";
    QTest::newRow("_VF") << "torch._VF.relu"
                         << "torch.relu";
    QTest::newRow("operator") << "operator.add"
                              << "_operator.add";
    QTest::newRow("functional C function") << "torch.nn.functional.linear"
                                           << "torch._C._nn.linear";
    QTest::newRow("conv2d") << "torch.nn.functional.conv2d"
                            << "torch.conv2d";
    QTest::newRow("split is Python's") << "torch.split"
                                       << "torch.functional.split";
    QTest::newRow("_VF.split is not") << "torch._C._VariableFunctions.split"
                                      << "torch._VF.split";
    QTest::newRow("class") << "torch.nn.Linear"
                           << "torch.nn.modules.linear.Linear";
    QTest::newRow("dtype") << "torch.float"
                           << "torch.float32";
    QTest::newRow("namespace") << "torch.fft.fft"
                               << "torch._C._fft.fft_fft";
    QTest::newRow("fallback") << "torch.sigmoid"
                              << "torch.sigmoid";
}

void TestPythonFunctions::findFunction_path_leadsToObject() {
    QFETCH(QString, path);
    const auto found = findFunction(path.toStdString());
    QVERIFY(found);
    QTEST(text(found->path()), "object");
}

void TestPythonFunctions::findFunction_unknownPath_isNothing() {
    for (const char* path : {"", ".", "torch.", "torch.no_such_thing", "relu", "zzz.relu", "torch.relu.x"})
        QVERIFY2(!findFunction(path), path);
}

void TestPythonFunctions::names_function_areThoseOfPyTorch_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("qualified");
    QTest::addColumn<QString>("repr");
    QTest::addColumn<bool>("fromTorch");
    QTest::newRow("C") << "torch.relu"
                       << "torch.relu"
                       << "<built-in method relu of type object at 0x0>" << true;
    QTest::newRow("C of nn") << "torch.nn.functional.linear"
                             << "torch._C._nn.linear"
                             << "<built-in function linear>" << true;
    QTest::newRow("Python") << "torch.nn.functional.relu"
                            << "torch.nn.functional.relu"
                            << "<function relu at 0x0>" << true;
    QTest::newRow("dispatched") << "torch.nn.functional.max_pool2d"
                                << "torch.nn.functional.max_pool2d"
                                << "<function boolean_dispatch.<locals>.fn at 0x0>" << true;
    QTest::newRow("operator") << "operator.add"
                              << "_operator.add"
                              << "<built-in function add>" << false;
    QTest::newRow("builtin") << "builtins.getattr"
                             << "getattr"
                             << "<built-in function getattr>" << false;
    QTest::newRow("math") << "math.sqrt"
                          << "math.sqrt"
                          << "<built-in function sqrt>" << false;
    QTest::newRow("method") << "torch.Tensor.add"
                            << "torch.Tensor.add"
                            << "<method 'add' of 'torch._C.TensorBase' objects>" << false;
    QTest::newRow("class") << "torch.Size"
                           << "torch.Size"
                           << "<class 'torch.Size'>" << true;
}

void TestPythonFunctions::names_function_areThoseOfPyTorch() {
    QFETCH(QString, path);
    const auto found = findFunction(path.toStdString());
    QVERIFY(found);
    QTEST(text(found->qualifiedName()), "qualified");
    QTEST(text(found->repr()), "repr");
    QTEST(found->isFromTorch(), "fromTorch");
}

void TestPythonFunctions::behaviour_function_isThatOfTracing_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<int>("behaviour");
    const auto row = [](const char* path, Behaviour behaviour) {
        QTest::newRow(path) << path << static_cast<int>(behaviour);
    };
    row("torch.relu", Behaviour::Record);
    row("torch.zeros", Behaviour::Record);
    row("torch.einsum", Behaviour::Record);
    row("torch.nn.functional.relu", Behaviour::Rewrite);
    row("torch.unique", Behaviour::Rewrite);
    row("torch.nn.functional.max_pool2d", Behaviour::Select);
    row("torch.nn.functional.sigmoid", Behaviour::Method);
    row("torch.Tensor.view", Behaviour::Method);
    row("math.sqrt", Behaviour::Wrap);
    row("operator.add", Behaviour::Plain);
    row("torch.device", Behaviour::Construct);
    row("torch.is_grad_enabled", Behaviour::Run);
    row("torch.nn.init.xavier_uniform_", Behaviour::Unknown);
    row("torch.float32", Behaviour::Unknown);
}

void TestPythonFunctions::behaviour_function_isThatOfTracing() {
    QFETCH(QString, path);
    const auto found = findFunction(path.toStdString());
    QVERIFY(found);
    QTEST(static_cast<int>(found->behaviour()), "behaviour");
}

void TestPythonFunctions::layout_rewrittenFunction_namesAllParameters_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<QString>("target");
    QTest::addColumn<QString>("layout");
    QTest::addColumn<int>("relevant");
    QTest::newRow("relu") << "torch.nn.functional.relu"
                          << "torch.nn.functional.relu"
                          << "input, inplace=inplace" << 1;
    QTest::newRow("layer_norm") << "torch.nn.functional.layer_norm"
                                << "torch.nn.functional.layer_norm"
                                << "input, normalized_shape, weight=weight, bias=bias, eps=eps" << 3;
    QTest::newRow("upsample") << "torch.nn.functional.upsample_nearest"
                              << "torch.nn.functional.interpolate"
                              << "input, size=size, scale_factor=scale_factor, mode='nearest', align_corners=None, "
                                 "recompute_scale_factor=None, antialias=False"
                              << 1;
    QTest::newRow("star") << "torch.meshgrid"
                          << "torch.functional.meshgrid"
                          << "*tensors, indexing=indexing" << 1;
    QTest::newRow("only its input counts") << "torch.nn.functional.pad"
                                           << "torch.nn.functional.pad"
                                           << "input, pad, mode=mode, value=value" << 1;
}

void TestPythonFunctions::layout_rewrittenFunction_namesAllParameters() {
    QFETCH(QString, path);
    const auto found = findFunction(path.toStdString());
    QVERIFY(found);
    QTEST(text(found->target().path()), "target");
    QTEST(text(found->layout()), "layout");
    QTEST(static_cast<int>(found->relevant().size()), "relevant");
}

void TestPythonFunctions::branches_maxPool_dependOnReturnIndices() {
    const auto branches = findFunction("torch.nn.functional.max_pool2d")->branches();
    QCOMPARE(text(branches.name), QString("return_indices"));
    QCOMPARE(branches.index, std::size_t(6));
    QVERIFY(!branches.defaultValue);
    const auto yes = findFunction(branches.ifTrue), no = findFunction(branches.ifFalse);
    QVERIFY(yes);
    QVERIFY(no);
    QCOMPARE(text(yes->target().name()), QString("max_pool2d_with_indices"));
    QCOMPARE(text(no->target().path()), QString("torch.nn.functional.max_pool2d"));
}

void TestPythonFunctions::outcomes_operator_tellReflectedCalls() {
    const auto outcomes = findFunction("operator.lt")->outcomes();
    QCOMPARE(outcomes.size(), std::size_t(3));
    QCOMPARE(text(outcomes[1].form), QString("v, p"));
    QCOMPARE(text(outcomes[1].recorded), QString("_operator.gt(p, v)"));
    const auto truth = findFunction("operator.truth")->outcomes();
    QCOMPARE(text(truth[0].error), QString("control_flow"));
}

void TestPythonFunctions::parseParameters_allKinds_areTold() {
    using Kind = Parameter::Kind;
    const auto parameters = parseParameters("a, /, b=(1, 2), *args, c='x, y=z', **kw");
    const std::vector<Kind> kinds{Kind::PositionalOnly, Kind::PositionalOrKeyword, Kind::VarPositional,
                                  Kind::KeywordOnly, Kind::VarKeyword};
    QCOMPARE(parameters.size(), kinds.size());
    for (std::size_t i = 0; i < kinds.size(); ++i) QCOMPARE(parameters[i].kind, kinds[i]);
    QCOMPARE(text(parameters[1].defaultValue), QString("(1, 2)"));
    QCOMPARE(text(parameters[3].defaultValue), QString("'x, y=z'"));
    QVERIFY(parseParameters("").empty());
    QCOMPARE(parseParameters("a, *, b").back().kind, Kind::KeywordOnly);
}

void TestPythonFunctions::splitTopLevel_quotesAndBrackets_areRespected() {
    QCOMPARE(splitTopLevel("a, (b, [c]), 'd, \\', e', f").size(), std::size_t(4));
    QVERIFY(splitTopLevel("").empty());
    QCOMPARE(splitTopLevel("'open, never closed").size(), std::size_t(1));
}

void TestPythonFunctions::listed_functionsOfTensors_tellWhatOneListGives() {
    QCOMPARE(text(findFunction("torch.meshgrid")->listed()->target), QString("torch._VF.meshgrid"));
    QVERIFY(findFunction("torch.einsum")->listed()->expanded);
    QCOMPARE(findFunction("torch.einsum")->listed()->before, std::size_t(1));
    QCOMPARE(text(findFunction("torch.block_diag")->listed()->error), QString("TypeError"));
    QCOMPARE(text(findFunction("torch.broadcast_tensors")->listed()->ofNothing), QString("()"));
    QVERIFY(!findFunction("torch.relu")->listed());
}

void TestPythonFunctions::table_everyRow_isConsistent() {
    QVERIFY(functionCount() > 3500);
    for (std::uint32_t i = 0; i < functionCount(); ++i) {
        const PythonFunction function = functionAt(i);
        const QByteArray path = text(function.path()).toUtf8();
        QVERIFY2(findFunction(function.path()) == function, path);
        if (function.behaviour() == Behaviour::Select) {
            QVERIFY2(findFunction(function.branches().ifTrue), path);
            QVERIFY2(findFunction(function.branches().ifFalse), path);
        }
        if (function.behaviour() != Behaviour::Rewrite) continue;
        QStringList names;
        for (const Parameter& parameter : function.parameters()) names << text(parameter.name);
        for (const std::string_view name : function.relevant()) QVERIFY2(names.contains(text(name)), path);
        QVERIFY2(!function.layout().empty(), path);
        QVERIFY2(!function.relevant().empty(), path);
    }
}

QTEST_APPLESS_MAIN(TestPythonFunctions)
#include "tst_python_functions.moc"
