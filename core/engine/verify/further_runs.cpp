// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/further_runs.h"

#include "core/diag/sides.h"
#include "core/engine/machine.h"
#include "core/engine/modules/branch_watch.h"
#include "core/engine/verify/compare.h"
#include "core/engine/verify/inputs/alter.h"
#include "core/engine/verify/inputs/other_sizes.h"
#include "core/engine/verify/race.h"
#include "core/engine/verify/state.h"
#include "core/engine/verify/trial.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <limits>

namespace fx::engine {
namespace {

constexpr std::size_t kMostInputs = 64;          ///< inputs of other values
constexpr std::int64_t kElementsOfAll = 1 << 22; ///< of the values of all runs together
constexpr std::int64_t kElementsOfNode = 256;    ///< elements that the call of a node costs as much as
constexpr double kMillisForFurther = 500, kShareForFurther = 0.08; ///< in any case, or a share of the time until here
constexpr std::size_t kBeforeSizes = 12;                           ///< inputs of the same sizes, which come first
constexpr int kSizeDraws = 3;                                      ///< a median of medians is now and then the median
constexpr std::size_t kMostCalls = 12;                             ///< one after another
constexpr double kNanScale = 10;                                   ///< times the inputs: no overflow explains NaN then
constexpr double kUsualScale = 3;                                  ///< times the inputs: larger ones saturate, so that
constexpr double kSaturation = 0.05; ///< only errors larger than that count, against the scale, and no integers
constexpr int kNudgedRuns = 2;
constexpr double kTogether = 16;   ///< roundings that floats are moved by that have to stay the same
constexpr double kAboveNudges = 4; ///< times what nudged inputs move an output, elementwise and on average

/// Why a model cannot be run on some inputs.
struct Refusal {
    std::string why;  ///< its first line
    std::string node; ///< empty: before the first one
};

/// One model, run as a whole.
class WholeModel {
public:
    WholeModel(const VerifySide& side, const VerifyOptions& options)
        : m_side(side), m_options(options), m_interpreter(side.model, side.tensors) {}

    /// Nothing when it refuses them, for the reason in `why`.
    std::optional<Value> run(const RunInputs& inputs, std::uint64_t seedOfRun, bool again, Refusal* refusal = nullptr) {
        try {
            if (!again) m_side.tensors->restore();
            seed(seedOfRun);
            RunHooks hooks;
            hooks.before = m_options.afterNode;
            const Value output = m_interpreter.run(copyOf(inputs), hooks);
            return m_side.finish ? m_side.finish(output) : output;
        } catch (const Error& error) {
            if (error.kind() != ErrorKind::Run) throw;
            const std::string why = error.what();
            if (refusal) *refusal = {why.substr(0, why.find('\n')), error.node};
            return std::nullopt;
        }
    }

private:
    const VerifySide& m_side;
    const VerifyOptions& m_options;
    Interpreter m_interpreter;
};

/// How far elements of an output move when the inputs are nudged.
struct Steadiness {
    std::vector<double> by;
    double typical = 0; ///< root mean square
    bool known = true;

    void learn(const at::Tensor& own, const at::Tensor& moved) {
        if (own.sizes() != moved.sizes()) known = false;
        if (!known) return;
        const std::vector<double> x = elementsOf(own, own.numel()), y = elementsOf(moved, moved.numel());
        by.resize(x.size());
        double squares = 0;
        for (std::size_t i = 0; i < x.size(); ++i) {
            const double off = x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i])) ? 0 : std::abs(x[i] - y[i]);
            by[i] = std::isnan(off) ? std::numeric_limits<double>::infinity() : std::max(by[i], off);
            if (std::isfinite(off)) squares += off * off;
        }
        typical = std::max(typical, x.empty() ? 0 : std::sqrt(squares / static_cast<double>(x.size())));
    }
};

/// What counts as a difference.
struct Counted {
    double leastPart; ///< of the scale of an output
    bool countNan;    ///< that is in one model only
};

/// Whether elements of a tensor differ by more than rounding; `largest`: by how much.
bool standsOut(const at::Tensor& a, const at::Tensor& b, const Steadiness& steadiness,
               const ValueDifference& difference, const Counted& bounds, double& largest) {
    const std::vector<double> x = elementsOf(a, a.numel()), y = elementsOf(b, b.numel());
    const double part = std::max(mostOfRounding(difference), bounds.leastPart);
    const double least = std::max(part * difference.scale, kAboveNudges * steadiness.typical);
    bool out = false;
    for (std::size_t i = 0; i < std::min(x.size(), y.size()); ++i) {
        const bool finite = std::isfinite(x[i]) && std::isfinite(y[i]);
        if (x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i])) || (!finite && !bounds.countNan)) continue;
        const double off = finite ? std::abs(x[i] - y[i]) : std::numeric_limits<double>::infinity();
        if (!(off > least) || !(off > kAboveNudges * steadiness.by[i])) continue;
        out = true;
        if (finite) largest = std::max(largest, off);
    }
    return out;
}

std::vector<Value> leavesOf(const Value& value) {
    std::vector<Value> leaves;
    pairLeaves(
        value, value, [&](const std::string&, const Value& leaf, const Value&) { leaves.push_back(leaf); },
        [](const std::string&, const Message&) {});
    return leaves;
}

Message largestError(double largest) {
    if (!(largest > 0)) return Message("verify.values_not_finite");
    std::array<char, 48> text{};
    std::snprintf(text.data(), text.size(), "%.2g", largest);
    return Message("verify.largest_error", {{"error", text.data()}});
}

std::vector<std::string> namesOf(const VerifySide& side) {
    std::vector<std::string> names;
    for (const Node& node : side.model->graph.nodes())
        if (isUserInput(*side.model, node)) names.push_back(node.target());
    return names;
}

bool sameInputs(const RunInputs& x, const RunInputs& y) {
    if (x.positional.size() != y.positional.size() || x.named.size() != y.named.size()) return false;
    for (std::size_t i = 0; i < x.positional.size(); ++i)
        if (!compareValues(x.positional[i], y.positional[i], {}, false).close) return false;
    for (std::size_t i = 0; i < x.named.size(); ++i)
        if (!compareValues(x.named[i].second, y.named[i].second, {}, false).close) return false;
    return true;
}

/// Draws inputs for A, those that it is not given included.
InputSource sourceFor(const VerifySide& a, const VerifySide& b) {
    return InputSource(a.inputs, defaultsOf(*a.model, *b.model, a.inputs), 5);
}

/// Two models on the same inputs.
class Comparison {
public:
    Comparison(const VerifySide& a, const VerifySide& b, const VerifyOptions& options)
        : m_options(options), m_sideA(a), m_sideB(b), m_a(a, options), m_b(b, options), m_namesA(namesOf(a)),
          m_namesB(namesOf(b)) {}

    /// Whether inputs of A are those of B, by name or else by position.
    bool takesInputsOfA() const { return sameInputs(forB(m_sideA.inputs), m_sideB.inputs); }

    /// What differs on some inputs, where both models take them; empty: nothing. `ran`: whether A takes them.
    Message difference(const FurtherInputs& further, bool countNan, bool& ran) {
        refused.reset();
        const std::uint64_t drawn = m_random();
        const auto a = m_a.run(further.inputs, drawn, false);
        ran = a.has_value();
        if (!ran) return {};
        const Value ofA = denseCopyOf(*a); // it may be a buffer
        Refusal refusal;
        const auto b = m_b.run(forB(further.inputs), drawn, false, &refusal);
        if (!b && further.otherSizes) refused = refusal;
        if (!b) return {};
        return differenceOf(ofA, denseCopyOf(*b), further, drawn, countNan);
    }
    /// After `difference`: B refuses inputs of other sizes, which A takes.
    std::optional<Refusal> refused;
    /// Why B refuses inputs that A takes; empty: it does not, or A cannot be run on them.
    std::string refusalOfB(const RunInputs& inputs) {
        Refusal refusal;
        const std::uint64_t drawn = m_random();
        if (m_a.run(inputs, drawn, false)) (void)m_b.run(forB(inputs), drawn, false, &refusal);
        return refusal.why;
    }
    /// The same inputs again and again, without resetting buffers: the first call whose outputs differ; 0 for none.
    std::size_t callThatDiffers(const RunInputs& inputs, std::size_t calls) {
        for (std::size_t call = 1; call <= calls; ++call) {
            const std::uint64_t drawn = m_random();
            const auto a = m_a.run(inputs, drawn, call > 1), b = m_b.run(forB(inputs), drawn, call > 1);
            if (!a || !b || (call == 1 && !changesState(m_sideA) && !changesState(m_sideB))) return 0;
            if (isGrossly(compareValues(*a, *b, m_options.tolerances))) return call;
        }
        return 0;
    }

private:
    static bool isGrossly(const ValueDifference& difference) {
        return !difference.close && difference.relativeToScale() > 4 * mostOfRounding(difference);
    }
    Message differenceOf(const Value& a, const Value& b, const FurtherInputs& further, std::uint64_t drawn,
                         bool countNan) {
        const ValueDifference all = compareValues(a, b, m_options.tolerances);
        if (all.close) return {};
        const std::vector<Value> left = leavesOf(a), right = leavesOf(b);
        std::vector<Steadiness> steadiness(left.size());
        for (int i = 0; i < kNudgedRuns; ++i) {
            const auto moved = m_a.run(nudgedInputs(further.inputs, further.repeats), drawn, false);
            const std::vector<Value> leaves = moved ? leavesOf(*moved) : std::vector<Value>();
            if (leaves.size() != left.size()) return {}; // as many as rounding decides
            for (std::size_t leaf = 0; leaf < left.size(); ++leaf) {
                if (left[leaf].isTensor() && leaves[leaf].isTensor())
                    steadiness[leaf].learn(left[leaf].tensor(), leaves[leaf].tensor());
                else
                    steadiness[leaf].known =
                        steadiness[leaf].known && compareLeaves(left[leaf], leaves[leaf], {}).equal;
            }
        }
        if (left.size() != right.size()) return all.reason;
        const bool isLarge = further.scale > kUsualScale;
        const Counted bounds{isLarge ? kSaturation : 0, countNan};
        double largest = 0;
        bool differs = false;
        for (std::size_t leaf = 0; leaf < left.size(); ++leaf) {
            const ValueDifference difference = compareLeaves(left[leaf], right[leaf], m_options.tolerances);
            if (difference.close || !steadiness[leaf].known) continue;
            if (!difference.comparable()) return difference.reason;
            const bool isFloat = !left[leaf].isTensor() || isFloatTensor(left[leaf].tensor());
            if ((isLarge || further.repeats) && !isFloat) continue; // which of the same numbers is taken, is open
            const bool isTensor = left[leaf].isTensor() && !left[leaf].tensor().is_complex();
            if (isTensor ? standsOut(left[leaf].tensor(), right[leaf].tensor(), steadiness[leaf], difference, bounds,
                                     largest)
                         : isGross(difference))
                differs = true, largest = std::max(largest, isTensor ? 0 : difference.maxAbs);
        }
        return differs ? largestError(largest) : Message();
    }
    /// `together`: the floats of a tensor that are the same stay so.
    RunInputs nudgedInputs(const RunInputs& inputs, bool together) {
        const auto move = [&](const Value& value) { return together ? rescaled(value) : nudged(value, m_random); };
        RunInputs out;
        for (const Value& value : inputs.positional) out.positional.push_back(move(value));
        for (const auto& [name, value] : inputs.named) out.named.emplace_back(name, move(value));
        return out;
    }
    Value rescaled(const Value& value) {
        return mapTensors(value, [&](const at::Tensor& tensor) {
            if (!isFloatTensor(tensor) || tensor.is_complex()) return tensor.clone();
            std::uniform_real_distribution<double> part(-kTogether, kTogether);
            return tensor.mul(1 + part(m_random) * roundingOf(tensor.scalar_type()));
        });
    }

    RunInputs forB(const RunInputs& inputs) const {
        const auto ofA = [&](const std::string& name, std::size_t place) -> const Value* {
            for (const auto& [given, value] : inputs.named)
                if (given == name) return &value;
            for (std::size_t i = 0; i < std::min(inputs.positional.size(), m_namesA.size()); ++i)
                if (m_namesA[i] == name) return &inputs.positional[i];
            return place < inputs.positional.size() ? &inputs.positional[place] : nullptr;
        };
        RunInputs out = copyOf(m_sideB.inputs);
        for (std::size_t i = 0; i < out.positional.size(); ++i)
            if (const Value* value = ofA(i < m_namesB.size() ? m_namesB[i] : std::string(), i))
                out.positional[i] = *value;
        for (auto& [name, own] : out.named)
            if (const Value* value = ofA(name, inputs.positional.size())) own = *value;
        for (const auto& [name, value] : inputs.named) // optional ones, which B was not given
            if (std::find(m_namesB.begin(), m_namesB.end(), name) != m_namesB.end() && !isGiven(out, name))
                out.named.emplace_back(name, value);
        return out;
    }
    bool isGiven(const RunInputs& inputs, const std::string& name) const {
        const auto place = std::find(m_namesB.begin(), m_namesB.end(), name) - m_namesB.begin();
        return static_cast<std::size_t>(place) < inputs.positional.size() ||
               std::any_of(inputs.named.begin(), inputs.named.end(),
                           [&](const auto& each) { return each.first == name; });
    }

    const VerifyOptions& m_options;
    const VerifySide &m_sideA, &m_sideB;
    WholeModel m_a, m_b;
    const std::vector<std::string> m_namesA, m_namesB;
    Random m_random{3};
};

Counterexample told(const FurtherInputs& further, const Message& difference) {
    const Message all("verify.other_data", {{"inputs", further.what}, {"difference", difference.text()}});
    return {further.otherSizes ? VerdictReason::OtherSizes : VerdictReason::OtherData,
            containing(all, "difference", difference)};
}

Counterexample told(const FurtherInputs& further, const Refusal& refusal) {
    if (refusal.node.empty())
        return {VerdictReason::OtherSizes,
                Message("verify.refused_inputs", {{"inputs", further.what}, {"reason", refusal.why}})};
    return {
        VerdictReason::OtherSizes,
        Message("verify.refused_sizes", {{"inputs", further.what}, {"node", refusal.node}, {"reason", refusal.why}})};
}

} // namespace

FurtherRuns furtherRunsFor(std::int64_t nodes, std::int64_t elements, double millisOfRun, double millisSofar) {
    const std::int64_t cost = std::max<std::int64_t>(elements + kElementsOfNode * nodes, 1);
    const double millis = std::max(kMillisForFurther, kShareForFurther * millisSofar);
    const auto affordable = static_cast<std::size_t>(kElementsOfAll / cost);
    const std::size_t least = millisOfRun < millis / 4 ? 2 : 0;
    return {std::clamp(affordable, least, kMostInputs), millis};
}

std::optional<Counterexample> differOnFurtherInputs(const VerifySide& a, const VerifySide& b,
                                                    const VerifyOptions& options, const FurtherRuns& runs) {
    const std::clock_t start = std::clock(); // of this process alone, so that the verdict does not depend on others
    const auto isOver = [&] {
        options.progress.check();
        return 1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC > runs.millis;
    };
    if (runs.values == 0) return std::nullopt;
    BranchWatch watch; // unless there is one
    BranchWatch::current()->limitRounds();
    Comparison comparison(a, b, options);
    if (!comparison.takesInputsOfA()) return std::nullopt;
    InputSource source = sourceFor(a, b);
    const auto tried = [&](const FurtherInputs& further, bool countNan) -> std::optional<Counterexample> {
        bool ran = false;
        const Message difference = comparison.difference(further, countNan, ran);
        if (!ran) source.refused(further);
        if (comparison.refused) return told(further, *comparison.refused);
        return difference.text().empty() ? std::nullopt : std::optional(told(further, difference));
    };
    for (std::size_t i = 0; i < runs.values && !isOver(); ++i) {
        const FurtherInputs further = source.values(i);
        if (auto found = tried(further, further.scale <= kNanScale)) return found;
        if (i + 1 != std::min(runs.values, kBeforeSizes)) continue;
        for (int draw = 0; draw < kSizeDraws && !isOver(); ++draw)
            for (const FurtherInputs& each : source.sizes(fixedSizesOf(a, b)))
                if (auto differs = tried(each, true)) return differs;
    }
    const std::size_t call = comparison.callThatDiffers(a.inputs, std::min(kMostCalls, runs.values));
    if (call == 0) return std::nullopt;
    return Counterexample{VerdictReason::OtherData, Message("verify.other_call", {{"call", call}})};
}

Message refusedByB(const VerifySide& a, const VerifySide& b, const VerifyOptions& options, const FurtherRuns& runs) {
    if (runs.values == 0) return {};
    Comparison comparison(a, b, options);
    if (!comparison.takesInputsOfA()) return {};
    for (const FurtherInputs& further : sourceFor(a, b).extents(fixedSizesOf(a, b)))
        if (const std::string why = comparison.refusalOfB(further.inputs); !why.empty())
            return Message("verify.other_extents", {{"inputs", further.what}, {"reason", why}});
    return {};
}

} // namespace fx::engine
