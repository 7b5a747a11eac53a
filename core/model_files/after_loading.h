// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/graphmodule/graphmodule_writer.h"

namespace fx {

/// Code for a file of torch.save: constants that were not evaluated are computed by the code again, as in the file they
/// came from. Throws Error{Refused} when one cannot be.
SavedCode codeForSaving(const GraphModule& module);

/// The model that PyTorch has after it was saved with torch.save and loaded: the code is traced again, the root is made
/// anew. Its warnings say what loading meets; `notLoadable`: PyTorch would fail. Throws Error{Refused, File}.
GraphModule afterLoading(const GraphModule& model);

} // namespace fx
