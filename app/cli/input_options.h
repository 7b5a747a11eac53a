// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "app/cli/session.h"
#include "core/remote/worker_client.h"

#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace app {

/// The options for inputs and limits of verbs that run models.
struct RunOptions {
    std::string inputsFile;          ///< a file with the inputs; empty: none
    std::vector<std::string> inputs; ///< NAME=SHAPE[:DTYPE[<N>]]
    bool guess = false;              ///< accept guesses with assumed sizes
    double timeout = 0;              ///< seconds; 0: none

    void declare(CLI::App& cli);                                            ///< Adds the options to a verb.
    bool isGiven() const { return !inputsFile.empty() || !inputs.empty(); } ///< True if inputs are given.
    /// Throws Error{Usage} if both a file and random inputs are given.
    void requireOneKind() const;
    /// Returns the request to run one model. Throws Error{Usage, File}.
    fx::remote::RunRequest request(const Session& session, fx::remote::ModelRef model) const;
    /// The time limit of a request; 0: none.
    std::chrono::milliseconds limit() const {
        return std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(timeout * 1000)));
    }
};

/// Reports the guessed inputs on standard error.
void tellGuesses(const Session& session, const std::vector<std::string>& guessed);

/// Parses `x=1x3x224x224:int64<10>`. A single number or nothing after `=` is a shape, too (`x=7`, `x=`: no dimensions).
/// Throws Error{Usage}.
fx::remote::RandomInput parseInput(const std::string& text);

/// Returns "torch.int64" for any of PyTorch's spellings: `int64`, `torch.int64`, `long`. Nullopt for unknown dtypes.
std::optional<std::string> dtypeSpelled(std::string_view text);

} // namespace app
