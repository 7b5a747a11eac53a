// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window/nested_graphs.h"

#include <QMenu>
#include <QTest>
#include <QWidget>

using namespace ui;

class TestNestedGraphs : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void openSelected_ofAGraph_opensACopyOfIt() {
        QWidget window;
        std::unique_ptr<Document> opened;
        QString title;
        NestedGraphs nested(
            [&](std::shared_ptr<const fx::GraphModule> module, const QString& asked, std::string inputs) {
                title = asked;
                opened = std::make_unique<Document>(QString());
                opened->adopt(std::move(module), asked, std::move(inputs));
                return opened.get();
            },
            &window);
        Document document(QStringLiteral(LANCET_SOURCE_DIR "/tests/data/pt2/control.pt2"));
        document.load();
        QTRY_COMPARE(document.state(), Document::State::Ready);
        nested.openSelected(document); // nothing is selected
        QVERIFY(document.operations().running().empty());
        document.selection().select({document.module()->graph.find("true_graph_0")}, nullptr);
        nested.openSelected(document);
        QTRY_VERIFY(opened);
        QCOMPARE(title, QStringLiteral("control.pt2 › true_graph_0"));
        QVERIFY(opened->note().contains(QStringLiteral("edits here do not change control.pt2")));
        QVERIFY(opened->note().contains(QStringLiteral("not recovered after a crash"))); // it has no journal
        QVERIFY(!opened->versions().refusal());
        document.versions().refuseEdits(fx::Error(fx::ErrorKind::Refused, fx::Message("script.block_is_shown")));
        opened.reset();
        nested.openSelected(document);
        QTRY_VERIFY(opened);
        QVERIFY(opened->versions().refusal()); // as those of the model around it
    }

    void openSelected_ofACond_offersBoth() {
        QWidget window;
        NestedGraphs nested([](auto, const QString&, const std::string&) { return nullptr; }, &window);
        Document document(QStringLiteral(LANCET_SOURCE_DIR "/tests/data/pt2/control.pt2"));
        document.load();
        QTRY_COMPARE(document.state(), Document::State::Ready);
        document.selection().select({document.module()->graph.find("cond")}, nullptr);
        nested.openSelected(document);
        auto* menu = window.findChild<QMenu*>(QStringLiteral("nestedGraphs"));
        QVERIFY(menu);
        QCOMPARE(menu->actions().size(), 2);
        menu->close();
    }
};

QTEST_MAIN(TestNestedGraphs)
#include "tst_nested_graphs.moc"
