// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/remote/verify_report.h"

#include <optional>

namespace fx {

/// Evidence from running two models on the same inputs. Differing outputs alone show that the models differ. Agreeing
/// outputs are evidence only if these inputs and weights could have shown a difference.
struct Evidence {
    bool identical = false;    ///< graph and weights are the same
    bool sameOutputs = false;  ///< the nodes that compute the outputs are the same; only other nodes differ
    bool comparable = true;    ///< the outputs have the same structure, types and shapes
    bool sameShapes = true;    ///< false if shapes are all that makes the outputs incomparable
    bool equal = true;         ///< the outputs are equal bit for bit
    bool close = true;         ///< the outputs are within tolerance
    bool rounding = false;     ///< the outputs are beyond tolerance, but B is as close to the float64 results as A
    bool stateDiffers = false; ///< the runs leave different values in buffers
    bool inputsDiffer = false; ///< the runs leave different values in their inputs
    bool sameLeft = true;      ///< the values left in buffers and inputs are the same bit for bit
    bool stateLost = false;    ///< A writes into buffers that B does not have
    std::int64_t count = 0, nans = 0; ///< elements of all outputs, and those that are NaN in both
    double error = 0;                 ///< largest error of an output relative to its scale
    /// The relative tolerance that the user set, 0 if only an absolute one was set; nullopt for the standard
    /// tolerances. An error that shows in the outputs and that the user allows is Close.
    std::optional<double> allowed = {};
    /// The result of running only the changed region, on generated values.
    enum class Change : std::uint8_t {
        Same,          ///< the region behaves the same
        Lost,          ///< the region differs, but too little of the difference reaches the outputs
        NotReached,    ///< the region differs, but these inputs give it no data
        NoData,        ///< unknown for part of the region, which got only tensors without elements
        NotFinite,     ///< the region differs for NaN or infinite values, which the data do not contain
        OtherSizes,    ///< the region differs for inputs of other sizes
        OtherBoundary, ///< integers or booleans agree on these inputs, but change at a different boundary value
        OtherDecision, ///< integers or booleans agree on these inputs, but depend on other floats
        OtherBranch,   ///< branches, loops or comparisons in the region took only one side
    };
    Change change = Change::Same;
    std::optional<bool> outputsMove = {}; ///< other inputs change A's outputs; known only if `change` is not Same
    bool saturated = false;               ///< all outputs are 0, 1 or -1

    /// Adds an output to the evidence.
    void add(const ValueDifference& output);
};

/// A verdict with its reason.
struct Judgement {
    Verdict verdict = Verdict::Equal;
    VerdictReason code = VerdictReason::None;
};
/// Returns the verdict that the evidence supports.
Judgement judge(const Evidence& evidence);

/// Explains the reason of a verdict. `changed` lists the changed nodes (for LostState the buffers); `report` needs its
/// outputs and node counts. Returns an empty message for Equal, for Close unless the reason is Rounding, and for
/// reasons that the caller explains (Shapes, NotComparable).
Message reasonText(VerdictReason code, const VerifyReport& report, const std::vector<std::string>& changed);

} // namespace fx
