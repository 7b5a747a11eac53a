// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/node.h"

#include <QString>

namespace ui {

/// Explains a kind of node in the words of torch.fx, as rich text for a tooltip.
QString opExplanation(fx::Op op);

} // namespace ui
