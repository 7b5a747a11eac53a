// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"

#include <QString>

class QWidget;

namespace ui {

/// Reports a failure ("Could not save net.pt") with the reason and the remedy. Returns immediately.
void showFailure(QWidget* window, const QString& failure, const fx::Error& error);
/// Reports a failure like `showFailure`, and waits until the user closes the box.
void tellFailure(QWidget* window, const QString& failure, const fx::Error& error);

} // namespace ui
