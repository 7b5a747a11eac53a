// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>

namespace ui {

/// Event filter that shrinks dialogs that open larger than their screen. Install it on the application.
class ScreenFit final : public QObject {
public:
    using QObject::QObject;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

} // namespace ui
