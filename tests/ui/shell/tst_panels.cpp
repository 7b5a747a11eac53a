// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/json_steps.h"
#include "ui/document/module_tree_model.h"
#include "ui/partition/partition_panel.h"
#include "ui/quant/quant_panel.h"
#include "ui/shell/command_palette.h"
#include "ui/shell/modules_panel.h"
#include "ui/shell/panel_action.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/main_window.h"

#include <QDockWidget>
#include <QLineEdit>
#include <QListView>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QTreeView>

using namespace ui;

/// What the window makes of the table of panels, and what panels keep.
class TestPanels : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;

    QDockWidget* dock(const char* name) const { return m_window->findChild<QDockWidget*>(QLatin1String(name)); }
    QAction* actionAt(const QString& path) const {
        for (QAction* action : m_window->actions().all())
            if (action->property("path") == path) return action;
        return nullptr;
    }
    void open(const char* name) {
        m_window->openFile(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/") + QLatin1String(name));
        QTRY_VERIFY(m_window->currentDocument()->state() == Document::State::Ready &&
                    m_window->currentDocument()->picture().scene() && m_window->currentDocument()->facts().code());
    }

private Q_SLOTS:
    void init() {
        m_settings = std::make_unique<Settings>(
            m_folder.filePath(QString::fromLatin1(QTest::currentTestFunction()) + QStringLiteral(".ini")));
        m_window = std::make_unique<MainWindow>(*m_settings);
        m_window->resize(1280, 800);
        m_window->show();
    }
    void cleanup() { m_window.reset(); }

    void table_everyPanel_hasDockMenuEntryAndUsableShortcut() {
        QStringList keys;
        for (const PanelEntry& entry : panelTable()) {
            QVERIFY2(dock(entry.name), entry.name);
            QVERIFY2(dock(entry.name)->widget(), entry.name);
            QCOMPARE(m_window->dockWidgetArea(dock(entry.name)), entry.area);
            const QAction* action = actionAt(QStringLiteral("View: Panels: ") + QLatin1String(entry.title));
            QVERIFY2(action, entry.title);
            const QString shortcut = action->shortcut().toString(QKeySequence::PortableText);
            QCOMPARE(shortcut, QLatin1String(entry.keys));
            if (shortcut.isEmpty()) continue;
            QVERIFY2(QRegularExpression(QStringLiteral("^Alt\\+[0-9]$")).match(shortcut).hasMatch(), entry.title);
            QVERIFY2(!keys.contains(shortcut), entry.title);
            keys << shortcut;
        }
    }

    /// An arrangement that lacks a panel, or has it elsewhere, would be forced on a window that has others.
    void arrangementVersion_dependsOnNamesAndAreasOnly() {
        const auto table = panelTable();
        std::vector<PanelEntry> other(table.begin(), table.end());
        QCOMPARE(arrangementVersion(other), arrangementVersion(table));
        QVERIFY(arrangementVersion(table.first(table.size() - 1)) != arrangementVersion(table));
        other.back().title = "Other", other.back().keys = "Alt+1";
        QCOMPARE(arrangementVersion(other), arrangementVersion(table));
        other.back().area =
            other.back().area == Qt::LeftDockWidgetArea ? Qt::RightDockWidgetArea : Qt::LeftDockWidgetArea;
        QVERIFY(arrangementVersion(other) != arrangementVersion(table));
        other.back() = table.back();
        other.back().name = "other";
        QVERIFY(arrangementVersion(other) != arrangementVersion(table));
    }

    void shortcut_ofAPanel_bringsItToTheFront() {
        m_window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(m_window.get()));
        QVERIFY(!isInFront(*dock("history")));
        QTest::keyClick(m_window.get(), Qt::Key_0, Qt::AltModifier);
        QTRY_VERIFY(isInFront(*dock("history")));
    }

    void quantise_marksTheCanvas_onlyWhileInFront() {
        open("resnet.pt");
        const auto* panel = m_window->findChild<QuantPanel*>();
        QVERIFY(panel);
        QVERIFY(!panel->isSeen());
        showPanel(*dock("quantise"));
        QTRY_VERIFY(panel->isSeen());
        showPanel(*dock("inspector"));
        QTRY_VERIFY(!panel->isSeen());
    }

    void outline_keepsWhatIsOpen() {
        open("resnet.pt");
        auto* panel = m_window->findChild<ModulesPanel*>();
        QTreeView* tree = panel->view();
        const auto at = [&](const char* path) {
            return static_cast<ModuleTreeModel*>(tree->model())->indexOf(QLatin1String(path));
        };
        tree->expand(at("layer1.0"));
        tree->collapse(at("layer2"));
        open("simple_net.pt");
        m_window->findChild<QTabWidget*>(QStringLiteral("documents"))->setCurrentIndex(0);
        QVERIFY(tree->isExpanded(at("layer1.0")));
        QVERIFY(!tree->isExpanded(at("layer2")));
        auto* filter = panel->findChild<QLineEdit*>();
        filter->setText(QStringLiteral("conv"));
        QVERIFY(tree->isExpanded(at("layer2")));
        filter->clear();
        QVERIFY(tree->isExpanded(at("layer1.0")));
        QVERIFY(!tree->isExpanded(at("layer2")));
        QVERIFY(m_window->currentDocument()->versions().edit(
            QStringLiteral("Rename"), R"([{"step": "rename", "node": "relu", "name": "act"}])"_steps));
        QVERIFY(tree->isExpanded(at("layer1.0")));
        QVERIFY(!tree->isExpanded(at("layer2")));
    }

    void palette_actionOfAPanel_showsItFirst() {
        open("simple_net.pt");
        QVERIFY(!isInFront(*dock("partition")));
        m_window->actions().palette->trigger();
        auto* palette = m_window->findChild<CommandPalette*>();
        QTest::keyClicks(palette->field(), QStringLiteral("show stages"));
        QTRY_COMPARE(palette->list()->currentIndex().data().toString(), QStringLiteral("Partition: Show Stages"));
        QTest::keyClick(palette->field(), Qt::Key_Return);
        QTRY_VERIFY(isInFront(*dock("partition")));
        QVERIFY(m_window->findChild<PartitionPanel*>()->showsStages());
    }
};

QTEST_MAIN(TestPanels)
#include "tst_panels.moc"
