// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/rounding.h"

#include "core/engine/verify/compare.h"
#include "core/engine/verify/inputs/stimulus.h"
#include "core/engine/verify/race.h"

#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <cmath>

namespace fx::engine {
namespace {

constexpr double kOfRounding = 16;      ///< times the median rounding of A: the tail of its distribution, for two runs
constexpr double kLargeRounding = 1e-4; ///< against the values: A is not computed well enough to tell
constexpr double kLargeError = 1e-3;    ///< against the scale of an output: no rounding, whatever float64 gives

constexpr double kAlikeRounding = 16; ///< times the error of one model, that of the other

bool isFloat32(const Value& value) { return value.isTensor() && value.tensor().scalar_type() == at::kFloat; }

/// The root mean square of what float32 is off by; nothing for numbers that are not finite.
std::optional<double> roundingErrorOf(const Value& value, const Value& exact) {
    const at::Tensor left = plain(value.tensor()).to(at::kDouble), right = plain(exact.tensor()).to(at::kDouble);
    const auto *x = static_cast<const double*>(left.const_data_ptr()),
               *y = static_cast<const double*>(right.const_data_ptr());
    double squares = 0;
    for (std::int64_t i = 0; i < left.numel(); ++i) squares += (x[i] - y[i]) * (x[i] - y[i]);
    return std::isfinite(squares) ? std::optional(std::sqrt(squares)) : std::nullopt;
}

bool isTensorOf(const Value& value, at::ScalarType type, at::IntArrayRef sizes) {
    return value.isTensor() && value.tensor().scalar_type() == type && value.tensor().sizes() == sizes;
}

bool tensorsRound(const Value& a, const Value& b, const Value& exactA, const Value& exactB,
                  const Tolerances& tolerances) {
    const at::IntArrayRef sizes = a.tensor().sizes();
    if (!isTensorOf(b, at::kFloat, sizes) || !isTensorOf(exactA, at::kDouble, sizes) ||
        !isTensorOf(exactB, at::kDouble, sizes))
        return false;
    if (isGross(compareLeaves(exactA, exactB, tolerances))) return false;
    const auto errorA = roundingErrorOf(a, exactA), errorB = roundingErrorOf(b, exactB);
    return errorA && errorB && *errorA <= kAlikeRounding * *errorB && *errorB <= kAlikeRounding * *errorA;
}

/// What A gives in float64; nothing when it cannot be run so.
std::optional<Value> exactOutput(const VerifyOptions& options) {
    at::Generator generator = at::detail::getDefaultCPUGenerator();
    const at::Tensor state = generator.get_state();
    std::optional<Value> out;
    try {
        const VerifySide fresh = options.freshA();
        Interpreter interpreter(fresh.model, fresh.tensors); // computes constants, in float32
        const InDouble exact(*fresh.model, *fresh.tensors);
        RunHooks hooks;
        hooks.before = options.afterNode;
        const Value returned = interpreter.run(inDouble(fresh.inputs), hooks);
        out = fresh.finish ? fresh.finish(returned) : returned;
    } catch (const Error& error) {
        if (error.kind() != ErrorKind::Run) throw; // stopped
    }
    generator.set_state(state);
    return out;
}

/// One output: A, B and what float64 gives.
bool isRounding(const at::Tensor& a, const at::Tensor& b, const at::Tensor& exact, const Tolerance& tolerance) {
    if (exact.scalar_type() != at::kDouble || exact.sizes() != a.sizes()) return false;
    const at::Tensor ofA = plain(a).to(at::kDouble), ofB = plain(b).to(at::kDouble), ofExact = plain(exact);
    const auto *left = static_cast<const double*>(ofA.const_data_ptr()),
               *right = static_cast<const double*>(ofB.const_data_ptr()),
               *truth = static_cast<const double*>(ofExact.const_data_ptr());
    const auto count = static_cast<std::size_t>(ofA.numel());
    std::vector<double> errors(count), sizes(count);
    for (std::size_t i = 0; i < count; ++i) errors[i] = std::abs(left[i] - truth[i]), sizes[i] = std::abs(truth[i]);
    const auto median = [](std::vector<double> values) {
        const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
        std::nth_element(values.begin(), middle, values.end());
        return *middle;
    };
    if (!std::all_of(errors.begin(), errors.end(), [](double error) { return std::isfinite(error); })) return false;
    const double rounding = count > 0 ? median(errors) : 0;
    if (!(rounding > 0) || rounding > kLargeRounding * median(std::move(sizes))) return false;
    for (std::size_t i = 0; i < count; ++i) {
        const bool within = std::abs(right[i] - left[i]) <= tolerance.atol + tolerance.rtol * std::abs(left[i]);
        if (!within && !(std::abs(right[i] - truth[i]) <= kOfRounding * rounding)) return false;
    }
    return true;
}

} // namespace

InDouble::InDouble(const GraphModule& model, TensorStore& tensors) {
    const auto convert = [&](const TensorPtr& ref) {
        if (!ref) return;
        at::Tensor tensor = tensors.tensor(ref);
        if (tensor.scalar_type() != at::kFloat) return;
        m_before.emplace_back(tensor, tensor.detach());
        tensor.set_data(tensor.to(at::kDouble));
    };
    forEachModule(*model.root, [&](const std::string&, const Module& module) {
        for (const auto* slots : {&module.parameters, &module.buffers})
            for (const Module::Slot& slot : *slots) convert(slot.tensor);
        for (const auto& [name, value] : module.attributes)
            if (const TensorPtr* tensor = std::get_if<TensorPtr>(&value)) convert(*tensor);
    });
}

InDouble::~InDouble() {
    for (auto& [tensor, data] : m_before) tensor.set_data(data);
}

Value inDouble(const Value& value) {
    return mapTensors(value, [](const at::Tensor& tensor) {
        return tensor.scalar_type() == at::kFloat ? tensor.to(at::kDouble) : tensor.clone();
    });
}

bool bothRound(const Value& a, const Value& b, const Value& exactA, const Value& exactB, const Tolerances& tolerances) {
    Tolerances ofFloat = tolerances;
    ofFloat.types.emplace_back("torch.float64", toleranceFor(at::kFloat, tolerances));
    struct Leaf {
        Value a, b;
    };
    std::vector<Leaf> leaves;
    bool round = true;
    const auto parted = [&](const std::string&, const Message&) { round = false; };
    pairLeaves(
        a, b,
        [&](const std::string&, const Value& x, const Value& y) {
            leaves.push_back({x, y});
        },
        parted);
    std::size_t next = 0;
    pairLeaves(
        exactA, exactB,
        [&](const std::string&, const Value& x, const Value& y) {
            if (next >= leaves.size()) return void(round = false);
            const Leaf& leaf = leaves[next++];
            const bool differs = isGross(compareLeaves(leaf.a, leaf.b, tolerances));
            round = round &&
                    (!differs ||
                     (isTensorOf(leaf.a, at::kFloat, leaf.a.isTensor() ? leaf.a.tensor().sizes() : at::IntArrayRef()) &&
                      tensorsRound(leaf.a, leaf.b, x, y, ofFloat)));
        },
        parted);
    return round && next == leaves.size();
}

bool onlyRounding(const Value& outputA, const Value& outputB, const VerifyOptions& options) {
    bool small = true;
    const auto parted = [&](const std::string&, const Message&) { small = false; };
    pairLeaves(
        outputA, outputB,
        [&](const std::string&, const Value& a, const Value& b) {
            const ValueDifference difference = compareLeaves(a, b, options.tolerances);
            small =
                small && (difference.close || (isFloat32(a) && isFloat32(b) && difference.nansA == 0 &&
                                               difference.nansB == 0 && difference.relativeToScale() < kLargeError));
        },
        parted);
    if (!small) return false;
    const std::optional<Value> exact = exactOutput(options);
    if (!exact) return false;
    std::vector<std::pair<Value, Value>> leaves;
    pairLeaves(
        outputA, outputB, [&](const std::string&, const Value& a, const Value& b) { leaves.emplace_back(a, b); },
        parted);
    std::size_t next = 0;
    bool rounding = true;
    pairLeaves(
        outputA, *exact,
        [&](const std::string&, const Value&, const Value& truth) {
            const auto& [a, b] = leaves[next++];
            const ValueDifference difference = compareLeaves(a, b, options.tolerances);
            if (difference.close) return;
            rounding = rounding && truth.isTensor() &&
                       isRounding(a.tensor(), b.tensor(), truth.tensor(), difference.tolerance);
        },
        [&](const std::string&, const Message&) { rounding = false; });
    return rounding && next == leaves.size();
}

} // namespace fx::engine
