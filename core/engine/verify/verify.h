// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/engine/interpreter.h"
#include "core/remote/verify_report.h"

namespace fx::engine {

/// One of the models that are compared.
struct VerifySide {
    std::shared_ptr<const GraphModule> model;
    std::shared_ptr<TensorStore> tensors; ///< a fresh one: what the run does to buffers stays in it
    RunInputs inputs;                     ///< of its own, since a model may change them in place
    /// What the caller of the model gets of what the graph returns; empty: that itself.
    std::function<Value(const Value& output)> finish;
};

/// What a comparison is asked for.
struct VerifyOptions {
    Tolerances tolerances;
    std::function<void(const Node& node)> afterNode; ///< may throw to stop
    Progress progress = {};                          ///< of reading weights; only asked whether to stop
    /// A with tensors and inputs of its own, to find out whether a difference is only rounding; empty: it counts.
    std::function<VerifySide()> freshA = {};
    bool further = true; ///< outputs that agree have to do so on further inputs; see `differOnFurtherInputs`
};

/// Runs two models side by side and compares what they return, and every node that is comparable as soon as both have
/// it:
///
///     a:  x ─ conv1 ─ bn1 ─ relu ─ fc          conv1 differs, relu agrees again: conv1 is "passing" (it does what bn1
///     did), b:  x ─ conv1 ─────── relu ─ fc          fc is the first that differs for good
///
/// The runs take turns, A up to the next such node, then B up to it, so that no more than the values that each run
/// needs anyway are in memory, and those that B makes in another order. Both start from the state that the random
/// generator has now, and each goes on with its own. `first` is the first node that differs beyond the tolerance; when
/// the outputs do too, the first whose difference lasts until there. Outputs that agree are believed only when they
/// could have shown a difference; see `Doubt`. What the runs leave in buffers is compared, too, and every further run
/// starts from the buffers as they were at first. Models with the same graph and weights are equal after one run.
/// Outputs beyond the standard tolerances by no more than rounding are close; see `onlyRounding`. Throws Error{Run}
/// when one of them cannot be run, with "A" or "B" in its `where`.
VerifyReport verify(const VerifySide& a, const VerifySide& b, const VerifyOptions& options = {});

/// Whether two nodes of one name stand for the same value, whatever computes it. Only the names of results that are
/// taken out of a tuple say nothing: they are numbered (getitem, getitem_1) and mean another one when some were added
/// or erased before, so those need the same index of a producer of the same name.
bool comparable(const Node& a, const Node& b, const GraphModule& modelA, const GraphModule& modelB);

/// Why a node gives other values, from what the models say of it: other weights, settings, mode, arguments ("argument 1
/// of add is 1 in A, 1.5 in B", counted from 0), or that something else goes by the name of one of its inputs. Empty
/// when nothing differs. Throws nothing; reads weights only of this node.
Message differenceAt(const Node& a, const Node& b, const VerifySide& sideA, const VerifySide& sideB);

/// Whether two nodes do the same with what they are given: the same call with the same numbers, settings and weights.
bool sameApartFromInputs(const Node& a, const Node& b, const VerifySide& sideA, const VerifySide& sideB);

/// The signal-to-noise ratio of the outputs in dB when one of the models is quantised and they differ. Nobody expects
/// the tolerances of floating point of it: what counts is how large its noise is.
std::optional<double> quantisedSqnr(const VerifyReport& report, const VerifySide& a, const VerifySide& b);

/// "A has 1 check of inputs that is not in its graph": two scripts of which one may raise an exception where the other
/// does not; empty: none.
Message otherChecks(const VerifySide& a, const VerifySide& b);

/// What commonly makes models differ, in words: dropout in training mode, modules that are called more than once.
std::vector<Message> likelyCauses(const VerifyReport& report, const VerifySide& a, const VerifySide& b);

} // namespace fx::engine
