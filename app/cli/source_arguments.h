// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/open_options.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace app {

/// Options for a MODEL that is Python source; some are for TorchScript, too.
struct SourceArguments {
    std::string init, concrete; ///< JSON
    std::string weights;        ///< a file with a state dict
    std::vector<std::string> leafs, paths, wrapped, libraries;
    bool proxyBuffers = false, shapesConstant = false, partial = false;

    void declare(CLI::App& cli);
    /// Whether TorchScript becomes another graph than without these options.
    bool shapesScripts() const;
    /// Throws Error{Usage} for invalid JSON.
    fx::OpenOptions openOptions(std::uint64_t seed) const;
};

} // namespace app
