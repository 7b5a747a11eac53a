// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/remote/verify_report.h"

#include <optional>

namespace fx {

/// What is known of two models that were run on the same inputs. The outputs alone show that models differ; that they
/// are the same, outputs show only when these inputs and weights could have shown a difference.
struct Evidence {
    bool identical = false;           ///< graph and weights are the same
    bool sameOutputs = false;         ///< what computes the outputs is the same; only other nodes differ
    bool comparable = true;           ///< the outputs have one structure, type and shape
    bool sameShapes = true;           ///< of what cannot be compared: false when other shapes are all that is wrong
    bool equal = true;                ///< the outputs are the same bit for bit
    bool close = true;                ///< the outputs are within tolerance
    bool rounding = false;            ///< they are not, but B is as near to what float64 gives as A
    bool stateDiffers = false;        ///< the runs left other values in buffers
    bool inputsDiffer = false;        ///< the runs left other values in their inputs
    bool stateLost = false;           ///< A writes into buffers that B does not have
    std::int64_t count = 0, nans = 0; ///< elements of all outputs, and those that are NaN in both
    double error = 0;                 ///< the largest error of an output against its scale
    /// The relative tolerance that was asked for, 0 when only an absolute one was; nothing: the standard tolerances. An
    /// error that shows in the outputs and that the user allows is Close.
    std::optional<double> allowed = {};
    /// What running only what changed, on values of its own, showed.
    enum class Change : std::uint8_t {
        Same,          ///< it does the same
        Lost,          ///< it does something else, of which too little arrives at the outputs
        NotReached,    ///< it does something else, for which these inputs give it no data
        NoData,        ///< of some of it nothing is known: it got no elements at all
        NotFinite,     ///< it does something else for NaN or infinite values, which the data do not contain
        OtherSizes,    ///< it does something else for inputs of other sizes
        OtherBoundary, ///< it gives the same integers or booleans here, but decides otherwise elsewhere
        OtherDecision, ///< likewise, since it decides by other floats
        OtherBranch,   ///< of its branches, loops and comparisons some took only one side
    };
    Change change = Change::Same;
    std::optional<bool> outputsMove = {}; ///< other inputs give A other outputs; only found out when change is not Same
    bool saturated = false;               ///< all outputs are 0, 1 or -1

    /// Adds an output.
    void add(const ValueDifference& output);
};

/// A verdict and why.
struct Judgement {
    Verdict verdict = Verdict::Equal;
    VerdictReason code = VerdictReason::None;
};
/// The verdict that the evidence supports.
Judgement judge(const Evidence& evidence);

/// The reason of a verdict in words. `changed`: nodes that changed; the report has its outputs and counts of nodes.
/// Empty for Equal, for Close unless it is Rounding, and for what the caller knows better (Shapes, NotComparable).
Message reasonText(VerdictReason code, const VerifyReport& report, const std::vector<std::string>& changed);

} // namespace fx
