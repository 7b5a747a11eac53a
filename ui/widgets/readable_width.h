// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

class QMessageBox;

namespace ui {

/// Makes a box as wide as a line that is easily read; by itself it is as narrow as its icon and buttons allow. To be
/// called when all of its texts and buttons are set.
void setReadableWidth(QMessageBox& box);

} // namespace ui
