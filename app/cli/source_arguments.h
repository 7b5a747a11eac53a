// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/open_options.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace app {

/// Options for a MODEL that is Python source; some also apply to TorchScript.
struct SourceArguments {
    std::string init, concrete; ///< JSON
    std::string weights;        ///< a file with a state dict
    std::string python;         ///< the user's interpreter that traces instead; "auto": the first with PyTorch
    std::vector<std::string> leafs, paths, wrapped, libraries;          ///< may be given repeatedly
    bool proxyBuffers = false, shapesConstant = false, partial = false; ///< options without a value

    void declare(CLI::App& cli); ///< Adds the options to a verb.
    /// True if TorchScript gets another graph because of these options.
    bool shapesScripts() const;
    /// Returns the options for opening a model. Throws Error{Usage} for invalid JSON.
    fx::OpenOptions openOptions(std::uint64_t seed) const;
};

} // namespace app
