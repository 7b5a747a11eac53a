// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/modules/module_call.h"

#include <functional>
#include <limits>

namespace fx::engine {

constexpr double kInfinity = std::numeric_limits<double>::infinity(); ///< `min_val` before the first tensor
inline double numberOf(const at::Tensor& tensor) { return tensor.item().toDouble(); }

/// The forward of an observer or a FakeQuantize of torch.ao (any of quant::ObserverKind), or null for other classes.
/// The statistics that it keeps (`min_val`, `histogram`, `scale`, ...) change in the tensor store, bit for bit as in
/// PyTorch 2.13. Tensors without values (meta) pass through.
ModuleForm observerForm(const Module& module);

/// Gives the buffers of an observer, and of one within it, memory of their own in the store, which its forward changes.
void ownState(const Module& observer, TensorStore& tensors);

/// `observer.calculate_qparams()`: a tuple (scale, zero point). Throws Error{Run} for observers that have none.
Value calculateQParams(const Module& observer, TensorStore& tensors);

/// While set on this thread, an observer hands over what it would have observed and changes nothing.
using ObserverProbe = std::function<void(const Module& observer, const at::Tensor& seen)>;
ObserverProbe& observerProbe();

/// The range and the qscheme by which qparams are computed; mirrors UniformQuantizationObserverBase.
struct QuantRange {
    std::int64_t quantMin = 0, quantMax = 255;
    std::string qscheme = "torch.per_tensor_affine", dtype = "torch.quint8";
    bool isCustom = false; ///< torch.ao `has_customized_qrange`
    at::Tensor eps;        ///< one float32
};
/// torch.ao `_calculate_qparams` and `determine_qparams`: a tuple (scale, zero point).
Value qparamsOf(const at::Tensor& least, const at::Tensor& greatest, const QuantRange& range);

/// torch.ao HistogramObserver `_non_linear_param_search`: the part of the histogram that loses least.
std::pair<at::Tensor, at::Tensor> bestRange(const at::Tensor& histogram, const at::Tensor& least,
                                            const at::Tensor& greatest, std::int64_t targetBins);

} // namespace fx::engine
