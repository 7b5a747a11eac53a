// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/texts.h"

namespace fx::texts {

MessageTexts engine() {
    static constexpr MessageText kTexts[] = {
        {"engine.allocation", "{detail}", "run with smaller inputs: the node needs more memory than there is"},
        {"engine.needs_values", "{detail}"},
        {"engine.no_kernel", "{detail}",
         "convert the input of the node, for example with .float(): LibTorch has no kernel for these types on the CPU"},
        {"engine.no_memory", "out of memory", "run with smaller inputs"},
        {"engine.raised", "{text}"},
        {"engine.torch", "{detail}"},
    };
    return kTexts;
}

} // namespace fx::texts
