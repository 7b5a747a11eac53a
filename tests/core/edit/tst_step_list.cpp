// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/quantised_of.h"
#include "core/edit/recipe.h"
#include "core/edit/steps/step.h"
#include "core/edit/steps/step_files.h"
#include "tests/json_steps.h"

#include <QtTest>

using namespace fx;

class TestStepList : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void steps_areJsonThatStepsRead() {
        Graph graph;
        const NodeId x = graph.placeholder("x");
        const std::vector<Argument> args{x, Argument::tuple({1, 2.5}), "text"};
        const Kwargs kwargs{{"dim", Argument()}};
        const StepCall call{graph, args, kwargs};
        const std::string text =
            StepList()
                .insertAfter("x", {Op::CallModule, "m", "n", true, StepModule{"torch.nn.ReLU", {{"inplace", true}}}},
                             call)
                .insertBefore("y", {Op::CallFunction, "torch.relu", {}, false, {}}, call)
                .setTarget("x", "torch.neg")
                .setArgs("x", call)
                .rename("x", "z")
                .replaceUses("x", "y")
                .erase("x", "y", true)
                .text();
        const char* const expected =
            R"([{"step": "insert_after", "node": "x", "op": "call_module", "target": "m", "args": [{"node": )"
            R"("x"}, {"tuple": [1, 2.5]}, "text"], "kwargs": {"dim": null}, "module": {"type": )"
            R"("torch.nn.ReLU", "settings": {"inplace": true}}, "name": "n", "rewire_users": true}, {"step": )"
            R"("insert_before", "node": "y", "op": "call_function", "target": "torch.relu", "args": [{"node": )"
            R"("x"}, {"tuple": [1, 2.5]}, "text"], "kwargs": {"dim": null}}, {"step": "set_target", "node": )"
            R"("x", "target": "torch.neg"}, {"step": "set_args", "node": "x", "args": [{"node": "x"}, )"
            R"({"tuple": [1, 2.5]}, "text"], "kwargs": {"dim": null}}, {"step": "rename", "node": "x", )"
            R"("name": "z"}, {"step": "replace_uses", "node": "x", "with": "y"}, {"step": "erase", "node": )"
            R"("x", "replace_with": "y", "cascade": true}])";
        QCOMPARE(QString::fromStdString(text), QString(expected));
    }

    void passes_takeTheMembersOfThePipeline() {
        const std::string text =
            StepList().passes("{\"passes\": [\"cse\"], \"nodes\": [\"x\"]}\n", "{\"a\": 1}", "a \"b\"").text();
        const char* const expected = "[{\"step\": \"passes\", \"passes\": [\"cse\"], \"nodes\": [\"x\"], \"result\": "
                                     "{\"a\": 1}, \"file\": \"a \\\"b\\\"\"}]";
        QCOMPARE(QString::fromStdString(text), QString(expected));
        QCOMPARE(QString::fromStdString(StepList().passes(R"({"passes": []})").text()),
                 QString(R"([{"step": "passes", "passes": []}])"));
    }

    void text_isReadBackAsItIs() {
        for (const char* text :
             {"[]", R"([{"step": "set_args", "node": "é\u0000\ud800", "args": [1e999, -1e999, 0.1]}])",
              R"([{"step": "a", "a": 123456789012345678901234567890}, null])"})
            QCOMPARE(StepList::parse(text).text(), std::string(text));
        QVERIFY_THROWS_EXCEPTION(Error, (void)StepList::parse("{}"));
    }

    void steps_outliveTheListTheyCameFrom() {
        StepList list;
        {
            const StepList other = R"([{"step": "lint"}, {"step": "rename", "node": "a", "name": "b"}])"_steps;
            list.add(other, 1).add(other, 0);
        }
        QCOMPARE(StepList(list).text(),
                 std::string(R"([{"step": "rename", "node": "a", "name": "b"}, {"step": "lint"}])"));
    }

    /// By what it is, and not by the texts in it.
    void kind_isToldByTheStep() {
        const StepList rename = StepList().rename("quantize", "module");
        QVERIFY(rename.has("rename"));
        QVERIFY(!rename.has("quantize"));
        QVERIFY(!rename.createsModules());
        const StepModule relu{"torch.nn.ReLU", {}};
        QVERIFY(StepList().rename("a", "b").addModule("m", relu).createsModules());
        QVERIFY(StepList().replaceModuleClass("torch.nn.GELU", relu, true).createsModules());
        QVERIFY(!quantisedWith(rename));
        QCOMPARE(quantisedWith(StepList().quantize({"x86", "static", "", "data.pt", {}, {}, {}, {}})),
                 std::optional<std::string>("data.pt"));
        QVERIFY(filesInSteps(StepList().rename("file", "file")).empty());
    }

    void recipeOfAHistory_hasTheStepsToItsVersion() {
        History history(std::make_shared<GraphModule>());
        for (const char* name : {"a", "b", "c"})
            history.push(name, StepList().passes(R"({"passes": []})", "{}", "file").rename(name, "x"), history.model());
        history.goTo(2);
        const std::string steps = R"({"step": "passes", "passes": []}, {"step": "rename", "node": )";
        QCOMPARE(recipeText(history), "{\"lancet_recipe\": 1, \"steps\": [\n    " + steps +
                                          "\"a\", \"name\": \"x\"},\n    " + steps + "\"b\", \"name\": \"x\"}\n]}\n");
        QCOMPARE(recipeOf(history).text(), parseRecipe(recipeText(history)).text());
    }

    /// Each has the keys that its step knows, and all those that it needs.
    void everyStep_hasTheKeysOfItsKind() {
        const Graph graph;
        const std::vector<Argument> args;
        const Kwargs kwargs;
        const StepCall call{graph, args, kwargs};
        const StepModule module{"torch.nn.ReLU", {}};
        const StepList list = StepList()
                                  .insertAfter("x", {}, call)
                                  .setTarget("x", "t")
                                  .setArgs("x", call)
                                  .rename("x", "y")
                                  .replaceUses("x", "y")
                                  .erase("x", "y", true)
                                  .moveBefore("x", "y")
                                  .moveAfter("x", "y")
                                  .setOutput(graph, {})
                                  .inlineModule("x")
                                  .insertModel("f", "x", graph, kwargs)
                                  .setCode("code")
                                  .deadCode()
                                  .pass("cse")
                                  .passes(R"({"passes": ["cse"]})", R"({"a": 1})", "f")
                                  .addModule("m", module)
                                  .replaceModule("m", module, true)
                                  .replaceModuleClass("torch.nn.ReLU", module, true)
                                  .deleteModule("m")
                                  .setTraining("m", false)
                                  .setTensor("m.weight", "f")
                                  .quantize({"x86", "static", "converted", "in", "{}", "of", "graph", "f"})
                                  .replacePattern("p", "r", {true, true, {"literals"}, {"x"}})
                                  .partition({"{}", {}, {"torch.relu"}, true, true, true, false})
                                  .partition({{}, {{"x"}, {"y"}}, {}, false, false, false, true})
                                  .add(R"([{"step": "lint"}])"_steps, 0);
        for (const JsonValue step : list) {
            const StepKind* kind = nullptr;
            for (const auto* kinds : {&nodeSteps(), &moduleSteps(), &partitionSteps()})
                for (const StepKind& each : *kinds)
                    if (each.name == step.at("step").asText()) kind = &each;
            QVERIFY2(kind, std::string(step.at("step").asText()).c_str());
            const auto knows = [&](std::string key) {
                const auto is = [&](std::string_view each) { return each == key || each == key + "?"; };
                return std::any_of(kind->keys.begin(), kind->keys.end(), is);
            };
            for (const JsonValue member : step)
                QVERIFY2(member.key() == "step" || knows(std::string(member.key())), std::string(member.key()).c_str());
            for (const std::string_view key : kind->keys)
                QVERIFY2(key.ends_with('?') || step.find(key).exists(), std::string(key).c_str());
        }
        QCOMPARE(list.size(), 26u);
    }
};

QTEST_GUILESS_MAIN(TestStepList)
#include "tst_step_list.moc"
