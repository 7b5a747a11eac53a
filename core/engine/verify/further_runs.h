// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/verify/counterexample.h"
#include "core/engine/verify/read_elements.h"

namespace fx::engine {

inline constexpr std::size_t kMostInputs = 32; ///< inputs of other values; with fewer, each size is tried only once
inline constexpr int kSizeDraws = 3;           ///< draws per size: a median of medians sometimes equals the median

/// The cost limit of the further runs of a comparison.
struct FurtherRuns {
    std::size_t values = 0; ///< number of inputs with other values, and the limit of batches and calls
    double millis = 0;      ///< no run starts after this time
    bool isWall = false;    ///< `millis` is wall-clock time, as the user set it, not CPU time of the process
};
/// Chooses a number of further runs that cost little compared with the runs so far. `elements` counts the elements of
/// all values of a run, which estimates its computation.
FurtherRuns furtherRunsFor(std::int64_t nodes, std::int64_t elements, double millisOfRun, double millisSofar);

/// The limits of a search over further inputs, and the hints that guide it.
struct FurtherSearch {
    FurtherRuns runs;                  ///< the cost limit
    const ChangedPart* part = nullptr; ///< the changed region, whose constants and types guide the search; may be null
    ReadElements* reads = nullptr;     ///< weights whose differing elements must be read; may be null
    std::int64_t* tried = nullptr;     ///< counts the inputs that A accepts; may be null
    std::int64_t round = 0;            ///< each round draws different inputs
};

/// The result of a search over further inputs.
struct FurtherFinding {
    std::optional<Counterexample> counterexample; ///< nullopt if the outputs agree on all inputs
    Message refused; ///< B refuses sizes other than the batch that A accepts; empty if it does not
};

/// Runs both models as a whole on further inputs: other values, other batch sizes, each size varied separately, lengths
/// around the integers of the changed region, and inputs that read more elements of differing weights. If the models
/// keep state, also runs several calls one after another, and calls far later. See `Comparison`, `TriedSizes` and
/// `differInLaterCalls`. Inputs that A refuses are no evidence. Requires `TensorStore::keepState` on the tensors of
/// both sides.
FurtherFinding differOnFurtherInputs(const VerifySide& a, const VerifySide& b, const VerifyOptions& options,
                                     const FurtherSearch& search);

} // namespace fx::engine
