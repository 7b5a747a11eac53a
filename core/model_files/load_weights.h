// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/io/readers.h"
#include "core/io/tensors/load_state_dicts.h"
#include "core/module/graph_module.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fx {

/// Files to load into a model.
struct WeightsFiles {
    std::vector<std::string> files; ///< see `WeightsFile`; a tensor of a later file replaces one of the same name
    bool strict = true;             ///< as in `load_state_dict`
};

/// `load_state_dict(torch.load(file), strict)`, see `loadStateDicts`. Accepts what `readStateDicts` finds, and models
/// in other formats; `readers` are for scripts. Adds the warnings to the model. Throws Error{File}, and Error{Refused}
/// as `loadStateDicts`.
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
