// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/codegen/python_code.h"
#include "core/io/ir_json/ir_json.h"
#include "core/ir/lint.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <ctime>
#include <sys/stat.h>

using namespace fx;

class TestIrJson : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void documentation_examples_giveTheCodeBesideThem();
    void graphJson_forms_areRead();
    void names_written_keptAndCompleted();
    void nestedGraphModule_withoutType_isAGraphModule();
    void unknownFunction_warns();
    void warnings_ofTheFile_areMarked_andWrittenAsTheyWere();
    void manyUnknownNames_areReadInLinearTime();
    void mistakes_data();
    void mistakes();
    void weights_missingOrCut_refused();
    void settings_thatPyTorchKeepsItself_areLeftOut();
    void weights_linkOutOrPipe_refused();
    void weights_thatLancetWrote_areNotForeign();

private:
    static GraphModule withBuffer() {
        GraphModule module;
        TensorRef tensor;
        tensor.sizes = tensor.strides = {1};
        tensor.storage = Storage::inMemory(std::vector<std::byte>(4));
        module.root->buffers = {{"b", std::make_shared<const TensorRef>(tensor)}};
        return module;
    }
    std::shared_ptr<GraphModule> read(const QByteArray& text) {
        QFile file(m_folder.filePath("net.json"));
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size()) return nullptr;
        file.close();
        return readIrJson(m_folder.filePath("net.json").toStdString());
    }
    QTemporaryDir m_folder;
};

/// Each ```json block of docs/ir-format.md is read; the ```python block after it is its code.
void TestIrJson::documentation_examples_giveTheCodeBesideThem() {
    QFile file(LANCET_SOURCE_DIR "/docs/ir-format.md");
    QVERIFY(file.open(QIODevice::ReadOnly));
    const QString text = QString::fromUtf8(file.readAll());
    int examples = 0;
    for (qsizetype at = text.indexOf("```json\n"); at >= 0; at = text.indexOf("```json\n", at)) {
        at += 8;
        const qsizetype end = text.indexOf("```", at), code = text.indexOf("```python\n", end) + 10;
        const auto module = read(text.mid(at, end - at).toUtf8());
        QVERIFY(module);
        QVERIFY(module->warnings.empty());
        QVERIFY(lint(module->graph).empty());
        QCOMPARE(QString::fromStdString(generatePython(module->graph).text) + "\n",
                 text.mid(code, text.indexOf("```", code) - code));
        ++examples;
        at = end + 3;
    }
    QVERIFY(examples >= 4);
}

void TestIrJson::graphJson_forms_areRead() {
    const auto module = read("{\"lancet_ir\": 1, \"nodes\": [\"x\", {\"op\": \"call_method\", \"target\": \"to\", "
                             "\"args\": [{\"node\": \"x\"}, "
                             "{\"repr\": \"torch.float64\"}, {\"repr\": \"-inf\"}, {\"repr\": \"Ellipsis\"}, "
                             "{\"repr\": \"torch.channels_last\"}]}]}");
    const auto& args = module->graph.node(module->graph.find("to")).args();
    QCOMPARE(args[1], Argument::dtype("torch.float64"));
    QVERIFY(*args[2].as<double>() < 0);
    QVERIFY(args[3].as<EllipsisValue>());
    QCOMPARE(args[4].as<TorchConstant>()->kind, TorchConstant::Kind::MemoryFormat);
}

void TestIrJson::names_written_keptAndCompleted() {
    const auto module = read(
        "{\"lancet_ir\": 1, \"nodes\": [\"input\", {\"op\": \"placeholder\", \"name\": \"strange name\"},"
        "{\"op\": \"call_method\", \"target\": \"add\", \"args\": [{\"node\": \"later\"}]}, {\"op\": \"call_method\", "
        "\"target\": \"add\"},"
        "{\"op\": \"call_method\", \"target\": \"add\", \"name\": \"later\", \"args\": [{\"node\": \"input\"}]}]}");
    std::vector<std::string> names;
    for (const Node& node : module->graph.nodes()) names.push_back(node.name());
    QCOMPARE(names, (std::vector<std::string>{"input", "strange_name", "add", "add_1", "later"}));
    QCOMPARE(lint(module->graph).size(), 1u); // used before it is defined
    QCOMPARE(module->graph.node(module->graph.find("strange_name")).target(), std::string("strange name"));
    QCOMPARE(module->warnings.size(), 1u);
    QCOMPARE(QString::fromStdString(module->warnings[0].what.text()),
             QString("renamed the node 'strange name' to strange_name: it was not a Python identifier"));
}

void TestIrJson::nestedGraphModule_withoutType_isAGraphModule() {
    const auto module = read("{\"lancet_ir\": 1, \"nodes\": [\"x\"], \"modules\": {\"g\": {\"nodes\": [\"x\"]}}}");
    QCOMPARE(module->root->child("g")->qualifiedType(), std::string("torch.fx.graph_module.GraphModule"));
    QCOMPARE(module->root->child("g")->graphModule->root->classModule, std::string("torch.fx.graph_module"));
}

void TestIrJson::unknownFunction_warns() {
    const auto module =
        read("{\"lancet_ir\": 1, \"nodes\": [{\"op\": \"call_function\", \"target\": \"torch.rellu\"}]}");
    QCOMPARE(module->warnings.size(), 1u);
    QCOMPARE(QString::fromStdString(module->warnings[0].what.text()), QString("unknown function \"torch.rellu\""));
    QCOMPARE(QString::fromStdString(module->warnings[0].where), QString("$.nodes[0].target"));
}

void TestIrJson::warnings_ofTheFile_areMarked_andWrittenAsTheyWere() {
    const auto module =
        read("{\"lancet_ir\": 1, \"warnings\": [{\"what\": \"verify passed\", \"code\": \"all is well\"}], "
             "\"nodes\": [{\"op\": \"call_function\", \"target\": \"torch.rellu\"}]}");
    QCOMPARE(module->warnings.size(), 2u);
    QCOMPARE(QString::fromStdString(module->warnings[0].what.text()), QString("verify passed"));
    QCOMPARE(QString::fromStdString(module->warnings[0].what.argument(kSaidBy)), QString("file"));
    QVERIFY(module->warnings[1].what.argument(kSaidBy).empty()); // Lancet says this
    QVERIFY(describeAsIr(*module).text.find(kSaidBy) == std::string::npos);
}

void TestIrJson::mistakes_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QString>("what");
    QTest::addColumn<QString>("where");
    QTest::addColumn<QString>("hint");
    const auto row = [](const char* name, const QByteArray& text, const char* what, const char* where,
                        const char* hint = "") {
        QTest::newRow(name) << text << QString(what) << QString(where) << QString(hint);
    };
    const auto node = [](const QByteArray& text) {
        return "{\"lancet_ir\": 1,\n \"nodes\": [\n  \"x\",\n  " + text + "]}";
    };
    const auto arg = [&](const QByteArray& text) { return node("{\"op\": \"output\", \"args\": [" + text + "]}"); };
    const auto buffer = [&](const QByteArray& sizes) {
        return "{\"lancet_ir\": 1, \"nodes\": [], \"buffers\": {\"b\": \"b\"}, \"tensors\": {\"b\": {\"dtype\": "
               "\"torch.float32\", \"sizes\": " +
               sizes + ", \"expression\": \"e\", \"bytes\": 4}}}";
    };
    row("no JSON", "{\"lancet_ir\": 1,\n \"nodes\": [}", "invalid JSON: expected a value", "line 2, column 12");
    row("other JSON", "{\"model_type\": \"bert\"}", "does not describe a graph", "", "docs/ir-format.md");
    row("other version", "{\"lancet_ir\": 2, \"nodes\": []}", "version 1", "line 1, column 15 ($.lancet_ir)");
    row("no nodes", "{\"lancet_ir\": 1}", "missing key \"nodes\"", "line 1, column 1 ($)");
    row("unknown key", "{\"lancet_ir\": 1, \"nodes\": [],\n \"module\": {}}", "unknown key \"module\"",
        "line 2, column 12 ($.module)", "modules");
    row("unknown node key", node("{\"op\": \"output\", \"arg\": []}"), "unknown key \"arg\"",
        "line 4, column 27 ($.nodes[1].arg)", "name, op, target, args");
    row("key twice", node("{\"op\": \"output\", \"op\": \"output\"}"), "given twice", "($.nodes[1].op)");
    row("keyword twice", node("{\"op\": \"call_method\", \"target\": \"f\", \"kwargs\": {\"a\": 1, \"a\": 2}}"),
        "given twice", "($.nodes[1].kwargs.a)");
    row("unknown op", node("{\"op\": \"call\"}"), "unknown op \"call\"", "line 4, column 10 ($.nodes[1].op)",
        "call_function");
    row("no target", node("{\"op\": \"call_method\"}"), "missing key \"target\"", "($.nodes[1])");
    row("two of a name", node("{\"op\": \"placeholder\", \"name\": \"x\"}"), "two nodes are named \"x\"",
        "($.nodes[1].name)");
    row("unknown node", arg("{\"node\": \"y\"}"), "unknown node \"y\"", "line 4, column 38 ($.nodes[1].args[0].node)",
        "named after its target");
    row("unknown form", arg("{\"note\": \"y\"}"), "unknown object \"note\"", "($.nodes[1].args[0].note)",
        "symbolic, enum, callable, opaque, repr");
    row("empty object", arg("{}"), "expected a key in this object", "($.nodes[1].args[0])", "node, tuple");
    row("two forms", arg("{\"dtype\": \"a\", \"layout\": \"b\"}"), "unknown object", "($.nodes[1].args[0])");
    row("slice of two", arg("{\"slice\": [1, 2]}"), "start, stop, step", "($.nodes[1].args[0].slice)");
    row("range of text", arg("{\"range\": [1, \"2\", 3]}"), "expected an integer, got a string",
        "($.nodes[1].args[0].range[1])");
    row("bytes", arg("{\"bytes\": \"0g\"}"), "hexadecimal", "($.nodes[1].args[0].bytes)");
    row("float", arg("{\"float\": \"1\"}"), "expected \"inf\"", "($.nodes[1].args[0].float)");
    row("repr", arg("{\"repr\": \"Config()\"}"), "unknown value Config()", "($.nodes[1].args[0].repr)", "opaque");
    row("type", node("{\"op\": \"placeholder\", \"name\": \"y\", \"type\": \"a[\"}"), "invalid annotation",
        "($.nodes[1].type)", "\"int | None\"; use {\"text\": ...}");
    row("users", node("{\"op\": \"placeholder\", \"name\": \"y\", \"users\": [\"x\"]}"),
        "does not match the nodes that use \"y\"", "($.nodes[1].users)", "leave \"users\" out");
    row("no tensor", "{\"lancet_ir\": 1, \"nodes\": [],\n \"buffers\": {\"b\": \"b\"}}", "missing tensor \"b\"",
        "line 2, column 19 ($.buffers.b)", "\"data\": null");
    row("bad geometry", buffer("[9]"), "does not fit into its data", "($.tensors.b)");
    row("huge geometry", buffer("[4611686018427387904, 4611686018427387904]"), "does not fit into its data",
        "($.tensors.b)");
    row("same_as", "{\"lancet_ir\": 1, \"nodes\": [], \"modules\": {\"a\": {\"same_as\": \"a\"}}}",
        "no module \"a\" before this one", "($.modules.a.same_as)");
    row("signature", "{\"lancet_ir\": 1, \"nodes\": [\"x\"], \"signature\": [{\"node\": \"x\", \"kind\": \"input\"}]}",
        "expected parameter", "($.signature[0].kind)");
    const auto exported = [](const QByteArray& key, QByteArray text) {
        return "{\"lancet_ir\": 1, \"nodes\": [\"x\"], \"signature\": [{\"node\": \"x\", \"kind\": \"user_input\"}],\n "
               "\"exported\": {\"outputs\": [], \"" +
               key + "\": \"" + text.replace('"', "\\\"") + "\"}}";
    };
    const QByteArray leaf = R"({"type": null, "context": null, "children_spec": []})";
    row("in_spec", exported("in_spec", "[1, 5]"), "expected an object", "($.exported.in_spec)");
    row("out_spec", exported("out_spec", "[1, 5]"), "[version, pytree specification]", "($.exported.out_spec)");
    row("spec no JSON", exported("out_spec", "{no"), "invalid JSON", "($.exported.out_spec)");
    row("spec no children", exported("in_spec", R"([1, {"type": "builtins.tuple", "context": "null"}])"),
        "missing key \"children_spec\" at $[1]", "line 2, column 41 ($.exported.in_spec)");
    row("spec in a spec",
        exported("in_spec", R"([1, {"type": "builtins.tuple", "context": "null", "children_spec": [7]}])"),
        "$[1].children_spec[0]", "($.exported.in_spec)");
    row("spec type", exported("in_spec", R"([1, {"type": 3, "context": "null", "children_spec": []}])"),
        "expected a string", "($.exported.in_spec)");
    row("dict context",
        exported("out_spec", R"([1, {"type": "builtins.dict", "context": "7", "children_spec": [)" + leaf + "]}]"),
        "expected an array", "($.exported.out_spec)");
    row("dict no keys",
        exported("out_spec", R"([1, {"type": "builtins.dict", "context": "[]", "children_spec": [)" + leaf + "]}]"),
        "for a dict of", "($.exported.out_spec)");
    row("deep", arg(QByteArray(300, '[') + QByteArray(300, ']')), "arguments are nested deeper than 200 levels",
        "line 4");
    row("very deep", QByteArray(100000, '['), "nested deeper than 1000 levels", "line 1, column 1001");
}

void TestIrJson::mistakes() {
    QFETCH(QByteArray, text);
    QFETCH(QString, what);
    QFETCH(QString, where);
    QFETCH(QString, hint);
    try {
        read(text);
        QFAIL("not refused");
    } catch (const Error& error) {
        QVERIFY2(QString(error.what()).contains(what), error.what());
        QVERIFY2(QString::fromStdString(error.where).contains(where), error.where.c_str());
        QVERIFY2(QString::fromStdString(error.hint).contains(hint), error.hint.c_str());
        QCOMPARE(error.kind(), ErrorKind::File);
        QVERIFY(QString::fromStdString(error.file).endsWith("net.json"));
    }
}

void TestIrJson::weights_missingOrCut_refused() {
    const GraphModule module = withBuffer();
    const std::string path = m_folder.filePath("w.json").toStdString();
    writeIrJson(module, path);
    QCOMPARE(readIrJson(path)->root->buffers.size(), 1u);
    QVERIFY(QFile::resize(m_folder.filePath("w.safetensors"), 10));
    QVERIFY_THROWS_EXCEPTION(Error, readIrJson(path));
    QVERIFY(QFile::remove(m_folder.filePath("w.safetensors")));
    try {
        readIrJson(path);
        QFAIL("not refused");
    } catch (const Error& error) { QVERIFY(QString(error.what()).contains("w.safetensors")); }
}

/// Weights that a description left behind may be replaced; nothing removes them.
void TestIrJson::weights_thatLancetWrote_areNotForeign() {
    const GraphModule module = withBuffer();
    const QString weights = m_folder.filePath("own.safetensors");
    const std::string path = m_folder.filePath("own.json").toStdString();
    writeIrJson(module, path);
    QCOMPARE(foreignWeights(path), std::string());
    writeIrJson(GraphModule(), path);
    QVERIFY(QFile::exists(weights));
    QCOMPARE(foreignWeights(path), std::string());
    QVERIFY(QFile::remove(m_folder.filePath("own.json")));
    QCOMPARE(foreignWeights(path), std::string());
    QFile file(weights);
    QVERIFY(file.open(QIODevice::WriteOnly));
    QCOMPARE(file.write("another's"), 9);
    file.close();
    QCOMPARE(foreignWeights(path), weights.toStdString());
}

/// Each place is counted out from the start of the file: 100,000 of them, or of keywords, took 20 s.
void TestIrJson::manyUnknownNames_areReadInLinearTime() {
    constexpr int kCount = 100'000;
    QByteArray nodes = "\"x\"", keywords;
    for (int i = 0; i < kCount; ++i) {
        const QByteArray number = QByteArray::number(i);
        nodes += R"(,{"op": "call_function", "target": "mine.f)" + number + R"(", "args": [{"node": "x"}]})";
        keywords += (i ? "," : "") + ("\"a " + number + "\": 1");
    }
    nodes += R"(,{"op": "call_method", "target": "view", "args": [{"node": "x"}], "kwargs": {)" + keywords + "}}";
    const std::clock_t start = std::clock();
    const auto module = read("{\"lancet_ir\": 1, \"nodes\": [" + nodes + "]}");
    QVERIFY(double(std::clock() - start) / CLOCKS_PER_SEC < 5.0 * LANCET_SLOWNESS);
    QCOMPARE(module->warnings.size(), std::size_t{kCount});
    QVERIFY(!module->warnings.front().where.empty());
}

/// A description from elsewhere must not bring a file of the user along.
/// torch.load runs the "_code" of a GraphModule, and reads others of these names.
void TestIrJson::settings_thatPyTorchKeepsItself_areLeftOut() {
    const auto module =
        read(R"-({"lancet_ir": 1, "class_name": "Net", "nodes": ["x", {"op": "output", "args": [{"node": "x"}]}],
        "settings": {"_code": "exec('1')", "_tracer_extras": {}, "_modules": {}, "mine": 1}, "modules": {
        "plain": {"type": "mine.Layer", "settings": {"_code": "text", "code": "text", "_parameters": 1}},
        "graph": {"nodes": ["x", {"op": "output", "args": [{"node": "x"}]}], "settings": {"_code": "exec('1')"}}}})-");
    QVERIFY(module);
    QCOMPARE(module->root->attributes.size(), 1u);
    QCOMPARE(module->root->children.size(), 2u);
    QCOMPARE(module->root->children[0].module->attributes.size(), 2u); // of a plain module they are its own
    QVERIFY(module->root->children[1].module->attributes.empty());
    QCOMPARE(module->warnings.size(), 5u);
    QVERIFY(module->warnings[0].what.is("ir.own_field"));
}

void TestIrJson::weights_linkOutOrPipe_refused() {
    const GraphModule module = withBuffer();
    QTemporaryDir elsewhere;
    const QString weights = m_folder.filePath("link.safetensors"), moved = elsewhere.filePath("w.safetensors");
    const std::string path = m_folder.filePath("link.json").toStdString();
    writeIrJson(module, path);
    QVERIFY(QFile::rename(weights, moved));
    QVERIFY(QFile::link(moved, weights));
    const auto codeOf = [&] {
        try {
            readIrJson(path);
            return std::string("read");
        } catch (const Error& error) { return std::string(error.message().code()); }
    };
    QCOMPARE(codeOf(), std::string("files.leads_outside"));
    QVERIFY(QFile::remove(weights));
    QCOMPARE(::mkfifo(weights.toUtf8().constData(), 0600), 0);
    QCOMPARE(codeOf(), std::string("files.not_regular")); // and nothing waits for it
    QVERIFY(QFile::remove(weights));
    QVERIFY(QFile::copy(moved, m_folder.filePath("inside")));
    QVERIFY(QFile::link("inside", weights));
    QCOMPARE(codeOf(), std::string("read"));
}

QTEST_APPLESS_MAIN(TestIrJson)
#include "tst_ir_json.moc"
