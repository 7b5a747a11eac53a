// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>
#include <QPalette>

class QDBusMessage;

namespace ui {

/// The preference of the desktop for dark colours: `org.freedesktop.appearance color-scheme` over D-Bus, else the
/// lightness of the desktop's palette. It never blocks: the answer of D-Bus arrives as a change.
class SystemScheme : public QObject {
    Q_OBJECT
public:
    explicit SystemScheme(QObject* parent); ///< Asks D-Bus if there is a session bus.
    bool dark() const { return m_dark; }    ///< True if the desktop prefers dark.
    /// Stores the application's palette before Lancet changes it.
    static void rememberDesktopPalette(const QPalette& palette);

Q_SIGNALS:
    void changed(bool dark); ///< Emitted when `dark` changes.

private Q_SLOTS:
    void settingChanged(const QDBusMessage& message);

private:
    void ask();
    void take(const QVariant& value);
    bool m_dark = false;
};

} // namespace ui
