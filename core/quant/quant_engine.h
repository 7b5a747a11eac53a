// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/io/values/value_tree.h"
#include "core/module/graph_module.h"

#include <span>

namespace fx::quant {

/// The result of an observer's `calculate_qparams()`.
struct QParams {
    TensorPtr scale, zeroPoint; ///< one element, or one per channel
};

/// A weight to be observed by an observer or FakeQuantize.
struct WeightJob {
    std::shared_ptr<const Module> observer;
    TensorPtr weight;
    std::size_t times = 1; ///< number of observations; each one updates moving averages
    std::string owner{};   ///< path of the layer, for messages; may be empty
};

/// A tensor to quantise with `torch.quantize_per_tensor` or `torch.quantize_per_channel`.
struct QuantizeJob {
    TensorPtr tensor;
    QParams qparams;
    std::string dtype;     ///< "torch.qint8"; "torch.float16" casts
    std::string qscheme;   ///< "torch.per_channel_affine"
    std::int64_t axis = 0; ///< per channel only
};

/// The tensor operations of quantisation, done by the worker. Observers are modules as created by makeObserver, with
/// their state. Calls throw Error{Run, Cancelled}.
class QuantEngine {
public:
    virtual ~QuantEngine() = default;
    /// Runs a prepared model on each batch (the arguments of one call) and updates the state of its observers. Returns
    /// the number of batches.
    virtual std::size_t calibrate(GraphModule& prepared, std::span<const std::vector<ValueTree>> batches,
                                  const Progress& progress) = 0;
    /// Returns `calculate_qparams()` of each observer in its current state.
    virtual std::vector<QParams> qparams(std::span<const std::shared_ptr<const Module>> observers) = 0;
    /// Runs each observer on its weight; returns `calculate_qparams()` afterwards.
    virtual std::vector<QParams> observe(std::span<const WeightJob> jobs) = 0;
    /// Returns the quantised tensors, with their quantizers.
    virtual std::vector<TensorPtr> quantize(std::span<const QuantizeJob> jobs) = 0;
    /// Returns the values of a model without inputs, one per item of its output tuple.
    virtual std::vector<ValueTree> values(const GraphModule& model) = 0;
};

} // namespace fx::quant
