// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/source_calls.h"

#include "core/ir/print.h"
#include "core/model_files/open.h"
#include "core/module/stand_in.h"
#include "core/python/tracing/source_reader.h"

#include <QtTest>

using namespace fx;

namespace {
constexpr const char* kNet = R"(import torch
from torch import nn

torch.fx.wrap('half')
def half(x):
    return x / 2

@torch.fx.wrap
def quarter(x):
    return half(half(x))

@torch.fx.wrap
def absolute(x):
    return x if x.min() > 0 else -x

class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 2)
    def forward(self, x):
        return quarter(self.fc(x))

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.parts = nn.ModuleList([Block(), Block()])
    def forward(self, x):
        for part in self.parts:
            x = part(x)
        return absolute(x)
)";
} // namespace

/// A reader that was taken over: it answers with graphs that are none of the calls.
class ForeignGraphs final : public SourceReader {
public:
    std::vector<TracedCall> traceCalls(const std::string&, const std::string&, const GraphModule&,
                                       const std::vector<std::string>& nodes, const SourceOptions&,
                                       const Progress&) override {
        std::vector<TracedCall> out;
        for (const std::string& node : nodes) {
            const auto graph = std::make_shared<GraphModule>();
            graph->graph.output(Argument(graph->graph.placeholder("x")));
            out.push_back({node, graph, std::nullopt});
        }
        return out;
    }
    std::shared_ptr<GraphModule> traceText(const std::string&, const std::string&, const SourceOptions&,
                                           const Progress&) override {
        return nullptr;
    }
    SourceTrace traceSource(const std::string&, const std::string&, const SourceOptions&, const Progress&) override {
        return {};
    }
    GraphModule traceDefinition(std::string_view, const SourceDefinition&, const DefinitionSettings&) override {
        return {};
    }
    void rehearse(const std::string&, const std::string&, const std::string&, const PassRun&) override {}
};

/// Models for the worker, with what only their source defines.
class TestSourceCalls : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    std::shared_ptr<GraphModule> open(SourceCalls& calls) {
        QFile file(m_folder.filePath("net.py"));
        if (!file.open(QIODevice::WriteOnly)) qFatal("cannot write");
        file.write(kNet);
        file.close();
        OpenOptions options;
        options.source.leafs = {"Block"};
        options.source.name = "Net";
        const auto made = openModel(file.fileName().toStdString(), options);
        calls.knows(made->path, options.source);
        return made;
    }
    static const Module& called(const GraphModule& model, const char* node) {
        return *resolvePath(*model.root, model.graph.node(model.graph.find(node)).target()).module;
    }

private Q_SLOTS:
    void calls_becomeNestedGraphs_theModelStaysAsItIs() {
        SourceCalls calls{Readers()};
        const auto model = open(calls);
        const std::string before = graphText(model->graph);
        const auto whole = calls.completed(model, {});
        QVERIFY(whole != model);
        QCOMPARE(tracedCalls(*model, *whole), 2U);
        QCOMPARE(tracedCalls(*model, *model), 0U);
        QCOMPARE(graphText(model->graph), before);
        QCOMPARE(model->root->children.size(), 1U);
        QCOMPARE(whole->graph.size(), model->graph.size());
        for (const Node& node : model->graph.nodes()) QCOMPARE(whole->graph.node(node.id()).name(), node.name());
        const Module& block = called(*whole, "parts_1");
        QVERIFY(block.graphModule);
        QCOMPARE(QString::fromStdString(block.qualifiedType()), "net.Block");
        QVERIFY(resolvePath(block, "parts.1.fc.weight").tensor ==
                resolvePath(*model->root, "parts.1.fc.weight").tensor);
        const Module& inner = called(*block.graphModule, "quarter");
        QVERIFY(inner.graphModule);
        QVERIFY(called(*inner.graphModule, "half_1").graphModule); // functions that such functions call
    }

    void sameCalls_areTracedOnce() {
        SourceCalls calls{Readers()};
        const auto model = open(calls);
        const auto first = calls.completed(model, {});
        QFile file(m_folder.filePath("net.py"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("def (");
        file.close();
        const auto edited = std::make_shared<GraphModule>(*model);
        edited->graph.rename(edited->graph.find("x"), "input");
        QVERIFY(!called(*calls.completed(edited, {}), "parts_0")
                     .graphModule); // another call of what the source no longer has
        QVERIFY(called(*calls.completed(model, {}), "parts_0").graphModule);
    }

    void typedText_isThatOfTheCalls() {
        SourceCalls calls{Readers()};
        const auto model = open(calls);
        QVERIFY(called(*calls.completed(model, {}), "parts_0").graphModule);
        OpenOptions options;
        options.source.name = "Net";
        calls.knows(model->path, options.source, "class Block:\n    pass\n");
        QVERIFY(!called(*calls.completed(model, {}), "parts_0").graphModule); // no module there
    }

    void refusedCall_hasTheReason() {
        SourceCalls calls{Readers()};
        const auto whole = calls.completed(open(calls), {});
        const auto* refusal = called(*whole, "absolute").setting<Sequence>(kRefusal);
        QVERIFY(refusal);
        const QString reason = QString::fromStdString(*refusal->items.at(0).as<std::string>());
        QVERIFY(reason.contains("control flow"));
        QVERIFY(reason.contains("net.py, line 14"));
    }

    void functionsThatCallEachOther_end() {
        QFile file(m_folder.filePath("tree.py"));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("import torch\n@torch.fx.wrap\ndef tree(x):\n    return other(x + 1) + other(x + 2)\n"
                   "@torch.fx.wrap\ndef other(x):\n    return tree(x + 1) + tree(x + 2)\n"
                   "def net(x):\n    return tree(x)\n");
        file.close();
        OpenOptions options;
        options.source.name = "net";
        SourceCalls calls{Readers()};
        const auto whole = calls.completed(openModel(file.fileName().toStdString(), options), {});
        std::size_t graphs = 0;
        forEachModule(*whole->root,
                      [&](const std::string&, const Module& module) { graphs += module.graphModule != nullptr; });
        QVERIFY(graphs > 16);
        QVERIFY(graphs <= 10'000);
    }

    void answersOfAnotherShape_areRefused() {
        Readers readers;
        readers.python = std::make_shared<ForeignGraphs>();
        SourceCalls calls(readers);
        const auto whole = calls.completed(open(calls), {});
        QVERIFY(!called(*whole, "parts_0").graphModule); // the graph has no such module
        QVERIFY(called(*whole, "parts_0").setting<Sequence>(kRefusal));
        QVERIFY(called(*whole, "absolute").graphModule); // one input and an output are all that is known of it
    }

    void modelsWithoutSuchCalls_orWithoutSource_stayThemselves() {
        SourceCalls calls{Readers()};
        const auto model = open(calls);
        const auto moved = std::make_shared<GraphModule>(*model);
        moved->path = "net.pt";
        SourceCalls withoutSource{Readers()};
        QVERIFY(withoutSource.completed(moved, {}) == moved);
        QVERIFY(called(*calls.completed(moved, {}), "parts_0").graphModule); // the folder of what was opened, too
        SourceCalls inFolder(Readers(), {m_folder.path().toStdString()});
        QVERIFY(called(*inFolder.completed(moved, {}), "parts_0").graphModule);
        const auto plain = std::make_shared<GraphModule>();
        plain->path = model->path;
        plain->graph.output(Argument(plain->graph.placeholder("x")));
        QVERIFY(calls.completed(plain, {}) == plain);
    }
};

QTEST_GUILESS_MAIN(TestSourceCalls)
#include "tst_source_calls.moc"
