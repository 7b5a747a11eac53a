// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/diff/normalised.h"
#include "core/engine/interpreter.h"
#include "core/remote/verify_report.h"

namespace fx::engine {

/// One of the compared models.
struct VerifySide {
    std::shared_ptr<const GraphModule> model; ///< not null
    std::shared_ptr<TensorStore> tensors;     ///< a fresh store, since runs change buffers in it
    RunInputs inputs; ///< not shared with the other side, since a model may change them in place
    /// Converts the graph's output to what the caller of the model receives; empty if these are the same.
    std::function<Value(const Value& output)> finish;
    /// Maps the inlined nodes of a normalised model to their origin in the user's model; null for other models.
    std::shared_ptr<const InlinedNodes> inlined = {};

    /// Returns the origin of an inlined node, or null if the user's model has this node.
    const InlinedFrom* inlinedFrom(const std::string& node) const;
    /// Returns the name of a node in the user's model: "relu", or "fused_0 (relu)" for a node in the graph that fused_0
    /// calls.
    std::string nameOf(const Node& node) const;
    /// Returns only the node of the user's model, for errors: "fused_0".
    std::string callOf(const std::string& node) const;
};

/// The settings of a comparison.
struct VerifyOptions {
    Tolerances tolerances;                        ///< the user's; empty for the standard ones
    std::function<void(const Node& node)> atNode; ///< called for each node that runs; may throw to stop
    Progress progress = {};                       ///< reports progress; throws to stop
    /// Returns A with separate tensors and inputs, to decide whether a difference is only rounding. If empty, every
    /// difference counts.
    std::function<VerifySide()> freshA = {};
    double searchSeconds = 0;     ///< see `remote::VerifyRequest`
    std::int64_t searchRound = 0; ///< see `remote::VerifyRequest`
    bool further = true;          ///< also compare agreeing outputs on further inputs; see `differOnFurtherInputs`
};

/// Runs two models side by side. Compares their outputs, and each comparable node as soon as both models have its
/// value:
///
///     a:  x ─ conv1 ─ bn1 ─ relu ─ fc       conv1 differs and relu agrees again: conv1 is "passing", since conv1
///     b:  x ─ conv1 ─────── relu ─ fc       of B includes bn1; fc is the first node whose difference lasts
///
/// The runs take turns: A runs up to the next such node, then B. Memory holds only the values that each run needs
/// anyway, and copies of values that B computes earlier than A. Both runs start from the current state of the random
/// generator, and each continues with a separate state.
///
/// `first` is the first node that differs beyond the tolerance; if the outputs differ too, the first whose difference
/// lasts until there. Agreeing outputs count only if they could have shown a difference; see `RegionCheck`. The values
/// that runs leave in buffers are compared, too, and each further run starts from the initial buffers. Models with the
/// same graph and weights are equal after one run. Outputs beyond the standard tolerances by no more than rounding are
/// close; see `onlyRounding`.
///
/// Throws Error{Run} if a model cannot run, with "A" or "B" in its `where`.
VerifyReport verify(const VerifySide& a, const VerifySide& b, const VerifyOptions& options = {});

/// True if two nodes with the same name stand for the same value, however it is computed. Items of a tuple need the
/// same index and producers with the same name instead: their names are numbered (getitem, getitem_1), and mean other
/// values after items are added or erased.
bool comparable(const Node& a, const Node& b, const GraphModule& modelA, const GraphModule& modelB);

/// Explains from the two graphs why a node returns other values: other weights, settings, mode or arguments ("argument
/// 1 of add is 1 in A, 1.5 in B", counted from 0), or another node with the name of one of its inputs. Empty if nothing
/// differs. Reads weights of this node only.
Message differenceAt(const Node& a, const Node& b, const VerifySide& sideA, const VerifySide& sideB);

/// True if two nodes make the same call with the same numbers, settings and weights. Their inputs may differ.
bool sameApartFromInputs(const Node& a, const Node& b, const VerifySide& sideA, const VerifySide& sideB);

/// Returns the signal-to-noise ratio of the outputs in dB if exactly one of the models is quantised and they differ. It
/// replaces the tolerances of floating point, which quantised models do not meet.
std::optional<double> quantisedSqnr(const VerifyReport& report, const VerifySide& a, const VerifySide& b);

/// Returns "A has 1 check of inputs that is not in its graph" for two scripts of which one may raise an exception where
/// the other does not; empty otherwise.
Message otherChecks(const VerifySide& a, const VerifySide& b);

/// Returns remarks on common causes of differences: dropout in training mode, modules that are called more than once.
std::vector<Message> likelyCauses(const VerifyReport& report, const VerifySide& a, const VerifySide& b);

} // namespace fx::engine
