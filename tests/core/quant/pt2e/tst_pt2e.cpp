// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/error.h"
#include "core/ir/lint.h"
#include "core/ir/print.h"
#include "core/model_files/lift_module.h"
#include "core/model_files/open.h"
#include "core/model_files/save_pt2.h"
#include "core/quant/pt2e/constant_fold.h"
#include "core/quant/pt2e/convert_pt2e.h"
#include "core/quant/pt2e/exported_module.h"

#include <QFile>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cstring>

using namespace fx;
using namespace fx::quant::pt2e;

/// Compares with what torchao made of the files in tests/data/pt2e (tests/oracle/pt2e.py --golden).
class TestPt2e final : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void graphs_eachFile_areThoseOfTorchao_data();
    void graphs_eachFile_areThoseOfTorchao();
    void prepare_moduleCalledTwice_takesEachCallForItself();
    void prepare_preparedModel_isRefused();
    void quantizer_mixedModes_skipsTheSecondWithWarning();
    void quantizer_moduleNameOff_leavesItsLayersAlone();
    void quantizer_unknownType_isRefused();
    void placements_residual_nameCauseAndSharing();
    void lifted_unchangedModule_isTheProgramAgain_data();
    void lifted_unchangedModule_isTheProgramAgain();
    void lifted_convertedModule_isSavedAndReadBack();
    void weights_perChannel_areRoundedToEvenAndClamped();
};

namespace {

QString data(const QString& name) { return QStringLiteral(LANCET_SOURCE_DIR "/tests/data/pt2e/") + name; }

QString expected(const QString& name) {
    QFile file(data(name));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

GraphModule moduleOf(const QString& name) {
    return exportedModule(*openModel(data(name + QStringLiteral(".pt2")).toStdString()));
}

X86Quantizer quantizerFor(const QString& mode) {
    X86Quantizer quantizer;
    quantizer.setGlobal(defaultX86Config(mode == QStringLiteral("qat"), mode == QStringLiteral("dynamic")));
    return quantizer;
}

/// The text with scales and zero points as in the files: they depend on statistics.
QString masked(const Graph& graph) {
    static const QRegularExpression kNumbers(
        QStringLiteral(R"((quantize_per_tensor\.default\]\(args = \(%\w+, )[-0-9.e]+, -?\d+,)"));
    QString text = QString::fromStdString(graphText(graph)) + QLatin1Char('\n');
    return text.replace(kNumbers, QStringLiteral("\\1S, Z,"));
}

TensorPtr floats(const std::vector<float>& values, std::vector<std::int64_t> sizes) {
    auto tensor = std::make_shared<TensorRef>();
    tensor->sizes = std::move(sizes);
    tensor->strides.assign(tensor->sizes.size(), 1);
    if (tensor->sizes.size() == 2) tensor->strides[0] = tensor->sizes[1];
    std::vector<std::byte> bytes(values.size() * sizeof(float));
    std::memcpy(bytes.data(), values.data(), bytes.size());
    tensor->storage = Storage::inMemory(std::move(bytes));
    return tensor;
}

} // namespace

void TestPt2e::graphs_eachFile_areThoseOfTorchao_data() {
    QTest::addColumn<QString>("mode");
    QTest::newRow("residual_only.static") << "static";
    QTest::newRow("residual_only.qat") << "qat";
    QTest::newRow("cat_of_cats.static") << "static";
    QTest::newRow("attention_sdpa.dynamic") << "dynamic";
    QTest::newRow("names.qat") << "qat";
}

void TestPt2e::graphs_eachFile_areThoseOfTorchao() {
    QFETCH(QString, mode);
    const QString name = QString::fromUtf8(QTest::currentDataTag());
    const GraphModule module = moduleOf(name);
    QCOMPARE(masked(module.graph), expected(name + QStringLiteral(".module.txt")));
    const PreparedPt2e prepared = preparePt2e(module, quantizerFor(mode));
    QCOMPARE(masked(prepared.model.graph), expected(name + QStringLiteral(".prepared.txt")));
    const GraphModule converted = convertPt2e(prepared, {}, nullptr);
    QCOMPARE(masked(converted.graph), expected(name + QStringLiteral(".converted.txt")));
    for (const Node& node : converted.graph.nodes())
        if (node.op() == Op::GetAttr || node.op() == Op::CallModule)
            QVERIFY(resolvePath(*converted.root, node.target()).kind != PathTarget::Kind::Missing);
}

void TestPt2e::prepare_moduleCalledTwice_takesEachCallForItself() {
    const PreparedPt2e prepared =
        preparePt2e(moduleOf(QStringLiteral("shared_relu.static")), quantizerFor(QStringLiteral("static")));
    QCOMPARE(prepared.warnings.size(), std::size_t{1});
    QCOMPARE(prepared.warnings[0].what.code(), std::string("pt2e.several_calls"));
    const auto fused = std::count_if(prepared.annotations.begin(), prepared.annotations.end(), [](const auto& each) {
        return each.second.pattern == "conv2d, relu" || each.second.pattern == "conv2d, add, relu";
    });
    QCOMPARE(fused, 5);
}

void TestPt2e::prepare_preparedModel_isRefused() {
    const X86Quantizer quantizer = quantizerFor(QStringLiteral("static"));
    const PreparedPt2e prepared = preparePt2e(moduleOf(QStringLiteral("cat_of_cats.static")), quantizer);
    QVERIFY_THROWS_EXCEPTION(Error, preparePt2e(prepared.model, quantizer));
    QVERIFY_THROWS_EXCEPTION(Error, preparePt2e(convertPt2e(prepared, {}, nullptr), quantizer));
}

void TestPt2e::quantizer_mixedModes_skipsTheSecondWithWarning() {
    X86Quantizer quantizer = quantizerFor(QStringLiteral("static"));
    quantizer.setModuleName("a", defaultX86Config(false, true));
    quantizer.setModuleName("b", defaultX86Config(true, false));
    QCOMPARE(quantizer.warnings().size(), std::size_t{2});
    QVERIFY(!quantizer.isQat());
    QVERIFY(!quantizer.isDynamic());
}

void TestPt2e::quantizer_moduleNameOff_leavesItsLayersAlone() {
    X86Quantizer quantizer = quantizerFor(QStringLiteral("static"));
    quantizer.setModuleName("a", nullptr);
    const PreparedPt2e prepared = preparePt2e(moduleOf(QStringLiteral("cat_of_cats.static")), quantizer);
    const NodeId weight = prepared.model.graph.find("a_weight");
    QVERIFY(weight != kNoNode);
    for (const NodeId user : prepared.model.graph.node(weight).users())
        QVERIFY(prepared.model.graph.node(user).op() != Op::CallModule);
    QVERIFY(!prepared.placements.empty());
    QVERIFY(prepared.warnings.empty());
    quantizer.setModuleName("aa", nullptr);
    const PreparedPt2e misspelt = preparePt2e(moduleOf(QStringLiteral("cat_of_cats.static")), quantizer);
    QCOMPARE(misspelt.warnings.size(), std::size_t{1});
    QCOMPARE(QString::fromStdString(misspelt.warnings[0].what.argument("key")), QStringLiteral("aa"));
}

void TestPt2e::quantizer_unknownType_isRefused() {
    X86Quantizer quantizer;
    quantizer.setType("torch.nn.modules.linear.Linear", defaultX86Config(false, false));
    quantizer.setType("aten.matmul.default", nullptr);
    QVERIFY_THROWS_EXCEPTION(Error, quantizer.setType("torch.nn.LSTM", nullptr));
}

void TestPt2e::placements_residual_nameCauseAndSharing() {
    const PreparedPt2e prepared =
        preparePt2e(moduleOf(QStringLiteral("residual_only.static")), quantizerFor(QStringLiteral("static")));
    const Placement& first = prepared.placements.front();
    QCOMPARE(first.observer, std::string("activation_post_process_0"));
    QCOMPARE(first.observed, std::string("x"));
    QCOMPARE(first.cause, std::string("conv2d"));
    QCOMPARE(first.pattern, std::string("conv2d, relu"));
    QCOMPARE(first.rule, std::string("global"));
    QVERIFY(first.sharedWith.empty());
    QVERIFY(!first.isOutput);
    const std::vector<std::string> left = inFloatingPoint(prepared);
    for (const Placement& each : prepared.placements)
        QVERIFY(std::find(left.begin(), left.end(), each.cause) == left.end());
}

void TestPt2e::lifted_unchangedModule_isTheProgramAgain_data() {
    QTest::addColumn<QString>("file");
    for (const char* name : {"outputs", "literals", "dynamic", "tied", "tied_core", "mutating", "mutating_core"})
        QTest::newRow(name) << QStringLiteral("../pt2/%1.pt2").arg(QLatin1String(name));
}

void TestPt2e::lifted_unchangedModule_isTheProgramAgain() {
    QFETCH(QString, file);
    const auto program = openModel(data(file).toStdString());
    GraphModule expected = *program; // without tensors that nothing reads
    for (const LiftedInput& input : program->lifted)
        if (!input.path.empty() && program->graph.node(input.node).users().empty()) expected.graph.erase(input.node);
    const GraphModule module = exportedModule(*program);
    QVERIFY(module.graph.find(kGuards) != kNoNode);
    QCOMPARE(QString::fromStdString(graphText(liftedAs(module, *program).graph)),
             QString::fromStdString(graphText(expected.graph)));
}

void TestPt2e::lifted_convertedModule_isSavedAndReadBack() {
    QTemporaryDir folder;
    for (const char* name : {"residual_only.static", "residual_only.qat", "attention_sdpa.dynamic"}) {
        const auto program = openModel(data(QLatin1String(name) + QStringLiteral(".pt2")).toStdString());
        const QString mode = QString::fromLatin1(name).section(QLatin1Char('.'), 1);
        const PreparedPt2e prepared = preparePt2e(exportedModule(*program), quantizerFor(mode));
        const GraphModule converted = convertPt2e(prepared, {}, nullptr);
        const std::string path = folder.filePath(QLatin1String(name) + QStringLiteral(".pt2")).toStdString();
        QVERIFY(savePt2(liftedAs(converted, *program), path, true).verified);
        const auto back = openModel(path);
        QVERIFY(back->warnings.empty());
        QVERIFY(!back->notLoadable);
        QVERIFY_THROWS_EXCEPTION(Error, preparePt2e(exportedModule(*back), quantizerFor(mode)));
        // Names of attributes and order of nodes are those of the file; calls are the same.
        const auto calls = [](const Graph& graph) {
            std::vector<std::string> targets;
            for (const Node& node : graph.nodes())
                if (node.op() == Op::CallFunction) targets.push_back(node.name() + " " + node.target());
            std::sort(targets.begin(), targets.end());
            return targets;
        };
        QVERIFY(calls(exportedModule(*back).graph) == calls(converted.graph));
    }
}

void TestPt2e::weights_perChannel_areRoundedToEvenAndClamped() {
    const TensorPtr values = floats({0.5F, 1.5F, -300.0F, 0.25F, 0.75F, 300.0F}, {2, 3});
    const TensorPtr scales = floats({1.0F, 0.5F}, {2});
    const TensorPtr zeros = floats({0.0F, 1.0F}, {2});
    const TensorPtr result = quantizedPerChannel(*values, *scales, *zeros, 0, -128, 127, DType::Int8);
    QVERIFY(result);
    std::vector<std::byte> bytes(6);
    result->storage->read(0, bytes);
    const std::vector<int> wanted{0, 2, -128, 1, 3, 127}; // halves to even, then the zero point
    for (std::size_t i = 0; i < wanted.size(); ++i)
        QCOMPARE(static_cast<int>(static_cast<std::int8_t>(bytes[i])), wanted[i]);
    QVERIFY(!quantizedPerChannel(*values, *scales, *zeros, 1, -128, 127, DType::Int8)); // three channels
}

QTEST_APPLESS_MAIN(TestPt2e)
#include "tst_pt2e.moc"
