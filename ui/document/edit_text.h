// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QString>

#include <string>
#include <vector>

namespace ui {

/// Returns the status text after an edit, from its name in the history: "Erase relu" gives "Erased relu. Press Ctrl+Z
/// to undo.", and the name of a pass "Applied conv_bn_fuse. Press Ctrl+Z to undo." `remark` is a sentence in between,
/// or empty.
QString doneText(const QString& name, const QString& remark = {});

/// Returns "New random weights: fc, conv1 and 3 more"; empty if there are no modules. Lists at most `named` names.
QString randomWeightsText(const std::vector<std::string>& modules, std::size_t named = 3);

} // namespace ui
