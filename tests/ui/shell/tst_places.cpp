// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/recipe.h"
#include "core/layout/picture.h"
#include "tests/ui/shell/places_fixture.h"
#include "tests/ui/support/modal.h"
#include "tests/ui/support/settle.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/changes/compare_window.h"
#include "ui/changes/steps_widget.h"
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
#include "ui/shell/window/model_actions.h"
#include "ui/widgets/in_place_field.h"

#include <QApplication>
#include <QDockWidget>
#include <QDropEvent>
#include <QLabel>
#include <QListWidget>
#include <QMessageBox>
#include <QMimeData>
#include <QPushButton>
#include <QStatusBar>
#include <QTest>
#include <QUrl>
#include <QWindow>

using namespace ui;

/// Edits where one looks: names, arguments and recipes in the window.
class TestPlaces : public PlacesFixture {
    Q_OBJECT

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

private Q_SLOTS:
    void init() { startUp(); }
    void cleanup() { m_window.reset(); }

    void rename_onTheCanvas_byKeyAndByDoubleClick() {
        QRect box = showNear("flatten");
        document().selection().select({node("flatten")}, nullptr);
        canvas().setFocus();
        m_window->actions().renameNode->trigger();
        QVERIFY(field());
        QTest::keyClicks(field(), QStringLiteral("flat"));
        QTest::keyClick(field(), Qt::Key_Return);
        QVERIFY(node("flat") != fx::kNoNode);
        QVERIFY(node("flatten") == fx::kNoNode);
        QVERIFY(!field());
        QTRY_VERIFY(!document().picture().busy());
        QVERIFY(testing::settle());
        box = showNear("flat");
        QTest::mouseDClick(&canvas(), Qt::LeftButton, {}, QPoint(box.center().x(), box.top() + 10));
        QTest::mouseRelease(&canvas(), Qt::LeftButton); // else the button is down in the tests that follow
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
        first.selection().select({node("flatten")}, nullptr);
        canvas().setFocus();
        m_window->actions().renameNode->trigger();
        QVERIFY(field());
        QTest::keyClicks(field(), QStringLiteral("flat"));
        m_window->actions().nextTab->trigger();
        QTRY_VERIFY(has("flat"));
        QCOMPARE(document().versions().history()->entries().size(), 1u); // nothing of it in the other model
        // In the list, whose editor keeps the keyboard.
        tabs.setCurrentIndex(0);
        QDockWidget& dock = *m_window->findChild<QDockWidget*>(QStringLiteral("nodes"));
        dock.show();
        dock.raise();
        auto* list = dock.findChild<NodesPanel*>();
        QTRY_VERIFY(list->view()->isVisible());
        list->view()->setFocus();
        QVERIFY(list->editName(first.module()->graph.find("flat")));
        QLineEdit* editor = nullptr;
        QTRY_VERIFY((editor = list->view()->viewport()->findChild<QLineEdit*>()));
        editor->setText(QStringLiteral("flatter"));
        m_window->actions().nextTab->trigger();
        QTRY_VERIFY(has("flatter"));
        QCOMPARE(document().versions().history()->entries().size(), 1u);
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
        bool isTold = false;
        testing::whenOpen<QMessageBox>(m_window.get(), [&isTold](QMessageBox* box) { isTold = true, box->accept(); });
        model->setData(model->index(model->rowOf(node("flat")), 3), QStringLiteral("(nonsense, 2"), Qt::EditRole);
        QTRY_VERIFY(isTold);
        QVERIFY(testing::settle());
        QVERIFY(code().contains(QStringLiteral("flatten(2)")));
    }

    void argumentsAndSettings_inTheInspector() {
        document().selection().select({node("flatten")}, nullptr);
        auto* inspector = m_window->findChild<InspectorPanel*>();
        Q_EMIT inspector->anchorClicked(QUrl(QStringLiteral("edit:argument/1")));
        QVERIFY(field());
        QCOMPARE(field()->text(), QStringLiteral("1"));
        QVERIFY(field()->y() > 0);
        QTest::keyClicks(field(), QStringLiteral("-1"));
        QTest::keyClick(field(), Qt::Key_Return);
        QTRY_VERIFY(code().contains(QStringLiteral("max_pool2d.flatten(-1)")));
        document().selection().select({node("conv")}, nullptr);
        const auto weight = fx::resolvePath(*document().module()->root, "conv.weight").tensor;
        Q_EMIT inspector->anchorClicked(QUrl(QStringLiteral("edit:setting/stride")));
        QVERIFY(field());
        field()->selectAll();
        QTest::keyClicks(field(), QStringLiteral("(2, 2)"));
        QTest::keyClick(field(), Qt::Key_Return);
        QCOMPARE(document().versions().history()->entries().size(), 3u);
        QCOMPARE(fx::resolvePath(*document().module()->root, "conv.weight").tensor->sizes, weight->sizes);
        const fx::Module* conv = fx::resolvePath(*document().module()->root, "conv").module;
        QVERIFY(conv);
        QVERIFY(conv->attribute("stride"));
    }

    void place_thatDoesNotFit_endsInAnEllipsis() {
        QLabel* place = nullptr;
        for (QLabel* each : m_window->currentPage()->findChildren<QLabel*>())
            if (each->accessibleName() == QLatin1String("Module path of the selection")) place = each;
        QVERIFY(place);
        const QString name = QString::fromStdString(document().module()->className);
        QVERIFY2(place->text().contains(name), qPrintable(place->text()));
        QVERIFY2(place->toolTip().isEmpty(), qPrintable(place->text()));
        place->resize(QFontMetrics(place->font()).averageCharWidth() * 4, place->height());
        QVERIFY2(place->text().contains(u'…'), qPrintable(place->text()));
        QVERIFY2(!place->text().contains(name), qPrintable(place->text()));
        QVERIFY(place->toolTip().contains(name));
    }

    void modes_nameWhatTheySet_tensorsNeedSome() {
        WindowActions& actions = m_window->actions();
        document().selection().select({node("conv")}, nullptr);
        QCOMPARE(actions.trainMode->text().remove(u'&'), QStringLiteral("Set conv to Training Mode"));
        QVERIFY(actions.setTensor->isEnabled());
        document().selection().select({node("mul")}, nullptr);
        QCOMPARE(actions.trainMode->text().remove(u'&'), QStringLiteral("Set simple_net.pt to Training Mode"));
        QVERIFY(!actions.setTensor->isEnabled());
    }

    void weights_ofAFile_areOneEdit_otherWeightsAreAskedAbout() {
        auto* models = m_window->findChild<ModelActions*>();
        QVERIFY(models);
        QVERIFY(m_window->actions().loadWeights->isEnabled());
        const auto versions = [&] { return document().versions().history()->entries().size(); };
        const auto weight = [&] { return fx::resolvePath(*document().module()->root, "conv.weight").tensor; };
        const auto before = weight();
        models->loadWeights(document(), QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/simple_net.pt"));
        QTRY_COMPARE(versions(), 2u);
        QVERIFY(weight() != before);
        document().versions().undo();
        QCOMPARE(weight(), before);
        models->loadWeights(document(), QStringLiteral(LANCET_SOURCE_DIR "/tests/data/weights/fc.pth"));
        QMessageBox* box = nullptr;
        QTRY_VERIFY((box = m_window->findChild<QMessageBox*>()) && box->isVisible());
        QVERIFY2(box->informativeText().contains(QStringLiteral("Missing key(s)")), qPrintable(box->informativeText()));
        box->button(QMessageBox::Cancel)->click();
        QVERIFY(testing::settle());
        QCOMPARE(weight(), before);
    }

    void resetPanels_selectsNothing() {
        document().selection().select({node("relu")}, nullptr);
        document().selection().select({}, nullptr);
        m_window->actions().resetLayout->trigger();
        QVERIFY(testing::settle());
        auto* modules = m_window->findChild<ModulesPanel*>();
        canvas().setFocus();
        modules->view()->setFocus(Qt::TabFocusReason);
        QVERIFY(modules->view()->hasFocus());
        QVERIFY(document().selection().nodes().empty());
        QTest::keyClick(modules->view(), Qt::Key_Down); // now it is the user who chooses
        QVERIFY(!document().selection().nodes().empty());
    }

    void chosenMatches_aloneAreReplaced() {
        auto* panel = m_window->findChild<PatternPanel*>();
        panel->pattern()->setSource("def pattern(x):\n    return torch.relu(x)\n");
        m_window->openFile(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/resnet.pt"));
        QTRY_VERIFY(document().state() == Document::State::Ready && document().facts().code());
        panel->pattern()->setSource("def pattern(a, b):\n    return a + b\n");
        panel->replacement()->setSource("def replacement(a, b):\n    return torch.sub(a, b)\n");
        QTRY_VERIFY(panel->result().matches.size() > 2);
        const int count = static_cast<int>(panel->result().matches.size());
        QListWidget* list = nullptr;
        for (QListWidget* each : panel->findChildren<QListWidget*>())
            if (each->accessibleName() == QLatin1String("Matches")) list = each; // the editors have lists, too
        QVERIFY(list);
        QVERIFY(list->count() == count);
        const auto button = [&](const QString& start) -> QPushButton* {
            for (QPushButton* each : panel->findChildren<QPushButton*>())
                if (each->text().startsWith(start)) return each;
            return nullptr;
        };
        QVERIFY(button(QStringLiteral("Replace All %1").arg(count)));
        for (int row = 2; row < count; ++row) list->item(row)->setCheckState(Qt::Unchecked);
        QPushButton* replace = button(QStringLiteral("Replace 2 of %1").arg(count));
        QVERIFY(replace);
        QVERIFY(replace->isEnabled());
        replace->click();
        QTRY_COMPARE(code().count(QStringLiteral("torch.sub(")), 2);
        QTRY_COMPARE(static_cast<int>(panel->result().matches.size()), count - 2);
        QVERIFY(button(QStringLiteral("Replace 0 of"))); // the others stay unticked
        QVERIFY(!button(QStringLiteral("Replace 0 of"))->isEnabled());
    }

    void recipe_droppedOnTheWindow_isPreviewedAndApplied() {
        m_window->renameNode(QStringLiteral("flatten"), QStringLiteral("flat"));
        const std::string recipe = fx::recipeText(*document().versions().history());
        document().versions().undo();
        const QString path = m_folder.filePath(QStringLiteral("r.json"));
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(recipe.c_str());
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
        QCOMPARE(document().versions().history()->current(), 1u);
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
        QTRY_VERIFY2(says("Drop one recipe at a time"), qPrintable(m_window->statusBar()->currentMessage()));
        drop({path, QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/my_module.pt")});
        QTRY_VERIFY2(says("drop it again when the model is open"), qPrintable(m_window->statusBar()->currentMessage()));
        QTRY_VERIFY(document().state() == Document::State::Ready);
        QCOMPARE(document().file().title(), QStringLiteral("my_module.pt"));
        QVERIFY(testing::settle());
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
};

QTEST_MAIN(TestPlaces)
#include "tst_places.moc"
