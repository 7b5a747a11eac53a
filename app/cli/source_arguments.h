// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/io/open_options.h"
#include "core/module/training_mode.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace app {

/// Options for a MODEL that is Python source; some also apply to TorchScript.
struct SourceArguments {
    std::string init, concrete;       ///< JSON
    std::string python;               ///< the user's interpreter that traces instead; "auto": the first with PyTorch
    bool remembersPython = false;     ///< `python` traces by itself from now on what Lancet cannot
    std::vector<std::string> weights; ///< files with state dicts
    std::vector<std::string> leafs, paths, wrapped, libraries;                            ///< may be given repeatedly
    bool proxyBuffers = false, shapesConstant = false, partial = false, noStrict = false; ///< options without a value
    bool eval = false, train = false; ///< the mode of every model, not both

    void declare(CLI::App& cli); ///< Adds the options to a verb.
    /// The mode that the user asks for.
    fx::RunMode mode() const { return eval ? fx::RunMode::Eval : train ? fx::RunMode::Train : fx::RunMode::AsSaved; }
    /// True if TorchScript gets another graph because of these options.
    bool shapesScripts() const;
    /// True if the user's interpreter traces, whatever Lancet can follow.
    bool asksPython() const { return !python.empty() && python != kNoPython; }
    /// The word of --python that keeps interpreters out that were allowed.
    static constexpr const char* kNoPython = "none";
    /// Returns the options for opening a model. Throws Error{Usage} for invalid JSON.
    fx::OpenOptions openOptions(std::uint64_t seed) const;
};

} // namespace app
