// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"

#include <QString>

class QWidget;

namespace ui {

/// Tells what failed ("Could not save net.pt"), why, and what to do about it; waits for nobody.
void showFailure(QWidget* window, const QString& failure, const fx::Error& error);
/// The same, and waits until it was read.
void tellFailure(QWidget* window, const QString& failure, const fx::Error& error);

} // namespace ui
