// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QApplication>
#include <QTimer>

namespace testing {

/// Calls `act` with the next modal window or menu of the type `Widget`, as soon as it is open, while `context` lives.
template<class Widget, class Act> void whenOpen(QObject* context, Act act) {
    auto* look = new QTimer(context);
    QObject::connect(look, &QTimer::timeout, context, [look, act] {
        QWidget* const menu = QApplication::activePopupWidget();
        auto* const widget = qobject_cast<Widget*>(menu ? menu : QApplication::activeModalWidget());
        if (!widget || !widget->isVisible()) return;
        look->stop();
        look->deleteLater();
        act(widget);
    });
    look->start(5);
}

} // namespace testing
