// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/module/copy_modules.h"
#include "core/module/graph_module.h"
#include "core/module/module_editor.h"
#include "core/module/module_paths.h"

#include <QTest>

using namespace fx;
using Kind = PathTarget::Kind;

namespace {

TensorPtr tensor(std::vector<std::int64_t> sizes) {
    TensorRef result;
    result.sizes = std::move(sizes);
    return std::make_shared<const TensorRef>(std::move(result));
}

/// root(p, scale=2, plain tensor) -> a(w, b=None), b is a; c(buf, non-persistent) -> d(w tied with a.w); gone=None
std::shared_ptr<Module> tree() {
    auto root = std::make_shared<Module>(), a = std::make_shared<Module>(), c = std::make_shared<Module>(),
         d = std::make_shared<Module>();
    a->className = "Linear";
    a->classModule = "torch.nn.modules.linear";
    a->parameters = {{"w", tensor({2, 3})}, {"b", nullptr}};
    d->parameters = {{"w", a->parameters[0].tensor}};
    c->buffers = {{"buf", tensor({}), false}};
    c->children = {{"d", d}};
    root->parameters = {{"p", tensor({5})}};
    root->attributes = {{"scale", Argument(2)}, {"plain", tensor({7})}};
    root->children = {{"a", a}, {"b", a}, {"c", c}, {"gone", nullptr}};
    return root;
}

} // namespace

class TestModule : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void resolvePath_everyKind_asGetattr_data() {
        QTest::addColumn<QString>("path");
        QTest::addColumn<int>("kind");
        QTest::addColumn<QString>("missingAt");
        const auto row = [](const char* path, Kind kind, const char* missing = "") {
            QTest::newRow(*path ? path : "root") << path << static_cast<int>(kind) << missing;
        };
        row("", Kind::Module);
        row("a", Kind::Module);
        row("c.d", Kind::Module);
        row("c.d.w", Kind::Parameter);
        row("a.b", Kind::Parameter);
        row("c.buf", Kind::Buffer);
        row("plain", Kind::Tensor);
        row("scale", Kind::Attribute);
        row("gone", Kind::Attribute);
        row("nope", Kind::Missing, "nope");
        row("c.nope.w", Kind::Missing, "nope");
        row("scale.real", Kind::Missing, "real");
        row("gone.w", Kind::Missing, "w");
        row("a..w", Kind::Missing, "");
    }

    void resolvePath_everyKind_asGetattr() {
        QFETCH(QString, path);
        QFETCH(int, kind);
        QFETCH(QString, missingAt);
        const auto root = tree();
        const PathTarget target = resolvePath(*root, path.toStdString());
        QCOMPARE(static_cast<int>(target.kind), kind);
        QCOMPARE(QString::fromStdString(target.missingAt), missingAt);
        QCOMPARE(target.module != nullptr, target.kind == Kind::Module);
        QCOMPARE(target.value != nullptr, target.kind == Kind::Attribute);
    }

    void forEachModule_sharedModule_onceInNamedModulesOrder() {
        const auto root = tree();
        std::string paths;
        forEachModule(*root, [&](const std::string& path, const Module&) { paths += path + ";"; });
        QCOMPARE(paths, std::string(";a;c;c.d;"));
    }

    void totals_tiedTensors_once() {
        const ModuleTotals got = totals(*tree());
        QCOMPARE(got.modules, std::int64_t{3});
        QCOMPARE(got.parameters.tensors, std::int64_t{2});
        QCOMPARE(got.parameters.elements, std::int64_t{11});
        QCOMPARE(got.parameters.bytes, std::int64_t{44});
        QCOMPARE(got.buffers.elements, std::int64_t{1});
    }

    void forEachModule_cycle_ends() {
        const auto root = tree();
        root->children.push_back({"self", std::shared_ptr<Module>(std::shared_ptr<Module>(), root.get())});
        int visits = 0;
        forEachModule(*root, [&](const std::string&, const Module&) { ++visits; });
        QCOMPARE(visits, 4);
    }

    void editor_moduleOfSeveralParents_staysOneModule() {
        GraphModule net;
        net.root = tree();
        net.root->children[0].module->children = {{"inner", net.root->children[2].module->children[0].module}};
        const GraphModule before = net;
        ModuleEditor(net).writable("c.d")->className = "Changed";
        const Module &now = *net.root, &old = *before.root;
        QCOMPARE(now.child("c")->child("d")->className, std::string("Changed"));
        QCOMPARE(now.child("a")->child("inner"), now.child("c")->child("d"));
        QCOMPARE(now.child("a"), now.child("b"));
        QVERIFY(now.child("a") != old.child("a"));
        QVERIFY(now.child("c") != old.child("c"));
        QVERIFY(old.child("c")->child("d")->className.empty());
        QCOMPARE(old.child("a")->child("inner"), old.child("c")->child("d"));
    }

    void editor_add_replacesModulesAndNothingElse() {
        GraphModule net;
        net.root = tree();
        net.root->attributes.emplace_back("value", Argument(1));
        const auto named = [](const char* name) {
            auto module = std::make_shared<Module>();
            module->className = name;
            return module;
        };
        ModuleEditor editor(net);
        QVERIFY(editor.add("c.d", named("First")));
        QVERIFY(editor.add("new.inner", named("Second")));
        QVERIFY(editor.add("c.d", named("Third")));
        QVERIFY(!editor.add("c.buf", named("Fourth")));
        QVERIFY(!editor.add("value.inner", named("Fourth")));
        QVERIFY(!editor.add("c.buf.inner", named("Fourth")));
        QCOMPARE(net.root->child("c")->child("d")->className, std::string("Third"));
        QCOMPARE(net.root->child("c")->children.size(), std::size_t{1});
        QCOMPARE(net.root->child("new")->child("inner")->className, std::string("Second"));
    }

    void editor_longPaths_areAddedInOneWalk() {
        GraphModule net;
        net.root = tree();
        std::string path = "n";
        for (int i = 1; i < 800; ++i) path += ".n";
        ModuleEditor editor(net);
        QVERIFY(editor.add(path, std::make_shared<Module>()));
        QVERIFY(editor.add(path + ".q", std::make_shared<Module>()));
        QCOMPARE(resolvePath(*net.root, path + ".q").kind, PathTarget::Kind::Module);
        QCOMPARE(resolvePath(*net.root, path).module->children.size(), 1U);
        for (int i = 0; i < 20000; ++i) path += ".n";
        try {
            editor.add(path, std::make_shared<Module>());
            QFAIL("it was added");
        } catch (const Error& error) { QVERIFY(std::string(error.what()).find("20800 parts") != std::string::npos); }
    }

    void buffer_isFoundWithWhetherItIsSaved() {
        const auto root = tree();
        root->buffers = {{"kept", nullptr, true}, {"scratch", nullptr, false}};
        QVERIFY(resolvePath(*root, "kept").persistent);
        QVERIFY(!resolvePath(*root, "scratch").persistent);
    }

    void editor_unused_partsOfCalledModulesStay() {
        GraphModule net;
        net.root = tree();
        net.graph.createNode(Op::GetAttr, "c.buf"); // names the module before it is called
        const NodeId x = net.graph.placeholder("x");
        net.graph.output(net.graph.createNode(Op::CallModule, "c", {x}));
        QCOMPARE(ModuleEditor(net).removeUnused(), (std::vector<std::string>{"a"}));
        QVERIFY(net.root->child("c")->child("d"));
    }

    /// Two children that are one module double the paths.
    void paths_ofSharedModules_countedInTimeOfTheModules() {
        auto shared = std::make_shared<Module>();
        QCOMPARE(countPaths(*shared, 100), std::size_t{1});
        for (int level = 1; level < 5; ++level) {
            auto above = std::make_shared<Module>();
            above->children = {{"a", shared}, {"none", nullptr}, {"b", shared}};
            shared = above;
        }
        QCOMPARE(countPaths(*shared, 100), std::size_t{31});
        QCOMPARE(countPaths(*shared, 30), std::size_t{31});
        QCOMPARE(countPaths(*shared, 10), std::size_t{11}); // more
        requireFewPaths(*shared);
        for (int level = 0; level < 100; ++level) {
            auto above = std::make_shared<Module>();
            above->children = {{"a", shared}, {"b", shared}};
            shared = above;
        }
        QVERIFY_THROWS_EXCEPTION(Error, requireFewPaths(*shared));
        QCOMPARE(countPaths(*tree(), 100), std::size_t{5}); // "", a, b, c, c.d
    }

    /// `layers` is a GraphModule of its own: its constant reads what it has, that of the root reads the first, and both
    /// stay with all that they read when a new root is made, as the graph has only the root.
    void constants_notComputedYet_keepWhatTheyRead() {
        GraphModule net;
        net.root = tree();
        const auto computed = [](const char* source) {
            TensorRef made;
            made.storage = Storage::expression(source, 0);
            return std::make_shared<const TensorRef>(std::move(made));
        };
        auto layers = std::make_shared<Module>();
        layers->buffers = {{"k", tensor({2})}, {"spare", tensor({2})}, {"one", computed("torch.sin(self.k.T)")}};
        layers->graphModule = std::make_shared<GraphModule>();
        net.root->children.push_back({"layers", layers});
        net.root->buffers = {{"two", computed("self.layers.one + self.c.buf")}, {"free", computed("torch.ones(2)")}};
        net.graph.output(net.graph.createNode(Op::GetAttr, "two"));
        GraphModule whole = net;
        QCOMPARE(ModuleEditor(net).removeUnused(), (std::vector<std::string>{"a", "c.d"}));
        copyModules(whole, net);
        QCOMPARE(net.root->buffers.size(), std::size_t{1});
        QVERIFY(net.root->child("c")->buffer("buf"));
        QVERIFY(!net.root->child("a"));
        const Module& copied = *net.root->child("layers");
        QVERIFY(copied.buffer("k"));
        QVERIFY(copied.buffer("one"));
        QVERIFY(!copied.buffer("spare"));
        QCOMPARE(copied.buffer("one")->tensor->storage->expressionSource(), std::string("torch.sin(self.layers.k.T)"));
    }
};

QTEST_APPLESS_MAIN(TestModule)
#include "tst_module.moc"
