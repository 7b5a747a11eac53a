// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/models.h"
#include "ui/edit/node_clipboard.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTest>

using namespace ui;

class TestNodeClipboard : public QObject {
    Q_OBJECT

    static void fill(Document& document) { document.adopt(testing::smallNet(), QStringLiteral("small")); }
    static void select(Document& document, std::initializer_list<const char*> names) {
        std::vector<fx::NodeId> nodes;
        for (const char* name : names) nodes.push_back(document.module()->graph.find(name));
        document.select(nodes, nullptr);
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
        document.undo();
        QCOMPARE(document.module()->graph.size(), before);
    }

    void copy_nothing_isRefused() {
        Document document({});
        fill(document);
        NodeClipboard clipboard;
        QVERIFY_EXCEPTION_THROWN(clipboard.copy(document), fx::Error);
    }
};

QTEST_MAIN(TestNodeClipboard)
#include "tst_node_clipboard.moc"
