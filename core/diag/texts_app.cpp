// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/texts.h"

namespace fx::texts {
namespace {

constexpr MessageText kTexts[] = {
    {"app.cancelled", "cancelled"},
};

} // namespace

MessageTexts app() { return kTexts; }

} // namespace fx::texts
