// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pt2/pt2.h"
#include "core/io/pt2/pt2_form.h"
#include "core/io/pt2/pt2_graph_writer.h"
#include "core/io/pt2/pt2_signature_writer.h"
#include "core/io/pt2/pt2_writer.h"
#include "core/io/zip/zip_writer.h"
#include "core/ir/lint.h"
#include "core/ir/print.h"
#include "core/model_files/save_pt2.h"
#include "core/model_files/unlift.h"
#include "core/module/exported_signature.h"
#include "core/trace/callables.h"

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTemporaryDir>
#include <QtTest>

using namespace fx;

namespace {

QString folder() { return QString(LANCET_SOURCE_DIR "/tests/data/pt2/"); }

std::shared_ptr<GraphModule> open(const QString& path) {
    return readPt2(ZipArchive::open(DataFile::open(path.toStdString())));
}

QJsonValue json(const ZipArchive& archive, const std::string& record) {
    return QJsonDocument::fromJson(QByteArray::fromStdString(archive.readText(*archive.findInRoot(record), 1 << 30)))
        .object();
}

QJsonValue json(const std::string& text) { return QJsonDocument::fromJson(QByteArray::fromStdString(text)).object(); }

/// A model, what it was read from, and its graph as the writer sees it.
struct Written {
    explicit Written(const QString& name)
        : model(open(folder() + name)), origin(dynamic_cast<const Pt2Origin&>(*model->origin)) {
        context.asRead = &asRead;
        const JsonValue module = origin.document->root().at("graph_module");
        for (const JsonValue spec : module.at("signature").at("input_specs"))
            context.inputNames.push_back(pt2SpecName(spec));
        Pt2GraphBuilder(before, context).build(module.at("graph"));
    }
    std::shared_ptr<GraphModule> model;
    const Pt2Origin& origin;
    Progress progress;
    Pt2Context context{progress};
    Pt2GraphsAsRead asRead;
    GraphModule before;
    Warnings warnings;
};

/// Changes every call of a graph, so that nothing in it counts as unchanged.
void forget(GraphModule& module) {
    for (const Node& node : module.graph.nodes())
        if (node.op() == Op::CallFunction && getItemPlace(node) < 0)
            module.graph.setArgsKwargs(node.id(), {Argument("something else")}, {});
    for (auto& [name, nested] : module.subgraphs) forget(*nested);
}

/// Saves and reads back; the path of the file is in `folder`.
std::shared_ptr<GraphModule> savedAndRead(const GraphModule& model, const QTemporaryDir& folder) {
    const QString path = folder.filePath("out.pt2");
    if (!savePt2(model, path.toStdString(), true).verified) qFatal("not verified");
    return open(path);
}

NodeId named(const GraphModule& model, const char* name) {
    const NodeId id = model.graph.find(name);
    if (id == kNoNode) qFatal("no node %s", name);
    return id;
}

} // namespace

class TestPt2Write : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void unlifted_isTheModuleThatItsUserCalled() {
        const GraphModule module = unlifted(*open(folder() + "outputs.pt2"));
        QStringList inputs;
        for (const Node& node : module.graph.nodes())
            if (node.op() == Op::Placeholder) inputs << QString::fromStdString(node.target());
        QCOMPARE(inputs, QStringList({"input", "lists", "type", "lambda_"}));
        const std::string output = reprOf(module.graph, module.graph.node(module.graph.outputNode()).args()[0]);
        QVERIFY2(output.starts_with("{'out': ["), output.c_str());
        QVERIFY(module.root->child("submod_1"));
        QVERIFY(!isLifted(module));
        QVERIFY(lint(module.graph).empty());
    }

    void specificationThatIsNone_warnsAndStaysFlat() {
        const QTemporaryDir target;
        const ZipArchive archive = ZipArchive::open(DataFile::open((folder() + "outputs.pt2").toStdString()));
        std::string bytes;
        ZipWriter zip([&](std::string_view part) { bytes += part; });
        for (const ZipMember& member : archive.members()) {
            QByteArray text = QByteArray::fromStdString(archive.readText(member, 1 << 30));
            zip.add(member.name, text.replace(R"(\"context\": \"[)", R"(\"context\": \"{)").toStdString());
        }
        zip.finish();
        QFile file(target.filePath("bad.pt2"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QVERIFY(file.write(bytes.data(), static_cast<qint64>(bytes.size())) == static_cast<qint64>(bytes.size()));
        file.close();
        const auto model = open(target.filePath("bad.pt2"));
        QVERIFY(model->notLoadable);
        QVERIFY(model->warnings.size() == 2); // of inputs and of outputs
        const GraphModule flat = unlifted(*model);
        QVERIFY(flat.graph.node(flat.graph.outputNode()).args()[0].as<Sequence>());
    }

    void unlifted_writesBackWhatChanges_andHasTheWeights() {
        const GraphModule module = unlifted(*open(folder() + "mutating_core.pt2"));
        std::size_t writes = 0;
        for (const Node& node : module.graph.nodes())
            writes += node.op() == Op::CallFunction &&
                      node.callable()->qualifiedName.find("copy_.default") != std::string::npos;
        QCOMPARE(writes, std::size_t{2}); // a buffer and an input
        const GraphModule tied = unlifted(*open(folder() + "tied.pt2"));
        const auto weight = resolvePath(*tied.root, "a.weight");
        QVERIFY(weight.tensor);
        QVERIFY(weight.tensor->isParameter);
        QCOMPARE(tied.graph.node(tied.graph.find("a_weight")).op(), Op::GetAttr);
    }

    void unlifted_inputsAreThoseOfTheGraph() {
        const auto model = open(folder() + "outputs.pt2");
        model->graph.setInsertPoint({InsertPoint::Side::After, named(*model, "input")});
        const NodeId made = model->graph.placeholder("mask");
        model->graph.setInsertPoint({});
        model->graph.setArgs(model->graph.outputNode(), {Argument::tuple({made})});
        const GraphModule module = unlifted(*model);
        QStringList inputs;
        for (const Node& node : module.graph.nodes())
            if (node.op() == Op::Placeholder) inputs << QString::fromStdString(node.target());
        QCOMPARE(inputs.size(), 6); // the leaves of the export's, and the new one
        QCOMPARE(inputs.mid(0, 2), QStringList({"input", "mask"}));
        QCOMPARE(module.warnings.size(), std::size_t{1});
    }

    void changedInputs_haveNoSamples_data() {
        QTest::addColumn<QString>("edit");
        for (const char* edit : {"insert", "erase", "rename"}) QTest::newRow(edit) << edit;
    }
    void changedInputs_haveNoSamples() {
        QFETCH(QString, edit);
        const QTemporaryDir target;
        const auto model = open(folder() + "mutating_core.pt2");
        Graph& graph = model->graph;
        const NodeId input = named(*model, "x");
        if (edit == "insert") {
            graph.setInsertPoint({InsertPoint::Side::After, input});
            graph.placeholder("mask");
            graph.setInsertPoint({});
        } else if (edit == "rename") {
            graph.rename(input, "image");
        } else {
            graph.replaceAllUses(input, named(*model, "b_steps"));
            graph.erase(input);
            QVERIFY_THROWS_EXCEPTION(Error,
                                     savePt2(*model, target.filePath("out.pt2").toStdString(), true)); // it is updated
            return;
        }
        const auto back = savedAndRead(*model, target);
        QVERIFY(!back->notLoadable);
        const ZipArchive& archive = dynamic_cast<const Pt2Origin&>(*back->origin).archive;
        const ZipMember* samples = archive.findInRoot("data/sample_inputs/model.pt");
        QVERIFY(samples);
        QCOMPARE(samples->size == 0, edit == "insert");
        if (edit != "rename") return;
        QCOMPARE(dynamic_cast<const Pt2Origin&>(*back->origin).outputs[1].target, std::string("image"));
        QVERIFY(unlifted(*model).graph.find("copy__default_1") != kNoNode);
    }

    void readerOfAGraphInside_hasItsName() {
        const QTemporaryDir target;
        const auto model = open(folder() + "control.pt2");
        const std::string name = model->subgraphs.at(0).first;
        model->graph.rename(named(*model, name.c_str()), "renamed");
        const SaveReport report = savePt2(*model, target.filePath("out.pt2").toStdString(), true);
        QVERIFY(report.verified);
        QVERIFY(report.warnings.size() == 1);
        QVERIFY(report.warnings[0].what.text().ends_with("the node renamed is called " + name +
                                                         " in the file, as the graph that it reads"));
        QVERIFY(open(target.filePath("out.pt2"))->graph.find(name) != kNoNode);
    }

    /// An input made before the others, or erased, takes no name from them.
    void inputsOfTheForm_keepTheirNames() {
        const auto model = open(folder() + "mutating_core.pt2");
        const NodeId x = named(*model, "x");
        model->graph.setInsertPoint({InsertPoint::Side::Before, x});
        model->graph.placeholder("mask");
        model->graph.setInsertPoint({});
        model->graph.rename(x, "image");
        const GraphModule form = pt2Form(*model);
        const auto signature = ExportedSignature::of(form);
        QCOMPARE(signature->inputNames, (std::vector<std::string>{"b_steps", "", "x"}));
        QCOMPARE(signature->inputCalled(form, "x"), x);
        QCOMPARE(signature->inputCalled(form, "y"), kNoNode);
    }

    void refused_defaultOfAnInput() {
        const QTemporaryDir target;
        const auto model = open(folder() + "tied.pt2");
        model->graph.setArgs(named(*model, "x"), {std::int64_t{1}});
        QVERIFY_THROWS_EXCEPTION(Error, savePt2(*model, target.filePath("out.pt2").toStdString(), true));
        QVERIFY(QDir(target.path()).isEmpty());
    }

    void renamedInput_isReadBack() {
        const QTemporaryDir target;
        const auto model = open(folder() + "tied.pt2");
        const NodeId input = model->graph.find("x");
        model->graph.setNameUnchecked(input, "image");
        const auto back = savedAndRead(*model, target);
        QVERIFY(back->graph.find("image") != kNoNode);
    }

    void unedited_everyRecord_keepsItsContent_data();
    void unedited_everyRecord_keepsItsContent();
    void inputs_writtenAnew_sameAsPyTorchWroteThem_data();
    void inputs_writtenAnew_sameAsPyTorchWroteThem();
    void edited_insertRenameErase_graphAsEdited();
    void edited_newParameter_becomesInput();
    void edited_newTensor_onlyItsRecordChanges();
    void edited_removedParameter_leavesEverywhere();
    void edited_severalResults_namedByGetItems();
    void edited_results_signatureFollows();
    void refused_callModuleMethodAndFunction_withTheNode();
    void refused_modelOfAnotherFormat();
    void operatorOfALibrary_keepsTheNamesOfItsArguments();
    void newSizes_areWrittenWithSymbols_unknownOnesAreWarnedOf();
    void failed_disk_oldFileIsWhole();
};

void TestPt2Write::unedited_everyRecord_keepsItsContent_data() {
    QTest::addColumn<QString>("name");
    for (const QString& file : QDir(folder()).entryList({"*.pt2"}))
        if (!file.startsWith("bad_") && file != "unknown_operator.pt2") QTest::newRow(qPrintable(file)) << file;
}

void TestPt2Write::unedited_everyRecord_keepsItsContent() {
    QFETCH(QString, name);
    const QTemporaryDir target;
    const auto model = open(folder() + name);
    const auto back = savedAndRead(*model, target);
    QCOMPARE(QString::fromStdString(graphText(back->graph)), QString::fromStdString(graphText(model->graph)));
    const auto before = ZipArchive::open(DataFile::open((folder() + name).toStdString())),
               after = ZipArchive::open(DataFile::open(target.filePath("out.pt2").toStdString()));
    QCOMPARE(after.members().size(), before.members().size());
    for (std::size_t i = 0; i < before.members().size(); ++i) {
        const std::string record = before.members()[i].name.substr(before.root().size());
        QCOMPARE(after.members()[i].name, "out/" + record);
        QVERIFY(after.members()[i].stored);
        QVERIFY(after.dataOffset(after.members()[i]) % 64 == 0);
        if (record.ends_with(".json")) QCOMPARE(json(after, record), json(before, record));
        else
            QVERIFY2(after.readText(after.members()[i], 1 << 30) == before.readText(before.members()[i], 1 << 30),
                     record.c_str());
    }
}

void TestPt2Write::inputs_writtenAnew_sameAsPyTorchWroteThem_data() {
    QTest::addColumn<QString>("name");
    for (const QString& file : QDir(folder()).entryList({"*.pt2"}))
        if (!file.startsWith("bad_") && file != "unknown_operator.pt2" && file != "deflated.pt2") // keys not of PyTorch
            QTest::newRow(qPrintable(file)) << file;
}

void TestPt2Write::inputs_writtenAnew_sameAsPyTorchWroteThem() {
    QFETCH(QString, name);
    Written file(name);
    forget(file.before);
    JsonWriter writer;
    Pt2GraphWriter(writer, *file.model, file.before, file.asRead, file.warnings).write();
    JsonWriter wanted;
    copyJson(wanted, file.origin.document->root().at("graph_module").at("graph"));
    QCOMPARE(json(writer.text()), json(wanted.text()));
}

void TestPt2Write::operatorOfALibrary_keepsTheNamesOfItsArguments() {
    Written file("unknown_operator.pt2");
    GraphModule model = *file.model;
    Graph& graph = model.graph;
    const NodeId twist = named(model, "add_");
    const CallablePtr target = graph.node(twist).callable();
    graph.setArgsKwargs(twist, {graph.node(twist).args()[0], 2}, {{"how", Argument(1)}});
    graph.setInsertPoint({InsertPoint::Side::After, twist});
    const NodeId again = graph.callFunction(target, {twist, 3}, {}, "again");
    const auto nodes = [&](const GraphModule& written) {
        JsonWriter writer;
        Warnings warnings;
        Pt2GraphWriter(writer, written, file.before, file.asRead, warnings).write();
        return json(writer.text())["nodes"].toArray();
    };
    const QJsonArray written = nodes(model);
    for (const int node : {0, 1}) QCOMPARE(written[node]["inputs"][1]["name"].toString(), "other");
    QCOMPARE(written[1]["outputs"][0]["as_tensor"]["name"].toString(), "again");
    graph.setArgs(again, {twist, 3, 4});
    QVERIFY_THROWS_EXCEPTION(Error, nodes(model)); // the file does not name a third one
}

void TestPt2Write::newSizes_areWrittenWithSymbols_unknownOnesAreWarnedOf() {
    const auto model = open(folder() + "dynamic.pt2");
    const NodeId last = named(*model, "y"); // its first size is s17
    model->graph.setInsertPoint({InsertPoint::Side::Before, model->graph.outputNode()});
    const NodeId made = model->graph.callFunction(resolveCallable("torch.ops.aten.neg.default"), {last}, {}, "made"),
                 unknown = model->graph.callFunction(resolveCallable("torch.ops.aten.abs.default"), {last}, {}, "open");
    model->graph.setInsertPoint({});
    auto meta = std::make_shared<NodeMeta>();
    meta->values.emplace_back();
    meta->values[0].dtype = "torch.int32", meta->values[0].sizes = {"2*s17 - 1", "((s17)//2)"};
    model->graph.setMeta(made, meta);
    const QTemporaryDir target;
    const SaveReport report = savePt2(*model, target.filePath("out.pt2").toStdString(), true);
    const auto back = open(target.filePath("out.pt2"));
    const ValueInfo& info = back->graph.node(named(*back, "made")).meta().values.at(0);
    QCOMPARE(info.dtype + " " + info.sizes[0] + " " + info.sizes[1], std::string("torch.int32 2*s17 - 1 (s17//2)"));
    QCOMPARE(report.warnings.size(), std::size_t(1));
    QVERIFY(report.warnings[0].what.is("pt2.unknown_value_shape"));
    QCOMPARE(report.warnings[0].node, model->graph.node(unknown).name());
}

void TestPt2Write::edited_insertRenameErase_graphAsEdited() {
    const QTemporaryDir target;
    const auto model = open(folder() + "tied.pt2");
    Graph& graph = model->graph;
    const NodeId node = named(*model, "batch_norm_1");
    graph.setInsertPoint({});
    const std::vector<NodeId> users(graph.node(node).users().begin(), graph.node(node).users().end());
    const NodeId relu = graph.callFunction(resolveCallable("torch.ops.aten.relu.default"), {node});
    graph.moveAfter(relu, node);
    const NodeId scaled = graph.callFunction(resolveCallable("torch.ops.aten.add.Tensor"), {relu, 0.5},
                                             {{"alpha", Argument(std::int64_t{2})}});
    graph.moveAfter(scaled, relu);
    graph.replaceAllUses(node, scaled, [&](NodeId user) { return user == relu; });
    graph.rename(node, "normal");
    const auto back = savedAndRead(*model, target);
    QCOMPARE(QString::fromStdString(graphText(back->graph)), QString::fromStdString(graphText(graph)));
    QVERIFY(!back->notLoadable);
    const Node& now = back->graph.node(back->graph.find(graph.node(relu).name()));
    QCOMPARE(now.meta().values.at(0).sizes, graph.node(node).meta().values.at(0).sizes);
    QCOMPARE(back->graph.node(named(*back, "normal")).meta().moduleStack.size(), std::size_t{3});
}

void TestPt2Write::edited_newParameter_becomesInput() {
    const QTemporaryDir target;
    const auto model = open(folder() + "tied.pt2");
    Graph& graph = model->graph;
    auto tensor = std::make_shared<TensorRef>();
    tensor->sizes = {4};
    tensor->strides = {1};
    tensor->isParameter = tensor->requiresGrad = true;
    tensor->storage = Storage::inMemory(std::vector<std::byte>(16, std::byte{0x40}));
    model->root->parameters.push_back({"scale", tensor});
    graph.setInsertPoint({});
    const NodeId node = named(*model, "batch_norm_1");
    const NodeId read = graph.createNode(Op::GetAttr, "scale");
    graph.moveAfter(read, node);
    const NodeId mul = graph.callFunction(resolveCallable("torch.ops.aten.mul.Tensor"), {node, read});
    graph.moveAfter(mul, read);
    graph.replaceAllUses(node, mul, [&](NodeId user) { return user == mul; });
    const auto back = savedAndRead(*model, target);
    const Node& input = back->graph.node(named(*back, "p_scale"));
    QCOMPARE(input.op(), Op::Placeholder);
    QVERIFY(back->graph.isBefore(input.id(), named(*back, "x")));
    const auto lifted = std::find_if(back->lifted.begin(), back->lifted.end(),
                                     [](const LiftedInput& each) { return each.path == "scale"; });
    QVERIFY(lifted != back->lifted.end());
    QVERIFY(lifted->kind == LiftedInput::Kind::Parameter);
    QCOMPARE(back->root->parameter("scale")->tensor->storage->byteCount(), std::uint64_t{16});
    QVERIFY(!back->notLoadable);
}

void TestPt2Write::edited_newTensor_onlyItsRecordChanges() {
    const QTemporaryDir target;
    const auto model = open(folder() + "tied.pt2");
    auto a = std::make_shared<TensorRef>(*resolvePath(*model->root, "a.bias").tensor);
    a->storage = Storage::inMemory(std::vector<std::byte>(16, std::byte{0x11}));
    const_cast<Module::Slot*>(model->root->child("a")->parameter("bias"))->tensor = a;
    const auto back = savedAndRead(*model, target);
    const auto before = ZipArchive::open(DataFile::open((folder() + "tied.pt2").toStdString())),
               after = ZipArchive::open(DataFile::open(target.filePath("out.pt2").toStdString()));
    QStringList changed;
    for (const ZipMember& member : before.members()) {
        const std::string record = member.name.substr(before.root().size());
        const ZipMember* now = after.findInRoot(record);
        QVERIFY(now);
        if (!record.ends_with(".json") && after.readText(*now, 1 << 30) != before.readText(member, 1 << 30))
            changed << QString::fromStdString(record);
    }
    QCOMPARE(changed, QStringList("data/weights/weight_1"));
    QVERIFY(resolvePath(*back->root, "a.weight").tensor ==
            resolvePath(*back->root, "b.weight").tensor); // tied as before
}

void TestPt2Write::edited_removedParameter_leavesEverywhere() {
    const QTemporaryDir target;
    const auto model = open(folder() + "tied.pt2");
    const NodeId bias = named(*model, "p_blocks_0_lin_bias");
    const std::vector<NodeId> users(model->graph.node(bias).users().begin(), model->graph.node(bias).users().end());
    for (const NodeId user : users)
        model->graph.setArgs(user, {model->graph.node(user).args()[0], model->graph.node(user).args()[1]});
    model->graph.erase(bias);
    auto& parameters = const_cast<Module*>(resolvePath(*model->root, "blocks.0.lin").module)->parameters;
    std::erase_if(parameters, [](const Module::Slot& slot) { return slot.name == "bias"; });
    const auto back = savedAndRead(*model, target);
    QVERIFY(back->graph.find("p_blocks_0_lin_bias") == kNoNode);
    QCOMPARE(back->lifted.size(), model->lifted.size() - 1);
    QVERIFY(!resolvePath(*back->root, "blocks.0.lin.bias").tensor);
    QVERIFY(resolvePath(*back->root, "blocks.0.lin.weight").tensor);
}

void TestPt2Write::edited_severalResults_namedByGetItems() {
    const QTemporaryDir target;
    const auto model = open(folder() + "tied.pt2");
    Graph& graph = model->graph;
    const NodeId node = named(*model, "batch_norm_1");
    graph.setInsertPoint({});
    const NodeId top = graph.callFunction(resolveCallable("torch.ops.aten.topk.default"), {node, std::int64_t{1}});
    graph.moveAfter(top, node);
    const NodeId item = graph.callFunction(resolveCallable("operator.getitem"), {top, std::int64_t{0}}, {}, "largest");
    graph.moveAfter(item, top);
    graph.replaceAllUses(node, item, [&](NodeId user) { return user == top; });
    const auto back = savedAndRead(*model, target);
    QCOMPARE(QString::fromStdString(argsRepr(back->graph, back->graph.node(named(*back, "largest")))),
             QString("(topk_default, 0)"));
    QVERIFY(back->graph.find("topk_default_unused_1") != kNoNode); // PyTorch makes a node for it
}

void TestPt2Write::edited_results_signatureFollows() {
    const QTemporaryDir target;
    const auto model = open(folder() + "mutating_core.pt2");
    Graph& graph = model->graph;
    const NodeId output = graph.outputNode();
    std::vector<Argument> results = graph.node(output).args()[0].as<Sequence>()->items;
    results.push_back(results.back());
    graph.setArgs(output, {Argument::tuple(results)});
    const SaveReport report = savePt2(*model, target.filePath("out.pt2").toStdString(), true);
    QVERIFY(report.verified);
    QVERIFY(report.warnings.size() == 1);
    const auto back = open(target.filePath("out.pt2"));
    const auto& outputs = dynamic_cast<const Pt2Origin&>(*back->origin).outputs;
    QCOMPARE(outputs.size(), std::size_t{4});
    QCOMPARE(outputs[0].kind, std::string("buffer_mutation"));
    QCOMPARE(outputs[3].kind, std::string("user_output"));
}

void TestPt2Write::refused_callModuleMethodAndFunction_withTheNode() {
    const QTemporaryDir target;
    const auto model = open(folder() + "tied.pt2");
    const NodeId node = named(*model, "batch_norm_1");
    for (const int kind : {0, 1, 2}) {
        GraphModule edited = *model;
        edited.graph.setInsertPoint({});
        const NodeId wrong = kind == 0   ? edited.graph.createNode(Op::CallModule, "a", {node})
                             : kind == 1 ? edited.graph.createNode(Op::CallMethod, "relu", {node})
                                         : edited.graph.callFunction(resolveCallable("torch.relu"), {node});
        edited.graph.moveAfter(wrong, node);
        try {
            (void)savePt2(edited, target.filePath("out.pt2").toStdString(), true);
            QFAIL("not refused");
        } catch (const Error& error) {
            QCOMPARE(error.kind(), ErrorKind::Refused);
            QCOMPARE(error.node, edited.graph.node(wrong).name());
            QVERIFY(!error.hint.empty());
        }
    }
    QVERIFY(QDir(target.path()).isEmpty());
}

void TestPt2Write::refused_modelOfAnotherFormat() {
    const QTemporaryDir target;
    GraphModule model;
    model.graph.output(model.graph.placeholder("x"));
    QVERIFY_THROWS_EXCEPTION(Error, savePt2(model, target.filePath("out.pt2").toStdString(), true));
    QVERIFY(QDir(target.path()).isEmpty());
}

void TestPt2Write::failed_disk_oldFileIsWhole() {
    const auto model = open(folder() + "tied.pt2");
    try {
        (void)savePt2(*model, "/dev/full", false);
        QFAIL("not refused");
    } catch (const Error& error) {
        QCOMPARE(error.kind(), ErrorKind::Refused);
        QVERIFY(QString(error.what()).contains("No space left"));
    }
}

QTEST_APPLESS_MAIN(TestPt2Write)
#include "tst_pt2_write.moc"
