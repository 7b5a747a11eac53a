// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/steps/steps.h"
#include "core/io/ir_json/ir_json.h"
#include "core/json/json_writer.h"

#include <QTest>

using namespace fx;

namespace {

/// Two nodes call `act`, which is also at `same`; `a` and `b` share their weight; `counter` is written in place.
const char* const kModel = R"J({"lancet_ir": 1, "nodes": [
    "x",
    {"op": "get_attr", "target": "counter"},
    {"op": "call_method", "target": "add_", "args": [{"node": "counter"}, 1]},
    {"op": "call_module", "target": "a", "args": [{"node": "x"}]},
    {"op": "call_module", "target": "act", "args": [{"node": "a"}], "name": "act"},
    {"op": "call_function", "target": "torch.neg", "args": [{"node": "act"}]},
    {"op": "call_module", "target": "b", "args": [{"node": "neg"}]},
    {"op": "call_module", "target": "same", "args": [{"node": "b"}], "name": "act_1"},
    {"op": "call_method", "target": "mul_", "args": [{"node": "act_1"}, 2]},
    {"op": "call_function", "target": "torch.sigmoid", "args": [{"node": "act_1"}]},
    {"op": "call_module", "target": "single", "args": [{"node": "sigmoid"}]},
    {"op": "output", "args": [{"tuple": [{"node": "single"}, {"node": "mul_"}, {"node": "add_"}]}]}],
  "buffers": {"counter": "counter"},
  "modules": {
    "a": {"type": "torch.nn.Linear", "settings": {"in_features": 2, "out_features": 2}, "parameters": )J"
                           R"J({"weight": "a.weight", "bias": null}},
    "b": {"type": "torch.nn.Linear", "settings": {"in_features": 2, "out_features": 2}, "parameters": )J"
                           R"J({"weight": "a.weight", "bias": null}},
    "act": {"type": "torch.nn.ReLU", "settings": {"inplace": false}},
    "same": {"same_as": "act"},
    "single": {"type": "torch.nn.ReLU", "settings": {"inplace": false}}}})J";

/// Matches act and neg: an input with the type of a module stands for one.
const char* const kCallPattern =
    "{\"step\": \"replace_pattern\", \"pattern\": \"def f(x, m: torch.nn.ReLU):\\n    return torch.neg(m(x))\\n\", "
    "\"replacement\": \"def f(x, m: torch.nn.ReLU):\\n    return torch.abs(x)\\n\"}";

std::shared_ptr<GraphModule> model() {
    IrDescription ir;
    ir.text = kModel;
    ir.weights.entries = {{"a.weight", "F32", {2, 2}, Storage::inMemory(std::vector<std::byte>(16))},
                          {"counter", "F32", {1}, Storage::inMemory(std::vector<std::byte>(4))}};
    return readIrDescription(ir, "model");
}

} // namespace

class TestSharedUse : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void warnings_sayWhatElseChanges_data() {
        QTest::addColumn<QByteArray>("steps");
        QTest::addColumn<QStringList>("expected");
        const QByteArray gelu = R"("module": {"type": "torch.nn.GELU"}})";
        const auto pattern = [](const std::string& from, const std::string& to) {
            JsonWriter json;
            json.beginObject()
                .key("step")
                .string("replace_pattern")
                .key("pattern")
                .string("def f(x):\n    return " + from + "\n");
            return QByteArray::fromStdString(
                json.key("replacement").string("def f(x):\n    return " + to + "\n").endObject().text());
        };
        QTest::newRow("module called by two nodes at two paths")
            << R"({"step": "replace_module", "path": "act", )" + gelu
            << QStringList{"the module act changes for all 2 nodes that call it: act and act_1",
                           "act and same were one module"};
        QTest::newRow("module called once")
            << R"({"step": "replace_module", "path": "single", )" + gelu << QStringList{};
        QTest::newRow("module with a tied weight")
            << QByteArray(R"({"step": "replace_module", "path": "a", "module": {"type": "torch.nn.Linear", )"
                          R"("settings": {"in_features": 2, "out_features": 2, "bias": false}}})")
            << QStringList{"a.weight and b.weight shared their values (tied); b.weight keeps the old ones"};
        QTest::newRow("tied weight kept")
            << QByteArray(R"({"step": "replace_module", "path": "a", "keep": true, "module": {"type": )"
                          R"("torch.nn.Linear", "settings": {"bias": false}}})")
            << QStringList{};
        QTest::newRow("tied tensor")
            << QByteArray(R"({"step": "set_tensor", "path": "b.weight", "value": [[1, 2], [3, 4]]})")
            << QStringList{"b.weight and a.weight shared their values (tied); a.weight keeps the old ones"};
        QTest::newRow("tensor written in place")
            << QByteArray(R"({"step": "set_tensor", "path": "counter", "value": [5]})")
            << QStringList{"add_ writes to counter in place: the new values are only its initial ones"};
        QTest::newRow("deleted module that is also elsewhere")
            << R"({"step": "set_target", "node": "act", "target": "single"}, {"step": "delete_module", )"
               R"("path": "act"})" +
                   QByteArray()
            << QStringList{"act and same were one module; same stays what it was"};
        QTest::newRow("no module in the pattern") << pattern("torch.neg(x)", "torch.abs(x)") << QStringList{};
        QTest::newRow("one of two calls replaced")
            << QByteArray(kCallPattern)
            << QStringList{"only 1 of the 2 nodes that call the module act were replaced (act); act_1 still calls it"};
        QTest::newRow("writer erased")
            << QByteArray(R"({"step": "set_output", "value": {"tuple": [{"node": "single"}, {"node": "add_"}]}}, )"
                          R"({"step": "erase", "node": "mul_"})")
            << QStringList{"mul_ wrote to act_1 in place; sigmoid, which reads it later, gets other values now"};
        QTest::newRow("writer that nobody reads after")
            << QByteArray(R"({"step": "set_output", "value": {"tuple": [{"node": "single"}, {"node": "mul_"}]}}, )"
                          R"({"step": "erase", "node": "add_"})")
            << QStringList{};
        const QByteArray unused = R"({"step": "set_output", "value": {"tuple": [{"node": "single"}]}}, )";
        const QStringList lost{"mul_ wrote to act_1 in place; sigmoid, which reads it later, gets other values now"};
        QTest::newRow("unused writers removed") << unused + R"({"step": "dead_code"})" << lost;
        QTest::newRow("unused writers removed by the pass")
            << unused + R"({"step": "pass", "name": "dead_code"})" << lost;
        QTest::newRow("unused writers removed by a pipeline")
            << unused + R"({"step": "passes", "passes": ["dead_code"]})" << lost;
        QTest::newRow("writer in a pattern")
            << pattern("x.mul_(2)", "x * 2") << QStringList{"mul_ wrote to act_1 in place; sigmoid"};
    }
    void warnings_sayWhatElseChanges() {
        QFETCH(QByteArray, steps);
        QFETCH(QStringList, expected);
        const auto before = model();
        GraphModule after = *before;
        const EditEffect effect = applySteps(after, StepList::parse(("[" + steps + "]").toStdString()));
        QStringList told;
        for (const Warning& warning : effect.warnings) told << QString::fromStdString(warning.what.text());
        QVERIFY2(told.size() == expected.size(), qPrintable(told.join('\n')));
        for (qsizetype i = 0; i < expected.size(); ++i) QVERIFY2(told[i].startsWith(expected[i]), qPrintable(told[i]));
    }

    /// What a run of steps remembers of the model leads to the same warnings as a look at the model before each step.
    void longRun_warnsLikeStepsByThemselves() {
        GraphModule before = *model();
        const auto holder = std::make_shared<Module>(*resolvePath(*before.root, "a").module);
        before.root->children.push_back({"holder", holder});
        holder->children.push_back({"inner", resolvePath(*before.root, "b").shared});
        const StepList list = StepList::parse(longRun().toStdString());
        Warnings single;
        GraphModule stepByStep = before;
        for (const JsonValue step : list) applyStep(stepByStep, step, single);
        GraphModule atOnce = before;
        const Warnings together = applySteps(atOnce, list).warnings;
        QStringList expected, told;
        for (const Warning& warning : single) expected << QString::fromStdString(warning.what.text());
        for (const Warning& warning : together) told << QString::fromStdString(warning.what.text());
        QCOMPARE(told, expected);
        QVERIFY(told.size() > 4);
    }

private:
    /// Twelve replacements of `single`, then each of the others, twelve times the first, and the others again.
    static QByteArray longRun() {
        QByteArray steps = "[";
        const auto replace = [&](const QByteArray& path) {
            steps += "{\"step\": \"replace_module\", \"path\": \"" + path +
                     "\", \"keep\": true, \"module\": {\"type\": \"torch.nn.Tanh\"}}, ";
        };
        for (int round = 0; round < 2; ++round) {
            for (int i = 0; i < 12; ++i) replace("single");
            for (const QByteArray path : {"act", "holder.inner", "a", "same", "b", "holder"}) {
                replace(path);
                if (path == "holder")
                    steps += "{\"step\": \"add_module\", \"path\": \"holder.inner\", "
                             "\"module\": {\"type\": \"torch.nn.Tanh\"}}, ";
            }
        }
        return steps.chopped(2) + "]";
    }
};

QTEST_APPLESS_MAIN(TestSharedUse)
#include "tst_shared_use.moc"
