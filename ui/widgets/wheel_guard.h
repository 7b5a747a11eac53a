// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>

namespace ui {

/// Keeps the wheel from changing spin boxes and combo boxes that do not have the focus: it scrolls what they are in.
/// Installed on the application.
class WheelGuard final : public QObject {
public:
    using QObject::QObject;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

} // namespace ui
