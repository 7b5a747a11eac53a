// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/open.h"
#include "core/model_files/save_graphmodule.h"
#include "tests/ui/support/models.h"
#include "ui/edit/node_clipboard.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

using namespace ui;

class TestNodeClipboard : public QObject {
    Q_OBJECT

    static void fill(Document& document) { document.adopt(testing::smallNet(), QStringLiteral("small")); }
    static void select(Document& document, std::initializer_list<const char*> names) {
        std::vector<fx::NodeId> nodes;
        for (const char* name : names) nodes.push_back(document.module()->graph.find(name));
        document.selection().select(nodes, nullptr);
    }

private Q_SLOTS:
    void initTestCase() { QStandardPaths::setTestModeEnabled(true); }

    void copy_selection_isTextForOtherPrograms() {
        Document document({});
        fill(document);
        NodeClipboard clipboard;
        QVERIFY(!clipboard.holdsNodes());
        select(document, {"relu", "view"});
        clipboard.copy(document);
        QVERIFY(clipboard.holdsNodes());
        QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("relu\nview"));
        QGuiApplication::clipboard()->setText(QStringLiteral("something else"));
        QVERIFY(!clipboard.holdsNodes());
    }

    void paste_afterTheSelection_asOneEdit() {
        Document document({});
        fill(document);
        NodeClipboard clipboard;
        select(document, {"relu"});
        clipboard.copy(document);
        select(document, {"view"});
        const std::size_t before = document.module()->graph.size();
        clipboard.paste(document);
        QTRY_COMPARE(document.module()->graph.size(), before + 1);
        const fx::Graph& graph = document.module()->graph;
        const fx::Node& pasted = graph.node(graph.find("relu_1"));
        QCOMPARE(pasted.inputs().front(), graph.find("view"));
        document.versions().undo();
        QCOMPARE(document.module()->graph.size(), before);
    }

    void paste_afterCopy_keepsTheInputs_andSelectsWhatItMade() {
        Document document({});
        fill(document);
        NodeClipboard clipboard;
        QSignalSpy told(&document.versions(), &DocumentVersions::edited);
        select(document, {"relu", "view"});
        clipboard.copy(document);
        const fx::NodeId original = document.module()->graph.node(document.module()->graph.find("relu")).inputs()[0];
        clipboard.paste(document);
        QTRY_COMPARE(told.size(), 1);
        QCOMPARE(told[0][0].toString(), QStringLiteral("Paste 2 nodes"));
        const fx::Graph& graph = document.module()->graph;
        QCOMPARE(graph.node(graph.find("relu_1")).inputs().front(), original);
        QCOMPARE(graph.node(graph.find("view_1")).inputs().front(), graph.find("relu_1"));
        QVERIFY(graph.isBefore(graph.find("view"), graph.find("relu_1")));
        QCOMPARE(document.selection().inGraphOrder(), (std::vector{graph.find("relu_1"), graph.find("view_1")}));
    }

    /// The node calls a module that another file has at the same place as this one has another module.
    void paste_moduleOfAFile_isSavedAsWhatItIs() {
        const auto load = [](Document& document) {
            document.load();
            return QTest::qWaitFor([&] { return document.state() == Document::State::Ready; }, 20'000);
        };
        Document from(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/my_module.pt"));
        Document to(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/simple_net.pt"));
        QVERIFY(load(from));
        QVERIFY(load(to));
        const fx::Graph& source = from.module()->graph;
        const auto order = source.order();
        const auto call = std::find_if(order.begin(), order.end(),
                                       [&](fx::NodeId id) { return source.node(id).op() == fx::Op::CallModule; });
        QVERIFY(call != order.end());
        NodeClipboard clipboard;
        from.selection().select({*call}, nullptr);
        clipboard.copy(from);
        to.selection().select({to.module()->graph.order().front()}, nullptr);
        const std::size_t before = to.module()->graph.size();
        clipboard.paste(to);
        QTRY_COMPARE(to.module()->graph.size(), before + 1);

        QTemporaryDir folder;
        const std::string saved = folder.filePath(QStringLiteral("pasted.pt")).toStdString();
        fx::saveGraphModule(*to.module(), saved, true, {}); // reads it back and compares
        const auto back = fx::openModel(saved);
        const auto kinds = [](const fx::GraphModule& model) {
            QStringList types;
            for (const fx::Node& node : model.graph.nodes())
                if (node.op() == fx::Op::CallModule)
                    types << QString::fromStdString(
                        fx::resolvePath(*model.root, node.target()).module->qualifiedType());
            return types;
        };
        QCOMPARE(kinds(*back), kinds(*to.module()));
    }

    void copy_nothing_isRefused() {
        Document document({});
        fill(document);
        NodeClipboard clipboard;
        QVERIFY_THROWS_EXCEPTION(fx::Error, clipboard.copy(document));
    }
};

QTEST_MAIN(TestNodeClipboard)
#include "tst_node_clipboard.moc"
