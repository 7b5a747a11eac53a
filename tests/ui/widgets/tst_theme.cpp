// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/icon.h"
#include "ui/widgets/theme.h"

#include <QApplication>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCall>
#include <QDBusVariant>
#include <QDir>
#include <QLabel>
#include <QLineEdit>
#include <QMessageBox>
#include <QProcess>
#include <QRegularExpression>
#include <QStandardPaths>
#include <QTest>
#include <QWidget>

/// Stands in for the desktop's settings portal.
class FakePortal : public QObject {
    Q_OBJECT
    Q_CLASSINFO("D-Bus Interface", "org.freedesktop.portal.Settings")
public:
    uint scheme = 1;
public Q_SLOTS:
    QDBusVariant Read(const QString& group, const QString& key) {
        const bool known = group == "org.freedesktop.appearance" && key == "color-scheme";
        return QDBusVariant(QVariant::fromValue(QDBusVariant(known ? QVariant(scheme) : QVariant())));
    }
};

void announce(QDBusConnection& bus, uint scheme) {
    QDBusMessage signal = QDBusMessage::createSignal("/org/freedesktop/portal/desktop",
                                                     "org.freedesktop.portal.Settings", "SettingChanged");
    signal << "org.freedesktop.appearance"
           << "color-scheme" << QVariant::fromValue(QDBusVariant(scheme));
    QVERIFY(bus.send(signal));
}

class TestTheme : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void messages_haveIconsOfTheProgram() {
        ui::applyTheme(*qApp, ui::ThemeChoice::Light);
        QMessageBox box(QMessageBox::Warning, QStringLiteral("Lancet"), QStringLiteral("Replace net.pt?"));
        box.ensurePolished();
        auto* shown = box.findChild<QLabel*>(QStringLiteral("qt_msgboxex_icon_label"));
        QVERIFY(shown);
        box.show();
        const QImage image = shown->grab().toImage();
        int drawn = 0;
        for (int y = 0; y < image.height(); ++y)
            for (int x = 0; x < image.width(); ++x) drawn += image.pixelColor(x, y) == QColor(0xC9, 0x8A, 0x1B);
        QVERIFY2(drawn > 10, qPrintable(QString::number(drawn)));
    }
    void contrast_everyTextPair_atLeast45_data() {
        QTest::addColumn<bool>("dark");
        QTest::newRow("light") << false;
        QTest::newRow("dark") << true;
    }
    void contrast_everyTextPair_atLeast45() {
        QFETCH(bool, dark);
        const ui::Theme& theme = dark ? ui::darkTheme() : ui::lightTheme();
        const auto pairs = theme.textPairs();
        QVERIFY(pairs.size() > 50);
        QStringList bad;
        for (const auto& pair : pairs) {
            const double ratio = ui::contrastRatio(pair.text, pair.background);
            if (ratio < 4.5)
                bad += QString("%1: %2 on %3 is %4")
                           .arg(pair.name, pair.text.name(), pair.background.name())
                           .arg(ratio, 0, 'f', 2);
        }
        QVERIFY2(bad.isEmpty(), qPrintable(bad.join("; ")));
    }
    void contrast_blackOnWhite_is21() {
        QCOMPARE(qRound(ui::contrastRatio(Qt::black, Qt::white) * 10), 210);
        QCOMPARE(qRound(ui::contrastRatio(QColor("#767676"), Qt::white) * 100), 454);
    }
    void heat_rampOfOneHue_isMonotonous() {
        for (const ui::Theme* theme : {&ui::lightTheme(), &ui::darkTheme()}) {
            const double direction = theme->dark ? 1 : -1;
            for (int i = 0; i < 20; ++i)
                QVERIFY((theme->heat((i + 1) / 20.0).lightnessF() - theme->heat(i / 20.0).lightnessF()) * direction >
                        0);
        }
    }
    void styleSheet_everyToken_isReplaced() {
        for (const ui::Theme* theme : {&ui::lightTheme(), &ui::darkTheme()}) {
            const QString sheet = theme->styleSheet();
            QVERIFY(sheet.size() > 2000);
            QVERIFY2(!sheet.contains('@'), qPrintable(sheet.mid(sheet.indexOf('@'), 40)));
        }
    }
    void styleSheet_everyImage_exists() {
        const QString sheet = ui::lightTheme().styleSheet();
        QRegularExpression url("url\\((:[^)]*)\\)");
        int count = 0;
        for (auto it = url.globalMatch(sheet); it.hasNext(); ++count) {
            const QString path = it.next().captured(1);
            QVERIFY2(QFile::exists(path), qPrintable(path));
        }
        QVERIFY(count > 5);
    }
    void icons_everyFile_drawsSomethingInTheTextColour() {
        const auto files = QDir(":/lancet/icons").entryList({"*.svg"});
        QVERIFY(files.size() > 15);
        for (const QString& file : files) {
            const QImage image = ui::icon(file.chopped(4)).pixmap(32, 32).toImage();
            bool drawn = false;
            for (int y = 0; y < image.height() && !drawn; ++y)
                for (int x = 0; x < image.width() && !drawn; ++x) drawn = qAlpha(image.pixel(x, y)) > 128;
            QVERIFY2(drawn, qPrintable(file));
        }
    }
    void applyTheme_lightThenDark_changesPaletteOfWidgets() {
        QWidget widget;
        widget.ensurePolished();
        ui::applyTheme(*qApp, ui::ThemeChoice::Light);
        QCOMPARE(widget.palette().color(QPalette::Window), ui::lightTheme().window);
        QVERIFY(!ui::theme().dark);
        ui::applyTheme(*qApp, ui::ThemeChoice::Dark);
        QCOMPARE(widget.palette().color(QPalette::Window), ui::darkTheme().window);
        QVERIFY(ui::theme().dark);
    }
    void disabledField_looksDisabled() {
        ui::applyTheme(*qApp, ui::ThemeChoice::Dark);
        QLineEdit field(QStringLiteral("1×3×224×224"));
        field.resize(160, 28);
        const auto holds = [&](const QColor& color) {
            const QImage image = field.grab().toImage();
            for (int y = 0; y < image.height(); ++y)
                for (int x = 0; x < image.width(); ++x)
                    if (image.pixelColor(x, y) == color) return true;
            return false;
        };
        QVERIFY(holds(ui::theme().field));
        QVERIFY(!holds(ui::theme().window));
        field.setEnabled(false);
        QVERIFY(holds(ui::theme().window));
        QVERIFY(!holds(ui::theme().text));
    }
    void applyTheme_system_followsThePortal() {
        const QString daemon = QStandardPaths::findExecutable("dbus-daemon");
        if (daemon.isEmpty()) QSKIP("no dbus-daemon on this machine");
        QProcess bus;
        bus.start(daemon, {"--session", "--nofork", "--print-address"});
        QVERIFY(bus.waitForReadyRead(60'000));
        qputenv("DBUS_SESSION_BUS_ADDRESS", bus.readLine().trimmed());
        FakePortal portal;
        auto connection = QDBusConnection::connectToBus(QDBusConnection::SessionBus, "portal");
        QVERIFY(connection.registerObject("/org/freedesktop/portal/desktop", &portal, QDBusConnection::ExportAllSlots));
        QVERIFY(connection.registerService("org.freedesktop.portal.Desktop"));

        ui::applyTheme(*qApp, ui::ThemeChoice::Light);
        ui::applyTheme(*qApp, ui::ThemeChoice::System);
        QTRY_VERIFY(ui::theme().dark);
        announce(connection, 2);
        QTRY_VERIFY(!ui::theme().dark);
        ui::applyTheme(*qApp, ui::ThemeChoice::Dark); // a choice of the user wins over the desktop
        announce(connection, 2);
        // The answer to a later message comes after it.
        auto session = QDBusConnection::sessionBus();
        const QDBusPendingCall ping = session.asyncCall(
            QDBusMessage::createMethodCall("org.freedesktop.portal.Desktop", "/", "org.freedesktop.DBus.Peer", "Ping"));
        QTRY_VERIFY(ping.isFinished());
        QCoreApplication::processEvents();
        QVERIFY(ui::theme().dark);
        bus.terminate();
        bus.waitForFinished();
    }
};

QTEST_MAIN(TestTheme)
#include "tst_theme.moc"
