// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/system_scheme.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusVariant>
#include <QFileInfo>

namespace ui {
namespace {

const QString kService = QStringLiteral("org.freedesktop.portal.Desktop");
const QString kPath = QStringLiteral("/org/freedesktop/portal/desktop");
const QString kInterface = QStringLiteral("org.freedesktop.portal.Settings");
const QString kGroup = QStringLiteral("org.freedesktop.appearance");
const QString kKey = QStringLiteral("color-scheme");

bool s_desktopDark = false;

/// Without an address libdbus would start a bus of its own, which takes long and helps nobody.
bool sessionBusKnown() {
    return qEnvironmentVariableIsSet("DBUS_SESSION_BUS_ADDRESS") ||
           QFileInfo::exists(qEnvironmentVariable("XDG_RUNTIME_DIR", QStringLiteral("/nonexistent")) +
                             QStringLiteral("/bus"));
}

} // namespace

SystemScheme::SystemScheme(QObject* parent) : QObject(parent), m_dark(s_desktopDark) {
    if (sessionBusKnown()) ask();
}

void SystemScheme::rememberDesktopPalette(const QPalette& palette) {
    s_desktopDark = palette.color(QPalette::Window).lightness() < palette.color(QPalette::WindowText).lightness();
}

void SystemScheme::ask() {
    QDBusConnection bus = QDBusConnection::sessionBus();
    bus.connect(kService, kPath, kInterface, QStringLiteral("SettingChanged"), this,
                SLOT(settingChanged(QDBusMessage)));
    QDBusMessage call = QDBusMessage::createMethodCall(kService, kPath, kInterface, QStringLiteral("Read"));
    call << kGroup << kKey;
    auto* watcher = new QDBusPendingCallWatcher(bus.asyncCall(call), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this](QDBusPendingCallWatcher* finished) {
        const QDBusPendingReply<QDBusVariant> reply = *finished;
        if (reply.isValid()) take(reply.value().variant());
        finished->deleteLater();
    });
}

void SystemScheme::settingChanged(const QDBusMessage& message) {
    const QVariantList values = message.arguments();
    if (values.size() == 3 && values[0] == kGroup && values[1] == kKey) take(values[2]);
}

void SystemScheme::take(const QVariant& value) {
    QVariant inner = value; // Read wraps the number twice
    while (inner.canConvert<QDBusVariant>()) inner = inner.value<QDBusVariant>().variant();
    const uint scheme = inner.toUInt(); // 1: dark, 2: light, 0: no preference
    const bool dark = scheme == 1 || (scheme == 0 && s_desktopDark);
    if (dark == m_dark) return;
    m_dark = dark;
    Q_EMIT changed(dark);
}

} // namespace ui
