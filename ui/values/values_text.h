// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/remote/value_view.h"

#include <QString>

namespace ui {

/// Texts of the Values panel.

/// Formats a number with at most six digits; "NaN", "∞".
QString numberText(double value);
/// Formats the position of a cell in the tensor: "[0, 3, 5, 7]".
QString placeText(const fx::ValueView& view, int row, int column);
/// Returns "torch.float32 1×8×16×16", or type and text of a value that is not a tensor.
QString factsText(const fx::ValueView& view);
/// Formats the statistics of the value and of the original, and their difference, as HTML. The link `place:0,3,5,7`
/// goes to the largest difference.
QString statisticsHtml(const fx::NodeValues& values);

} // namespace ui
