// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/verify/read_elements.h"
#include "core/engine/verify/verify.h"

namespace fx::engine {

/// The reason why a model cannot run on some inputs.
struct Refusal {
    std::string why;  ///< the first line of the error
    std::string node; ///< the failing node of the user's model; empty if the run fails before the first one
};

/// Runs one model as a whole.
class WholeModel {
public:
    /// All arguments must outlive this. `reads` records the values of each run; may be null.
    WholeModel(const VerifySide& side, const VerifyOptions& options, ReadElements* reads = nullptr)
        : m_side(side), m_options(options), m_reads(reads) {}

    /// The results of a run.
    struct Ran {
        Value output;     ///< after `VerifySide::finish`
        RunInputs inputs; ///< as the run leaves them
    };
    /// Runs the model on a copy of the inputs. `again` continues from the state that the last run left; otherwise the
    /// run starts from the initial state. Returns nullopt and sets `refusal` if the model refuses the inputs.
    std::optional<Ran> run(const RunInputs& inputs, std::uint64_t seedOfRun, bool again, Refusal* refusal = nullptr);
    /// Prepares `runInDouble`. Call it before an `InDouble` of the model exists.
    void prepareDouble();
    /// Runs the model in float64, from its initial state. Requires `prepareDouble` and a live `InDouble` of the model.
    std::optional<Ran> runInDouble(const RunInputs& inputs, std::uint64_t seedOfRun);
    /// Calls `watch` for each node of later runs; an empty function stops it.
    void watch(std::function<void(const Node& node, const Value& value)> watch) { m_watch = std::move(watch); }

private:
    std::optional<Ran> runWith(Interpreter& interpreter, const RunInputs& inputs, std::uint64_t seedOfRun,
                               Refusal* refusal);

    const VerifySide& m_side;
    const VerifyOptions& m_options;
    ReadElements* m_reads;
    std::function<void(const Node& node, const Value& value)> m_watch;
    std::optional<Interpreter> m_interpreter, m_inDouble; ///< created on first use
};

/// True if two sets of inputs are equal within the tolerances of their types.
bool sameInputs(const RunInputs& x, const RunInputs& y);

} // namespace fx::engine
