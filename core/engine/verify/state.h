// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/verify/verify.h"

namespace fx::engine {

/// What the runs of two models left in parameters, in buffers and in tensors that are plain attributes.
struct StateFinding {
    Message differs;                ///< the first tensor that is not the same in both, and how; empty: none
    std::vector<std::string> onlyA; ///< paths of tensors that A changed and for which B has no counterpart
};

/// Compares what the runs so far, at least one since `TensorStore::keepState`, have changed. Tensors are paired by
/// path; those that only one model has, by value. The state of observers is not the model's.
StateFinding compareStates(const VerifySide& a, const VerifySide& b, const Tolerances& tolerances);

/// Whether the last run of a model changed one of these since `TensorStore::keepState`.
bool changesState(const VerifySide& side);

/// The first of the user's inputs that the runs left with other values in one model than in the other; empty: none.
/// Both had the same before. Inputs are paired by name, or else by position.
Message compareInputs(const VerifySide& a, const VerifySide& b, const Tolerances& tolerances);

} // namespace fx::engine
