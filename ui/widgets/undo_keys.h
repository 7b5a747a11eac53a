// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>

namespace ui {

/// Leaves Ctrl+Z and Ctrl+Y to the window while the text field with the focus has nothing to undo nor to redo: Qt's
/// fields would take the keys and do nothing. Installed on the application.
class UndoKeys final : public QObject {
public:
    using QObject::QObject;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

} // namespace ui
