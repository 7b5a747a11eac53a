// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/error.h"
#include "core/io/values/value_tree.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace fx {

/// A value is close if |b - a| <= atol + rtol * |a|.
struct Tolerance {
    double rtol = 0, atol = 0;
};
/// The tolerances that the user set; other values are the defaults of torch.testing.assert_close for the dtype.
struct Tolerances {
    std::optional<double> rtol, atol;                     ///< for every type
    std::vector<std::pair<std::string, Tolerance>> types; ///< "torch.float16"; takes precedence
};

/// The difference between a value of A and of B.
struct ValueDifference {
    std::string dtype; ///< of A: "torch.float32"; of other values than tensors the Python type: "int", "str"
    std::vector<std::int64_t> sizes; ///< of A
    double maxAbs = 0;               ///< largest |b - a| of elements that are not NaN in either
    double maxRel = 0;               ///< largest |b - a| / |a|; infinite where a is zero and b is not
    double scale = 0;                ///< largest finite |a|, to which errors are compared
    double rms = 0;                  ///< root mean square of a, over finite elements
    double rmsError = 0;             ///< root mean square of b - a, over elements that are finite in both
    Tolerance tolerance;
    std::int64_t count = 0, beyond = 0;              ///< number of elements, and of those beyond the tolerance
    std::int64_t nansA = 0, nansB = 0, nansBoth = 0; ///< a NaN at the same index in both counts as equal
    std::vector<std::int64_t> worst;                 ///< index of the element with `maxAbs`
    bool equal = true;                               ///< equal bit for bit
    bool close = true;
    Message reason;        ///< why the values cannot be compared, "2×3 in A, 3 in B"; empty if they can
    bool sameShape = true; ///< false for two tensors of different shapes

    /// False if `reason` says why the values cannot be compared.
    bool comparable() const { return reason.text().empty(); }
    /// Returns the error relative to the scale of A's value; infinite if the values cannot be compared, or if A's is
    /// zero and B's is not.
    double relativeToScale() const;
};

/// The difference between an output of A and of B.
struct OutputDifference {
    std::string path; ///< position in the returned value: "", "[0]", "['logits']"
    ValueDifference value;
};

/// The first node of both models whose value differs beyond the tolerance.
struct NodeDifference {
    std::string node;
    ValueDifference value;
    /// True if all users of the node agree again in both models, and not only because the signal is lost. The node then
    /// does more or less work in B, as after fusing.
    bool passing = false;
    Message why;            ///< what differs at the node: "its parameters differ: weight, bias"; empty if unknown
    std::string inner = {}; ///< the differing node in the graph that `node` calls, or empty
};

/// The error at a node of both models.
struct NodeError {
    std::string node;  ///< its name in A
    double maxAbs = 0; ///< as in `ValueDifference`
    /// `ValueDifference::relativeToScale`: 0 is exact, 1 as large as the value itself; may be infinite.
    double error = 0;
    std::int64_t count = 0, beyond = 0;
    bool comparable = true; ///< false for a different shape, type or structure; `reason` describes it
    Message reason = {};
    std::string nameInB = {}; ///< empty if equal to `node`
};

/// The outcome of comparing two models.
enum class Verdict : std::uint8_t {
    Equal,        ///< the outputs are equal bit for bit, or graph and weights are
    Close,        ///< the outputs are within tolerance
    Inconclusive, ///< the outputs are within tolerance, but these inputs and weights cannot show a difference
    Different,    ///< beyond tolerance, or not comparable
};

/// The reason of a verdict.
enum class VerdictReason : std::uint8_t {
    None,             ///< the outputs were compared and could have shown a difference
    SameModel,        ///< Equal: graph and weights are the same, whatever the values
    SmallAgainstAtol, ///< Inconclusive: the error is within atol, but large against the scale of the outputs
    ConstantOutputs,  ///< Inconclusive: the outputs do not depend on the inputs
    SaturatedOutputs, ///< Inconclusive: the outputs do not depend on the inputs and are at the ends of their range (0
                      ///< or 1, -1 or 1)
    NanOutputs,       ///< Inconclusive: all outputs are NaN in both models
    EmptyOutputs,     ///< Inconclusive: the models return no values
    SignalLost, ///< Inconclusive: nodes after the edit differ beyond tolerance, but the difference does not reach the
                ///< outputs
    NotReached, ///< Inconclusive: no data reach the changed region
    BeyondTolerance, ///< Different
    Shapes,          ///< Different: the outputs have different shapes
    NotComparable,   ///< Different: the outputs differ in structure or type, or B takes other inputs
    Rounding,        ///< Close: beyond the tolerance, but B is as close to the float64 results as A
    NotFinite,       ///< Inconclusive: the changed region differs for NaN or infinite values
    OtherSizes,      ///< Inconclusive: the changed region differs for inputs of other sizes
    OtherBoundary,   ///< Inconclusive: integers or booleans agree here, but change at a different boundary value
    OtherDecision,   ///< Inconclusive: integers or booleans agree here, but depend on other floats
    OtherState,      ///< Different: the outputs agree, but the runs leave different values in a buffer
    NoData,          ///< Inconclusive: the changed region got only tensors without elements
    LostState,       ///< Inconclusive: A writes to buffers that B lacks
    OtherBranch,     ///< Inconclusive: changed branches, loops or comparisons took only one side
    OtherInputs,     ///< Different: the outputs agree, but the runs leave different values in an input
    OtherData,       ///< Inconclusive: the outputs differ for other inputs of the same shapes, or in a later call
    NotRun, ///< Inconclusive: hooks, defaults of inputs, effects of loading or writes differ, and no run shows it
};
/// The last enumerator, for loops and checks.
inline constexpr VerdictReason kLastVerdictReason = VerdictReason::NotRun;

/// One further trial after an inconclusive comparison. See `remote::probe`.
struct Probe {
    /// How the trial differs from the comparison.
    enum class Kind : std::uint8_t {
        Seed,            ///< other random inputs
        InputScale,      ///< inputs times `scale`
        RescaledWeights, ///< copies of both models with weights that let signals arrive
    };
    Kind kind = Kind::Seed;
    std::string what; ///< "seed 1", "inputs ×100", "re-scaled weights"
    Verdict verdict = Verdict::Inconclusive;
    double maxAbs = 0, maxRel = 0; ///< largest over all outputs
    std::uint64_t seed = 0;        ///< of the inputs
    double scale = 1;              ///< of the inputs
    Message reason = {};           ///< why the trial is inconclusive or could not run
    /// Inputs of A that show a difference with the models' own weights, or null; see `VerifyReport::counterexample`.
    std::shared_ptr<const ValueTree> counterexample = {};
};

/// The result of comparing two models on the same inputs.
struct VerifyReport {
    Verdict verdict = Verdict::Equal;
    VerdictReason code = VerdictReason::None;
    Message reason; ///< with names and numbers; empty for Equal, and for Close unless `code` is Rounding
    std::vector<OutputDifference> outputs;
    std::optional<NodeDifference> first;
    std::vector<NodeError> nodeErrors; ///< of every compared node, in the order of A
    std::vector<Probe> probes;         ///< see `addProbes`
    bool identical = false;            ///< graph and weights are the same
    /// Number of nodes that both models have, and of those that differ beyond the tolerance.
    std::int64_t nodesCompared = 0, nodesDiffering = 0;
    std::vector<Message> remarks;    ///< likely causes
    std::optional<double> sqnr;      ///< of the outputs in dB, if one of the models is quantised and they differ
    double millisA = 0, millisB = 0; ///< time in the nodes of each model, without comparing
    std::int64_t furtherInputs = 0;  ///< number of further inputs on which both whole models ran
    double furtherSeconds = 0;       ///< time for them, of the budget
    /// A dict of inputs of A that show a difference, for `--inputs`; null if unknown.
    std::shared_ptr<const ValueTree> counterexample = {};
    std::vector<std::string> inputs;  ///< descriptions of the generated inputs: "x: 1×3×8 float32, normal"
    std::vector<std::string> guessed; ///< guessed inputs with the reason
    Warnings warnings = {};           ///< from opening the models, and of their modes
    std::vector<std::string> modes;   ///< "train" or "eval", of A and B

    /// True for Equal and Close, which JSON calls "equal".
    bool agrees() const { return verdict == Verdict::Equal || verdict == Verdict::Close; }
    /// True if the difference is expected of a quantised model; `sqnr` measures it. Below 10 dB a third of the signal
    /// or more is wrong, which rounding does not explain.
    bool isQuantisationNoise() const { return code == VerdictReason::BeyondTolerance && sqnr && *sqnr >= 10; }
};

/// Returns "equal", "close", "inconclusive" or "different".
const char* verdictName(Verdict verdict);
/// Returns the name for scripts: "same_model", "signal_lost"; "none" for None.
const char* reasonName(VerdictReason reason);

/// Adds further trials to the report. A difference with the models' own weights makes the verdict Different, and the
/// inputs that show it the counterexample. A difference that only re-scaled weights show leaves it Inconclusive. The
/// reason describes either.
void addProbes(VerifyReport& report, std::vector<Probe> probes);

} // namespace fx
