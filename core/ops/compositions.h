// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string_view>

namespace fx::ops {

/// Returns the call that the forward of a torch.nn class consists of (`NnModule::forwardText`), as text:
/// `torch.nn.functional.relu($0, inplace=inplace)`. `$0` is an input; words are attributes of the module, `float(p)` is
/// one as a float. Null for other classes. The text has static lifetime.
const char* moduleComposition(std::string_view className);

/// Returns the same for a quantised class of torch.ao (`torch.ao.nn.quantized`, `torch.ao.nn.intrinsic.quantized`).
/// `packed` are the packed weights of a layer, `padded` is its input with the padding of a `padding_mode`.
const char* quantizedComposition(std::string_view className);

/// Returns the call that a function of torch.nn.functional (given without the module) consists of, in terms of its
/// parameters: `torch.dropout!(input, p, training)`. `!` marks the in-place form if `inplace` is true; `@reduction` is
/// the number of the named reduction; `[0]` after the call takes the first result. Null for other functions.
const char* functionComposition(std::string_view name);

} // namespace fx::ops
