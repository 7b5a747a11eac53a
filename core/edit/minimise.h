// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/edit/extract.h"

#include <functional>
#include <optional>

namespace fx {

/// What is wrong with a model, or nullopt. Throws Error{Cancelled, Usage} to end the search.
using ModelFailure = std::function<std::optional<Error>(const GraphModule& model)>;

/// The smallest part of a model that was found to fail.
struct Minimised {
    Extracted part;
    Error problem;          ///< why it fails
    std::size_t nodes = 0;  ///< calls in it
    std::size_t trials = 0; ///< models that were tried
};

/// Finds a small part of a model that still fails, as torch.fx's net_min does with a backend: first the shortest
/// beginning, then the shortest end of it, then without single runs of nodes, each as a model of its own
/// (`extractNodes`). Only failures like that of the whole model count. `failure` is asked at most `limit` times.
/// Throws Error{Refused} if the whole model does not fail, Error{Cancelled}.
Minimised minimise(const GraphModule& model, const ModelFailure& failure, const Progress& progress = {},
                   std::size_t limit = 200);

} // namespace fx
