// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/texts.h"

namespace fx::texts {

MessageTexts remote() { return {}; }

} // namespace fx::texts
