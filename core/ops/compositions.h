// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <string_view>

namespace fx::ops {

/// The forward of a class of torch.nn that is one call, as text: `torch.nn.functional.relu($0, inplace)`. `$0` is an
/// input, words are attributes of the module. Null for other classes. The text lives as long as the program.
const char* moduleComposition(std::string_view className);

/// The same of a quantised class of torch.ao (`torch.ao.nn.quantized`, `torch.ao.nn.intrinsic.quantized`).
const char* quantizedComposition(std::string_view className);

/// A function of torch.nn.functional (its name alone) that is one call of another one, in terms of its parameters:
/// `torch.dropout!(input, p, training)`; `!` stands for the in-place form if `inplace` is true, `@reduction` for the
/// number of the named reduction. Null for others.
const char* functionComposition(std::string_view name);

} // namespace fx::ops
