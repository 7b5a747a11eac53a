// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/wheel_guard.h"

#include <QAbstractSpinBox>
#include <QComboBox>
#include <QEvent>

namespace ui {

bool WheelGuard::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::Wheel && event->type() != QEvent::Polish) return false;
    const bool isField = qobject_cast<QAbstractSpinBox*>(watched) || qobject_cast<QComboBox*>(watched);
    if (!isField) return false;
    auto* field = static_cast<QWidget*>(watched);
    if (event->type() == QEvent::Polish) {
        if (field->focusPolicy() == Qt::WheelFocus)
            field->setFocusPolicy(Qt::StrongFocus); // else it comes by the wheel
        return false;
    }
    if (field->hasFocus()) return false;
    event->ignore(); // its parent gets it
    return true;
}

} // namespace ui
