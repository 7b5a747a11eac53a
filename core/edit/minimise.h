// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/edit/extract.h"

#include <functional>
#include <optional>

namespace fx {

/// Returns the problem of a model, or nullopt. Throws Error{Cancelled, Usage} to end the search.
using ModelFailure = std::function<std::optional<Error>(const GraphModule& model)>;

/// The smallest failing part found in a model.
struct Minimised {
    Extracted part;         ///< the failing model and its border
    Error problem;          ///< the failure of the part
    std::size_t nodes = 0;  ///< number of calls in the part
    std::size_t trials = 0; ///< number of tested models
};

/// Finds a small part of a model that still fails, as torch.fx's net_min does with a backend. It shortens the model
/// from the end, then from the beginning, then removes single runs of nodes; each candidate is a separate model
/// (`extractNodes`). Only failures like that of the whole model count. Calls `failure` at most `limit` times. Throws
/// Error{Refused} if the whole model does not fail, Error{Cancelled}.
Minimised minimise(const GraphModule& model, const ModelFailure& failure, const Progress& progress = {},
                   std::size_t limit = 200);

} // namespace fx
