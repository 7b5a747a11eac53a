// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/module/graph_module.h"

#include <memory>
#include <string_view>

namespace fx {

/// Something in an edited code that keeps it from becoming a graph.
struct CodeError {
    std::size_t offset = 0, length = 1; ///< bytes of the text; the length is at least 1
    int line = 1, column = 1;           ///< 1-based; the column counts characters
    std::string message;                ///< "NameError: name 'y' is not defined"
};

/// What an edited code makes of a model: a model, or the errors in order of their places.
struct CodeEdit {
    std::shared_ptr<GraphModule> model; ///< null when there are errors
    std::vector<CodeError> errors;      ///< at most kMaxCodeErrors
    Warnings warnings;                  ///< `where` is "line 7"
};
inline constexpr std::size_t kMaxCodeErrors = 100;

/// Makes a graph of the generated code of `model` as somebody has edited it, with the fewest changes:
///
///     relu = torch.relu(conv);  conv = None     the statement is as it was: the node stays what it is
///     add = relu + 2                            another value under the name of a node of the same kind: changed in
///     place total = relu + x                          the same value under another name: the node is renamed
///     torch.neg(add).exp()                      new nodes, in this place; `name = …` names the last one
///
/// What is new or changed is followed as `torch.fx.symbolic_trace` follows it, with modules as leaves and tensors of
/// modules recorded when they are read (each `name = self.weight` is a node). A name that somebody else has got, or
/// that Python reserves, gets a number. `;  x = None` at the end of a line only says where a value is freed: it has no
/// meaning here and may be wrong or missing. `x[0] = 5;  setitem = x` is kept as it is written, although PyTorch cannot
/// trace it. Paths of modules and functions that do not exist are kept with a warning.
///
/// Throws only Error{Cancelled}, and Error{Refused} for a graph of which no code can be made. Linear; about 2 µs a line
/// that did not change.
CodeEdit editCode(const GraphModule& model, std::string_view text, const Progress& progress = {});

/// The errors as one refusal: the first with its place and line, the others as its hint.
Error codeRefusal(std::string_view text, const std::vector<CodeError>& errors);

} // namespace fx
