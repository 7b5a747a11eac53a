// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/document_picture.h"
#include "ui/shell/preferences.h"
#include "ui/shell/settings.h"
#include "ui/shell/window/main_window.h"

#include <QCheckBox>
#include <QComboBox>
#include <QPushButton>
#include <QTemporaryDir>
#include <QTest>

using namespace ui;

class TestPreferences : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    std::unique_ptr<Settings> m_settings;
    std::unique_ptr<MainWindow> m_window;

    PreferencesDialog* open() {
        m_window->actions().preferences->trigger();
        return m_window->findChild<PreferencesDialog*>();
    }
    static void choose(const QDialog& dialog, const QString& name, int index) {
        for (QComboBox* box : dialog.findChildren<QComboBox*>())
            if (box->accessibleName() == name) {
                box->setCurrentIndex(index);
                Q_EMIT box->activated(index);
            }
    }

private Q_SLOTS:
    void init() {
        m_settings = std::make_unique<Settings>(
            m_folder.filePath(QString::fromLatin1(QTest::currentTestFunction()) + QStringLiteral(".ini")));
        m_window = std::make_unique<MainWindow>(*m_settings);
        m_window->show();
    }
    void cleanup() { m_window.reset(); }

    void theme_chosen_takesEffectAndTheMenuFollows() {
        PreferencesDialog* dialog = open();
        QVERIFY(dialog);
        choose(*dialog, QStringLiteral("Theme"), 2);
        QCOMPARE(m_settings->theme(), ThemeChoice::Dark);
        QVERIFY(m_window->actions().themeDark->isChecked());
        choose(*dialog, QStringLiteral("Theme"), 1);
        QCOMPARE(m_settings->theme(), ThemeChoice::Light);
    }

    void direction_chosen_graphInFrontFollows() {
        m_window->openFile(QStringLiteral(LANCET_SOURCE_DIR "/resources/samples/simple_net.pt"));
        QTRY_VERIFY(m_window->currentDocument()->picture().scene());
        choose(*open(), QStringLiteral("Graph direction"), 1);
        QCOMPARE(m_settings->direction(), fx::Direction::LeftRight);
        QCOMPARE(m_window->currentDocument()->picture().direction(), fx::Direction::LeftRight);
        QVERIFY(m_window->actions().leftRight->isChecked());
    }

    void timingOfEdits_ticked_actionFollowsAndBack() {
        auto* box = open()->findChild<QCheckBox*>();
        QAction* action = m_window->actions().timeEdits;
        QCOMPARE(box->isChecked(), action->isChecked());
        box->click();
        QVERIFY(action->isChecked());
        QCOMPARE(m_settings->panel(QStringLiteral("timeEdits")), QByteArray("1"));
        action->trigger();
        QVERIFY(!box->isChecked());
    }

    void recentFiles_cleared_buttonIsGrey() {
        m_settings->addRecentFile(QStringLiteral("/models/a.pt"));
        PreferencesDialog* dialog = open();
        for (QPushButton* button : dialog->findChildren<QPushButton*>())
            if (button->text() == QLatin1String("Clear Recent Files")) {
                QVERIFY(button->isEnabled());
                button->click();
                QVERIFY(!button->isEnabled());
            }
        QVERIFY(m_settings->recentFiles().isEmpty());
    }
};

QTEST_MAIN(TestPreferences)
#include "tst_preferences.moc"
