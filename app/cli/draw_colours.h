// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/cli/input_options.h"
#include "core/layout/svg.h"

namespace app {

/// The options of `draw` for the meaning of colours: kinds of nodes, dtypes, partitions, or the time of each node.
struct DrawColours {
    /// `color`: "op", "dtype", "partition" or "time"; `support`: RULES.json for partitions.
    std::string color = "op", support;
    RunOptions run;     ///< inputs for timing
    double seconds = 3; ///< duration of timing

    void declare(CLI::App& cli); ///< Adds the options to a verb.
    /// Throws Error{Usage} for options that cannot be combined.
    void check() const;
};

/// Returns the class of each node; nullopt: colours show the kinds of nodes. Measures times in the worker. Throws
/// fx::Error.
std::optional<fx::NodeClasses> nodeClasses(Session& session, const std::shared_ptr<const fx::GraphModule>& model,
                                           const DrawColours& colours);

} // namespace app
