// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/verify/inputs/stimulus.h"
#include "core/engine/verify/race.h"

#include <algorithm>
#include <map>

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

/// Where two models differ on values that may be far from their own data.
struct Contrast {
    bool ran = false;          ///< false: one of the models cannot be run on them, which says nothing
    std::vector<bool> differs; ///< by exit
    bool any() const { return std::find(differs.begin(), differs.end(), true) != differs.end(); }
};
/// Which numbers count in a contrast.
enum class Count : std::uint8_t {
    Finite, ///< those that are finite in both models: that one overflows where the other does not says nothing
    All,
};

using ValuesByNode = std::map<NodeId, Value>;

/// Runs a region of both models on values of its own. Each run starts from the buffers as they were at first.
class Trial {
public:
    Trial(Race& race, const VerifySide& a, const VerifySide& b, const VerifyOptions& options);

    /// `values`: one for each entry of the region. One outcome for each exit.
    std::vector<Outcome> run(const ChangedPart::Region& region, const std::vector<Value>& values);
    /// Where the models differ by more than rounding. Values that are far off make rounding large, so only those
    /// elements count that hardly move in A when its values are changed by some roundings, and no exits that agree in
    /// float64 where both models are off it alike.
    Contrast contrast(const ChangedPart::Region& region, const std::vector<Value>& values, Count count, Random& random);
    /// What A alone gives at the exits.
    Values runA(const ChangedPart::Region& region, const std::vector<Value>& values) {
        return oneSide(false, region, values);
    }
    /// Likewise of B.
    Values runB(const ChangedPart::Region& region, const std::vector<Value>& values) {
        return oneSide(true, region, values);
    }
    /// What one of the models gives at nodes of the region, as copies.
    ValuesByNode valuesAt(bool inB, const ChangedPart::Region& region, const std::vector<Value>& values,
                          const std::vector<NodeId>& nodes);
    /// What A gives at nodes, as copies, for some inputs.
    std::vector<Value> valuesOfA(const std::vector<NodeId>& nodes, const RunInputs& inputs);
    /// The same for inputs that A may refuse: nothing then.
    std::optional<std::vector<Value>> tryValuesOfA(const std::vector<NodeId>& nodes, const RunInputs& inputs);
    /// Runs what says nothing when a model cannot be run: false then. What stops the whole is thrown on.
    static bool mayFail(const std::function<void()>& action);
    /// What A returns.
    Value outputOfA(const RunInputs& inputs);

private:
    using Known = std::vector<std::pair<NodeId, Value>>;
    Known entriesOf(bool inB, const ChangedPart::Region& region, const std::vector<Value>& values) const;
    void dropRounding(const ChangedPart::Region& region, const std::vector<Value>& values, const Values& a,
                      const Values& b, Contrast& contrast);
    Values oneSide(bool inB, const ChangedPart::Region& region, const std::vector<Value>& values);

    /// A call whose result nothing uses, which writes into what another call gave: `y = x.clone(); y.mul_(2)`.
    struct SilentWriter {
        NodeId node, writesInto;
    };
    static std::vector<SilentWriter> silentWritersOf(const GraphModule& model);

    Race& m_race;
    const VerifySide& m_a;
    const VerifySide& m_b;
    const VerifyOptions& m_options;
    void keepSilentWriters(bool inB, const ChangedPart::Region& region, const std::vector<bool>& canRun,
                           std::vector<NodeId>& keep) const;
    std::vector<NodeId> m_writersA, m_writersB; ///< nodes that write into tensors of the model, which a region may read
    std::vector<SilentWriter> m_silentA, m_silentB;
};

} // namespace fx::engine
