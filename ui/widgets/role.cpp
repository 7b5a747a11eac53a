// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/role.h"

#include <QCoreApplication>
#include <QEvent>
#include <QStyle>
#include <QVariant>
#include <QWidget>

namespace ui {

void setRole(QWidget& widget, const char* role) {
    if (widget.property("role").toString() == QLatin1String(role)) return;
    widget.setProperty("role", QLatin1String(role));
    widget.style()->unpolish(&widget);
    widget.style()->polish(&widget);
    QEvent changed(QEvent::StyleChange); // a label takes the margins of its new role from this alone
    QCoreApplication::sendEvent(&widget, &changed);
}

} // namespace ui
