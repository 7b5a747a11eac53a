// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/models.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/code/code_field.h"
#include "ui/code/code_panel.h"
#include "ui/pattern/pattern_panel.h"
#include "ui/shell/command_palette.h"
#include "ui/shell/document_page.h"
#include "ui/shell/find_bar.h"
#include "ui/shell/nodes_panel.h"
#include "ui/shell/panel_action.h"
#include "ui/shell/problems_panel.h"
#include "ui/shell/saving/save_sheet.h"
#include "ui/shell/settings.h"
#include "ui/shell/status_pages.h"
#include "ui/shell/window/main_window.h"

#include <QAbstractItemView>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QDockWidget>
#include <QDropEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QStatusBar>
#include <QTabBar>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QToolBar>
#include <QToolButton>
#include <QWindow>

using namespace ui;

/// The window as a user meets it: files, tabs, selection across panels, find, palette, what is remembered.
class TestMainWindow : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;

    static QString sample(const char* name) {
        return QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/") + QLatin1String(name);
    }
    QString settingsFile() const {
        return m_folder.filePath(QString::fromLatin1(QTest::currentTestFunction()) + QStringLiteral(".ini"));
    }
    void makeWindow() {
        m_window.reset();
        m_settings = std::make_unique<Settings>(settingsFile());
        m_window = std::make_unique<MainWindow>(*m_settings);
        m_window->resize(1280, 800);
        m_window->show();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
    }
    Document& document() const { return *m_window->currentDocument(); }
    bool ready() const {
        Document* shown = m_window->currentDocument();
        return shown && shown->state() == Document::State::Ready && shown->picture().scene() && shown->code() &&
               shown->findIndex();
    }
    fx::NodeId node(const char* name) const { return document().module()->graph.find(name); }
    QDockWidget* dock(const char* name) const { return m_window->findChild<QDockWidget*>(QLatin1String(name)); }
    QAction* actionAt(const QString& path) const {
        for (QAction* action : m_window->actions().all())
            if (action->property("path") == path) return action;
        return nullptr;
    }
    QTabWidget* tabs() const { return m_window->findChild<QTabWidget*>(QStringLiteral("documents")); }

private Q_SLOTS:
    void init() { makeWindow(); }
    void cleanup() { m_window.reset(); }

    void start_noFile_offersSamples() {
        auto* welcome = m_window->findChild<WelcomePage*>();
        QVERIFY(welcome->isVisible());
        QPushButton* resnet = nullptr;
        for (QPushButton* button : welcome->findChildren<QPushButton*>())
            if (button->accessibleName().startsWith(QStringLiteral("Open resnet.pt"))) resnet = button;
        QVERIFY(resnet);
        QTest::mouseClick(resnet, Qt::LeftButton);
        QTRY_VERIFY(ready());
        QVERIFY(!welcome->isVisible());
        QCOMPARE(m_window->windowTitle(), QStringLiteral("resnet.pt[*] – Lancet"));
    }

    void open_sample_allPanelsShowIt() {
        m_window->openFile(sample("simple_net.pt"));
        QTRY_VERIFY(ready());
        const int nodes = static_cast<int>(document().module()->graph.size());
        for (NodesPanel* panel : m_window->findChildren<NodesPanel*>()) QCOMPARE(panel->model()->rowCount(), nodes);
        auto* code = m_window->findChild<CodePanel*>();
        QVERIFY(code->view()->text().contains(QStringLiteral("def forward(self, x")));
        QTRY_VERIFY(m_window->currentPage()->canvas().scene().itemCount() > 0);
    }

    void select_inTable_followsEverywhere() {
        m_window->openFile(sample("simple_net.pt"));
        QTRY_VERIFY(ready());
        QDockWidget* dock = m_window->findChild<QDockWidget*>(QStringLiteral("table"));
        dock->raise();
        auto* table = static_cast<NodesPanel*>(dock->widget());
        QTRY_VERIFY(table->view()->isVisible());
        const QRect row = table->view()->visualRect(table->model()->index(2, 1));
        QTest::mouseClick(table->view()->viewport(), Qt::LeftButton, {}, row.center());
        const std::vector<fx::NodeId> expected{table->model()->nodeAt(2)};
        QTRY_COMPARE(document().selection(), expected);
        QCOMPARE(m_window->currentPage()->canvas().selection(), expected);
        QTRY_VERIFY(m_window->actions().copyNames->isEnabled());
        m_window->actions().copyNames->trigger();
        QCOMPARE(QApplication::clipboard()->text(),
                 QString::fromStdString(document().module()->graph.node(expected.front()).name()));
    }

    void undo_inAFieldWithoutText_isThatOfTheModel() {
        m_window->openFile(sample("simple_net.pt"));
        QTRY_VERIFY(ready());
        QVERIFY(document().edit(QStringLiteral("Rename"), R"([{"step": "rename", "node": "mul", "name": "mine"}])"));
        QTest::keyClick(m_window.get(), Qt::Key_F, Qt::ControlModifier);
        auto* bar = m_window->findChild<FindBar*>();
        QTRY_VERIFY(bar->isVisible());
        auto* field = bar->findChild<QLineEdit*>();
        field->setFocus();
        QTest::keyClick(field, Qt::Key_Z, Qt::ControlModifier);
        QVERIFY(node("mul") != fx::kNoNode);
        m_window->actions().redo->trigger();
        QTest::keyClicks(field, QStringLiteral("m"));
        for (int i = 0; i < 3; ++i) QTest::keyClick(field, Qt::Key_Z, Qt::ControlModifier); // what was typed
        QVERIFY(field->text().isEmpty() && node("mine") != fx::kNoNode);
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
            QVERIFY2(!button->geometry().intersects(field->geometry()) && bar->rect().contains(button->geometry()),
                     qPrintable(button->text()));
            before |= button->geometry();
        }
        QVERIFY(bar->rect().contains(before));
        QTest::keyClick(field, Qt::Key_Return);
        QTRY_COMPARE(document().selection(), std::vector<fx::NodeId>{found[0]});
        QTest::keyClick(field, Qt::Key_Return);
        QTRY_COMPARE(document().selection(), std::vector<fx::NodeId>{found[1]});
        QStringList said;
        for (const QLabel* label : bar->findChildren<QLabel*>()) said << label->text();
        QVERIFY2(said.contains(QStringLiteral("2 of %1").arg(found.size())), qPrintable(said.join(u'|')));
        QTest::keyClick(field, Qt::Key_Return, Qt::ShiftModifier);
        QTRY_COMPARE(document().selection(), std::vector<fx::NodeId>{found[0]});
        QTest::keyClick(field, Qt::Key_Return, Qt::AltModifier);
        QTRY_COMPARE(document().selection(), found);
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
        QVERIFY(!isInFront(*dock("inspector")) && dock("inspector")->isVisible());
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
            QVERIFY2(bar->widgetForAction(action)->isVisible() &&
                         bar->rect().contains(bar->widgetForAction(action)->geometry()),
                     qPrintable(action->text()));
        }
        QCOMPARE(texts.join(u' '),
                 QStringLiteral(
                     "Open Save Undo Redo Find Insert Pattern Partition Passes Verify Time Compare Expand Collapse"));
        QVERIFY(!bar->findChild<QToolButton*>(QStringLiteral("qt_toolbar_ext_button"))->isVisible());
    }

    /// With Shift, the key is Backtab on X11, and Tab elsewhere.
    void tabs_byKeys_whereverTheFocusIs() {
        for (const char* name : {"simple_net.pt", "resnet.pt", "my_module.pt"}) m_window->openFile(sample(name));
        QTRY_VERIFY(ready());
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        m_window->actions().partition->trigger();
        int at = 2;
        for (QWidget* widget : m_window->findChildren<QWidget*>()) {
            const bool takes = qobject_cast<QCheckBox*>(widget) || qobject_cast<QLineEdit*>(widget) ||
                               qobject_cast<QTabBar*>(widget) || widget == &m_window->currentPage()->canvas();
            if (!takes || !widget->isVisible() || !widget->isEnabled()) continue;
            for (const Qt::Key key : {Qt::Key_Backtab, Qt::Key_Tab}) {
                widget->setFocus();
                QTest::keyClick(m_window->windowHandle(), key, Qt::ControlModifier | Qt::ShiftModifier);
                at = (at + 2) % 3;
                QVERIFY2(tabs()->currentIndex() == at, widget->metaObject()->className());
            }
            widget->setFocus();
            QTest::keyClick(m_window->windowHandle(), Qt::Key_Tab, Qt::ControlModifier);
            at = (at + 1) % 3;
            QVERIFY2(tabs()->currentIndex() == at, widget->metaObject()->className());
        }
        QCOMPARE(m_window->actions().previousTab->shortcut().toString(QKeySequence::NativeText),
                 QStringLiteral("Ctrl+Shift+Tab"));
    }

    void tabs_outOfSight_areInAList_middleClickCloses() {
        const auto* list = tabs()->findChild<QToolButton*>(QStringLiteral("tabList"));
        QVERIFY(list && !list->isVisible());
        for (const char* name : {"simple_net.pt", "resnet.pt", "my_module.pt"})
            m_window->openFile(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/") + QLatin1String(name));
        QCOMPARE(tabs()->count(), 3);
        QVERIFY(list->isVisible());
        Q_EMIT list->menu()->aboutToShow();
        QCOMPARE(list->menu()->actions().size(), 3);
        QVERIFY(list->menu()->actions()[2]->isChecked());
        list->menu()->actions()[0]->trigger();
        QCOMPARE(tabs()->currentIndex(), 0);
        QTest::mouseClick(tabs()->tabBar(), Qt::MiddleButton, {}, tabs()->tabBar()->tabRect(1).center());
        QCOMPARE(tabs()->count(), 2);
        QCOMPARE(tabs()->tabText(1), QStringLiteral("my_module.pt"));
    }

    void tabs_severalFiles_eachWithItsOwn() {
        m_window->openFile(sample("simple_net.pt"));
        QTRY_VERIFY(ready());
        document().select({node("x")}, nullptr);
        m_window->openFile(sample("resnet.pt"));
        QTRY_VERIFY(ready());
        QCOMPARE(tabs()->count(), 2);
        QVERIFY(document().selection().empty());
        m_window->openFile(sample("simple_net.pt")); // goes to the tab that has it
        QCOMPARE(tabs()->count(), 2);
        QCOMPARE(document().title(), QStringLiteral("simple_net.pt"));
        QCOMPARE(document().selection().size(), std::size_t(1));
        m_window->actions().closeTab->trigger();
        QCOMPARE(tabs()->count(), 1);
        QCOMPARE(document().title(), QStringLiteral("resnet.pt"));
        m_window->actions().closeTab->trigger();
        QVERIFY(!m_window->currentPage());
        QVERIFY(m_window->findChild<WelcomePage*>()->isVisible());
        QVERIFY(!m_window->actions().find->isEnabled());
    }

    void open_brokenFile_errorPageSaysWhatAndWhere() {
        const QString path = m_folder.filePath(QStringLiteral("truncated.pt"));
        QFile whole(sample("resnet.pt"));
        QVERIFY(whole.open(QIODevice::ReadOnly));
        QFile part(path);
        QVERIFY(part.open(QIODevice::WriteOnly));
        part.write(whole.read(5000));
        part.close();
        m_window->openFile(path);
        auto* page = m_window->currentPage()->findChild<ErrorPage*>();
        QTRY_VERIFY(page->isVisible());
        QVERIFY2(page->text().contains(QStringLiteral("Could not open truncated.pt")), qPrintable(page->text()));
        QVERIFY(page->text().contains(path));
        QVERIFY(m_settings->recentFiles().isEmpty());
        QVERIFY(!m_window->actions().copyCode->isEnabled());
        // Mended meanwhile: trying again opens it.
        QVERIFY(QFile::remove(path) && QFile::copy(sample("resnet.pt"), path));
        for (QPushButton* button : page->findChildren<QPushButton*>())
            if (button->text() == QStringLiteral("Try Again")) QTest::mouseClick(button, Qt::LeftButton);
        QTRY_VERIFY(ready());
        QCOMPARE(m_settings->recentFiles(), QStringList{path});
    }

    void drop_files_opensThem() {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(sample("simple_net.pt")), QUrl::fromLocalFile(sample("my_module.pt"))});
        QDragEnterEvent enter(QPoint(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(m_window.get(), &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(300, 300), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(m_window.get(), &drop);
        QCOMPARE(tabs()->count(), 2);
        QTRY_VERIFY(ready());
        QTRY_COMPARE(m_settings->recentFiles().size(), 2);
    }

    void settings_windowAndTheme_remembered() {
        m_window->actions().themeDark->trigger();
        m_window->resize(1111, 777);
        QDockWidget* inspector = m_window->findChild<QDockWidget*>(QStringLiteral("inspector"));
        inspector->hide();
        m_window->close();
        makeWindow();
        QCOMPARE(m_settings->theme(), ThemeChoice::Dark);
        QVERIFY(m_window->actions().themeDark->isChecked());
        QVERIFY(!m_window->findChild<QDockWidget*>(QStringLiteral("inspector"))->isVisible());
        m_window->actions().resetLayout->trigger();
        QVERIFY(m_window->findChild<QDockWidget*>(QStringLiteral("inspector"))->isVisible());
        applyTheme(*qApp, ThemeChoice::Light);
    }

    void recentFile_thatIsGone_isGreyWithAWord() {
        const QString there = m_folder.filePath(QStringLiteral("there.pt")), gone = m_folder.filePath("gone.pt");
        QVERIFY(QFile::copy(sample("simple_net.pt"), there));
        m_settings->addRecentFile(gone);
        m_settings->addRecentFile(there);
        makeWindow();
        for (const auto& [path, isThere] : {std::pair(there, true), std::pair(gone, false)}) {
            QPushButton* row = nullptr;
            for (QPushButton* each : m_window->findChild<WelcomePage*>()->findChildren<QPushButton*>())
                if (each->accessibleName().contains(QFileInfo(path).fileName())) row = each;
            QVERIFY(row);
            QCOMPARE(row->isEnabled(), isThere);
            QCOMPARE(row->accessibleName().contains(QStringLiteral("no longer exists")), !isThere);
        }
        QMenu* menu = m_window->actions().recentMenu;
        Q_EMIT menu->aboutToShow();
        QVERIFY(menu->actions().at(0)->isEnabled() && !menu->actions().at(1)->isEnabled());
        QVERIFY(menu->actions().at(1)->text().contains(QStringLiteral("no longer exists")));
    }

    void problems_wrap() {
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
        document().setShapes(notes);
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

    void export_kinds_written_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QByteArray>("start");
        QTest::newRow("png") << "a.png" << QByteArray("\x89PNG");
        QTest::newRow("svg") << "a.svg" << QByteArray("<");
        QTest::newRow("pdf") << "a.pdf" << QByteArray("%PDF-1.");
        QTest::newRow("dot") << "a.dot" << QByteArray("digraph");
        QTest::newRow("code") << "a.py" << QByteArray("# Written by lancet");
    }
    void export_kinds_written() {
        QFETCH(QString, name);
        QFETCH(QByteArray, start);
        m_window->openFile(sample("simple_net.pt"));
        QTRY_VERIFY(ready());
        const QString path = m_folder.filePath(name);
        m_window->exportFile(path, exportKindOf(path));
        QTRY_VERIFY(QFile::exists(path));
        QFile file(path);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QByteArray written = file.readAll();
        QVERIFY2(written.startsWith(start), written.left(40).constData());
        QVERIFY(written.size() > 200);
    }

    void change_undoRedoSave_roundTrip() {
        m_window->openFile(sample("simple_net.pt"));
        QTRY_VERIFY(ready());
        Document* document = m_window->currentDocument();
        QTRY_VERIFY(document->code());
        m_window->renameNode(QStringLiteral("mul"), QStringLiteral("scaled"));
        QVERIFY(document->isModified());
        QTRY_VERIFY(document->code());
        QVERIFY(document->code()->text.find("scaled = relu * scale") != std::string::npos);
        document->undo();
        QVERIFY(!document->isModified());
        QVERIFY(document->module()->graph.find("mul") != fx::kNoNode);
        document->redo();
        QVERIFY(document->module()->graph.find("scaled") != fx::kNoNode);
        const QString path = m_folder.filePath(QStringLiteral("changed.pt"));
        m_window->saveTo(path);
        SaveSheet* sheet = nullptr; // tells that PyTorch names it anew
        QTRY_VERIFY((sheet = m_window->findChild<SaveSheet*>()));
        sheet->saveAnyway()->click();
        QTRY_VERIFY_WITH_TIMEOUT(!document->isModified(), 10'000);
        m_window->openFile(path);
        QCOMPARE(m_window->currentDocument(), document); // its tab is that file now
        m_window->actions().closeTab->trigger();
        m_window->openFile(path);
        QTRY_VERIFY(ready());
        QVERIFY(m_window->currentDocument()->module()->graph.find("mul") != fx::kNoNode);
    }

    void saveAs_titleAndTab_nameTheNewFile() {
        m_window->openFile(sample("simple_net.pt"));
        QTRY_VERIFY(ready());
        const QString path = m_folder.filePath(QStringLiteral("other name.pt"));
        m_window->saveTo(path);
        SaveSheet* sheet = nullptr;
        QTRY_VERIFY((sheet = m_window->findChild<SaveSheet*>()) || document().target() == path);
        if (sheet) sheet->saveAnyway()->click();
        QTRY_COMPARE_WITH_TIMEOUT(document().target(), path, 10'000);
        QTRY_COMPARE(m_window->windowTitle(), QStringLiteral("other name.pt[*] – Lancet"));
        QCOMPARE(tabs()->tabText(0), QStringLiteral("other name.pt"));
        QVERIFY(tabs()->tabToolTip(0).contains(path));
        QStringList said;
        for (const QLabel* label : m_window->statusBar()->findChildren<QLabel*>()) said << label->text();
        QVERIFY2(said.contains(QStringLiteral("other name.pt")), qPrintable(said.join(u'|')));
    }

    void status_message_liesOnNothingElse() {
        m_window->openFile(sample("simple_net.pt"));
        QTRY_VERIFY(ready());
        QLabel* file = nullptr;
        for (QLabel* label : m_window->statusBar()->findChildren<QLabel*>())
            if (label->text() == QLatin1String("simple_net.pt")) file = label;
        QVERIFY(file && file->isVisible());
        m_window->notify(QStringLiteral("A message that is as long as a message may be"));
        document().select({node("relu")}, nullptr);
        QVERIFY(!file->isVisible());
        m_window->statusBar()->clearMessage();
        QVERIFY(file->isVisible());
    }

    void change_refused_changesNothing() {
        m_window->openFile(sample("simple_net.pt"));
        QTRY_VERIFY(ready());
        Document* document = m_window->currentDocument();
        const auto before = document->module();
        QString why;
        disconnect(document, &Document::refused, m_window.get(), nullptr); // the message box would wait for somebody
        connect(document, &Document::refused, this,
                [&](const fx::Error& error) { why = QString::fromUtf8(error.what()); });
        QVERIFY(!document->edit(QStringLiteral("Erase relu"), R"([{"step": "erase", "node": "relu"}])"));
        QVERIFY(why.contains(QStringLiteral("users")));
        QCOMPARE(document->module(), before);
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

QTEST_MAIN(TestMainWindow)
#include "tst_main_window.moc"
