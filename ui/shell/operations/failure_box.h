// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"

#include <QString>

class QMessageBox;
class QWidget;

namespace ui {

/// Tells what failed ("Could not save net.pt"), why, and what to do about it; waits for nobody.
void showFailure(QWidget* window, const QString& failure, const fx::Error& error);
/// The same, and waits until it was read.
void tellFailure(QWidget* window, const QString& failure, const fx::Error& error);
/// Makes a box as wide as a line that is easily read; by itself it is as narrow as its icon and buttons allow. To be
/// called when all of its texts and buttons are set.
void setReadableWidth(QMessageBox& box);

} // namespace ui
