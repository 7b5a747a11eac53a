// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/module/graph_module.h"

#include <memory>
#include <string_view>

namespace fx {

/// An error in edited code.
struct CodeError {
    std::size_t offset = 0, length = 1; ///< bytes of the text; the length is at least 1
    int line = 1, column = 1;           ///< 1-based; the column counts characters
    Message message;                    ///< "NameError: name 'y' is not defined"

    /// Returns the message with its hint.
    std::string text() const { return message.text() + (message.hint().empty() ? "" : "; " + message.hint()); }
};

/// The result of editing code: a model, or errors in order of position.
struct CodeEdit {
    std::shared_ptr<GraphModule> model; ///< null when there are errors
    std::vector<CodeError> errors;      ///< at most kMaxCodeErrors
    Warnings warnings;                  ///< `where` is "line 7"
};
/// Reading stops after this number of errors.
inline constexpr std::size_t kMaxCodeErrors = 100;

/// Turns edited code of `model` into a graph with as few changes as possible:
///
///     relu = torch.relu(conv);  conv = None     unchanged statement: the node is kept
///     add = relu + 2                            new value for a node of the same kind: changed in place
///     total = relu + x                          same value with a new name: the node is renamed
///     torch.neg(add).exp()                      new nodes, in this position; `name = …` names the last one
///
/// New and changed statements are traced like `torch.fx.symbolic_trace` does, with modules as leaves and a get_attr
/// node for each `name = self.weight`. A name that is taken or reserved by Python gets a number. `;  x = None` at the
/// end of a line has no effect and may be wrong or missing. `x[0] = 5;  setitem = x` is kept, although PyTorch cannot
/// trace it. Unknown modules and functions are kept with a warning.
///
/// Throws only Error{Cancelled}, and Error{Refused} if no code can be generated for the graph. Linear; about 2 µs per
/// unchanged line.
CodeEdit editCode(const GraphModule& model, std::string_view text, const Progress& progress = {});

/// Combines all errors into one: the first with its position and line, the others in the hint.
Error codeRefusal(std::string_view text, const std::vector<CodeError>& errors);

} // namespace fx
