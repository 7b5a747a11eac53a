// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/cli/input_options.h"
#include "core/layout/svg.h"

namespace app {

/// The options of `draw` about what colours tell: the kinds of nodes, their dtypes, partitions, or the time that each
/// takes.
struct DrawColours {
    std::string color = "op", support;
    RunOptions run;     ///< for time: what the model is run with
    double seconds = 3; ///< for time

    void declare(CLI::App& cli);
    /// Throws Error{Usage} for options that do not go together.
    void check() const;
};

/// The class of each node; none: the kinds of the nodes tell the colours. Times are measured in the worker. Throws
/// fx::Error.
std::optional<fx::NodeClasses> nodeClasses(Session& session, const std::shared_ptr<const fx::GraphModule>& model,
                                           const DrawColours& colours);

} // namespace app
