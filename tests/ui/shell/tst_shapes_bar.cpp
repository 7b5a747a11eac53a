// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/models.h"
#include "ui/inspector/node_html.h"
#include "ui/shell/shapes_bar.h"

#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

using namespace ui;

/// Nodes without a shape because nothing of a file runs when it is opened.
class TestShapesBar : public QObject {
    Q_OBJECT

    /// `first_conv` waits; what comes before it is known.
    static fx::NodeShapes waiting() {
        fx::ShapeFailure failure;
        failure.node = "first_conv", failure.needsValues = true;
        failure.what = fx::Message("engine.not_inferred", {{"what", "TorchScript"}});
        fx::NodeShapes shapes;
        shapes.failures = {failure};
        return shapes;
    }

private Q_SLOTS:
    void nodesThatWait_areCountedUntilTheirShapesAreAskedFor() {
        Document document({});
        document.adopt(testing::smallNet(), QStringLiteral("net"));
        ShapesBar bar(document);
        QVERIFY(bar.isHidden());
        QTRY_VERIFY(document.facts().info()); // and the problems of the graph
        const auto problems = document.facts().problems().size();
        document.shapes().set(
            makeShapeNotes(document.module(), waiting(), {}, OriginalTakes::Unknown, ShapesFor::Opening));
        // view has none either; the file says that of relu
        QCOMPARE(bar.text(), QStringLiteral("2 nodes have no shape: opening a file does not run TorchScript."));
        QCOMPARE(document.facts().problems().size(), problems); // nothing is wrong
        const fx::Graph& graph = document.module()->graph;
        QVERIFY(nodeHtml(document, graph.node(graph.find("view")))
                    .contains(QStringLiteral("opening a file does not run TorchScript")));
        QSignalSpy asked(&document.shapes(), &DocumentShapes::asked);
        bar.findChild<QPushButton*>()->click();
        QCOMPARE(asked.count(), 1);
        document.shapes().set(makeShapeNotes(document.module(), waiting(), {}));
        QVERIFY(bar.isHidden());
        QCOMPARE(document.facts().problems().size(), problems + 1); // now it is known to need values
    }

    void nodesThatNeedValues_areNotSaidToBeForbidden() {
        Document document({});
        document.adopt(testing::smallNet(), QStringLiteral("net"));
        ShapesBar bar(document);
        fx::NodeShapes shapes = waiting();
        shapes.failures[0].what = fx::Message("engine.needs_values", {{"detail", "index 7 is out of range"}});
        document.shapes().set(
            makeShapeNotes(document.module(), shapes, {}, OriginalTakes::Unknown, ShapesFor::Opening));
        QCOMPARE(bar.text(),
                 QStringLiteral("2 nodes have no shape: they depend on values, and opening a file computes none."));
        const fx::Graph& graph = document.module()->graph;
        QVERIFY(nodeHtml(document, graph.node(graph.find("view"))).contains(QStringLiteral("index 7 is out of range")));
        fx::ShapeFailure another = shapes.failures[0];
        another.node = "view", another.what = fx::Message("engine.not_inferred", {{"what", "my::op"}});
        shapes.failures.push_back(another);
        document.shapes().set(
            makeShapeNotes(document.module(), shapes, {}, OriginalTakes::Unknown, ShapesFor::Opening));
        QCOMPARE(bar.text(), QStringLiteral("2 nodes have no shape: opening a file computes no values and does not run "
                                            "my::op."));
    }

    void failure_isToldAboveTheGraph_andCanBeTriedAgain() {
        Document document({});
        document.adopt(testing::smallNet(), QStringLiteral("net"));
        ShapesBar bar(document);
        const auto notes = std::make_shared<ShapeNotes>(
            *makeShapeNotes(document.module(), waiting(), {}, OriginalTakes::Unknown, ShapesFor::Opening));
        notes->failure = QStringLiteral("Computing shapes was cancelled.");
        document.shapes().set(notes);
        QCOMPARE(bar.text(), QStringLiteral("Computing shapes was cancelled."));
        QSignalSpy asked(&document.shapes(), &DocumentShapes::asked);
        auto& button = *bar.findChild<QPushButton*>();
        QCOMPARE(button.text(), QStringLiteral("Compute Shapes"));
        button.click();
        QCOMPARE(asked.count(), 1);
        document.shapes().set(makeShapeNotes(document.module(), {}, {}));
        QVERIFY(bar.isHidden());
    }

    void button_cancelsWhileShapesAreComputed() {
        Document document({});
        document.adopt(testing::smallNet(), QStringLiteral("net"));
        ShapesBar bar(document);
        document.shapes().set(
            makeShapeNotes(document.module(), waiting(), {}, OriginalTakes::Unknown, ShapesFor::Opening));
        DocumentOperations& operations = document.operations();
        DocumentOperations::Id id = 0;
        id = operations.begin(DocumentOperations::Kind::Shapes, QStringLiteral("Computing"),
                              [&] { operations.end(id); });
        operations.setWaiting(id);
        QCOMPARE(bar.text(), QStringLiteral("Computing shapes: waiting for the worker"));
        operations.report(id, {}, 0);
        QCOMPARE(bar.text(), QStringLiteral("Computing shapes…"));
        auto& button = *bar.findChild<QPushButton*>();
        QCOMPARE(button.text(), QStringLiteral("Cancel"));
        button.click();
        QVERIFY(operations.running().empty());
        QCOMPARE(button.text(), QStringLiteral("Compute Shapes"));
    }

    /// What the file says of a node that waits still holds.
    void shapesOfTheFile_stayWhileTheNodeWaits() {
        Document document({});
        auto module = std::make_shared<fx::GraphModule>(*testing::smallNet());
        fx::ValueInfo info;
        info.dtype = "torch.float32", info.sizes = {"4", "5"};
        for (const char* name : {"first_conv", "view"}) {
            const fx::NodeId node = module->graph.find(name);
            auto meta = std::make_shared<fx::NodeMeta>(module->graph.node(node).meta());
            meta->values = {info};
            module->graph.setMeta(node, meta);
        }
        document.adopt(module, QStringLiteral("net"));
        ShapesBar bar(document);
        document.shapes().set(
            makeShapeNotes(document.module(), waiting(), {}, OriginalTakes::Unknown, ShapesFor::Opening));
        QVERIFY(bar.isHidden());
        const fx::Graph& shown = document.shapes().shown()->graph;
        QCOMPARE(shown.node(shown.find("view")).meta().values.size(), std::size_t(1));
    }
};

QTEST_MAIN(TestShapesBar)
#include "tst_shapes_bar.moc"
