// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/io/readers.h"
#include "core/module/graph_module.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fx {

/// How many names of a shared tensor a state dict must contain. A GraphModule loaded from a file has one name for each
/// module, hence `AnyOne`.
enum class SharedNames : std::uint8_t { All, AnyOne };

/// Files to load into a model.
struct WeightsFiles {
    std::vector<std::string> files; ///< see `WeightsFile`; a tensor of a later file replaces one of the same name
    bool strict = true;             ///< as in `load_state_dict`
};

/// `load_state_dict(torch.load(file), strict)`: parameters and persistent buffers refer to the tensors in the files,
/// and shared tensors stay shared. Accepts what `readStateDicts` finds, and models that were saved whole; `readers` are
/// for scripts. If a file has several state dicts, takes the one that fits the model best, and names it in a warning if
/// others fit in part. Values of another dtype are converted to the model's dtype; the model's device stays. Observers
/// adopt the sizes of the loaded state, like torch.ao's. Strips a prefix that a wrapper added to all names, as in
/// "module.fc.weight", and adds a warning to the model. Without `strict`, warnings list what is missing and what is
/// left over.
///
/// Throws Error{File}, and Error{Refused} with the keys that are missing, unexpected, or of a different shape, or if
/// several state dicts fit equally.
void loadWeights(GraphModule& model, const WeightsFiles& weights, const Progress& progress = {},
                 SharedNames shared = SharedNames::All, const Readers& readers = {});

/// Like `loadWeights`, for a model that was constructed but not yet traced. Its objects share the tensors, so the
/// values are copied into the tensors in place, like `copy_`.
void loadConstructed(GraphModule& model, const WeightsFiles& weights, const Progress& progress = {},
                     const Readers& readers = {});

/// Returns the mode for which state dicts were prepared, "static" or "qat", judged by their observers; nullopt for a
/// floating-point model.
std::optional<std::string_view> observersMode(const std::vector<std::string>& files, const Progress& progress = {},
                                              const Readers& readers = {});

} // namespace fx
