// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/texts/texts.h"

namespace fx::texts {

MessageTexts reader() {
    static constexpr MessageText kTexts[] = {
        {"reader.bad_message", "lancet-reader sent an invalid message",
         "install the same version of Lancet everywhere"},
        {"reader.cannot_start", "cannot start {program}, which reads Python sources: {detail}",
         "install lancet-reader beside lancet or on PATH"},
        {"reader.crashed", "the source ended its reader by signal {signal} ({name})",
         "change the line; other files are unharmed"},
        {"reader.ended", "the reader of the source {how}", "open it again; other files are unharmed"},
        {"reader.memory", "the source needs more than {limit} of memory",
         "make the data that it computes smaller, or start Lancet with a larger LANCET_SOURCE_MEMORY (MiB)"},
        {"reader.other_file", "lancet-reader named a file that it was not given: {path}"},
        {"reader.time", "the source takes more than {limit} to follow",
         "make its loops shorter, or start Lancet with a larger LANCET_SOURCE_SECONDS"},
        {"reader.too_much", "lancet-reader sent more than {limit}", "open the source again"},
        {"reader.weights", "the source draws more than {limit} of weights", "make the model smaller"},
    };
    return kTexts;
}

} // namespace fx::texts
