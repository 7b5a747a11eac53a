// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/progress.h"
#include "core/io/values/value_tree.h"
#include "core/module/graph_module.h"

#include <span>

namespace fx::quant {

/// What `calculate_qparams()` of an observer returns.
struct QParams {
    TensorPtr scale, zeroPoint;
};

/// A weight that an observer or FakeQuantize looks at.
struct WeightJob {
    std::shared_ptr<const Module> observer;
    TensorPtr weight;
    std::size_t times = 1; ///< moving averages move each time
    std::string owner{};   ///< path of the layer, for messages; may be empty
};

/// A tensor to quantise: `torch.quantize_per_tensor` or `torch.quantize_per_channel`.
struct QuantizeJob {
    TensorPtr tensor;
    QParams qparams;
    std::string dtype;     ///< "torch.qint8"; "torch.float16" casts
    std::string qscheme;   ///< "torch.per_channel_affine"
    std::int64_t axis = 0; ///< per channel only
};

/// The arithmetic that quantisation asks of the worker. Observers are modules as makeObserver makes them, with their
/// state. Calls throw Error{Run, Cancelled}.
class QuantEngine {
public:
    virtual ~QuantEngine() = default;
    /// Runs a prepared model on each batch (the arguments of one call) and puts the new state into its observers.
    /// Returns the number of batches.
    virtual std::size_t calibrate(GraphModule& prepared, std::span<const std::vector<ValueTree>> batches,
                                  const Progress& progress) = 0;
    /// `calculate_qparams()` of each observer, as it is.
    virtual std::vector<QParams> qparams(std::span<const std::shared_ptr<const Module>> observers) = 0;
    /// Runs each observer on its weight; returns `calculate_qparams()` afterwards.
    virtual std::vector<QParams> observe(std::span<const WeightJob> jobs) = 0;
    /// The quantised tensors, with their quantizers.
    virtual std::vector<TensorPtr> quantize(std::span<const QuantizeJob> jobs) = 0;
    /// The values that a model without inputs returns, one per item of the tuple that its output is.
    virtual std::vector<ValueTree> values(const GraphModule& model) = 0;
};

} // namespace fx::quant
