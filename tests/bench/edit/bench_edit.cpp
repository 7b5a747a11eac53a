// SPDX-License-Identifier: GPL-3.0-or-later
// Single edits, the journal, recipes, edited code. One JSON line per figure; torch_fx.py measures what torch.fx has of
// it.
#include "core/codegen/python_code.h"
#include "core/edit/code/code_edit.h"
#include "core/edit/code/merge_code.h"
#include "core/edit/history.h"
#include "core/edit/recipe.h"
#include "core/edit/steps/steps.h"
#include "core/journal/journal.h"
#include "tests/bench/match/chain.h"
#include "tests/json_steps.h"

#include <filesystem>
#include <unistd.h>

using bench::millisOf;

namespace {

const fx::StepList kInsert =
    R"([{"step": "insert_after", "node": "relu_250", "op": "call_function", "target": "torch.relu", "args": )"
    R"([{"node": "relu_250"}], "rewire_users": true}])"_steps;

void editAndUndo(int pairs) {
    const fx::GraphModule net = bench::chain(pairs);
    bench::measure("edit", "one edit and undo", net.graph.size(), "0.05 ms", 200, [&] {
        fx::Warnings warnings;
        return millisOf([&] {
            fx::GraphModule edited = net; // undo goes back to `net`
            fx::applyStep(edited, kInsert[0], warnings);
        });
    });
    fx::History history(std::make_shared<fx::GraphModule>(net));
    bench::measure("edit", "one edit in the history, linted and compared, and undo", net.graph.size(), "", 20, [&] {
        return millisOf([&] {
            history.edit("insert", kInsert);
            history.goTo(0);
        });
    });
}

void journal() {
    const auto folder = std::filesystem::temp_directory_path() / ("lancet-bench-" + std::to_string(getpid()));
    fx::History history(std::make_shared<fx::GraphModule>(bench::chain(5'000)));
    fx::Journal journal(folder, {});
    bench::measure("edit", "journal append", history.model()->graph.size(), "", 200, [&] {
        history.push("insert", kInsert, history.model());
        return millisOf([&] { journal.edited(history); });
    });
    journal.remove();
    std::filesystem::remove_all(folder);
}

/// Steps that each take another kind of look at the graph.
std::string stepsOfRecipe(int count, bool modules) {
    std::string text = R"({"lancet_recipe": 1, "steps": [)";
    for (int i = 0; i < count; ++i) {
        const std::string n = std::to_string(i + 1);
        if (i) text += ", ";
        if (modules)
            text += R"({"step": "replace_module", "path": "layer)" + std::to_string(2 * i + 1) +
                    R"(", "module": {"type": "torch.nn.ReLU6"}})";
        else if (i % 2) text += R"({"step": "rename", "node": "relu_)" + n + R"(", "name": "renamed_)" + n + "\"}";
        else
            text += R"({"step": "insert_after", "node": "relu_)" + n +
                    R"(", "op": "call_function", "target": "torch.relu", "args": [{"node": "relu_)" + n +
                    R"("}], "rewire_users": true})";
    }
    return text + "]}";
}

void recipes() {
    const auto measured = [](const char* what, const char* goal, const fx::GraphModule& net, bool modules) {
        const fx::StepList recipe = fx::parseRecipe(stepsOfRecipe(1000, modules));
        bench::measure("edit", what, net.graph.size(), goal, 3, [&] {
            fx::GraphModule copy = net;
            return millisOf([&] { (void)fx::applySteps(copy, recipe); });
        });
    };
    measured("recipe of 1,000 steps: insert and rename", "", bench::chain(5'000), false);
    for (const int pairs : {1'000, 5'000, 20'000})
        measured("recipe of 1,000 steps: replace_module in a wide tree", pairs == 1'000 ? "50 ms" : "",
                 bench::wideModules(pairs), true);
}

/// The same steps as edits of their own, each a version that can be gone back to.
void editsInWideTree() {
    fx::History history(std::make_shared<fx::GraphModule>(bench::wideModules(1'000)));
    bench::measure("edit", "one replace_module in the history, in a wide tree, and undo", history.model()->graph.size(),
                   "", 200, [&] {
                       return millisOf([&] {
                           history.edit("replace", R"([{"step": "replace_module", "path": "layer1001", )"
                                                   R"("module": {"type": "torch.nn.ReLU6"}}])"_steps);
                           history.goTo(0);
                       });
                   });
}

/// Everywhere at once, and what the window takes from core to show it.
void replaceEverywhere(bool modules) {
    constexpr int kMatches = 12'500;
    const fx::GraphModule net = modules ? bench::wideModules(kMatches) : bench::chain(kMatches);
    const std::string pattern = modules ? "x, a: nn.ReLU): return a(x)" : "x): return torch.neg(torch.relu(x))";
    const std::string replacement =
        modules ? "x, a: nn.ReLU): return torch.relu(x)" : "x): return torch.neg(F.relu6(x))";
    const fx::StepList steps = fx::StepList().replacePattern("def f(" + pattern, "def f(" + replacement, {});
    fx::History history(std::make_shared<fx::GraphModule>(net));
    const auto timed = [&](const std::string& what, const char* goal, const auto& work) {
        bench::measure("edit", ((modules ? "12,500 modules replaced: " : "12,500 replacements: ") + what).c_str(),
                       net.graph.size(), goal, 5, work);
    };
    timed("through the history", "500 ms", [&] {
        history.goTo(0);
        return millisOf([&] { history.edit("replace", steps); });
    });
    const auto edited = history.model();
    timed("compared", "", [&] { return millisOf([&] { (void)fx::compareVersions(net.graph, edited->graph); }); });
    timed("their code", "", [&] { return millisOf([&] { (void)fx::generatePython(edited->graph); }); });
    timed("undo", "100 ms", [&] {
        history.goTo(1);
        return millisOf([&] {
            history.goTo(0);
            (void)fx::compareVersions(edited->graph, history.model()->graph);
            (void)fx::generatePython(history.model()->graph);
        });
    });
}

void code() {
    const fx::GraphModule net = bench::chain(5'000);
    const std::string base = fx::generatePython(net.graph).text;
    std::string mine = base, theirs = base;
    mine.replace(mine.find("torch.relu(neg_2499)"), 10, "torch.tanh");
    theirs.replace(theirs.find("torch.relu(neg_3999)"), 10, "torch.tanh");
    bench::measure("edit", "edited code to graph", net.graph.size(), "", 5,
                   [&] { return millisOf([&] { (void)fx::editCode(net, mine); }); });
    bench::measure("edit", "merge of two edited codes", net.graph.size(), "", 5,
                   [&] { return millisOf([&] { (void)fx::mergeCode(base, mine, theirs); }); });
}

} // namespace

int main() {
    for (const int pairs : {500, 5'000, 50'000}) editAndUndo(pairs);
    journal();
    recipes();
    for (const bool modules : {false, true}) replaceEverywhere(modules);
    editsInWideTree();
    code();
}
