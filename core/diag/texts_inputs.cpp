// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/texts.h"

namespace fx::texts {

MessageTexts inputs() {
    static constexpr MessageText kTexts[] = {
        {"inputs.no_value", "missing value of input '{name}'", "give a value for each input",
         "pass --input NAME=SHAPE[:DTYPE] for each input, or --inputs FILE"},
        {"inputs.not_guessed", "missing value of input '{name}'", "give a value, for example {example} ({reason})",
         "pass --input {example}, --guess to use this guess, or --inputs FILE"},
        {"inputs.unknown_entry", "unknown entry '{key}' in the file", "name the entry for the input {input}"},
        {"inputs.unknown_generator", "unknown generator '{name}'"},
        {"inputs.unknown_index", "unknown entry '{key}' in the file", "use an index below {count}"},
    };
    return kTexts;
}

} // namespace fx::texts
