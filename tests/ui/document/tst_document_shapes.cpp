// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/models.h"
#include "ui/document/document_shapes.h"

#include <QSignalSpy>
#include <QTest>

using namespace ui;

class TestDocumentShapes : public QObject {
    Q_OBJECT

    /// The shapes of one node.
    static std::shared_ptr<const ShapeNotes> notesOf(const std::shared_ptr<fx::GraphModule>& version, const char* node,
                                                     const char* size) {
        fx::ValueInfo info;
        info.dtype = "torch.float32";
        info.sizes = {size};
        return makeShapeNotes(version, {{{node, {info}}}, {}}, {});
    }
    static std::string shownOf(const DocumentShapes& shapes, const char* node) {
        const auto& values = shapes.shown()->graph.node(shapes.shown()->graph.find(node)).meta().values;
        return values.empty() ? std::string() : values[0].shapeText();
    }

private Q_SLOTS:
    void set_shapes_areShownOnly() {
        DocumentShapes shapes;
        QVERIFY(!shapes.shown());
        const auto net = testing::smallNet();
        shapes.follow(net);
        QCOMPARE(shapes.shown().get(), net.get());
        QSignalSpy told(&shapes, &DocumentShapes::changed);
        shapes.set(notesOf(net, "first_conv", "7"));
        QCOMPARE(told.size(), 1);
        QVERIFY(told[0][0].toBool());
        QCOMPARE(shownOf(shapes, "first_conv"), std::string("7"));
        QVERIFY(net->graph.node(net->graph.find("first_conv")).meta().values.empty());
        shapes.set(notesOf(net, "first_conv", "7"));
        QVERIFY(!told[1][0].toBool());
        shapes.set(nullptr);
        QVERIFY(told[2][0].toBool());
        shapes.set(nullptr);
        QCOMPARE(told.size(), 3); // as before
    }

    void set_ofAnotherVersion_isIgnored() {
        DocumentShapes shapes;
        const auto net = testing::smallNet();
        shapes.follow(net);
        QSignalSpy told(&shapes, &DocumentShapes::changed);
        shapes.set(notesOf(testing::smallNet(), "first_conv", "7"));
        QVERIFY(told.isEmpty());
        QVERIFY(!shapes.notes());
    }

    void follow_version_keepsTheShapesBefore() {
        DocumentShapes shapes;
        const auto net = testing::smallNet();
        shapes.follow(net);
        shapes.set(notesOf(net, "first_conv", "7"));
        auto renamed = std::make_shared<fx::GraphModule>(*net);
        renamed->graph.rename(net->graph.find("relu"), "act");
        shapes.follow(renamed);
        QCOMPARE(shownOf(shapes, "first_conv"), std::string("7"));
        QVERIFY(shapes.shown()->graph.find("act") != fx::kNoNode);
        shapes.forget();
        shapes.follow(renamed);
        QVERIFY(!shapes.notes());
        QCOMPARE(shapes.shown().get(), renamed.get());
    }

    void failures_areOfTheCurrentVersion() {
        DocumentShapes shapes;
        const auto net = testing::smallNet();
        shapes.follow(net);
        fx::ShapeFailure fails, waits, gone;
        fails.node = "relu", waits.node = "view", gone.node = "missing";
        waits.needsValues = true;
        fx::NodeShapes found;
        found.failures = {waits, gone, fails};
        shapes.set(makeShapeNotes(net, found, {}));
        const fx::NodeId relu = net->graph.find("relu");
        QCOMPARE(shapes.failures().size(), std::size_t(1));
        QCOMPARE(shapes.failures()[0].first, relu);
        QVERIFY(shapes.failureOf(relu));
        QCOMPARE(shapes.failureOf(relu)->node, std::string("relu"));
        QVERIFY(!shapes.failureOf(net->graph.find("view")));
        shapes.follow(std::make_shared<fx::GraphModule>(*net));
        QVERIFY(shapes.failures().empty());
    }

    void ask_isEmitted() {
        DocumentShapes shapes;
        QSignalSpy asked(&shapes, &DocumentShapes::asked);
        shapes.ask();
        QCOMPARE(asked.size(), 1);
    }
};

QTEST_MAIN(TestDocumentShapes)
#include "tst_document_shapes.moc"
