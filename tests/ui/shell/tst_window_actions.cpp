// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/help_dialogs.h"
#include "ui/shell/window_actions.h"

#include <QMainWindow>
#include <QMenu>
#include <QMenuBar>
#include <QTest>

using namespace ui;

class TestWindowActions : public QObject {
    Q_OBJECT

    QMainWindow m_window;
    WindowActions m_actions{&m_window};

private Q_SLOTS:
    void initTestCase() {
        auto* docks = new QMenu(QStringLiteral("Panels"), &m_window);
        m_actions.fillMenus(m_window.menuBar(), docks);
    }

    void actions_all_inAMenu_shortcutsUnique() {
        QHash<QKeySequence, QString> taken;
        for (const QAction* action : m_actions.all()) {
            QVERIFY2(!action->property("path").toString().isEmpty(), qPrintable(action->text()));
            if (action->shortcut().isEmpty()) continue;
            QVERIFY2(!taken.contains(action->shortcut()),
                     qPrintable(action->text() + QStringLiteral(" and ") + taken.value(action->shortcut())));
            taken[action->shortcut()] = action->text();
        }
    }

    void shortcuts_ofInputMethodsAndPrinting_areFree() {
        const QKeySequence foreign[] = {Qt::CTRL | Qt::SHIFT | Qt::Key_U, QKeySequence(QKeySequence::Print),
                                        Qt::CTRL | Qt::Key_Space};
        for (const QAction* action : m_actions.all())
            for (const QKeySequence& keys : foreign) QVERIFY2(action->shortcut() != keys, qPrintable(action->text()));
    }

    void help_namesEveryShortcut_andWhatTheMouseDoes() {
        const QString help = shortcutsHtml(m_actions);
        for (const QAction* action : m_actions.all())
            if (!action->shortcut().isEmpty())
                QVERIFY2(help.contains(action->property("path").toString().toHtmlEscaped()),
                         qPrintable(action->text()));
        for (const char* gesture : {"Double-click on an edge", "Click on the arrow of a group", "Right-click",
                                    "Drag the handle of a cut", "Drag from one node to another"})
            QVERIFY2(help.contains(QLatin1String(gesture)), gesture);
        QCOMPARE(help.count(QStringLiteral("<table")), 1); // both parts have the same columns
    }

    void setAvailable_nothing_disabledSayWhy() {
        m_actions.setAvailable({});
        QVERIFY(m_actions.open->isEnabled());
        QVERIFY(m_actions.palette->isEnabled());
        for (const QAction* action : m_actions.all()) {
            if (action->isEnabled()) continue;
            QVERIFY2(!action->property("why").toString().isEmpty(), qPrintable(action->text()));
            QVERIFY2(action->toolTip().contains(action->property("why").toString()), qPrintable(action->toolTip()));
        }
        QVERIFY(!m_actions.copyNames->isEnabled());
    }

    void setAvailable_fileAndSelection_enablesWhatNeedsThem() {
        m_actions.setAvailable(Needs(Need::File) | Need::Tab | Need::Selection);
        QVERIFY(m_actions.copyNames->isEnabled());
        QVERIFY(!m_actions.exportPng->isEnabled());
        QVERIFY(!m_actions.showAll->isEnabled());
        QCOMPARE(m_actions.showAll->property("why").toString(), QStringLiteral("nothing is hidden"));
    }
};

QTEST_MAIN(TestWindowActions)
#include "tst_window_actions.moc"
