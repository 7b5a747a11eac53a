// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>

namespace ui {

/// Event filter that keeps the wheel from changing spin boxes and combo boxes without the focus: it scrolls their
/// surroundings instead. Install it on the application.
class WheelGuard final : public QObject {
public:
    using QObject::QObject;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

} // namespace ui
