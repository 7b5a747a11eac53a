// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/inputs/input_spec.h"
#include "core/module/graph_module.h"

namespace fx {

/// An input that a model could be run with, and why.
///
///     x    1×3×224×224 float32, normal    assumed: conv1 (Conv2d) takes 3 channels; 224×224 is a usual size
///     ids  1×16 int64, integers 0 to 999  assumed: tok (Embedding) has 1000 rows; 16 of them is a usual number
struct InputGuess {
    enum class Sureness : std::uint8_t {
        Known,   ///< the file says shape and dtype
        Follows, ///< all but the batch size follows from the layers
        Assumed, ///< a size was made up that the layers leave open
        Unknown, ///< nothing in the model says what it takes
        Default, ///< it has a default value, so nothing need be given
        Unused,  ///< nothing uses it, so anything will do
    };
    InputSpec input;
    Sureness sureness = Sureness::Unknown;
    std::string reason; ///< for the user: "conv1 (Conv2d) takes 3 channels; 224×224 is a usual size"

    /// The results do not depend on anything made up but the batch size: scripts may use it without asking.
    bool isSafe() const { return sureness != Sureness::Assumed && sureness != Sureness::Unknown; }
};
/// "known", "follows", "assumed", "unknown", "default", "unused"
std::string_view surenessName(InputGuess::Sureness sureness);

/// Inputs for every placeholder that a user gives a value for, in their order; `*args` and `**kwargs` are left empty
/// and not listed.
///
/// Shapes that the file tells (the signature of an exported program, tensor_meta) win; else the first layer that a
/// placeholder reaches through element by element operations says what it takes, also inside nested GraphModules. One
/// pass over each graph, no values read.
std::vector<InputGuess> guessInputs(const GraphModule& model);

} // namespace fx
