// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/open.h"
#include "core/model_files/save_graphmodule.h"
#include "core/model_files/traced_effects.h"
#include "core/passes/inplace_methods.h"
#include "core/passes/manager/pass_manager.h"

#include <QTemporaryDir>
#include <QtTest>

using namespace fx;

/// tests/oracle/saved_effects.py compares with what PyTorch loads.
class TestTracedEffects : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    static constexpr const char* kTensors = R"J("parameters": {"w": "w"}, "buffers": {"count": "count"}, "tensors": {
        "w": {"dtype": "torch.float32", "sizes": [3], "data": null, "device": "meta"},
        "count": {"dtype": "torch.float32", "sizes": [3], "data": null, "device": "meta"}})J";

    GraphModule opened(const QString& nodes, const QString& more = {}) {
        QFile file(m_folder.filePath(QStringLiteral("m.json")));
        if (!file.open(QFile::WriteOnly)) return {};
        file.write(QStringLiteral(R"J({"lancet_ir": 1, "nodes": [%1]%2})J").arg(nodes, more).toUtf8());
        file.close();
        return *openModel(file.fileName().toStdString());
    }
    /// A model with the input x, the buffer count, the parameter w, and these nodes.
    GraphModule model(const QString& nodes, const QString& output = QStringLiteral("x")) {
        return opened(QStringLiteral(R"J("x", {"op": "get_attr", "target": "count"}, {"op": "get_attr", "target": "w"},
            %1, {"op": "output", "args": [{"node": "%2"}]})J")
                          .arg(nodes, output),
                      QStringLiteral(",") + kTensors);
    }
    static QString call(const char* target, const char* args, const char* name, const char* op = "call_function") {
        return QStringLiteral(R"J({"op": "%4", "target": "%1", "args": %2, "name": "%3"})J")
            .arg(target, args, name, op);
    }
    static QString told(const std::vector<Foreseen>& found) {
        QStringList texts;
        for (const Foreseen& each : found)
            texts << QString::fromUtf8(each.what.code()) + " " + QString::fromStdString(each.nodes.front());
        return texts.join(", ");
    }

private Q_SLOTS:
    void effects_areToldForTheirNode_data() {
        QTest::addColumn<QString>("nodes");
        QTest::addColumn<QString>("output");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* name, const QStringList& nodes, const char* output, const char* expected) {
            QTest::newRow(name) << nodes.join(",") << QString(output) << QString(expected);
        };
        const QString relu = call("torch.relu", R"([{"node": "x"}])", "relu");
        for (const char* op : {"iadd", "iand", "ifloordiv", "ilshift", "imod", "imul", "ior", "ipow", "irshift", "isub",
                               "itruediv", "ixor"})
            row(op, {call(qPrintable(QStringLiteral("operator.") + op), R"([{"node": "x"}, 2])", "r")}, "r",
                "foresee.write_lost r");
        row("matmul gives a new tensor", {call("operator.imatmul", R"([{"node": "x"}, {"node": "w"}])", "r")}, "r", "");
        row("new memory that nothing else reads", {relu, call("operator.iadd", R"([{"node": "relu"}, 2])", "r")}, "r",
            "");
        row("read by its own name afterwards",
            {relu, call("operator.iadd", R"([{"node": "relu"}, 2])", "r"),
             call("torch.neg", R"([{"node": "relu"}])", "n")},
            "n", "");
        row("a view is read",
            {relu, call("view", R"([{"node": "relu"}, 3, 1])", "v", "call_method"),
             call("operator.iadd", R"([{"node": "relu"}, 2])", "r")},
            "v", "foresee.write_lost r");
        row("the base of a view is read",
            {relu, call("operator.getitem", R"([{"node": "relu"}, 0])", "v"),
             call("operator.iadd", R"([{"node": "v"}, 2])", "r")},
            "relu", "foresee.write_lost r");
        row("the name before the last is read",
            {relu, call("operator.iadd", R"([{"node": "relu"}, 2])", "a"),
             call("operator.iadd", R"([{"node": "a"}, 3])", "b")},
            "relu", "foresee.write_lost b");
        row("a buffer plus an input is the method",
            {call("operator.iadd", R"([{"node": "count"}, {"node": "x"}])", "r")}, "r", "");
        row("a buffer plus a number", {call("operator.iadd", R"([{"node": "count"}, 1])", "r")}, "r",
            "foresee.updated_once r");
        row("a buffer, by a method", {call("add_", R"([{"node": "count"}, 1])", "r", "call_method")}, "r",
            "foresee.updated_once r");
        row("a number",
            {call("size", R"([{"node": "x"}, 0])", "n", "call_method"),
             call("operator.iadd", R"([{"node": "n"}, 1])", "r")},
            "r", "");
        row("a new tensor that runs write to",
            {call("torch.zeros", "[3]", "z"), call("add_", R"([{"node": "z"}, {"node": "x"}])", "r", "call_method")},
            "r", "foresee.constant_kept r");
        row("random numbers", {call("torch.rand", "[3]", "a"), call("torch.randn", "[3]", "b")}, "a",
            "foresee.random_frozen a");
        row("modes", {call("torch._C._set_grad_enabled", "[false]", "g")}, "x", "foresee.runs_once g");
        row("a check", {call("torch._assert", R"([true, "no"])", "g")}, "x", "");
        row("is", {call("operator.is_", R"([{"node": "x"}, null])", "i")}, "i", "foresee.decided_once i");
        row("is, of a constant", {call("operator.is_", R"([{"node": "count"}, null])", "i")}, "i", "");
    }
    void effects_areToldForTheirNode() {
        QFETCH(QString, nodes);
        QFETCH(QString, output);
        QFETCH(QString, expected);
        QCOMPARE(told(tracedEffects(model(nodes, output))), expected);
    }

    void writeLost_offersThePassThatKeepsIt() {
        GraphModule module = model(call("operator.isub", R"([{"node": "x"}, 2])", "r"), QStringLiteral("r"));
        const auto found = tracedEffects(module);
        QCOMPARE(found.size(), 1u);
        QVERIFY(QString::fromStdString(found[0].what.text()).contains("'x -= …' as 'x = x - …'"));
        QVERIFY(QString::fromStdString(found[0].what.hint()).contains("inplace_methods, which calls sub_"));
        Warnings warnings;
        runPasses(module, {{"inplace_methods", {}}}, warnings, {}, nullptr);
        QVERIFY(tracedEffects(module).empty());
        const Node& node = module.graph.node(module.graph.find("r"));
        QVERIFY(node.op() == Op::CallMethod);
        QCOMPARE(node.target(), std::string("sub_"));
        GraphModule sizes = model(call("size", R"([{"node": "x"}, 0])", "n", "call_method") + "," +
                                      call("operator.iadd", R"([{"node": "n"}, 1])", "r"),
                                  QStringLiteral("r"));
        runPasses(sizes, {{"inplace_methods", {}}}, warnings, {}, nullptr);
        QVERIFY(sizes.graph.node(sizes.graph.find("r")).op() == Op::CallFunction);
    }

    void inputsThatHideWhatCodeReads_areRenamed_data() {
        QTest::addColumn<QString>("input");
        QTest::addColumn<QString>("nodes");
        QTest::addColumn<QString>("output");
        QTest::addColumn<QString>("target");
        const QString clamp = QStringLiteral(R"J({"op": "call_function", "target": "torch.clamp", "name": "r",
            "args": [{"node": "x"}, 0, {"repr": "%1"}]})J");
        QTest::newRow("inf") << "inf" << clamp.arg("inf") << "r"
                             << "inf_1";
        QTest::newRow("nan") << "nan" << clamp.arg("nan") << "r"
                             << "nan_1";
        QTest::newRow("nan, which nothing reads") << "nan" << clamp.arg("inf") << "r"
                                                  << "nan";
        QTest::newRow("torch") << "torch" << call("torch.relu", R"([{"node": "x"}])", "r") << "r"
                               << "torch_1";
        QTest::newRow("slice") << "slice"
                               << call("operator.getitem", R"([{"node": "x"}, {"slice": [0, 2, null]}])", "r") << "r"
                               << "slice_1";
        QTest::newRow("a keyword argument")
            << "nan"
            << R"J({"op": "call_function", "target": "torch.nan_to_num", "args": [{"node": "x"}], "name": "r",
                    "kwargs": {"nan": 1}})J"
            << "r"
            << "nan";
        QTest::newRow("an attribute") << "relu" << call("relu", R"([{"node": "x"}])", "r", "call_method") << "r"
                                      << "relu";
        QTest::newRow("a later node") << "r" << call("torch.relu", R"([{"node": "x"}])", "r") << "r"
                                      << "r";
        QTest::newRow("an imported function") << "math_sqrt" << call("math.sqrt", "[4.0]", "r") << "r"
                                              << "math_sqrt_1";
    }
    void inputsThatHideWhatCodeReads_areRenamed() {
        QFETCH(QString, input);
        QFETCH(QString, nodes);
        QFETCH(QString, output);
        QFETCH(QString, target);
        const GraphModule module = opened(QStringLiteral(R"J({"op": "placeholder", "target": "%1", "name": "x"}, %2,
                {"op": "output", "args": [{"node": "%3"}]})J")
                                              .arg(input, nodes, output));
        QStringList renamed;
        for (const Foreseen& each : foresee(module, SavedAs::Source))
            if (each.what.is("foresee.input_renamed"))
                renamed << QString::fromStdString(each.nodes[0] + " " + each.what.argument("after"));
        QCOMPARE(renamed.join(","), target == input ? QString() : "x " + target);
        const std::string path = m_folder.filePath(QStringLiteral("m.pt")).toStdString();
        saveGraphModule(module, path, true);
        const auto again = openModel(path);
        QVERIFY2(!again->notLoadable, again->warnings.empty() ? "" : again->warnings[0].what.text().c_str());
        QCOMPARE(again->graph.node(again->graph.first()).target(), target.toStdString());
    }

    void swappedNamesAndSelf_areRenamed() {
        const auto codeOf = [&](const char* nodes) {
            const std::string path = m_folder.filePath(QStringLiteral("n.pt")).toStdString();
            saveGraphModule(opened(QString::fromUtf8(nodes)), path, true);
            const auto again = openModel(path);
            QString text;
            for (const Node& node : again->graph.nodes())
                text += QString::fromStdString(node.target() + " " + std::to_string(node.inputs().size()) + ",");
            return again->notLoadable ? QStringLiteral("not loadable") : text;
        };
        QCOMPARE(codeOf(R"J({"op": "placeholder", "target": "b", "name": "a"},
            {"op": "placeholder", "target": "a", "name": "b"},
            {"op": "call_function", "target": "torch.sub", "args": [{"node": "a"}, {"node": "b"}]},
            {"op": "output", "args": [{"node": "sub"}]})J"),
                 QStringLiteral("b 0,a_1 0,torch.sub 2,output 1,"));
        QCOMPARE(codeOf(R"J({"op": "placeholder", "target": "x"}, {"op": "placeholder", "target": "self", "name": "y"},
            {"op": "call_function", "target": "torch.sub", "args": [{"node": "x"}, {"node": "y"}], "name": "self"},
            {"op": "call_function", "target": "torch.neg", "args": [{"node": "self"}]},
            {"op": "output", "args": [{"node": "neg"}]})J"),
                 QStringLiteral("x 0,self_2 0,torch.sub 2,torch.neg 1,output 1,"));
    }
};

QTEST_GUILESS_MAIN(TestTracedEffects)
#include "tst_traced_effects.moc"
