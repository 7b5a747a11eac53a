// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/io/readers.h"
#include "core/module/graph_module.h"

#include <optional>
#include <string>
#include <string_view>

namespace fx {

/// How many names of a shared tensor a state dict must contain. A GraphModule loaded from a file has one name for each
/// module, hence `AnyOne`.
enum class SharedNames : std::uint8_t { All, AnyOne };

/// Strict `load_state_dict(torch.load(file))`: parameters and persistent buffers refer to the tensors in the file, and
/// shared tensors stay shared. Accepts what `readNamedTensors` reads, and models that were saved whole; `readers` are
/// for scripts. Values of another dtype are converted to the model's dtype. Observers adopt the sizes of the loaded
/// state, like torch.ao's. Strips a prefix that a wrapper added to all names, as in "module.fc.weight", and adds a
/// warning to the model.
///
/// Throws Error{File}, and Error{Refused} with the keys that are missing, unexpected, or of a different shape.
void loadWeights(GraphModule& model, const std::string& file, const Progress& progress = {},
                 SharedNames shared = SharedNames::All, const Readers& readers = {});

/// Like `loadWeights`, for a model that was constructed but not yet traced. Its objects share the tensors, so the
/// values are copied into the tensors in place, like `copy_`.
void loadConstructed(GraphModule& model, const std::string& file, const Progress& progress = {},
                     const Readers& readers = {});

/// Returns the mode for which a state dict was prepared, "static" or "qat", judged by its observers; nullopt for a
/// floating-point model.
std::optional<std::string_view> observersMode(const std::string& file, const Progress& progress = {},
                                              const Readers& readers = {});

} // namespace fx
