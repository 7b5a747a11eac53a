// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/python_code.h"
#include "core/files/file_identity.h"
#include "core/files/leftovers.h"
#include "core/files/replaced_file.h"
#include "core/io/ir_json/ir_json.h"
#include "core/io/ir_json/kept_weights.h"
#include "core/ir/print.h"
#include "core/model_files/open.h"
#include "core/model_files/unlift.h"
#include "core/module/exported_signature.h"
#include "tests/core/io/ir_json/same_model.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

using namespace fx;

namespace {
std::shared_ptr<const Storage> bytes(std::size_t count) {
    std::vector<std::byte> data(count);
    for (std::size_t i = 0; i < count; ++i) data[i] = static_cast<std::byte>(i * 7 + 1);
    return Storage::inMemory(std::move(data));
}

TensorRef tensor(DType dtype, std::vector<std::int64_t> sizes, std::shared_ptr<const Storage> storage = nullptr) {
    TensorRef tensor;
    tensor.dtype = dtype;
    tensor.sizes = std::move(sizes);
    std::int64_t step = 1;
    tensor.strides.resize(tensor.sizes.size());
    for (std::size_t i = tensor.sizes.size(); i-- > 0; step *= tensor.sizes[i]) tensor.strides[i] = step;
    tensor.storage = storage ? std::move(storage) : bytes(static_cast<std::size_t>(step) * elementSize(dtype));
    return tensor;
}

TensorPtr shared(TensorRef tensor) { return std::make_shared<const TensorRef>(std::move(tensor)); }

std::shared_ptr<Callable> opaqueCallable(const char* module, const char* name) {
    auto callable = std::make_shared<Callable>();
    callable->module = module;
    callable->name = name;
    callable->qualifiedName = std::string(module) + "." + name;
    callable->repr = "<something odd>";
    callable->opaque = true;
    return callable;
}

std::shared_ptr<Module> moduleOf(const char* classModule, const char* className) {
    auto module = std::make_shared<Module>();
    module->classModule = classModule;
    module->className = className;
    return module;
}

} // namespace

class TestIrJsonRoundtrip : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void files_writtenAndRead_equal_data();
    void files_writtenAndRead_equal();
    void exported_asAModule_theSame_data();
    void exported_asAModule_theSame();
    void exported_renamedInput_isWritten();
    void exported_erasedInput_isNotWritten();
    void arguments_everyKind_equal();
    void types_everyKind_equal();
    void names_afterEdits_nextNameIsTheSame();
    void users_order_survives();
    void modules_everyForm_equal();
    void tensors_everyForm_equal();
    void nestedGraphModule_equal();
    void writing_twice_sameBytes();
    void writing_cancelled_oldFilesStay();
    void writing_killedBetweenTheFiles_formerWeightsAreRead();

private:
    /// Writes, reads and compares; fails the test with the difference.
    std::shared_ptr<GraphModule> roundtrip(const GraphModule& module) {
        const std::string path = m_folder.filePath("net.json").toStdString();
        QFile::remove(m_folder.filePath("net.safetensors"));
        writeIrJson(module, path);
        auto back = openModel(path);
        const std::string difference = firstDifference(module, *back);
        if (!difference.empty()) QTest::qFail(difference.c_str(), __FILE__, __LINE__);
        return back;
    }
    QTemporaryDir m_folder;
};

void TestIrJsonRoundtrip::files_writtenAndRead_equal_data() {
    QTest::addColumn<QString>("path");
    for (const char* folder : {"/tests/data/pt2/", "/tests/data/graphmodule/", "/resources/samples/"})
        for (const QString& file : QDir(LANCET_SOURCE_DIR + QString(folder)).entryList({"*.pt2", "*.pt"}))
            if (!file.startsWith("bad_")) QTest::newRow(qPrintable(file)) << LANCET_SOURCE_DIR + QString(folder) + file;
}

void TestIrJsonRoundtrip::files_writtenAndRead_equal() {
    QFETCH(QString, path);
    const std::shared_ptr<GraphModule> module = openModel(path.toStdString());
    const auto back = roundtrip(*module);
    QCOMPARE(back->format, Format::Ir);
    QCOMPARE(graphText(back->graph), graphText(module->graph));
    QCOMPARE(generatePython(back->graph).text, generatePython(module->graph).text);
}

void TestIrJsonRoundtrip::exported_asAModule_theSame_data() {
    QTest::addColumn<QString>("file");
    for (const char* file : {"outputs.pt2", "mutating_core.pt2", "control.pt2", "tied.pt2"})
        QTest::newRow(file) << file;
}
void TestIrJsonRoundtrip::exported_asAModule_theSame() {
    QFETCH(QString, file);
    const auto module = openModel((LANCET_SOURCE_DIR "/tests/data/pt2/" + file).toStdString());
    const auto back = roundtrip(*module);
    QCOMPARE(graphText(unlifted(*back).graph), graphText(unlifted(*module).graph));
}

/// An input that the program changes is told by the name that it has by now.
void TestIrJsonRoundtrip::exported_renamedInput_isWritten() {
    const auto module = openModel(LANCET_SOURCE_DIR "/tests/data/pt2/mutating_core.pt2");
    module->graph.rename(module->graph.find("x"), "image");
    const QString path = m_folder.filePath("renamed.json");
    writeIrJson(*module, path.toStdString());
    const auto back = openModel(path.toStdString());
    QCOMPARE(ExportedSignature::of(*back)->outputs.at(1).target, std::string("image"));
    QCOMPARE(graphText(unlifted(*back).graph), graphText(unlifted(*module).graph));
}

/// One that is no node at all either.
void TestIrJsonRoundtrip::exported_erasedInput_isNotWritten() {
    const auto module = openModel(LANCET_SOURCE_DIR "/tests/data/pt2/tied.pt2");
    const std::size_t before = module->lifted.size();
    const NodeId input = module->graph.find("x");
    module->graph.replaceAllUses(input, module->lifted[0].node);
    module->graph.erase(input);
    module->lifted.push_back({kNoNode, LiftedInput::Kind::UserInput, {}});
    const QString path = m_folder.filePath("erased.json");
    writeIrJson(*module, path.toStdString());
    QCOMPARE(openModel(path.toStdString())->lifted.size(), before - 1);
}

void TestIrJsonRoundtrip::arguments_everyKind_equal() {
    GraphModule module;
    Graph& graph = module.graph;
    const NodeId x = graph.placeholder("x", {Argument(std::int64_t{3})});
    const auto color = opaqueCallable("__main__", "Color");
    const double inf = std::numeric_limits<double>::infinity();
    const std::vector<Argument> args = {-0.0,
                                        {},
                                        true,
                                        false,
                                        0,
                                        std::numeric_limits<std::int64_t>::min(),
                                        std::numeric_limits<std::int64_t>::max(),
                                        BigInt{"-123456789012345678901234567890"},
                                        0.0,
                                        1.0,
                                        1e16,
                                        1e-320,
                                        5e-324,
                                        0.1,
                                        inf,
                                        -inf,
                                        std::nan(""),
                                        "",
                                        "a\"b\\\n\t\x01\x7f é \xED\xB2\x80",
                                        Complex{1, -0.0},
                                        Complex{inf, std::nan("")},
                                        Bytes{std::string("\0\xff ab", 5)},
                                        EllipsisValue{},
                                        Argument::tuple({}),
                                        Argument::tuple({x, 1}),
                                        Argument::list({}),
                                        Argument::list({x, Argument::list({x})}),
                                        Argument::dict({{"k", x}, {1, 2}, {Argument::tuple({1, "a"}), {}}}),
                                        Argument::dict({}),
                                        Argument::slice({}, x, -1),
                                        Range{0, -5, -2},
                                        Device{"cpu"},
                                        Device{"cuda", 7},
                                        Argument::dtype("torch.float8_e4m3fn"),
                                        TorchConstant{TorchConstant::Kind::Layout, "torch.strided"},
                                        TorchConstant{TorchConstant::Kind::MemoryFormat, "torch.channels_last"},
                                        TorchConstant{TorchConstant::Kind::QScheme, "torch.per_tensor_affine"},
                                        Symbolic{"2*s0 + 1"},
                                        EnumMember{color, "RED", "<Color.RED: 1>", {}},
                                        EnumMember{color, "LOW", "<Level.LOW: 1>", "1"},
                                        CallableValue{color},
                                        OpaqueObject{"mypkg.Config", "Config(a=1)", {}},
                                        Sequence{Sequence::Kind::NamedTuple, {x, 1}, opaqueCallable("mypkg", "Point")}};
    graph.createNode(Op::CallMethod, "f", args, {{"a", x}, {"b c", 1}, {"", Argument::list({1.5})}});
    graph.callFunction(opaqueCallable("__main__", "wrapped"), {x});
    graph.output(Argument::dict({{"out", x}}));
    const auto back = roundtrip(module);
    QVERIFY(std::signbit(*back->graph.node(back->graph.find("f")).args()[0].as<double>()));
    QVERIFY(back->warnings.empty());
}

void TestIrJsonRoundtrip::types_everyKind_equal() {
    using Kind = TypeExpr::Kind;
    const auto type = [](TypeExpr expression) { return std::make_shared<const TypeExpr>(std::move(expression)); };
    GraphModule module;
    const TypePtr integer = type({Kind::Class, "builtins", "int", {}, false}),
                  none = type({Kind::Class, "builtins", "NoneType", {}, false});
    const TypePtr tensorType = type({Kind::Class, "torch", "Tensor", {}, true});
    const std::vector<TypePtr> types = {
        integer,
        tensorType,
        type({Kind::Class, "mypkg.sub", "Outer.Inner", {}, false}),
        type({Kind::Generic, "typing", "List", {tensorType}, false}),
        type({Kind::Generic,
              "builtins",
              "dict",
              {integer, type({Kind::Generic, "builtins", "list", {integer}, false})},
              false}),
        type({Kind::Generic, "typing", "Tuple", {}, false}),
        type({Kind::Generic, "typing", "Union", {integer, none}, false}),
        type({Kind::Generic, "typing", "Tuple", {integer, type({Kind::Text, "", "...", {}, false})}, false}),
        type({Kind::Union, "", "", {integer, none}, false}),
        type({Kind::Text, "", "'Forward[Ref'", {}, false})};
    for (const TypePtr& each : types) module.graph.placeholder("x", {}, each);
    module.graph.output({}, tensorType);
    roundtrip(module);
}

void TestIrJsonRoundtrip::names_afterEdits_nextNameIsTheSame() {
    GraphModule module;
    Graph& graph = module.graph;
    const NodeId x = graph.placeholder("x");
    const NodeId a = graph.createNode(Op::CallMethod, "add", {x}), b = graph.createNode(Op::CallMethod, "add", {x});
    graph.erase(b);
    graph.rename(a, "total");
    graph.setNameUnchecked(graph.placeholder("max"), "max");
    graph.output(a);
    const auto back = roundtrip(module);
    for (const char* target : {"add", "max", "total", "x", "add_7", "add"})
        QCOMPARE(back->graph.node(back->graph.createNode(Op::CallMethod, target)).name(),
                 graph.node(graph.createNode(Op::CallMethod, target)).name());
}

void TestIrJsonRoundtrip::users_order_survives() {
    GraphModule module;
    Graph& graph = module.graph;
    const NodeId x = graph.placeholder("x");
    const NodeId a = graph.createNode(Op::CallMethod, "a", {x});
    const NodeId b = graph.createNode(Op::CallMethod, "b", {x, a});
    graph.setArgs(a, {x}); // moves a behind b
    graph.output(b);
    const auto back = roundtrip(module);
    QCOMPARE(back->graph.node(*back->graph.node(back->graph.find("x")).users().begin()).name(), std::string("b"));
}

void TestIrJsonRoundtrip::modules_everyForm_equal() {
    GraphModule module;
    module.className = "Net";
    module.root->className = "Outer.Net";
    module.root->classModule = "mypkg";
    module.graph.placeholder("x");
    const auto conv = moduleOf("torch.nn.modules.conv", "Conv2d"), plain = moduleOf("", "Plain");
    conv->training = false;
    conv->attributes = {{"in_channels", Argument(3)},
                        {"kernel_size", Argument::tuple({3, 3})},
                        {"hook", Argument(OpaqueObject{"f", "<f>", {}})},
                        {"plain", shared(tensor(DType::Int64, {2}))},
                        {"nothing", TensorPtr()}};
    conv->parameters = {{"weight", shared(tensor(DType::Float32, {2, 2}))}, {"bias", nullptr}};
    conv->buffers = {{"kept", shared(tensor(DType::Bool, {3}))},
                     {"dropped", shared(tensor(DType::Float32, {1})), false},
                     {"none", nullptr}};
    plain->children = {{"again", conv}, {"none", nullptr}};
    module.root->children = {{"0", conv}, {"odd name", plain}, {"same", plain}};
    const auto back = roundtrip(module);
    QVERIFY(back->root->child("same") == back->root->child("odd name"));
}

void TestIrJsonRoundtrip::tensors_everyForm_equal() {
    GraphModule module;
    module.graph.placeholder("x");
    auto& slots = module.root->parameters;
    const auto add = [&](const std::string& name, TensorRef value) {
        slots.push_back({name, shared(std::move(value))});
    };
    for (int i = 0; i < static_cast<int>(DType::Other); ++i)
        add("dtype" + std::to_string(i), tensor(static_cast<DType>(i), {2, 3}));
    TensorRef other = tensor(DType::Other, {2}, bytes(3));
    other.dtypeText = "torch.float4_e2m1fn_x2";
    add("other", other);
    const auto base = bytes(64);
    TensorRef view = tensor(DType::Float32, {2, 3}, base);
    view.strides = {1, 2};
    view.offset = 4;
    add("view", view);
    add("same memory", tensor(DType::Float32, {16}, base));
    add("as integers", tensor(DType::Int16, {2}, base));
    slots.push_back({"tied", slots.back().tensor});
    TensorRef parameter = tensor(DType::Float32, {});
    parameter.isParameter = parameter.requiresGrad = true;
    add("parameter", parameter);
    parameter.requiresGrad = false;
    add("frozen", parameter);
    add("empty", tensor(DType::Float32, {0, 4}, Storage::inMemory({})));
    TensorRef meta = tensor(DType::Float32, {7});
    meta.storage = nullptr;
    meta.device = "meta";
    add("meta", meta);
    const auto zeros = Storage::expression("torch.zeros(3, 4)", 48);
    add("expression", tensor(DType::Float32, {3, 4}, zeros));
    add("expression of unknown size", tensor(DType::Float32, {}, Storage::expression("torch.cat([a, b])", 0)));
    TensorRef part = tensor(DType::Float32, {4}, zeros);
    part.offset = 4;
    add("part", part);
    TensorRef quantised = tensor(DType::QInt8, {2, 3});
    quantised.quantizer = Quantizer{false, 0.1, -3, 0, nullptr, nullptr};
    add("quantised", quantised);
    quantised.quantizer =
        Quantizer{true, 1, 0, 1, shared(tensor(DType::Float64, {3})), shared(tensor(DType::Int64, {3}))};
    add("per channel", quantised);
    TensorRef conjugate = tensor(DType::Complex64, {2});
    conjugate.conjugate = conjugate.negative = true;
    conjugate.device = "cuda:1";
    add("conjugate", conjugate);
    const auto back = roundtrip(module);
    QVERIFY(back->root->parameter("dtype0")->tensor->storage->file()); // left in the file
}

void TestIrJsonRoundtrip::nestedGraphModule_equal() {
    GraphModule module;
    module.graph.placeholder("x");
    const auto child = moduleOf("torch.fx.graph_module", "GraphModule");
    child->parameters = {{"w", shared(tensor(DType::Float32, {2}))}};
    const auto inner = std::make_shared<GraphModule>();
    inner->className = "Inner";
    inner->graph.output(inner->graph.createNode(Op::CallMethod, "neg", {inner->graph.placeholder("y")}));
    *inner->root = *child;
    child->graphModule = inner;
    module.root->children = {{"fused_0", child}, {"again", child}};
    const auto back = roundtrip(module);
    QCOMPARE(back->root->child("fused_0")->graphModule->root->parameters[0].tensor,
             back->root->child("fused_0")->parameters[0].tensor);
}

void TestIrJsonRoundtrip::writing_twice_sameBytes() {
    const auto content = [&](const char* name) {
        QFile file(m_folder.filePath(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    };
    writeIrJson(*openModel(LANCET_SOURCE_DIR "/tests/data/pt2/tied.pt2"), m_folder.filePath("a.json").toStdString());
    writeIrJson(*readIrJson(m_folder.filePath("a.json").toStdString()), m_folder.filePath("b.json").toStdString());
    QVERIFY(content("a.json").size() > 1000);
    QVERIFY(content("a.safetensors").size() > 200);
    QCOMPARE(content("b.json"), content("a.json"));
    QCOMPARE(content("b.safetensors"), content("a.safetensors"));
}

void TestIrJsonRoundtrip::writing_cancelled_oldFilesStay() {
    GraphModule module;
    module.graph.placeholder("x");
    const std::string path = m_folder.filePath("kept.json").toStdString();
    writeIrJson(module, path);
    std::stop_source source;
    source.request_stop();
    QVERIFY_THROWS_EXCEPTION(Error, writeIrJson(module, path, Progress(source.get_token())));
    QCOMPARE(readIrJson(path)->graph.size(), 1u);
    QCOMPARE(QDir(m_folder.path()).entryList({"*kept*"}, QDir::AllEntries | QDir::Hidden).size(), 1);
}

/// The weights are replaced before the description is; the former ones are then a backup of a process that has ended.
void TestIrJsonRoundtrip::writing_killedBetweenTheFiles_formerWeightsAreRead() {
    const auto write = [&](const char* name, double value, const char* placeholder) {
        GraphModule module;
        module.graph.placeholder(placeholder);
        module.root = std::make_shared<Module>();
        std::vector<std::byte> data(sizeof value);
        std::memcpy(data.data(), &value, sizeof value);
        module.root->buffers.push_back(
            {"w", shared(tensor(DType::Float64, {1}, Storage::inMemory(std::move(data)))), true});
        const std::string path = m_folder.filePath(name).toStdString();
        writeIrJson(module, path);
        return path;
    };
    const auto read = [](const std::string& path) {
        const auto back = readIrJson(path);
        double value = 0;
        back->root->buffers.at(0).tensor->storage->read(0, std::as_writable_bytes(std::span(&value, 1)));
        return value;
    };
    const std::string path = write("pair.json", 1.0, "x"), other = write("other.json", 2.0, "y");
    const std::string weights = weightsBeside(path), mark = processMark();
    const std::string ended = mark.substr(0, mark.find('-')) + "-1" + mark.substr(mark.rfind('-'));
    const std::string kept = nameBeside(weights, kBackup) + ended;
    std::filesystem::rename(weights, kept);
    std::filesystem::copy_file(weightsBeside(other), weights);
    QCOMPARE(read(path), 1.0);
    removeLeftovers(m_folder.path().toStdString()); // as another save in the folder does
    QCOMPARE(read(path), 1.0);
    write("pair.json", 3.0, "z");
    QCOMPARE(read(path), 3.0);
    removeKeptWeights(path);
    QVERIFY(!std::filesystem::exists(kept));
    // An edited description keeps the weights beside it.
    QFile file(QString::fromStdString(path));
    QVERIFY(file.open(QIODevice::ReadWrite));
    const QByteArray text = file.readAll();
    file.resize(0);
    file.write(text + "\n");
    file.close();
    QCOMPARE(read(path), 3.0);
}

QTEST_APPLESS_MAIN(TestIrJsonRoundtrip)
#include "tst_ir_json_roundtrip.moc"
