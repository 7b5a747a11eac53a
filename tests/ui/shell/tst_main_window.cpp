// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/json_steps.h"
#include "tests/ui/shell/main_window_fixture.h"
#include "tests/ui/support/held_pool.h"
#include "ui/canvas/graph_canvas.h"
#include "ui/code/code_panel.h"
#include "ui/compilation/compilation_panel.h"
#include "ui/shell/document_page.h"
#include "ui/shell/find_bar.h"
#include "ui/shell/nodes_panel.h"
#include "ui/shell/saving/save_sheet.h"
#include "ui/shell/settings.h"
#include "ui/shell/status_pages.h"
#include "ui/shell/window/main_window.h"

#include <QApplication>
#include <QCheckBox>
#include <QDockWidget>
#include <QDropEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMimeData>
#include <QPushButton>
#include <QStatusBar>
#include <QTabBar>
#include <QTabWidget>
#include <QTest>
#include <QToolButton>
#include <QWindow>

using namespace ui;

/// The window as a whole: documents, tabs and files.
class TestMainWindow : public MainWindowFixture {
    Q_OBJECT

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

    void openFile_withoutAName_opensNothing() {
        m_window->openFile({});
        QVERIFY(!m_window->currentDocument());
    }

    void undo_inAFieldWithoutText_isThatOfTheModel() {
        m_window->openFile(sample("simple_net.pt"));
        QTRY_VERIFY(ready());
        QVERIFY(document().versions().edit(QStringLiteral("Rename"),
                                           R"([{"step": "rename", "node": "mul", "name": "mine"}])"_steps));
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
        QVERIFY(field->text().isEmpty());
        QVERIFY(node("mine") != fx::kNoNode);
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
        QVERIFY(list);
        QVERIFY(!list->isVisible());
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
        document().selection().select({node("x")}, nullptr);
        m_window->openFile(sample("resnet.pt"));
        QTRY_VERIFY(ready());
        QCOMPARE(tabs()->count(), 2);
        QVERIFY(document().selection().nodes().empty());
        m_window->openFile(sample("simple_net.pt")); // goes to the tab that has it
        QCOMPARE(tabs()->count(), 2);
        QCOMPARE(document().file().title(), QStringLiteral("simple_net.pt"));
        QCOMPARE(document().selection().nodes().size(), std::size_t(1));
        m_window->actions().closeTab->trigger();
        QCOMPARE(tabs()->count(), 1);
        QCOMPARE(document().file().title(), QStringLiteral("resnet.pt"));
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
        QVERIFY(QFile::remove(path));
        QVERIFY(QFile::copy(sample("resnet.pt"), path));
        for (QPushButton* button : page->findChildren<QPushButton*>())
            if (button->text() == QStringLiteral("Try Again")) QTest::mouseClick(button, Qt::LeftButton);
        QTRY_VERIFY(ready());
        QCOMPARE(m_settings->recentFiles(), QStringList{path});
    }

    /// What a file is, is found off the GUI thread, by the task that opens it.
    void dump_isRecognisedWhenItIsRead_andShownInItsPanel() {
        const QString dump = sample("compilation");
        auto* panel = m_window->findChild<CompilationPanel*>();
        {
            const testing::HeldPool held;
            m_window->openFile(dump);
            QCOMPARE(tabs()->count(), 1);
            QCOMPARE(panel->dump(), QString());
        }
        QTRY_COMPARE(panel->dump(), dump);
        QCOMPARE(m_settings->recentFiles(), QStringList{dump});
        QTRY_VERIFY(ready()); // its first graph
        QCOMPARE(tabs()->count(), 1);
        QVERIFY2(document().file().opened().startsWith(dump + u'#'), qPrintable(document().file().opened()));
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
        QVERIFY(menu->actions().at(0)->isEnabled());
        QVERIFY(!menu->actions().at(1)->isEnabled());
        QVERIFY(menu->actions().at(1)->text().contains(QStringLiteral("no longer exists")));
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
        QTRY_VERIFY(document->facts().code());
        m_window->renameNode(QStringLiteral("mul"), QStringLiteral("scaled"));
        QVERIFY(document->isModified());
        QTRY_VERIFY(document->facts().code());
        QVERIFY(document->facts().code()->text.find("scaled = relu * scale") != std::string::npos);
        document->versions().undo();
        QVERIFY(!document->isModified());
        QVERIFY(document->module()->graph.find("mul") != fx::kNoNode);
        document->versions().redo();
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
        QTRY_VERIFY((sheet = m_window->findChild<SaveSheet*>()) || document().file().target() == path);
        if (sheet) sheet->saveAnyway()->click();
        QTRY_COMPARE_WITH_TIMEOUT(document().file().target(), path, 10'000);
        QTRY_COMPARE(m_window->windowTitle(), QStringLiteral("other name.pt[*] – Lancet"));
        QCOMPARE(tabs()->tabText(0), QStringLiteral("other name.pt"));
        QVERIFY(tabs()->tabToolTip(0).contains(path));
        QStringList said;
        for (const QLabel* label : m_window->statusBar()->findChildren<QLabel*>()) said << label->text();
        QVERIFY2(said.contains(QStringLiteral("other name.pt")), qPrintable(said.join(u'|')));
    }

    void change_refused_changesNothing() {
        m_window->openFile(sample("simple_net.pt"));
        QTRY_VERIFY(ready());
        Document* document = m_window->currentDocument();
        const auto before = document->module();
        QString why;
        disconnect(&document->versions(), &DocumentVersions::refused, m_window.get(),
                   nullptr); // the message box would wait for somebody
        connect(&document->versions(), &DocumentVersions::refused, this,
                [&](const fx::Error& error) { why = QString::fromUtf8(error.what()); });
        QVERIFY(
            !document->versions().edit(QStringLiteral("Erase relu"), R"([{"step": "erase", "node": "relu"}])"_steps));
        QVERIFY(why.contains(QStringLiteral("users")));
        QCOMPARE(document->module(), before);
    }
};

QTEST_MAIN(TestMainWindow)
#include "tst_main_window.moc"
