// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fx {

/// |b - a| <= atol + rtol * |a|
struct Tolerance {
    double rtol = 0, atol = 0;
};
/// What the user set; all else is torch.testing.assert_close's for the type.
struct Tolerances {
    std::optional<double> rtol, atol;                     ///< for every type
    std::vector<std::pair<std::string, Tolerance>> types; ///< "torch.float16": wins
};

/// How far a value of B is from that of A.
struct ValueDifference {
    std::string dtype;               ///< of A: "torch.float32", or of what is no tensor: "int", "str"
    std::vector<std::int64_t> sizes; ///< of A
    double maxAbs = 0;               ///< largest |b - a|; of elements that are a NaN in neither
    double maxRel = 0;               ///< largest |b - a| / |a|; infinite where a is zero and b is not
    double scale = 0;                ///< largest finite |a|: what an error is large or small against
    double rms = 0;                  ///< root of the mean of |a|², of finite elements
    double rmsError = 0;             ///< root of the mean of |b - a|², of elements that are finite in both
    Tolerance tolerance;
    std::int64_t count = 0, beyond = 0;              ///< elements, and those beyond the tolerance
    std::int64_t nansA = 0, nansB = 0, nansBoth = 0; ///< NaN at the same place in both counts as equal
    std::vector<std::int64_t> worst;                 ///< index of the element of maxAbs
    bool equal = true;                               ///< bit for bit
    bool close = true;
    Message reason;        ///< why they cannot be compared, "2×3 in A, 3 in B"; empty: they can
    bool sameShape = true; ///< false: both are tensors, of different shapes

    bool comparable() const { return reason.text().empty(); }
    /// The error against the scale of A's value; infinite when they cannot be compared, or A's is zero and B's is not.
    double relativeToScale() const;
};

/// How far one output of B is from that of A.
struct OutputDifference {
    std::string path; ///< where in what the model returns: "", "[0]", "['logits']"
    ValueDifference value;
};

/// The first node that both models have and whose value differs beyond the tolerance.
struct NodeDifference {
    std::string node;
    ValueDifference value;
    bool passing = false; ///< all that uses it agrees again, in both models and not only for want of a signal: the node
                          ///< does more or less in B, as after fusing
    Message why;          ///< what about the node differs: "its parameters differ: weight, bias"; empty: not known
};

/// The error at a node that both models have.
struct NodeError {
    std::string node;  ///< its name in A
    double maxAbs = 0; ///< as in ValueDifference
    double error = 0;  ///< ValueDifference::relativeToScale: 0 exact, 1 as large as the value itself, or infinite
    std::int64_t count = 0, beyond = 0;
    bool comparable = true; ///< false: other shape, type or structure, told in `reason`
    Message reason = {};
    std::string nameInB = {}; ///< empty: the same
};

enum class Verdict : std::uint8_t {
    Equal,        ///< the outputs are the same, bit for bit, or graph and weights are
    Close,        ///< the outputs are within tolerance
    Inconclusive, ///< the outputs are within tolerance, but these inputs and weights cannot show a difference
    Different,    ///< beyond tolerance, or not comparable
};

/// Why a verdict is what it is.
enum class VerdictReason : std::uint8_t {
    None,             ///< the outputs were compared, and they could have shown a difference
    SameModel,        ///< Equal: graph and weights are the same, whatever the values
    SmallAgainstAtol, ///< Inconclusive: the error is within atol, but large against the scale of the outputs
    ConstantOutputs,  ///< Inconclusive: the outputs do not depend on the inputs
    SaturatedOutputs, ///< Inconclusive: likewise, and each is at the end of its range (0 or 1, -1 or 1)
    NanOutputs,       ///< Inconclusive: the outputs are NaN in both, and nothing else
    EmptyOutputs,     ///< Inconclusive: the models return no values
    SignalLost, ///< Inconclusive: nodes after the edit differ beyond tolerance, but nothing of it reaches the outputs
    NotReached, ///< Inconclusive: the data never reach what changed
    BeyondTolerance, ///< Different
    Shapes,          ///< Different: the outputs have other shapes
    NotComparable,   ///< Different: the outputs have another structure or type, or B takes other inputs
    Rounding,        ///< Close: beyond the tolerance, but B is as near to the results in float64 as A
    NotFinite,       ///< Inconclusive: what changed differs for NaN or infinite values
    OtherSizes,      ///< Inconclusive: what changed differs for inputs of other sizes
    OtherBoundary,   ///< Inconclusive: integers or booleans agree here, but change elsewhere
    OtherDecision,   ///< Inconclusive: integers or booleans agree here, but are decided by other floats
    OtherState,      ///< Different: the outputs agree, but the run leaves other values in a buffer
    NoData,          ///< Inconclusive: what changed got only tensors without elements
    LostState,       ///< Inconclusive: A writes into buffers that B does not have
    OtherBranch,     ///< Inconclusive: branches, loops or comparisons that changed took only one side
    OtherInputs,     ///< Different: the outputs agree, but the run leaves other values in an input
    OtherData,       ///< Inconclusive: for other inputs of the same shapes, or in a later call, the outputs differ
};
inline constexpr VerdictReason kLastVerdictReason = VerdictReason::OtherData;

/// What trying further showed, when the outputs themselves could not tell. See `remote::probe`.
struct Probe {
    enum class Kind : std::uint8_t {
        Seed,            ///< other random inputs
        InputScale,      ///< inputs times `scale`
        RescaledWeights, ///< a copy of both models whose weights let signals arrive
    };
    Kind kind = Kind::Seed;
    std::string what; ///< "seed 1", "inputs ×100", "re-scaled weights"
    Verdict verdict = Verdict::Inconclusive;
    double maxAbs = 0, maxRel = 0; ///< the largest of all outputs
    std::uint64_t seed = 0;        ///< of the inputs
    double scale = 1;              ///< of the inputs
    Message reason = {};           ///< why it could not tell, or could not be run
};

/// What running two models on the same inputs showed.
struct VerifyReport {
    Verdict verdict = Verdict::Equal;
    VerdictReason code = VerdictReason::None;
    Message reason; ///< why, with names and numbers; empty for Equal, and for Close unless it is Rounding
    std::vector<OutputDifference> outputs;
    std::optional<NodeDifference> first;
    std::vector<NodeError> nodeErrors; ///< of every node that was compared, in the order of A
    std::vector<Probe> probes;         ///< see `addProbes`
    bool identical = false;            ///< graph and weights are the same
    std::int64_t nodesCompared = 0,
                 nodesDiffering = 0;  ///< nodes that both models have; those that differ beyond the tolerance
    std::vector<Message> remarks;     ///< likely causes
    std::optional<double> sqnr;       ///< in dB, of the outputs, if one of the models is quantised and they differ
    double millisA = 0, millisB = 0;  ///< of the nodes of each, comparing not counted
    std::vector<std::string> inputs;  ///< what was drawn for them: "x: 1×3×8 float32, normal"
    std::vector<std::string> guessed; ///< those of the inputs that were guessed, and why
    Warnings warnings = {};           ///< of opening the models

    /// Equal or Close: what JSON calls "equal".
    bool agrees() const { return verdict == Verdict::Equal || verdict == Verdict::Close; }
    /// Beyond tolerance, as is expected of a quantised model: `sqnr` tells how far. Below 10 dB, a third of the signal
    /// and more is wrong: rounding does not explain that.
    bool isQuantisationNoise() const { return code == VerdictReason::BeyondTolerance && sqnr && *sqnr >= 10; }
};

/// "equal", "close", "inconclusive", "different"
const char* verdictName(Verdict verdict);
/// "same_model", "signal_lost"; "none" for None. For scripts.
const char* reasonName(VerdictReason reason);

/// Adds what trying further showed. A difference with the models' own weights makes the verdict Different; one that
/// only re-scaled weights show leaves it Inconclusive. The reason tells both.
void addProbes(VerifyReport& report, std::vector<Probe> probes);

} // namespace fx
