// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/verify/inputs/stimulus.h"
#include "core/engine/verify/lockstep_run.h"

#include <algorithm>
#include <limits>
#include <map>

namespace fx::engine {

/// The results of one exit of a region in both models.
struct Outcome {
    /// A leaf of the exit's value.
    struct Leaf {
        ValueDifference difference; ///< of B from A
        std::vector<double> ofA;    ///< sample of A's elements
    };
    /// The leaves of the exit's value, in the order of `pairLeaves`.
    std::vector<Leaf> leaves;
    bool ran = false;            ///< false if one of the models cannot run, or returns another structure
    bool isRounding = false;     ///< the models agree in float64 and are about equally far from it
    bool differsExactly = false; ///< the models differ in float64 by more than the type resolves; see `differExactly`

    /// True if the exit returns only tensors without elements.
    bool isEmpty() const;
    /// True if at least one number was compared and no leaf differs by more than rounding.
    bool agrees() const;
};

/// The exits in which two models differ on values that may be far from their own data.
struct Contrast {
    bool ran = false;               ///< false if one of the models cannot run on the values, which is no evidence
    std::vector<bool> differs;      ///< by exit
    std::vector<bool> lostInB = {}; ///< by exit: B alone has NaN or infinite values
    /// True if at least one exit differs.
    bool any() const { return std::find(differs.begin(), differs.end(), true) != differs.end(); }
};
/// The numbers that a contrast counts.
enum class Count : std::uint8_t {
    Finite, ///< only those that are finite in both models: overflow in one model alone is no evidence
    All,    ///< also those that are finite in one model alone
};

/// Values by node id.
using ValuesByNode = std::map<NodeId, Value>;

/// Runs a region of both models on given values. Each run starts from the initial state of the buffers.
class RegionRun {
public:
    /// All arguments must outlive this.
    RegionRun(LockstepRun& lockstep, const VerifySide& a, const VerifySide& b, const VerifyOptions& options);

    /// Runs the region on one value per entry and returns one outcome per exit. Values that the region leaves in user
    /// inputs count as a result of the exit that writes there.
    std::vector<Outcome> run(const ChangedPart::Region& region, const std::vector<Value>& values);
    /// Compares the models on values that may be far off, where rounding is large. Counts only elements of B that are
    /// farther off than A moves when its values are perturbed by some roundings. Does not count exits that agree in
    /// float64 if both models are about equally far from it.
    Contrast contrast(const ChangedPart::Region& region, const std::vector<Value>& values, Count count, Random& random);
    /// Limits the later runs: after about `runs` of both models, `contrast` no longer runs anything.
    void limit(double runs) { m_left = runs; }
    /// Returns the values of the exits in A.
    Values runA(const ChangedPart::Region& region, const std::vector<Value>& values) {
        return oneSide(false, region, values);
    }
    /// Returns the values of the exits in B.
    Values runB(const ChangedPart::Region& region, const std::vector<Value>& values) {
        return oneSide(true, region, values);
    }
    /// Returns the values of the exits of one of the models in float64.
    Values exact(bool inB, const ChangedPart::Region& region, const std::vector<Value>& values);
    /// Returns copies of the values of nodes of the region in one of the models.
    ValuesByNode valuesAt(bool inB, const ChangedPart::Region& region, const std::vector<Value>& values,
                          const std::vector<NodeId>& nodes);
    /// Runs A on some inputs and returns copies of the values of nodes. Throws Error{Run}.
    std::vector<Value> valuesOfA(const std::vector<NodeId>& nodes, const RunInputs& inputs);
    /// Returns the same, or nullopt if A refuses the inputs. Counts towards `limit`.
    std::optional<std::vector<Value>> tryValuesOfA(const std::vector<NodeId>& nodes, const RunInputs& inputs);
    /// Runs an action. Returns false if it throws Error{Run}; other errors, such as a stop by the user, propagate.
    static bool mayFail(const std::function<void()>& action);
    /// Runs A on some inputs and returns its output. Throws Error{Run}.
    Value outputOfA(const RunInputs& inputs);

private:
    using Known = std::vector<std::pair<NodeId, Value>>;
    Known entriesOf(bool inB, const ChangedPart::Region& region, const std::vector<Value>& values) const;
    Interpreter& interpreter(bool inB, bool inDouble);
    void judgeInDouble(const ChangedPart::Region& region, const std::vector<Value>& values,
                       const std::function<void(std::size_t exit, const Value& exactA, const Value& exactB)>& judge);
    Values oneSide(bool inB, const ChangedPart::Region& region, const std::vector<Value>& values,
                   bool inDouble = false);

    /// A call that writes in place, and the node whose memory it changes.
    struct Writer {
        NodeId node, writesInto;
    };
    /// The calls of a model that write in place, by their target.
    struct Writers {
        std::vector<NodeId> ofModel;  ///< parameters, buffers or attributes, which a region may read
        std::vector<Writer> ofCalls;  ///< results of other calls: `y = x.clone(); y.mul_(2)`
        std::vector<Writer> ofInputs; ///< user inputs
    };
    static Writers writersOf(const GraphModule& model);
    std::optional<std::size_t> exitThatWrites(const ChangedPart::Region& region, const ChangedPart::Entry& entry) const;

    LockstepRun& m_lockstep;
    const VerifySide& m_a;
    const VerifySide& m_b;
    const VerifyOptions& m_options;
    void keepWriters(bool inB, const ChangedPart::Region& region, const Known& known, std::vector<NodeId>& keep) const;
    Writers m_writersA, m_writersB;
    std::optional<Interpreter> m_doubleA, m_doubleB;         ///< created on first use
    double m_left = std::numeric_limits<double>::infinity(); ///< remaining runs of both models
};

} // namespace fx::engine
