// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/verify/race.h"
#include "core/engine/verify/stimulus.h"

namespace fx::engine {

/// What an exit of a region gave in both models, for each leaf of its value.
struct Outcome {
    struct Leaf {
        ValueDifference difference;
        std::vector<double> ofA; ///< a sample
    };
    std::vector<Leaf> leaves;
    bool ran = false; ///< false: one of the models could not be run, or gives another structure

    /// No leaf is off by more than rounding, and something was compared.
    bool agrees() const;
    /// The only difference is that one model gives a number where the other overflows.
    bool overflows() const;
};

/// Runs a region of both models on values of its own.
class Trial {
public:
    Trial(Race& race, const VerifySide& a, const VerifySide& b, const VerifyOptions& options)
        : m_race(race), m_a(a), m_b(b), m_options(options) {}

    /// `values`: one for each entry of the region. One outcome for each exit.
    std::vector<Outcome> run(const ChangedPart::Region& region, const std::vector<Value>& values);
    /// What A alone gives at the exits.
    Values runA(const ChangedPart::Region& region, const std::vector<Value>& values) {
        return oneSide(false, region, values);
    }
    /// What A gives at nodes, as copies, for some inputs.
    std::vector<Value> valuesOfA(const std::vector<NodeId>& nodes, const RunInputs& inputs);
    /// What A returns.
    Value outputOfA(const RunInputs& inputs);

private:
    Values oneSide(bool inB, const ChangedPart::Region& region, const std::vector<Value>& values);

    Race& m_race;
    const VerifySide& m_a;
    const VerifySide& m_b;
    const VerifyOptions& m_options;
};

} // namespace fx::engine
