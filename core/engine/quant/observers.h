// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/engine/modules/module_call.h"

#include <functional>
#include <limits>

namespace fx::engine {

constexpr double kInfinity = std::numeric_limits<double>::infinity(); ///< `min_val` before the first tensor
/// The value of a tensor with one element.
inline double numberOf(const at::Tensor& tensor) { return tensor.item().toDouble(); }

/// Returns the forward of an observer or a FakeQuantize of torch.ao (any quant::ObserverKind), or null for other
/// classes. Its statistics (`min_val`, `histogram`, `scale`, ...) change in the tensor store, bit for bit as in
/// PyTorch 2.13. Tensors without values (meta) pass through.
ModuleForm observerForm(const Module& module);

/// Gives the buffers of an observer and of its inner observer separate memory in the store, which its forward may
/// change.
void ownState(const Module& observer, TensorStore& tensors);

/// Returns `observer.calculate_qparams()`, a tuple (scale, zero point). Throws Error{Run} for observers without it.
Value calculateQParams(const Module& observer, TensorStore& tensors);

/// If set on this thread, an observer passes the values it would observe to the probe and changes nothing.
using ObserverProbe = std::function<void(const Module& observer, const at::Tensor& seen)>;
/// The probe of this thread; empty if none exists.
ObserverProbe& observerProbe();

/// The range and the qscheme from which qparams are computed. Mirrors UniformQuantizationObserverBase.
struct QuantRange {
    std::int64_t quantMin = 0, quantMax = 255;
    std::string qscheme = "torch.per_tensor_affine", dtype = "torch.quint8";
    bool isCustom = false; ///< torch.ao's `has_customized_qrange`
    at::Tensor eps;        ///< one float32
};
/// Mirrors torch.ao's `_calculate_qparams` and `determine_qparams`; returns a tuple (scale, zero point).
Value qparamsOf(const at::Tensor& least, const at::Tensor& greatest, const QuantRange& range);

/// Mirrors `_non_linear_param_search` of torch.ao's HistogramObserver: returns the range of the histogram with the
/// least quantisation error.
std::pair<at::Tensor, at::Tensor> bestRange(const at::Tensor& histogram, const at::Tensor& least,
                                            const at::Tensor& greatest, std::int64_t targetBins);

} // namespace fx::engine
