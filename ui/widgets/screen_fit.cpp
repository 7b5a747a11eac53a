// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/screen_fit.h"

#include <QDialog>
#include <QEvent>
#include <QScreen>

namespace ui {

namespace {
constexpr QSize kFrame{16, 48}; // what a desktop adds to a window at most
} // namespace

/// Before the dialog is on the screen.
bool ScreenFit::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() != QEvent::Show || event->spontaneous()) return false;
    auto* dialog = qobject_cast<QDialog*>(watched);
    if (!dialog || !dialog->isWindow()) return false;
    const QSize room = dialog->screen()->availableSize() - kFrame;
    if (dialog->width() > room.width() || dialog->height() > room.height())
        dialog->resize(dialog->size().boundedTo(room));
    return false;
}

} // namespace ui
