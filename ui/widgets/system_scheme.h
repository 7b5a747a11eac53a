// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QPalette>

class QDBusMessage;

namespace ui {

/// Whether the desktop prefers dark: `org.freedesktop.appearance color-scheme` over D-Bus, else the lightness of the
/// desktop's palette. Never blocks: the answer of D-Bus arrives as a change.
class SystemScheme : public QObject {
    Q_OBJECT
public:
    explicit SystemScheme(QObject* parent);
    bool dark() const { return m_dark; }
    /// Stores the application's palette before Lancet changes it.
    static void rememberDesktopPalette(const QPalette& palette);

Q_SIGNALS:
    void changed(bool dark);

private Q_SLOTS:
    void settingChanged(const QDBusMessage& message);

private:
    void ask();
    void take(const QVariant& value);
    bool m_dark = false;
};

} // namespace ui
