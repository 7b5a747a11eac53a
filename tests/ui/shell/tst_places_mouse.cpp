// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/picture.h"
#include "tests/ui/shell/places_fixture.h"
#include "tests/ui/support/modal.h"
#include "tests/ui/support/settle.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/document/module_tree_model.h"
#include "ui/shell/modules_panel.h"
#include "ui/shell/window/main_window.h"

#include <QApplication>
#include <QContextMenuEvent>
#include <QDropEvent>
#include <QMenu>
#include <QMimeData>
#include <QStatusBar>
#include <QTest>
#include <QWindow>

using namespace ui;

/// What the mouse does on the canvas and the tree: drags and menus.
class TestPlacesMouse : public PlacesFixture {
    Q_OBJECT

    /// Answers the menu that the next click opens by choosing the entry that contains `text`.
    void chooseInMenu(const QString& text) {
        testing::whenOpen<QMenu>(m_window.get(), [text](QMenu* menu) {
            for (QAction* action : menu->actions())
                if (action->text().contains(text)) {
                    QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
                    return;
                }
            QStringList there;
            for (QAction* action : menu->actions()) there << action->text();
            menu->close();
            QFAIL(qPrintable(text + QStringLiteral(" is not among ") + there.join(u'|')));
        });
    }

    /// Drags the row of a module over the canvas and drops it; answers whether the last place took it.
    bool dragModule(const QString& path, const QPoint& to, bool drops) {
        auto* model = m_window->findChild<ModulesPanel*>()->view()->model();
        const QModelIndexList rows =
            model->match(model->index(0, 0), ModuleTreeModel::PathRole, path, 1, Qt::MatchExactly | Qt::MatchRecursive);
        if (rows.isEmpty() || !rows.front().flags().testFlag(Qt::ItemIsDragEnabled)) return false;
        const std::unique_ptr<QMimeData> data(model->mimeData(rows));
        QDragEnterEvent enter({1, 1}, Qt::CopyAction, data.get(), Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&canvas(), &enter);
        QDragMoveEvent move(to, Qt::CopyAction, data.get(), Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&canvas(), &move);
        if (!drops) return enter.isAccepted() && move.isAccepted();
        QDropEvent drop(to, Qt::CopyAction, data.get(), Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(&canvas(), &drop);
        return drop.isAccepted();
    }

    QStringList menuAt(const QPoint& at) {
        QStringList texts;
        testing::whenOpen<QMenu>(m_window.get(), [&texts](QMenu* menu) {
            for (const QAction* action : menu->actions()) texts << action->text().remove(u'&');
            menu->close();
        });
        QContextMenuEvent event(QContextMenuEvent::Mouse, at, canvas().mapToGlobal(at));
        QCoreApplication::sendEvent(&canvas(), &event);
        return texts;
    }

private Q_SLOTS:
    void init() { startUp(); }
    void cleanup() { m_window.reset(); }

    void drag_fromNodeToNode_rewires() {
        canvas().fit();
        QVERIFY(testing::settle());
        const QPoint from = canvas().nodeRect(node("mul")).center().toPoint(),
                     to = canvas().nodeRect(node("flatten")).center().toPoint();
        QVERIFY(canvas().rect().contains(from));
        QVERIFY(canvas().rect().contains(to));
        chooseInMenu(QStringLiteral("Replace max_pool2d with mul in flatten"));
        QTest::mousePress(&canvas(), Qt::LeftButton, {}, from);
        for (int i = 1; i <= 8; ++i) QTest::mouseMove(&canvas(), from + (to - from) * i / 8);
        QTest::mouseRelease(&canvas(), Qt::LeftButton, {}, to);
        QTRY_VERIFY(code().contains(QStringLiteral("flatten = mul.flatten(1)")));
    }

    void menu_ofAGroup_isAboutIt() {
        m_window->openFile(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/resnet.pt"));
        QTRY_VERIFY(document().state() == Document::State::Ready && document().picture().scene());
        document().picture().collapseAll();
        const auto closed = [this] {
            const Scene& scene = canvas().scene();
            for (ItemIndex item = 0; item < scene.itemCount(); ++item)
                if (scene.isGroup(item) && !scene.group(item).expanded) return item;
            return kNoItem;
        };
        QTRY_VERIFY(!document().picture().busy() && closed() != kNoItem);
        canvas().fit();
        QVERIFY(testing::settle());
        const QString path = QString::fromStdString(canvas().scene().group(closed()).path);
        const QStringList texts =
            menuAt(canvas().camera().toScreen(canvas().scene().rect(closed())).center().toPoint());
        const QString title = QString::fromStdString(canvas().scene().group(closed()).title);
        QVERIFY2(texts.contains(QStringLiteral("Expand ") + title), qPrintable(texts.join(u'|')));
        QVERIFY(texts.contains(QStringLiteral("Set %1 to Training Mode").arg(path)));
        QCOMPARE(document().selection().nodes().size(), std::size_t(canvas().scene().group(closed()).nodeCount));
        QVERIFY(m_window->actions().copyNames->isEnabled());
    }

    void menu_ofABackground_isNotAboutTheSelection() {
        document().selection().select({node("mul")}, nullptr);
        const QStringList texts = menuAt({2, canvas().height() - 3});
        QVERIFY(texts.contains(QStringLiteral("Select All")));
        QVERIFY(!texts.contains(QStringLiteral("Erase Nodes")));
    }

    void drag_moduleFromTheTree_callsItThere() {
        canvas().fit();
        QVERIFY(testing::settle());
        const QString before = code();
        const auto told = [this] { return m_window->statusBar()->currentMessage(); };
        const QPoint mul = canvas().nodeRect(node("mul")).center().toPoint();
        QVERIFY(dragModule(QStringLiteral("relu"), mul, false));
        QCOMPARE(told(), QStringLiteral("Call relu after mul"));
        const QImage shown = canvas().grab().toImage();
        QVERIFY(dragModule(QStringLiteral("relu"), mul, true));
        QVERIFY(canvas().grab().toImage() != shown); // the frame has gone
        QTRY_VERIFY(code().contains(QStringLiteral("self.relu(mul)")));
        QCOMPARE(document().module()->graph.node(node("max_pool2d")).inputs().front(),
                 document().selection().nodes().front());
        document().versions().undo();
        QTRY_COMPARE(code(), before);

        QVERIFY(!dragModule(QStringLiteral("relu"), canvas().nodeRect(node("output")).center().toPoint(), true));
        QVERIFY2(told().contains(QStringLiteral("Nothing can follow the output")), qPrintable(told()));
        QVERIFY(!dragModule(QString(), mul, true));
        QVERIFY2(told().contains(QStringLiteral("cannot call itself")), qPrintable(told()));
        QVERIFY(!dragModule(QStringLiteral("relu"), QPoint(2, canvas().height() - 3), true));
        QVERIFY2(told().contains(QStringLiteral("on a node")), qPrintable(told()));
        QCOMPARE(code(), before);
    }

    void press_onAModule_choosesNothingUntilItIsReleased() {
        auto* view = m_window->findChild<ModulesPanel*>()->view();
        const QModelIndexList rows =
            view->model()->match(view->model()->index(0, 0), ModuleTreeModel::PathRole, QStringLiteral("conv"), 1,
                                 Qt::MatchExactly | Qt::MatchRecursive);
        QVERIFY(!rows.isEmpty());
        Camera camera;
        camera.origin = {5000, 5000}; // the node is out of sight
        canvas().setCamera(camera);
        const QPoint at = view->viewport()->mapTo(m_window.get(), view->visualRect(rows.front()).center());
        QTest::mousePress(m_window->windowHandle(), Qt::LeftButton, {}, at);
        QVERIFY(testing::settle());
        QVERIFY(document().selection().nodes().empty());
        QCOMPARE(canvas().camera().origin, camera.origin);
        QTest::mouseRelease(m_window->windowHandle(), Qt::LeftButton, {}, at);
        QTRY_COMPARE(document().selection().nodes(), std::vector<fx::NodeId>{node("conv")});
        QTRY_VERIFY(canvas().camera().origin != camera.origin);
    }

    void drag_besideANode_isMeantForIt_whereItMayNotFallIsSaid() {
        canvas().fit();
        QVERIFY(testing::settle());
        const auto told = [this] { return m_window->statusBar()->currentMessage(); };
        const QRect mul = canvas().nodeRect(node("mul")).toRect();
        QVERIFY(dragModule(QStringLiteral("relu"), {mul.right() + 15, mul.center().y()}, false));
        QCOMPARE(told(), QStringLiteral("Call relu after mul"));
        QVERIFY(!dragModule(QStringLiteral("relu"), canvas().nodeRect(node("output")).center().toPoint(), false));
        QDragLeaveEvent leave; // what a drop where it may not be comes as
        QCoreApplication::sendEvent(&canvas(), &leave);
        QVERIFY2(told().contains(QStringLiteral("Nothing can follow the output")), qPrintable(told()));
    }

    void rightClick_onARow_opensTheMenuOfItsNode() {
        auto* view = m_window->findChild<ModulesPanel*>()->view();
        const QModelIndexList rows =
            view->model()->match(view->model()->index(0, 0), ModuleTreeModel::PathRole, QStringLiteral("conv"), 1,
                                 Qt::MatchExactly | Qt::MatchRecursive);
        QVERIFY(!rows.isEmpty());
        QStringList offered;
        testing::whenOpen<QMenu>(m_window.get(), [&offered](QMenu* menu) {
            for (QAction* action : menu->actions()) offered << action->text().remove(u'&');
            menu->close();
        });
        QTest::mouseClick(m_window->windowHandle(), Qt::RightButton, {},
                          view->viewport()->mapTo(m_window.get(), view->visualRect(rows.front()).center()));
        QTRY_VERIFY(!offered.isEmpty());
        QCOMPARE(document().selection().nodes(), std::vector<fx::NodeId>{node("conv")});
        QVERIFY2(offered.contains(m_window->actions().findPattern->text().remove(u'&')),
                 qPrintable(offered.join(u'|')));
        QVERIFY2(offered.contains(m_window->actions().copyNames->text().remove(u'&')), qPrintable(offered.join(u'|')));
    }

    void rightClick_onAnEdge_insertsBetween() {
        canvas().fit();
        QVERIFY(testing::settle());
        const Scene& scene = canvas().scene();
        QPoint at;
        for (const fx::EdgeItem& edge : scene.picture().edges)
            if (edge.from == scene.itemOf(node("relu")) && edge.to == scene.itemOf(node("mul"))) {
                const fx::Point &a = edge.points.front(), &b = edge.points.back();
                at = canvas().camera().toScreen(QPointF((a.x + b.x) / 2, (a.y + b.y) / 2)).toPoint();
            }
        QVERIFY(!at.isNull());
        QString first;
        testing::whenOpen<QMenu>(m_window.get(), [&first](QMenu* menu) {
            first = menu->actions().front()->text();
            menu->close();
        });
        QTest::mouseClick(m_window->windowHandle(), Qt::RightButton, {}, canvas().mapTo(m_window.get(), at));
        QTRY_COMPARE(first, QStringLiteral("Insert Between relu and mul…"));
    }

    void menuOfAGroup_isAboutWhatItsBoxShows_andLeavesTheCanvas() {
        m_window->openFile(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/resnet.pt"));
        QTRY_VERIFY(document().state() == Document::State::Ready && document().picture().scene());
        document().picture().expandAll();
        QTRY_VERIFY(canvas().scene().itemOf(node("add_1")) != kNoItem);
        QVERIFY(testing::settle());
        const ItemIndex box = canvas().scene().groupByPath("layer1.1");
        QVERIFY(box != kNoItem);
        const std::size_t shown = canvas().scene().group(box).nodeCount;
        const Camera before = canvas().camera();
        testing::whenOpen<QMenu>(m_window.get(), [](QMenu* menu) { menu->close(); });
        Q_EMIT canvas().contextMenuRequested(canvas().mapToGlobal(QPoint(20, 20)), fx::kNoNode,
                                             QStringLiteral("layer1.1"));
        QCOMPARE(document().selection().nodes().size(), shown);
        QVERIFY(document().selection().contains(node("add_1")));
        QVERIFY(testing::settle());
        QCOMPARE(canvas().camera().origin, before.origin);
        QCOMPARE(canvas().camera().zoom, before.zoom);
    }
};

QTEST_MAIN(TestPlacesMouse)
#include "tst_places_mouse.moc"
