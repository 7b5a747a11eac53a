// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QObject>

namespace ui {

/// Event filter that leaves Ctrl+Z and Ctrl+Y to the window while the focused text field has nothing to undo or redo.
/// Qt's fields would consume the keys and do nothing. Install it on the application.
class UndoKeys final : public QObject {
public:
    using QObject::QObject;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
};

} // namespace ui
