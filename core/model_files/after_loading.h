// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/graphmodule/graphmodule_writer.h"

namespace fx {

/// Code for a file of torch.save: unevaluated constants are computed by the code again, as in the original file. Throws
/// Error{Refused} if one cannot be.
SavedCode codeForSaving(const GraphModule& module);

/// The model that PyTorch has after torch.save and torch.load: the code is traced again and the root is recreated. Its
/// warnings report problems while loading; `notLoadable` means that PyTorch would fail. `generate`: makes the code of
/// the model. Throws Error{Refused, File}.
GraphModule afterLoading(const GraphModule& model, const GenerateCode& generate = codeForSaving);

} // namespace fx
