// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/rounding.h"

#include "core/engine/verify/compare.h"
#include "core/engine/verify/inputs/stimulus.h"

#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <cmath>

namespace fx::engine {
namespace {

constexpr double kOfRounding = 16;      ///< times the median rounding of A: the tail of its distribution, for two runs
constexpr double kLargeRounding = 1e-4; ///< against the values: A is not computed well enough to tell
constexpr double kLargeError = 1e-3;    ///< against the scale of an output: no rounding, whatever float64 gives

bool isFloat32(const Value& value) { return value.isTensor() && value.tensor().scalar_type() == at::kFloat; }

/// Parameters, buffers and plain tensors of float32 become float64 in the store.
void makeDouble(const GraphModule& model, TensorStore& tensors) {
    const auto convert = [&](const TensorPtr& ref) {
        if (!ref) return;
        at::Tensor tensor = tensors.tensor(ref);
        if (tensor.scalar_type() == at::kFloat) tensor.set_data(tensor.to(at::kDouble));
    };
    forEachModule(*model.root, [&](const std::string&, const Module& module) {
        for (const auto* slots : {&module.parameters, &module.buffers})
            for (const Module::Slot& slot : *slots) convert(slot.tensor);
        for (const auto& [name, value] : module.attributes)
            if (const TensorPtr* tensor = std::get_if<TensorPtr>(&value)) convert(*tensor);
    });
}

/// What A gives in float64; nothing when it cannot be run so.
std::optional<Value> exactOutput(const VerifyOptions& options) {
    at::Generator generator = at::detail::getDefaultCPUGenerator();
    const at::Tensor state = generator.get_state();
    std::optional<Value> out;
    try {
        const VerifySide fresh = options.freshA();
        Interpreter interpreter(fresh.model, fresh.tensors); // computes constants, in float32
        makeDouble(*fresh.model, *fresh.tensors);
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

bool onlyRounding(const Value& outputA, const Value& outputB, const VerifyOptions& options) {
    bool small = true;
    const auto parted = [&](const std::string&, const std::string&) { small = false; };
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
        [&](const std::string&, const std::string&) { rounding = false; });
    return rounding && next == leaves.size();
}

} // namespace fx::engine
