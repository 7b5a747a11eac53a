// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/edit/history.h"

#include <QString>

namespace ui {

/// What the status bar says after every edit, from the name that it has in the history: "Erase relu" gives
/// "Erased relu. Press Ctrl+Z to undo.", and the name of a pass "Applied conv_bn_fuse. Press Ctrl+Z to undo."
/// `remark` is a sentence in between, or empty.
QString doneText(const QString& name, const QString& remark = {});

/// "New random weights: fc, conv1 and 3 more", or empty for no modules.
QString randomWeightsText(const std::vector<std::string>& modules);
/// The sentence of this on what the current version made of the one before it, or empty.
QString randomWeightsRemark(const fx::History& history);

} // namespace ui
