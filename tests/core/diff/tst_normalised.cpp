// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diff/changed_part.h"
#include "core/diff/normalised.h"
#include "core/edit/recipe.h"
#include "core/edit/steps/steps.h"
#include "core/ir/print.h"
#include "core/model_files/open.h"
#include "core/python/tracing/trace_definition.h"

#include <QtTest>

using namespace fx;

class TestNormalised : public QObject {
    Q_OBJECT

    static std::shared_ptr<GraphModule> traced(const QString& source) {
        return std::make_shared<GraphModule>(traceFunctionSource(source.toStdString()));
    }
    static std::shared_ptr<GraphModule> cut(const GraphModule& model, const char* step) {
        GraphModule out = model;
        applySteps(out, parseRecipe(std::string(R"({"lancet_recipe": 1, "steps": [)") + step + "]}"));
        return std::make_shared<GraphModule>(std::move(out));
    }

private Q_SLOTS:
    void cutModel_isTheModel_data() {
        QTest::addColumn<QString>("source");
        QTest::newRow("chunk and size on a border")
            << "def net(x):\n    n = x.size(0)\n    a, b = x.chunk(2, 1)\n    c = torch.sin(a)\n"
               "    d = torch.cos(b)\n    return c.view(n, -1) + d";
        QTest::newRow("max") << "def net(x):\n    y = torch.neg(x)\n    m = torch.max(y, 1)\n    return "
                                "torch.sin(m[0]), torch.neg(m[1])";
        QTest::newRow("shared")
            << "def net(x):\n    y = torch.sin(x)\n    z = torch.cos(y)\n    return torch.neg(y) + z, y";
    }
    void cutModel_isTheModel() {
        QFETCH(QString, source);
        const auto model = traced(source);
        const auto split =
            cut(*model, R"({"step": "partition", "rules": {"supported": [{"target": "torch.*"}]}, "split": true})");
        QVERIFY(split->root->child("submod_0"));
        InlinedNodes inlined;
        const auto whole = normalised(std::shared_ptr<const GraphModule>(split), &inlined);
        QVERIFY(whole != split);
        for (const Node& node : whole->graph.nodes()) QVERIFY(node.op() != Op::CallModule);
        for (const auto& [name, from] : inlined) {
            QVERIFY2(split->graph.find(from.call) != kNoNode, from.call.c_str());
            const Module* child = split->root->child(from.call);
            QVERIFY2(child, from.inner.c_str());
            QVERIFY2(child->graphModule->graph.find(from.inner) != kNoNode, from.inner.c_str());
            QVERIFY2(whole->graph.find(name) != kNoNode, name.c_str());
        }
        QVERIFY(!inlined.empty());
        const ChangedPart part(*model, *whole);
        QVERIFY(part.sameOutputs());
        QVERIFY(part.exits().empty());
        for (const Node& node : model->graph.nodes())
            QVERIFY2(part.counterpart(node.id()) != kNoNode, node.name().c_str());
    }
    void wholeModel_isKept() {
        const std::shared_ptr<const GraphModule> model = traced("def net(x):\n    return torch.sin(x)");
        QCOMPARE(normalised(model), model);
    }
};

QTEST_APPLESS_MAIN(TestNormalised)
#include "tst_normalised.moc"
