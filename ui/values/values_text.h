// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/remote/value_view.h"

#include <QString>

namespace ui {

/// What the Values panel says, as text.

/// A number with at most six digits; "NaN", "∞".
QString numberText(double value);
/// Where a cell of the slice is in the tensor: "[0, 3, 5, 7]".
QString placeText(const fx::ValueView& view, int row, int column);
/// "torch.float32 1×8×16×16", or the type and text of what is no tensor.
QString factsText(const fx::ValueView& view);
/// Statistics of the value, of the original beside it, and the difference, as HTML; the link `place:0,3,5,7` leads to
/// where it is largest.
QString statisticsHtml(const fx::NodeValues& values);

} // namespace ui
