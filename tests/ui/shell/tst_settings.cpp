// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/settings.h"

#include <QFileInfo>
#include <QTemporaryDir>
#include <QTest>

using namespace ui;

class TestSettings : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString file() const {
        return m_folder.filePath(QString::fromLatin1(QTest::currentTestFunction()) + QStringLiteral(".ini"));
    }

private Q_SLOTS:
    void recentFiles_openedAgain_newestFirstOnce() {
        Settings settings(file());
        for (int i = 0; i < 20; ++i) settings.addRecentFile(QStringLiteral("/models/%1.pt").arg(i));
        settings.addRecentFile(QStringLiteral("/models/15.pt"));
        QCOMPARE(settings.recentFiles().size(), Settings::kRecentFiles);
        QCOMPARE(settings.recentFiles().first(), QStringLiteral("/models/15.pt"));
        QCOMPARE(settings.recentFiles().count(QStringLiteral("/models/15.pt")), 1);
        settings.clearRecentFiles();
        QVERIFY(settings.recentFiles().isEmpty());
    }

    void values_writtenAndReadAgain_same() {
        {
            Settings settings(file());
            settings.setTheme(ThemeChoice::Dark);
            settings.setDirection(fx::Direction::LeftRight);
            settings.setLastFolder(QStringLiteral("/models"));
            settings.setWindow("geometry", "state");
            settings.setPanel(QStringLiteral("timing"), "{\"threads\":1}");
        }
        const Settings settings(file());
        QCOMPARE(settings.theme(), ThemeChoice::Dark);
        QCOMPARE(settings.direction(), fx::Direction::LeftRight);
        QCOMPARE(settings.lastFolder(), QStringLiteral("/models"));
        QCOMPARE(settings.windowGeometry(), QByteArray("geometry"));
        QCOMPARE(settings.windowState(), QByteArray("state"));
        QCOMPARE(settings.panel(QStringLiteral("timing")), QByteArray("{\"threads\":1}"));
        QVERIFY(settings.panel(QStringLiteral("other")).isEmpty());
    }

    void values_nothingStored_defaults() {
        const Settings settings(file());
        QCOMPARE(settings.theme(), ThemeChoice::System);
        QCOMPARE(settings.direction(), fx::Direction::TopDown);
        QVERIFY(settings.recentFiles().isEmpty());
        QVERIFY(QFileInfo(settings.lastFolder()).isDir());
    }
};

QTEST_MAIN(TestSettings)
#include "tst_settings.moc"
