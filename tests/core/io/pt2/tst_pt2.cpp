// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/python_code.h"
#include "core/io/pt2/pt2.h"
#include "core/ir/lint.h"
#include "core/ir/print.h"

#include <QDir>
#include <QFile>
#include <QtTest>

using namespace fx;

namespace {
QString folder() { return QString(LANCET_SOURCE_DIR "/tests/data/pt2/"); }

std::shared_ptr<GraphModule> open(const QString& name, const OpenOptions& options = {}) {
    return readPt2(ZipArchive::open(DataFile::open((folder() + name).toStdString())), options);
}

/// The text of a graph module and of the graphs nested in it, in the order of their get_attr nodes.
template<class Text> QString withNested(const GraphModule& module, const Text& text, const std::string& prefix = {}) {
    QString out = (prefix.empty() ? QString() : QString::fromStdString("== " + prefix + "\n")) +
                  QString::fromStdString(text(module.graph)) + "\n";
    for (const Node& node : module.graph.nodes())
        for (const auto& [name, child] : module.subgraphs)
            if (node.op() == Op::GetAttr && node.target() == name)
                out += withNested(*child, text, prefix.empty() ? name : prefix + "." + name);
    return out;
}

QString expected(const QString& name) {
    QFile file(folder() + name);
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString("missing " + name);
}

std::vector<float> floats(const TensorRef& tensor) {
    std::vector<float> values(tensor.storage->byteCount() / sizeof(float));
    tensor.storage->read(0, std::as_writable_bytes(std::span(values)));
    return values;
}

const Node& nodeNamed(const GraphModule& module, const char* name) {
    const NodeId id = module.graph.find(name);
    if (id == kNoNode) throw std::runtime_error(std::string("no node ") + name);
    return module.graph.node(id);
}
} // namespace

class TestPt2 : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void exports_graphCodeAndLint_asPyTorchLoadsThem_data();
    void exports_graphCodeAndLint_asPyTorchLoadsThem();
    void tied_modulesAndTensors_sharedAndTyped();
    void tied_metadata_stackSourceShapes();
    void dynamic_symbolicSizes_printedAsSympy();
    void outputs_signature_kinds();
    void several_modelName_chooses();
    void unknownOperator_opens_withWarnings();
    void deflated_unknownKeysAndWeights_kept();
    void damaged_refused_data();
    void damaged_refused();
    void cancelled_stops();
};

void TestPt2::exports_graphCodeAndLint_asPyTorchLoadsThem_data() {
    QTest::addColumn<QString>("name");
    const QStringList files = QDir(folder()).entryList({"*.graph.txt"});
    QVERIFY(files.size() >= 10);
    for (const QString& file : files) QTest::newRow(qPrintable(file)) << file.chopped(10);
}

void TestPt2::exports_graphCodeAndLint_asPyTorchLoadsThem() {
    QFETCH(QString, name);
    const auto module = open(name + ".pt2");
    QCOMPARE(withNested(*module, [](const Graph& graph) { return graphText(graph); }), expected(name + ".graph.txt"));
    QCOMPARE(withNested(*module, [](const Graph& graph) { return generatePython(graph).text; }),
             expected(name + ".code.txt"));
    QVERIFY(lint(module->graph).empty());
    QVERIFY2(module->warnings.empty(), module->warnings.empty() ? "" : module->warnings[0].what.text().c_str());
    QVERIFY(!module->notLoadable);
    QCOMPARE(module->format, Format::Pt2);
    QVERIFY(module->producer.starts_with("2.13.0"));
}

void TestPt2::tied_modulesAndTensors_sharedAndTyped() {
    const auto module = open("tied.pt2");
    const Module& root = *module->root;
    QCOMPARE(root.qualifiedType(), std::string("__main__.Tied"));
    std::vector<std::string> paths;
    forEachModule(root, [&](const std::string& path, const Module&) { paths.push_back(path); });
    const std::vector<std::string> wanted = {
        "", "a", "b", "blocks", "blocks.0", "blocks.0.lin", "blocks.0.bn", "blocks.1", "blocks.1.0"};
    QCOMPARE(paths, wanted);
    QCOMPARE(root.child("blocks")->child("0")->child("bn")->qualifiedType(),
             std::string("torch.nn.modules.batchnorm.BatchNorm1d"));

    const TensorPtr a = resolvePath(root, "a.weight").tensor, b = resolvePath(root, "b.weight").tensor;
    QVERIFY(a);
    QVERIFY(a == b);
    QVERIFY(a->isParameter);
    QVERIFY(a->requiresGrad);
    const TensorPtr view1 = resolvePath(root, "view1").tensor, view2 = resolvePath(root, "view2").tensor;
    QVERIFY(view1);
    QVERIFY(view2);
    QVERIFY(view1 != view2);
    QVERIFY(view1->storage == view2->storage);
    QCOMPARE(view2->offset, 4);
    QCOMPARE(resolvePath(root, "short").tensor->dtype, DType::Float16);
    QVERIFY(root.buffer("view1")->persistent);
    QVERIFY(!root.buffer("transient")->persistent);
    QCOMPARE(resolvePath(root, "constant").kind, PathTarget::Kind::Tensor);
    const std::vector<float> constant = {0, 1, 2, 3};
    QCOMPARE(floats(*resolvePath(root, "constant").tensor), constant);
    QCOMPARE(floats(*resolvePath(root, "transient").tensor), (std::vector<float>{1, 1, 1, 1}));
    QVERIFY(a->storage->file()); // left in the file
    QCOMPARE(totals(root).parameters.tensors, 7);
}

void TestPt2::tied_metadata_stackSourceShapes() {
    const auto module = open("tied.pt2");
    const NodeMeta& meta = nodeNamed(*module, "batch_norm_1").meta();
    QCOMPARE(meta.moduleStack.size(), 3u);
    QCOMPARE(meta.moduleStack[2].key, std::string("L__self__blocks.0.bn@1"));
    QCOMPARE(meta.moduleStack[2].path, std::string("blocks.0.bn"));
    QCOMPARE(meta.moduleStack[1].type, std::string("__main__.Block"));
    QVERIFY(meta.stackTrace.find("return self.bn(self.lin(x)).relu()") != std::string::npos);
    QCOMPARE(meta.values.size(), 1u);
    QCOMPARE(meta.values[0].dtype, std::string("torch.float32"));
    QCOMPARE(meta.values[0].sizes.at(1), std::string("4"));
    QVERIFY(meta.values[0].sizes.at(0).starts_with("s"));
    QCOMPARE(meta.other.at(0).first, std::string("torch_fn"));
    QVERIFY(nodeNamed(*module, "p_a_weight").meta().values.at(0).requiresGrad);
    const auto& origin = dynamic_cast<const Pt2Origin&>(*module->origin);
    QCOMPARE(origin.ranges.size(), 1u);
    QCOMPARE(*origin.ranges[0].min, 2);
    QCOMPARE(*origin.ranges[0].max, 64);
}

void TestPt2::dynamic_symbolicSizes_printedAsSympy() {
    const auto module = open("dynamic.pt2");
    std::string sizes;
    for (const Node& node : module->graph.nodes())
        for (const ValueInfo& info : node.meta().values)
            sizes += node.name() + "=" + info.shapeText() + (info.isTensor ? "" : info.sizes[0]) + " ";
    // the symbols are numbered by the source of the input, so they stay the same
    QVERIFY2(sizes.find("x=4*s") == 0, sizes.c_str());
    QVERIFY2(sizes.find(" + ") != std::string::npos, sizes.c_str());
    QVERIFY2(sizes.find("Symbol") == std::string::npos, sizes.c_str());
    QVERIFY(!nodeNamed(*module, "sym_max").meta().values.at(0).isTensor);
    QCOMPARE(nodeNamed(*module, "sym_max").meta().values.at(0).dtype, std::string("int"));
}

void TestPt2::outputs_signature_kinds() {
    const auto core = open("mutating_core.pt2");
    QCOMPARE(core->lifted.size(), 2u);
    QCOMPARE(core->lifted[0].kind, LiftedInput::Kind::Buffer);
    QCOMPARE(core->lifted[0].path, std::string("steps"));
    QCOMPARE(core->lifted[1].kind, LiftedInput::Kind::UserInput);
    QCOMPARE(core->graph.node(core->lifted[1].node).name(), std::string("x"));
    const auto& outputs = dynamic_cast<const Pt2Origin&>(*core->origin).outputs;
    QCOMPARE(outputs.size(), 3u);
    QCOMPARE(outputs[0].kind, std::string("buffer_mutation"));
    QCOMPARE(outputs[0].target, std::string("steps"));
    QCOMPARE(
        core->graph.node(core->graph.node(core->graph.outputNode()).args()[0].as<Sequence>()->items[0].node()).name(),
        std::string("add"));
    QCOMPARE(outputs[1].kind, std::string("user_input_mutation"));
    QCOMPARE(outputs[1].target, std::string("x"));
    QCOMPARE(outputs[2].kind, std::string("user_output"));

    const auto literals = open("literals.pt2");
    int constants = 0;
    for (const LiftedInput& input : literals->lifted) constants += input.kind == LiftedInput::Kind::ConstantInput;
    QCOMPARE(constants, 3);
}

void TestPt2::several_modelName_chooses() {
    const auto first = open("several.pt2");
    QCOMPARE(first->modelName, std::string("model"));
    QCOMPARE(first->modelNames, (std::vector<std::string>{"model", "second"}));
    const auto second = open("several.pt2", {"second"});
    QCOMPARE(second->modelName, std::string("second"));
    QVERIFY(second->graph.find("relu") != kNoNode);
    QVERIFY_THROWS_EXCEPTION(Error, open("several.pt2", {"third"}));
}

void TestPt2::unknownOperator_opens_withWarnings() {
    const auto module = open("unknown_operator.pt2");
    QVERIFY(module->notLoadable);
    QCOMPARE(module->warnings.size(), 3u);
    QVERIFY(module->warnings[0].where.find("$.graph_module.graph.nodes[0].inputs") == 0);
    const Node& node = nodeNamed(*module, module->warnings[2].node.c_str());
    QCOMPARE(node.target(), std::string("torch.ops.mylib.twist.default"));
    QVERIFY(node.callable()->opaque);
    QCOMPARE(node.kwargs().size(), 2u);
    QVERIFY(node.kwargs()[0].second.as<OpaqueObject>());
    QVERIFY(!graphText(module->graph).empty());
}

void TestPt2::deflated_unknownKeysAndWeights_kept() {
    const auto module = open("deflated.pt2");
    const auto& origin = dynamic_cast<const Pt2Origin&>(*module->origin);
    QCOMPARE(origin.document->root().at("added_later").at("kept").size(), 2u);
    const TensorPtr steps = resolvePath(*module->root, "steps").tensor;
    std::int64_t value = 1;
    steps->storage->read(0, std::as_writable_bytes(std::span(&value, 1)));
    QCOMPARE(value, 0);
}

void TestPt2::damaged_refused_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("where");
    QTest::newRow("schema") << "bad_schema.pt2"
                            << "export schema 9."
                            << "models/model.json: $.schema_version";
    QTest::newRow("missing part") << "bad_no_signature.pt2"
                                  << "missing key \"signature\""
                                  << "models/model.json: $.graph_module";
    QTest::newRow("undefined") << "bad_undefined.pt2"
                               << "undefined value \"nowhere\""
                               << "nodes[1].inputs[0].arg.as_tensor.name";
    QTest::newRow("twice") << "bad_twice.pt2"
                           << "two values are named"
                           << "nodes[1].outputs[0].as_tensor.name";
    QTest::newRow("compiled") << "bad_compiled.pt2"
                              << "only models compiled by AOTInductor (model)"
                              << "";
    QTest::newRow("no weight") << "bad_no_weight.pt2"
                               << "missing record data/weights/weight_0"
                               << "steps";
    QTest::newRow("no config") << "bad_no_config.pt2"
                               << "missing data/weights/model_weights_config.json"
                               << "";
    QTest::newRow("geometry") << "bad_geometry.pt2"
                              << "this tensor does not fit"
                              << "a.weight";
    QTest::newRow("version") << "bad_version.pt2"
                             << "version 7"
                             << "";
    QTest::newRow("json") << "bad_json.pt2"
                          << "the JSON text ends too early"
                          << "models/model.json: byte ";
    QTest::newRow("deep") << "bad_deep.pt2"
                          << "nested deeper than"
                          << "models/model.json: byte ";
}

void TestPt2::damaged_refused() {
    QFETCH(QString, name);
    QFETCH(QString, what);
    QFETCH(QString, where);
    try {
        open(name);
        QFAIL("not refused");
    } catch (const Error& error) {
        QVERIFY2(QString(error.what()).contains(what), error.what());
        QVERIFY2(QString::fromStdString(error.where).contains(where), error.where.c_str());
        QCOMPARE(error.kind(), ErrorKind::File);
        QVERIFY(QString::fromStdString(error.file).endsWith(name));
    }
}

void TestPt2::cancelled_stops() {
    std::stop_source source;
    source.request_stop();
    try {
        readPt2(ZipArchive::open(DataFile::open((folder() + "tied.pt2").toStdString())), {},
                Progress(source.get_token()));
        QFAIL("not cancelled");
    } catch (const Error& error) { QCOMPARE(error.kind(), ErrorKind::Cancelled); }
}

QTEST_APPLESS_MAIN(TestPt2)
#include "tst_pt2.moc"
