// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/shell/main_window_fixture.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/code/code_field.h"
#include "ui/pattern/pattern_panel.h"
#include "ui/shell/command_palette.h"
#include "ui/shell/document_page.h"
#include "ui/shell/find_bar.h"
#include "ui/shell/nodes_panel.h"
#include "ui/shell/panel_action.h"
#include "ui/shell/problems_panel.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/main_window.h"
#include "ui/widgets/theme.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QClipboard>
#include <QDockWidget>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QStatusBar>
#include <QTest>
#include <QToolBar>
#include <QToolButton>
#include <QWindow>

using namespace ui;

/// The parts around the canvas: panels, tool bar, search and palette.
class TestMainWindowPanels : public MainWindowFixture {
    Q_OBJECT

    QDockWidget* dock(const char* name) const { return m_window->findChild<QDockWidget*>(QLatin1String(name)); }
    QAction* actionAt(const QString& path) const {
        for (QAction* action : m_window->actions().all())
            if (action->property("path") == path) return action;
        return nullptr;
    }

private Q_SLOTS:
    void init() { makeWindow(); }
    void cleanup() { m_window.reset(); }

    void select_inTable_followsEverywhere() {
        m_window->openFile(sample("simple_net.pt"));
        QTRY_VERIFY(ready());
        QDockWidget* dock = m_window->findChild<QDockWidget*>(QStringLiteral("table"));
        dock->raise();
        auto* table = dock->findChild<NodesPanel*>();
        QTRY_VERIFY(table->view()->isVisible());
        const QRect row = table->view()->visualRect(table->model()->index(2, 1));
        QTest::mouseClick(table->view()->viewport(), Qt::LeftButton, {}, row.center());
        const std::vector<fx::NodeId> expected{table->model()->nodeAt(2)};
        QTRY_COMPARE(document().selection().nodes(), expected);
        QCOMPARE(m_window->currentPage()->canvas().selection(), expected);
        QTRY_VERIFY(m_window->actions().copyNames->isEnabled());
        m_window->actions().copyNames->trigger();
        QCOMPARE(QApplication::clipboard()->text(),
                 QString::fromStdString(document().module()->graph.node(expected.front()).name()));
    }

    void find_text_countsAndWalks() {
        m_window->openFile(sample("resnet.pt"));
        QTRY_VERIFY(ready());
        auto* bar = m_window->findChild<FindBar*>();
        QTest::keyClick(m_window.get(), Qt::Key_F, Qt::ControlModifier);
        QTRY_VERIFY(bar->isVisible());
        auto* field = bar->findChild<QLineEdit*>();
        QTest::keyClicks(field, QStringLiteral("target:relu"));
        QTRY_VERIFY(bar->found().size() > 2);
        const std::vector<fx::NodeId> found = bar->found();
        QRect before = field->geometry();
        for (const QToolButton* button : bar->findChildren<QToolButton*>()) {
            if (button->parentWidget() != bar) continue; // the field has one to clear it
            QVERIFY2(!button->geometry().intersects(field->geometry()), qPrintable(button->text()));
            QVERIFY2(bar->rect().contains(button->geometry()), qPrintable(button->text()));
            before |= button->geometry();
        }
        QVERIFY(bar->rect().contains(before));
        QTest::keyClick(field, Qt::Key_Return);
        QTRY_COMPARE(document().selection().nodes(), std::vector<fx::NodeId>{found[0]});
        QTest::keyClick(field, Qt::Key_Return);
        QTRY_COMPARE(document().selection().nodes(), std::vector<fx::NodeId>{found[1]});
        QStringList said;
        for (const QLabel* label : bar->findChildren<QLabel*>()) said << label->text();
        QVERIFY2(said.contains(QStringLiteral("2 of %1").arg(found.size())), qPrintable(said.join(u'|')));
        QTest::keyClick(field, Qt::Key_Return, Qt::ShiftModifier);
        QTRY_COMPARE(document().selection().nodes(), std::vector<fx::NodeId>{found[0]});
        QTest::keyClick(field, Qt::Key_Return, Qt::AltModifier);
        QTRY_COMPARE(document().selection().nodes(), found);
        QTest::keyClick(field, Qt::Key_Escape);
        QVERIFY(!bar->isVisible());
    }

    void palette_node_isGoneTo() {
        m_window->openFile(sample("simple_net.pt"));
        QTRY_VERIFY(ready());
        QTest::keyClick(m_window.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
        auto* palette = m_window->findChild<CommandPalette*>();
        QTRY_VERIFY(palette->isVisible());
        QTest::keyClicks(palette->field(), QStringLiteral("left to right"));
        QTest::keyClick(palette->field(), Qt::Key_Return);
        QTRY_COMPARE(document().picture().direction(), fx::Direction::LeftRight);
        QCOMPARE(m_settings->direction(), fx::Direction::LeftRight);
    }

    void palette_words_findTheObviousActionFirst_data() {
        QTest::addColumn<QString>("path");
        for (const char* path : {"File: Open…", "File: Save", "Graph: Partition Graph", "Run: Verify Against Original",
                                 "Run: Time Against Original", "View: Panels: History"})
            QTest::newRow(path) << QString::fromUtf8(path);
    }
    void palette_words_findTheObviousActionFirst() {
        QFETCH(QString, path);
        m_window->openFile(sample("simple_net.pt"));
        QTRY_VERIFY(ready());
        dock("partition")->raise(); // its switches are to be had, too
        auto* palette = m_window->findChild<CommandPalette*>();
        m_window->actions().palette->trigger();
        QTRY_VERIFY(palette->isVisible());
        QTest::keyClicks(palette->field(),
                         path.section(QStringLiteral(": "), -1).section(u' ', 0, 0).remove(QChar(0x2026)).toLower());
        QCOMPARE(palette->list()->model()->index(0, 0).data().toString(), path);
    }

    void panel_action_raisesAndThenCloses() {
        QAction* action = actionAt(QStringLiteral("View: Panels: Pattern"));
        QVERIFY(action);
        QTRY_VERIFY(isInFront(*dock("inspector")) && !isInFront(*dock("pattern")));
        QVERIFY(!action->isChecked());
        action->trigger(); // behind: not closed, but brought up
        QTRY_VERIFY(isInFront(*dock("pattern")) && action->isChecked());
        QVERIFY(!isInFront(*dock("inspector")));
        QVERIFY(dock("inspector")->isVisible());
        QVERIFY(dock("pattern")->isAncestorOf(QApplication::focusWidget()));
        action->trigger();
        QTRY_VERIFY(!dock("pattern")->isVisible() && !action->isChecked());
        const QKeySequence keys = action->shortcut();
        QTest::keyClick(m_window.get(), static_cast<Qt::Key>(keys[0].key()), keys[0].keyboardModifiers());
        QTRY_VERIFY(isInFront(*dock("pattern")) && action->isChecked());
    }

    void toolBar_contextMenu_hasThePanels() {
        const std::unique_ptr<QMenu> menu(m_window->createPopupMenu());
        QAction* action = actionAt(QStringLiteral("View: Panels: Pattern"));
        QVERIFY(menu->actions().contains(action));
        QVERIFY(!menu->actions().contains(dock("pattern")->toggleViewAction()));
        auto* bar = m_window->findChild<QToolBar*>(QStringLiteral("tools"));
        QVERIFY(menu->actions().contains(bar->toggleViewAction()));
    }

    void toolBar_1280Wide_showsEverything() {
        const auto* bar = m_window->findChild<QToolBar*>(QStringLiteral("tools"));
        QCOMPARE(m_window->width(), 1280);
        QStringList texts;
        for (QAction* action : bar->actions()) {
            if (action->isSeparator()) continue;
            texts << action->iconText().trimmed();
            QVERIFY2(!action->icon().isNull(), qPrintable(action->text()));
            QVERIFY2(action->toolTip().contains(action->shortcut().toString(QKeySequence::NativeText)),
                     qPrintable(action->toolTip()));
            QVERIFY2(bar->widgetForAction(action)->isVisible(), qPrintable(action->text()));
            QVERIFY2(bar->rect().contains(bar->widgetForAction(action)->geometry()), qPrintable(action->text()));
        }
        QCOMPARE(texts.join(u' '),
                 QStringLiteral(
                     "Open Save Undo Redo Find Insert Pattern Partition Passes Verify Time Compare Expand Collapse"));
        QVERIFY(!bar->findChild<QToolButton*>(QStringLiteral("qt_toolbar_ext_button"))->isVisible());
    }

    void problems_wrap() {
        applyTheme(*qApp, ThemeChoice::Light); // before the window, as in the program: it decides where lines end
        makeWindow();
        m_window->openFile(sample("simple_net.pt"));
        QTRY_VERIFY(ready());
        auto* panel = m_window->findChild<ProblemsPanel*>();
        dock("problems")->raise();
        QTRY_VERIFY(panel->isVisible());
        auto notes = std::make_shared<ShapeNotes>();
        notes->version = document().module();
        fx::ShapeFailure failure;
        failure.node = "flatten";
        failure.what = fx::Message("engine.torch", {{"detail", std::string(40, 'x') + std::string(600, ' ') +
                                                                   "a long explanation of what went wrong here and "
                                                                   "why the sizes of the two operands do not fit, "
                                                                   "with all that the library has to say about it, "
                                                                   "which takes more than one line of the panel"}});
        failure.operands.push_back({"max_pool2d", {}, "conv"});
        notes->failures.push_back(failure);
        document().shapes().set(notes);
        QTRY_VERIFY(panel->problems()->rowCount() > 0);
        const int row = panel->problems()->rowCount() - 1;
        const QString text = panel->problems()->index(row, 0).data().toString();
        const auto fits = [&] {
            const QRect place(0, 0, panel->columnWidth(0) - 8, 10'000);
            return panel->rowHeight(row) >= panel->fontMetrics().boundingRect(place, Qt::TextWordWrap, text).height();
        };
        QTRY_VERIFY(panel->rowHeight(row) > 2 * panel->fontMetrics().height() && fits());
        m_window->resize(1000, 800); // narrower: more lines
        QTRY_VERIFY(fits());
    }

    void patternCode_rememberedWhileTheWindowIsOpen() {
        auto* panel = m_window->findChild<PatternPanel*>();
        panel->pattern()->setSource("def pattern(x): return x"); // before a file is open: for the first one
        const QString path = sample("simple_net.pt");
        m_window->openFile(path);
        QTRY_VERIFY(m_settings->viewOf(path).contains("def pattern(x): return x"));
        panel->pattern()->setSource("def pattern(y): return y");
        QTRY_VERIFY(m_settings->viewOf(path).contains("def pattern(y): return y"));
    }

    void status_message_liesOnNothingElse() {
        m_window->openFile(sample("simple_net.pt"));
        QTRY_VERIFY(ready());
        QLabel* file = nullptr;
        for (QLabel* label : m_window->statusBar()->findChildren<QLabel*>())
            if (label->text() == QLatin1String("simple_net.pt")) file = label;
        QVERIFY(file);
        QVERIFY(file->isVisible());
        m_window->notify(QStringLiteral("A message that is as long as a message may be"));
        document().selection().select({node("relu")}, nullptr);
        QVERIFY(!file->isVisible());
        m_window->statusBar()->clearMessage();
        QVERIFY(file->isVisible());
    }

    void widgets_interactive_haveAccessibleNames() {
        m_window->openFile(sample("simple_net.pt"));
        QTRY_VERIFY(ready());
        QStringList nameless;
        const auto check = [&](const QWidget* widget, const QString& text) {
            if (widget->focusPolicy() != Qt::NoFocus && widget->accessibleName().isEmpty() && text.isEmpty() &&
                !widget->objectName().startsWith(QStringLiteral("qt_")))
                nameless << QString::fromLatin1(widget->metaObject()->className()) + QStringLiteral(" in ") +
                                QString::fromLatin1(widget->parentWidget()->metaObject()->className());
        };
        for (const auto* field : m_window->findChildren<QLineEdit*>()) check(field, {});
        for (const auto* view : m_window->findChildren<QAbstractItemView*>())
            if (!view->parentWidget()->inherits("QComboBoxPrivateContainer"))
                check(view, {}); // a combo box speaks for its list
        for (const auto* button : m_window->findChildren<QAbstractButton*>())
            check(button, button->text() + button->toolTip());
        QVERIFY2(nameless.isEmpty(), qPrintable(nameless.join(u'\n')));
    }
};

QTEST_MAIN(TestMainWindowPanels)
#include "tst_main_window_panels.moc"
