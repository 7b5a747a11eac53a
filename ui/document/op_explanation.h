// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/node.h"

#include <QString>

namespace ui {

/// What nodes of a kind are, in the words of torch.fx: rich text for a tooltip.
QString opExplanation(fx::Op op);

} // namespace ui
