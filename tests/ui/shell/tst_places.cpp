// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/picture.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/changes/compare_window.h"
#include "ui/changes/step_list.h"
#include "ui/code/code_field.h"
#include "ui/document/module_tree_model.h"
#include "ui/inspector/inspector_panel.h"
#include "ui/pattern/pattern_panel.h"
#include "ui/shell/document_page.h"
#include "ui/shell/modules_panel.h"
#include "ui/shell/nodes_panel.h"
#include "ui/shell/problems_panel.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/main_window.h"
#include "ui/widgets/in_place_field.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QContextMenuEvent>
#include <QDockWidget>
#include <QDropEvent>
#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QStatusBar>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QTreeView>
#include <QUrl>
#include <QWindow>

using namespace ui;

/// What is changed where it stands, with mouse and keyboard: names, arguments, settings, connections; chosen matches;
/// recipes.
class TestPlaces : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;

    Document& document() const { return *m_window->currentDocument(); }
    GraphCanvas& canvas() const { return m_window->currentPage()->canvas(); }
    fx::NodeId node(const char* name) const { return document().module()->graph.find(name); }
    QString code() const { return document().code() ? QString::fromStdString(document().code()->text) : QString(); }
    InPlaceField* field() const {
        for (QLineEdit* each : m_window->findChildren<QLineEdit*>())
            if (auto* found = dynamic_cast<InPlaceField*>(each); found && found->isVisible()) return found;
        return nullptr;
    }
    /// Looks at a node from near, and answers where it is in the window.
    QRect showNear(const char* name) {
        Camera camera;
        camera.centerOn({centre(name).x, centre(name).y}, canvas().size());
        canvas().setCamera(camera);
        return canvas().nodeRect(node(name)).toRect();
    }
    fx::Point centre(const char* name) const {
        return canvas().scene().rect(canvas().scene().itemOf(node(name))).center();
    }
    /// Answers the menu that the next click opens by choosing the entry that contains `text`.
    void chooseInMenu(const QString& text) {
        QTimer::singleShot(250, this, [text] {
            auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
            QVERIFY(menu);
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

private Q_SLOTS:
    void init() {
        m_settings = std::make_unique<Settings>(
            m_folder.filePath(QString::fromLatin1(QTest::currentTestFunction()) + QStringLiteral(".ini")));
        m_window = std::make_unique<MainWindow>(*m_settings);
        m_window->resize(1600, 1000);
        m_window->show();
        m_window->openFile(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/simple_net.pt"));
        QTRY_VERIFY(document().state() == Document::State::Ready && document().code() && document().picture().scene());
        QTest::qWait(400); // dot may still move things
    }
    void cleanup() { m_window.reset(); }

    void rename_onTheCanvas_byKeyAndByDoubleClick() {
        QRect box = showNear("flatten");
        document().select({node("flatten")}, nullptr);
        canvas().setFocus();
        m_window->actions().renameNode->trigger();
        QVERIFY(field());
        QTest::keyClicks(field(), QStringLiteral("flat"));
        QTest::keyClick(field(), Qt::Key_Return);
        QVERIFY(node("flat") != fx::kNoNode && node("flatten") == fx::kNoNode);
        QVERIFY(!field());
        QTRY_VERIFY(!document().picture().busy());
        QTest::qWait(400);
        box = showNear("flat");
        QTest::mouseDClick(&canvas(), Qt::LeftButton, {}, QPoint(box.center().x(), box.top() + 10));
        QTRY_VERIFY(field());
        QTest::keyClicks(field(), QStringLiteral("other"));
        QTest::keyClick(field(), Qt::Key_Escape);
        QVERIFY(node("flat") != fx::kNoNode);
    }

    void rename_typed_isNotLostWhenTheTabChanges() {
        const QString other = QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/resnet.pt");
        auto& tabs = *m_window->findChild<QTabWidget*>(QStringLiteral("documents"));
        Document& first = document();
        const auto has = [&](const char* name) { return first.module()->graph.find(name) != fx::kNoNode; };
        m_window->openFile(other);
        QTRY_COMPARE(document().state(), Document::State::Ready);
        tabs.setCurrentIndex(0);
        showNear("flatten");
        first.select({node("flatten")}, nullptr);
        canvas().setFocus();
        m_window->actions().renameNode->trigger();
        QVERIFY(field());
        QTest::keyClicks(field(), QStringLiteral("flat"));
        m_window->actions().nextTab->trigger();
        QTRY_VERIFY(has("flat"));
        QCOMPARE(document().history()->entries().size(), 1u); // nothing of it in the other model
        // In the list, whose editor keeps the keyboard.
        tabs.setCurrentIndex(0);
        QDockWidget& dock = *m_window->findChild<QDockWidget*>(QStringLiteral("nodes"));
        dock.show();
        dock.raise();
        auto* list = static_cast<NodesPanel*>(dock.widget());
        QTRY_VERIFY(list->view()->isVisible());
        list->view()->setFocus();
        QVERIFY(list->editName(first.module()->graph.find("flat")));
        QLineEdit* editor = nullptr;
        QTRY_VERIFY((editor = list->view()->viewport()->findChild<QLineEdit*>()));
        editor->setText(QStringLiteral("flatter"));
        m_window->actions().nextTab->trigger();
        QTRY_VERIFY(has("flatter"));
        QCOMPARE(document().history()->entries().size(), 1u);
    }

    void rename_andArguments_inTheTable() {
        auto panels = m_window->findChildren<NodesPanel*>();
        NodesPanel* table = panels.back()->model()->columnCount() > 1 ? panels.back() : panels.front();
        NodeRowsModel* model = table->model();
        QVERIFY(model->columnCount() > 1);
        const int row = model->rowOf(node("flatten"));
        QVERIFY(model->setData(model->index(row, 1), QStringLiteral("flat"), Qt::EditRole));
        QTRY_VERIFY(node("flat") != fx::kNoNode);
        const QModelIndex args = model->index(model->rowOf(node("flat")), 3);
        QCOMPARE(args.data(Qt::EditRole).toString(), QStringLiteral("(max_pool2d, 1)"));
        QVERIFY(model->setData(args, QStringLiteral("(max_pool2d, 2)"), Qt::EditRole));
        QTRY_VERIFY(code().contains(QStringLiteral("flat = max_pool2d.flatten(2)")));
        QTimer::singleShot(300, [] {
            auto* box = qobject_cast<QMessageBox*>(QApplication::activeModalWidget());
            QVERIFY(box);
            box->accept();
        });
        model->setData(model->index(model->rowOf(node("flat")), 3), QStringLiteral("(nonsense, 2"), Qt::EditRole);
        QTest::qWait(500);
        QVERIFY(code().contains(QStringLiteral("flatten(2)")));
    }

    void argumentsAndSettings_inTheInspector() {
        document().select({node("flatten")}, nullptr);
        auto* inspector = m_window->findChild<InspectorPanel*>();
        Q_EMIT inspector->anchorClicked(QUrl(QStringLiteral("edit:argument/1")));
        QVERIFY(field());
        QCOMPARE(field()->text(), QStringLiteral("1"));
        QVERIFY(field()->y() > 0);
        QTest::keyClicks(field(), QStringLiteral("-1"));
        QTest::keyClick(field(), Qt::Key_Return);
        QTRY_VERIFY(code().contains(QStringLiteral("max_pool2d.flatten(-1)")));
        document().select({node("conv")}, nullptr);
        const auto weight = fx::resolvePath(*document().module()->root, "conv.weight").tensor;
        Q_EMIT inspector->anchorClicked(QUrl(QStringLiteral("edit:setting/stride")));
        QVERIFY(field());
        field()->selectAll();
        QTest::keyClicks(field(), QStringLiteral("(2, 2)"));
        QTest::keyClick(field(), Qt::Key_Return);
        QCOMPARE(document().history()->entries().size(), 3u);
        QCOMPARE(fx::resolvePath(*document().module()->root, "conv.weight").tensor->sizes, weight->sizes);
        const fx::Module* conv = fx::resolvePath(*document().module()->root, "conv").module;
        QVERIFY(conv && conv->attribute("stride"));
    }

    void place_thatDoesNotFit_endsInAnEllipsis() {
        QLabel* place = nullptr;
        for (QLabel* each : m_window->currentPage()->findChildren<QLabel*>())
            if (each->accessibleName() == QLatin1String("Module path of the selection")) place = each;
        QVERIFY(place);
        const QString name = QString::fromStdString(document().module()->className);
        QVERIFY2(place->text().contains(name) && place->toolTip().isEmpty(), qPrintable(place->text()));
        place->resize(QFontMetrics(place->font()).averageCharWidth() * 4, place->height());
        QVERIFY2(place->text().contains(u'…') && !place->text().contains(name), qPrintable(place->text()));
        QVERIFY(place->toolTip().contains(name));
    }

    void drag_fromNodeToNode_rewires() {
        canvas().fit();
        QTest::qWait(400);
        const QPoint from = canvas().nodeRect(node("mul")).center().toPoint(),
                     to = canvas().nodeRect(node("flatten")).center().toPoint();
        QVERIFY(canvas().rect().contains(from) && canvas().rect().contains(to));
        chooseInMenu(QStringLiteral("Replace max_pool2d with mul in flatten"));
        QTest::mousePress(&canvas(), Qt::LeftButton, {}, from);
        for (int i = 1; i <= 8; ++i) QTest::mouseMove(&canvas(), from + (to - from) * i / 8);
        QTest::mouseRelease(&canvas(), Qt::LeftButton, {}, to);
        QTRY_VERIFY(code().contains(QStringLiteral("flatten = mul.flatten(1)")));
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
        QTimer whenOpen;
        connect(&whenOpen, &QTimer::timeout, this, [&texts] {
            auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
            if (!menu) return;
            for (const QAction* action : menu->actions()) texts << action->text().remove(u'&');
            menu->close();
        });
        whenOpen.start(50);
        QContextMenuEvent event(QContextMenuEvent::Mouse, at, canvas().mapToGlobal(at));
        QCoreApplication::sendEvent(&canvas(), &event);
        return texts;
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
        QTest::qWait(400);
        const QString path = QString::fromStdString(canvas().scene().group(closed()).path);
        const QStringList texts =
            menuAt(canvas().camera().toScreen(canvas().scene().rect(closed())).center().toPoint());
        const QString title = QString::fromStdString(canvas().scene().group(closed()).title);
        QVERIFY2(texts.contains(QStringLiteral("Expand ") + title), qPrintable(texts.join(u'|')));
        QVERIFY(texts.contains(QStringLiteral("Set %1 to Training Mode").arg(path)));
        QCOMPARE(document().selection().size(), std::size_t(canvas().scene().group(closed()).nodeCount));
        QVERIFY(m_window->actions().copyNames->isEnabled());
    }

    void menu_ofABackground_isNotAboutTheSelection() {
        document().select({node("mul")}, nullptr);
        const QStringList texts = menuAt({2, canvas().height() - 3});
        QVERIFY(texts.contains(QStringLiteral("Select All")) && !texts.contains(QStringLiteral("Erase Nodes")));
    }

    void modes_nameWhatTheySet_tensorsNeedSome() {
        WindowActions& actions = m_window->actions();
        document().select({node("conv")}, nullptr);
        QCOMPARE(actions.trainMode->text().remove(u'&'), QStringLiteral("Set conv to Training Mode"));
        QVERIFY(actions.setTensor->isEnabled());
        document().select({node("mul")}, nullptr);
        QCOMPARE(actions.trainMode->text().remove(u'&'), QStringLiteral("Set simple_net.pt to Training Mode"));
        QVERIFY(!actions.setTensor->isEnabled());
    }

    void drag_moduleFromTheTree_callsItThere() {
        canvas().fit();
        QTest::qWait(400);
        const QString before = code();
        const auto told = [this] { return m_window->statusBar()->currentMessage(); };
        const QPoint mul = canvas().nodeRect(node("mul")).center().toPoint();
        QVERIFY(dragModule(QStringLiteral("relu"), mul, false));
        QCOMPARE(told(), QStringLiteral("Call relu after mul"));
        const QImage shown = canvas().grab().toImage();
        QVERIFY(dragModule(QStringLiteral("relu"), mul, true));
        QVERIFY(canvas().grab().toImage() != shown); // the frame has gone
        QTRY_VERIFY(code().contains(QStringLiteral("self.relu(mul)")));
        QCOMPARE(document().module()->graph.node(node("max_pool2d")).inputs().front(), document().selection().front());
        document().undo();
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
        QTest::qWait(400);
        QVERIFY(document().selection().empty());
        QCOMPARE(canvas().camera().origin, camera.origin);
        QTest::mouseRelease(m_window->windowHandle(), Qt::LeftButton, {}, at);
        QTRY_COMPARE(document().selection(), std::vector<fx::NodeId>{node("conv")});
        QTRY_VERIFY(canvas().camera().origin != camera.origin);
    }

    void drag_besideANode_isMeantForIt_whereItMayNotFallIsSaid() {
        canvas().fit();
        QTest::qWait(400);
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
        QTimer::singleShot(400, this, [&] {
            if (auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget())) {
                for (QAction* action : menu->actions()) offered << action->text().remove(u'&');
                menu->close();
            }
        });
        QTest::mouseClick(m_window->windowHandle(), Qt::RightButton, {},
                          view->viewport()->mapTo(m_window.get(), view->visualRect(rows.front()).center()));
        QTRY_VERIFY(!offered.isEmpty());
        QCOMPARE(document().selection(), std::vector<fx::NodeId>{node("conv")});
        QVERIFY2(offered.contains(m_window->actions().findPattern->text().remove(u'&')) &&
                     offered.contains(m_window->actions().copyNames->text().remove(u'&')),
                 qPrintable(offered.join(u'|')));
    }

    void resetPanels_selectsNothing() {
        document().select({node("relu")}, nullptr);
        document().select({}, nullptr);
        m_window->actions().resetLayout->trigger();
        QTest::qWait(200);
        auto* modules = m_window->findChild<ModulesPanel*>();
        canvas().setFocus();
        modules->view()->setFocus(Qt::TabFocusReason);
        QVERIFY(modules->view()->hasFocus());
        QVERIFY(document().selection().empty());
        QTest::keyClick(modules->view(), Qt::Key_Down); // now it is the user who chooses
        QVERIFY(!document().selection().empty());
    }

    void rightClick_onAnEdge_insertsBetween() {
        canvas().fit();
        QTest::qWait(400);
        const Scene& scene = canvas().scene();
        QPoint at;
        for (const fx::EdgeItem& edge : scene.picture().edges)
            if (edge.from == scene.itemOf(node("relu")) && edge.to == scene.itemOf(node("mul"))) {
                const fx::Point &a = edge.points.front(), &b = edge.points.back();
                at = canvas().camera().toScreen(QPointF((a.x + b.x) / 2, (a.y + b.y) / 2)).toPoint();
            }
        QVERIFY(!at.isNull());
        QString first;
        QTimer::singleShot(250, this, [&] {
            if (auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget()))
                first = menu->actions().front()->text(), menu->close();
        });
        QTest::mouseClick(m_window->windowHandle(), Qt::RightButton, {}, canvas().mapTo(m_window.get(), at));
        QTRY_COMPARE(first, QStringLiteral("Insert Between relu and mul…"));
    }

    void chosenMatches_aloneAreReplaced() {
        auto* panel = m_window->findChild<PatternPanel*>();
        panel->pattern()->setSource("def pattern(x):\n    return torch.relu(x)\n");
        m_window->openFile(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/resnet.pt"));
        QTRY_VERIFY(document().state() == Document::State::Ready && document().code());
        panel->pattern()->setSource("def pattern(a, b):\n    return a + b\n");
        panel->replacement()->setSource("def replacement(a, b):\n    return torch.sub(a, b)\n");
        QTRY_VERIFY(panel->result().matches.size() > 2);
        const int count = static_cast<int>(panel->result().matches.size());
        QListWidget* list = nullptr;
        for (QListWidget* each : panel->findChildren<QListWidget*>())
            if (each->accessibleName() == QLatin1String("Matches")) list = each; // the editors have lists, too
        QVERIFY(list && list->count() == count);
        const auto button = [&](const QString& start) -> QPushButton* {
            for (QPushButton* each : panel->findChildren<QPushButton*>())
                if (each->text().startsWith(start)) return each;
            return nullptr;
        };
        QVERIFY(button(QStringLiteral("Replace All %1").arg(count)));
        for (int row = 2; row < count; ++row) list->item(row)->setCheckState(Qt::Unchecked);
        QPushButton* replace = button(QStringLiteral("Replace 2 of %1").arg(count));
        QVERIFY(replace && replace->isEnabled());
        replace->click();
        QTRY_COMPARE(code().count(QStringLiteral("torch.sub(")), 2);
        QTRY_COMPARE(static_cast<int>(panel->result().matches.size()), count - 2);
        QVERIFY(button(QStringLiteral("Replace 0 of"))); // the others stay unticked
        QVERIFY(!button(QStringLiteral("Replace 0 of"))->isEnabled());
    }

    void recipe_droppedOnTheWindow_isPreviewedAndApplied() {
        m_window->renameNode(QStringLiteral("flatten"), QStringLiteral("flat"));
        const QByteArray recipe = document().recipe();
        document().undo();
        const QString path = m_folder.filePath(QStringLiteral("r.json"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(recipe);
        file.close();
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(path)});
        QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(m_window.get(), &enter); // without it Qt delivers no drop
        QDropEvent drop(QPointF(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(m_window.get(), &drop);
        CompareWindow* preview = nullptr;
        QTRY_VERIFY((preview = m_window->findChild<CompareWindow*>()));
        QVERIFY(node("flat") == fx::kNoNode);
        preview->accept();
        QTRY_VERIFY(node("flat") != fx::kNoNode);
        QCOMPARE(document().history()->current(), 1u);
    }

    void recipe_droppedWithAModel_isNotForAnother() {
        const QString path = m_folder.filePath(QStringLiteral("with.json"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(R"({"lancet_recipe": 1, "steps": [{"step": "rename", "node": "flatten", "name": "flat"}]})");
        file.close();
        const auto drop = [this](const QStringList& paths) {
            QMimeData data;
            QList<QUrl> urls;
            for (const QString& each : paths) urls << QUrl::fromLocalFile(each);
            data.setUrls(urls);
            QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
            QCoreApplication::sendEvent(m_window.get(), &enter); // without it Qt delivers no drop
            QDropEvent dropped(QPointF(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
            QCoreApplication::sendEvent(m_window.get(), &dropped);
        };
        const auto says = [this](const char* text) {
            return m_window->statusBar()->currentMessage().contains(QLatin1String(text));
        };
        drop({path, path});
        QVERIFY2(says("Drop one recipe at a time"), qPrintable(m_window->statusBar()->currentMessage()));
        drop({path, QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/my_module.pt")});
        QVERIFY2(says("drop it again when the model is open"), qPrintable(m_window->statusBar()->currentMessage()));
        QTRY_VERIFY(document().state() == Document::State::Ready);
        QCOMPARE(document().title(), QStringLiteral("my_module.pt"));
        QTest::qWait(100);
        QVERIFY(!m_window->findChild<CompareWindow*>());
    }

    void recipe_severalSteps_listedWithWhatEachDoes() {
        const auto apply = [this](const QByteArray& steps) {
            QFile file(m_folder.filePath(QStringLiteral("several.json")));
            QVERIFY(file.open(QIODevice::WriteOnly));
            file.write(R"({"lancet_recipe": 1, "steps": [)" + steps + "]}");
            file.close();
            m_window->applyRecipe(file.fileName());
        };
        const QString before = code();
        apply(R"({"step": "rename", "node": "flatten", "name": "flat"}, {"step": "erase", "node": "relu"}, )"
              R"({"step": "dead_code"})");
        RefusedSteps* refused = nullptr;
        QTRY_VERIFY((refused = m_window->findChild<RefusedSteps*>()));
        auto* list = refused->findChild<StepList*>();
        QCOMPARE(list->count(), 3);
        QVERIFY2(list->item(0)->text().contains(QStringLiteral("changed: rename flatten, name flat")),
                 qPrintable(list->item(0)->text()));
        QVERIFY2(list->item(1)->text().contains(QStringLiteral("refused: erase relu")),
                 qPrintable(list->item(1)->text()));
        QVERIFY2(list->item(2)->text().contains(QStringLiteral("not tried")), qPrintable(list->item(2)->text()));
        QCOMPARE(list->currentRow(), 1);
        refused->reject();
        QCOMPARE(code(), before);

        apply(R"({"step": "rename", "node": "flatten", "name": "flat"}, {"step": "rename", "node": "mul", )"
              R"("name": "product"})");
        CompareWindow* preview = nullptr;
        QTRY_VERIFY((preview = m_window->findChild<CompareWindow*>()));
        QCOMPARE(preview->findChild<StepList*>()->count(), 2);
        QVERIFY(preview->accepts()->isEnabled());
        preview->reject();
        QCOMPARE(code(), before);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);

        apply(R"J({"step": "replace_pattern", "pattern": "def pattern(x):\n    return torch.erf(x)\n", )J"
              R"J("replacement": "def replacement(x):\n    return torch.relu(x)\n"})J"); // matches nothing
        QTRY_VERIFY((preview = m_window->findChild<CompareWindow*>()));
        QVERIFY(!preview->accepts()->isEnabled());
        QVERIFY(!preview->accepts()->toolTip().isEmpty());
        preview->reject();
    }

    void problems_sayWhySourceCannotBeTraced() {
        QFile file(m_folder.filePath(QStringLiteral("net.py")));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(
            "import torch\n\n\nclass Net(torch.nn.Module):\n    def forward(self, x):\n        return self.gone(x)\n");
        file.close();
        m_window->openFile(file.fileName());
        const auto& problems = *m_window->findChild<ProblemsPanel*>();
        QTRY_VERIFY(problems.model()->rowCount() > 0);
        const QModelIndex first = problems.model()->index(0, ProblemsModel::What);
        QVERIFY2(first.data().toString().startsWith(QStringLiteral("Error: ")), qPrintable(first.data().toString()));
        QCOMPARE(first.siblingAtColumn(ProblemsModel::Place).data().toString(), QStringLiteral("net.py · line 6"));
    }

    void menuOfAGroup_isAboutWhatItsBoxShows_andLeavesTheCanvas() {
        m_window->openFile(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/resnet.pt"));
        QTRY_VERIFY(document().state() == Document::State::Ready && document().picture().scene());
        document().picture().expandAll();
        QTRY_VERIFY(canvas().scene().itemOf(node("add_1")) != kNoItem);
        QTest::qWait(400);
        const ItemIndex box = canvas().scene().groupByPath("layer1.1");
        QVERIFY(box != kNoItem);
        const std::size_t shown = canvas().scene().group(box).nodeCount;
        const Camera before = canvas().camera();
        QTimer::singleShot(250, this, [] {
            if (QWidget* menu = QApplication::activePopupWidget()) menu->close();
        });
        Q_EMIT canvas().contextMenuRequested(canvas().mapToGlobal(QPoint(20, 20)), fx::kNoNode,
                                             QStringLiteral("layer1.1"));
        QCOMPARE(document().selection().size(), shown);
        QVERIFY(document().isSelected(node("add_1")));
        QTest::qWait(400);
        QCOMPARE(canvas().camera().origin, before.origin);
        QCOMPARE(canvas().camera().zoom, before.zoom);
    }
};

QTEST_MAIN(TestPlaces)
#include "tst_places.moc"
