// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/verify/inputs/further_inputs.h"
#include "core/engine/verify/rounding_noise.h"
#include "core/engine/verify/state.h"
#include "core/engine/verify/whole_model.h"

namespace fx::engine {

/// Runs two models as a whole on the same further inputs and compares the results. A difference counts if it exceeds
/// rounding: it must be larger than the effect of small perturbations of the inputs on A, and not be an error that both
/// models have against float64. The comparison includes the values that runs leave in inputs and in buffers.
class Comparison {
public:
    /// Both sides and `options` must outlive the comparison. `reads` records which elements A reads; may be null.
    Comparison(const VerifySide& a, const VerifySide& b, const VerifyOptions& options, ReadElements* reads = nullptr)
        : m_options(options), m_sideA(a), m_sideB(b), m_a(a, options, reads), m_b(b, options) {}

    /// True if the inputs of A, matched by name or else by position, equal those of B.
    bool takesInputsOfA() const { return sameInputs(forB(m_sideA.inputs), m_sideB.inputs); }
    /// Returns the first difference on the given inputs, or an empty message if the models agree or one of them refuses
    /// the inputs. Values that are finite in one model only count unless the inputs are large. Sets `ran` to true if A
    /// accepts the inputs.
    Message difference(const FurtherInputs& further, bool& ran);
    /// Set by `difference` if B refuses inputs of other sizes that A accepts.
    std::optional<Refusal> refused;
    /// Runs the calls one after another without resetting buffers. Returns the number of the first call, counted from
    /// 1, whose outputs or state differ. Returns 0 if no call differs, if a model refuses one, or if the first call
    /// changes no buffer. Compares the calls from `first` on.
    std::size_t callThatDiffers(const std::vector<RunInputs>& calls, std::size_t first = 1);
    /// Fills one buffer of both models with a number and runs each once on its given inputs. True if the outputs
    /// differ.
    bool differsFrom(const TensorPtr& bufferA, const TensorPtr& bufferB, double number);
    /// True if the last run of either model changed a buffer.
    bool changesAnyState() const;
    /// Runs a model once on its given inputs. `again` continues from the state that the last run left. False if the
    /// model cannot run.
    bool run(bool inB, bool again);
    /// Runs a model once on inputs of A. False if it refuses them.
    bool runOn(bool inB, const RunInputs& inputs) {
        return (inB ? m_b.run(forB(inputs), m_random(), false) : m_a.run(inputs, m_random(), false)).has_value();
    }
    /// Calls `watch` for each node of the later runs of a model; an empty function stops it.
    void watch(bool inB, std::function<void(const Node& node, const Value& value)> watch) {
        (inB ? m_b : m_a).watch(std::move(watch));
    }

private:
    /// The results of both models on some inputs: the output, and the values left in inputs and buffers.
    struct Results {
        const FurtherInputs& further;
        std::uint64_t drawn; ///< seed of the runs
        std::vector<SharedTensor> buffers;
        Values a, b;
        std::vector<Values> exact; ///< of A and B in float64, once computed; empty where they cannot run so
    };
    /// Returns copies of what a run returns, leaves in its inputs, in the order of B, and in some buffers.
    Values partsOf(bool inB, const WholeModel::Ran& ran, const std::vector<SharedTensor>& buffers) const;
    Values exactParts(bool inB, const Results& results);
    Message differenceIn(Results& results, std::size_t part, const RoundingNoise& noise);
    RunInputs nudgedInputs(const RunInputs& inputs);
    RunInputs forB(const RunInputs& inputs) const;

    const VerifyOptions& m_options;
    const VerifySide &m_sideA, &m_sideB;
    WholeModel m_a, m_b;
    Random m_random{3};
};

} // namespace fx::engine
