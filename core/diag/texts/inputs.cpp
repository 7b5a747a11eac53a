// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diag/texts/texts.h"

namespace fx::texts {

MessageTexts inputs() {
    static constexpr MessageText kTexts[] = {
        {"inputs.accepted_size", "of the common sizes, the following layers accept {shape}"},
        {"inputs.assumed_range", "the range of the integers is assumed"},
        {"inputs.assumed_sizes", "sizes that vary are assumed"},
        {"inputs.below_rows", "values are below {count}, the rows of {layer}"},
        {"inputs.cannot_be_guessed", "cannot guess input '{name}': it is declared as {type}",
         "give its value from a file of torch.save", "pass its value from a file of torch.save with --inputs FILE"},
        {"inputs.combined", "it is combined with {other} and gets its shape"},
        {"inputs.combines_tensor", "combines it with a tensor of that shape"},
        {"inputs.declared", "it is declared as {type}; the value 1 is assumed"},
        {"inputs.declared_as", "it is declared as {type}; only tensors and numbers are drawn"},
        {"inputs.empty_file", "the file is empty: it has 0 bytes",
         "save a list of batches, each a tensor or a tuple of arguments"},
        {"inputs.has_default", "it has a default value"},
        {"inputs.has_rows", "has {count} {count|row|rows}; a length of {length} is assumed"},
        {"inputs.layer", "{layer} {takes}"},
        {"inputs.no_batches", "expected at least one batch, got none",
         "save a list of batches, each a tensor or a tuple of arguments",
         "pass --inputs FILE with a list of batches, each a tensor or a tuple of arguments"},
        {"inputs.no_value", "missing value of input '{name}'", "give a value for each input",
         "pass --input NAME=SHAPE[:DTYPE] for each input, or --inputs FILE"},
        {"inputs.not_guessed", "missing value of input '{name}'", "give a value, for example {example} ({reason})",
         "pass --input {example}, --guess to use this guess ({reason}), or --inputs FILE"},
        {"inputs.normalizes", "normalises over {shape}"},
        {"inputs.of_file", "the file gives shape and dtype"},
        {"inputs.takes_channels", "takes {count} {count|channel|channels}; {size} is a usual size"},
        {"inputs.takes_dimensions",
         "takes channels with {count} {count|dimension|dimensions}; 3 channels and the size are assumed"},
        {"inputs.takes_features", "takes {count} {count|feature|features}"},
        {"inputs.takes_sequences",
         "takes sequences of {count} {count|feature|features}; a length of {length} is assumed"},
        {"inputs.unknown", "nothing in the model says what it takes"},
        {"inputs.unknown_entry", "unknown entry '{key}' in the file", "name the entry for the input {input}"},
        {"inputs.unknown_generator", "unknown generator '{name}'"},
        {"inputs.unknown_index", "unknown entry '{key}' in the file", "use an index below {count}"},
        {"inputs.unused", "nothing uses it"},
    };
    return kTexts;
}

} // namespace fx::texts
