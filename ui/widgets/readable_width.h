// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QMessageBox;

namespace ui {

/// Widens a box to a line that is easy to read; by default it is as narrow as its icon and buttons allow. Its
/// informative text gets the format of its text. Call it after setting all texts and buttons.
void setReadableWidth(QMessageBox& box);

} // namespace ui
