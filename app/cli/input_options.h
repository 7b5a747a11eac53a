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

/// The options with which verbs that run models get inputs and limits.
struct RunOptions {
    std::string inputsFile;
    std::vector<std::string> inputs; ///< NAME=SHAPE[:DTYPE[<N>]]
    bool guess = false;              ///< guesses with made-up sizes will do
    double timeout = 0;              ///< seconds; 0: none

    void declare(CLI::App& cli);
    bool isGiven() const { return !inputsFile.empty() || !inputs.empty(); }
    /// Throws Error{Usage} when both a file and random inputs are given.
    void requireOneKind() const;
    /// The request for one model. Throws Error{Usage, File}.
    fx::remote::RunRequest request(const Session& session, fx::remote::ModelRef model) const;
    std::chrono::milliseconds limit() const {
        return std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(timeout * 1000)));
    }
};

/// Says on standard error which inputs were guessed.
void tellGuesses(const Session& session, const std::vector<std::string>& guessed);

/// `x=1x3x224x224:int64<10>`; a number alone or nothing behind the `=` is a shape too (`x=7`, `x=`: no dimensions).
/// Throws Error{Usage}.
fx::remote::RandomInput parseInput(const std::string& text);

/// "torch.int64" for any spelling that PyTorch has of it: `int64`, `torch.int64`, `long`. Nothing when there is no such
/// dtype.
std::optional<std::string> dtypeSpelled(std::string_view text);

} // namespace app
