// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/graphmodule/graphmodule_reader.h"
#include "core/io/graphmodule/graphmodule_writer.h"
#include "core/trace/retrace.h"

namespace fx {

/// Generates code for a file of `torch.save`. The code computes unevaluated constants when the file is loaded, as the
/// original file did. Throws Error{Refused} if a constant cannot be computed there.
SavedCode codeForSaving(const GraphModule& module);

/// Returns the model that PyTorch has after `torch.save` and `torch.load`: retraces the code and recreates the root.
/// Its warnings report problems while loading; `notLoadable` is set if PyTorch would fail. `generate` produces the
/// code. With `readWrittenCode` as `follow`, returns what a folder gives. Throws Error{Refused, File}.
GraphModule afterLoading(const GraphModule& model, const GenerateCode& generate = codeForSaving,
                         const Retrace& follow = retraceSavedCode);

} // namespace fx
