// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/shapes/meta_kernels.h"

#include "core/engine/shapes/cpu_fallback.h"

#include <ATen/EmptyTensor.h>
#include <ATen/core/boxing/KernelFunction.h>
#include <ATen/core/boxing/impl/make_boxed_from_unboxed_functor.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/op_registration/op_registration.h>
#include <ATen/ops/_fused_sdp_choice.h>
#include <ATen/ops/_scaled_dot_product_attention_math.h>
#include <ATen/ops/_scaled_dot_product_flash_attention_for_cpu.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mul.h>

#include <sstream>
#include <tuple>

// Each says which rule of the CPU's kernel gives the strides.
namespace fx::engine {
namespace {

using at::IntArrayRef;
using at::Tensor;
using OptionalTensor = const std::optional<Tensor>&;
using Sizes = std::vector<std::int64_t>;

Tensor contiguous(IntArrayRef sizes, at::ScalarType type) { return Tensor(at::detail::empty_meta(sizes, type)); }
Tensor formatted(IntArrayRef sizes, at::ScalarType type, at::MemoryFormat format) {
    return Tensor(at::detail::empty_meta(sizes, type, format));
}

template<class... Parts> std::string told(const Parts&... parts) {
    std::ostringstream text;
    (text << ... << parts);
    return text.str();
}

// ── convolution ──

std::int64_t at1(IntArrayRef values, std::size_t i) { return values.size() == 1 ? values[0] : values[i]; }

struct Window {
    IntArrayRef stride, padding, dilation, outputPadding;
    bool transposed;
};

std::int64_t convolvedSize(std::int64_t size, std::int64_t kernel, const Window& w, std::size_t i) {
    const std::int64_t reach = at1(w.dilation, i) * (kernel - 1) + 1;
    if (w.transposed) return (size - 1) * at1(w.stride, i) - 2 * at1(w.padding, i) + reach + at1(w.outputPadding, i);
    TORCH_CHECK(size + 2 * at1(w.padding, i) >= reach, "Calculated padded input size per channel is ",
                size + 2 * at1(w.padding, i), ", the kernel's is ", reach,
                ". Kernel size can't be greater than actual input size");
    return (size + 2 * at1(w.padding, i) - reach) / at1(w.stride, i) + 1;
}

void checkConvolution(const Tensor& input, const Tensor& weight, OptionalTensor bias, bool transposed,
                      std::int64_t groups) {
    TORCH_CHECK(groups > 0, "non-positive groups is not supported");
    TORCH_CHECK(input.dim() == weight.dim(), "Expected ", weight.dim(), "-dimensional input for ", weight.dim(),
                "-dimensional weight ", weight.sizes(), ", but got ", input.dim(), "-dimensional input of size ",
                input.sizes(), " instead");
    const std::int64_t channels = transposed ? weight.size(0) : weight.size(1) * groups,
                       filters = transposed ? weight.size(1) * groups : weight.size(0);
    TORCH_CHECK(transposed || weight.size(0) % groups == 0, "Given groups=", groups,
                ", expected weight to be divisible by ", groups, " at dimension 0, but got weight of size ",
                weight.sizes(), " instead");
    TORCH_CHECK(input.size(1) == channels, "Given ", transposed ? "transposed=1" : told("groups=", groups),
                ", weight of size ", weight.sizes(), ", expected input", input.sizes(), " to have ", channels,
                " channels, but got ", input.size(1), " channels instead");
    TORCH_CHECK(!bias || !bias->defined() || (bias->dim() == 1 && bias->size(0) == filters), "Given weight of size ",
                weight.sizes(), ", expected bias to be 1-dimensional with ", filters,
                " elements, but got bias of size ", bias->sizes(), " instead");
    TORCH_CHECK(input.scalar_type() == weight.scalar_type(), "Input type (", input.scalar_type(), ") and weight type (",
                weight.scalar_type(), ") should be the same");
    TORCH_CHECK(!bias || !bias->defined() || bias->scalar_type() == input.scalar_type(), "Input type (",
                input.scalar_type(), ") and bias type (", bias->scalar_type(), ") should be the same");
}

/// channels_last when the input or the weight suggests it; a 1-d convolution is computed as a 2-d one of contiguous
/// tensors.
at::MemoryFormat convolvedFormat(const Tensor& input, const Tensor& weight) {
    const at::MemoryFormat last = input.dim() == 5 ? at::MemoryFormat::ChannelsLast3d : at::MemoryFormat::ChannelsLast;
    if (input.dim() < 4 || input.scalar_type() == at::kDouble) return at::MemoryFormat::Contiguous;
    return input.suggest_memory_format() == last || weight.suggest_memory_format() == last
               ? last
               : at::MemoryFormat::Contiguous;
}

Tensor convolution(const Tensor& input, const Tensor& weight, OptionalTensor bias, IntArrayRef stride,
                   IntArrayRef padding, IntArrayRef dilation, bool transposed, IntArrayRef outputPadding,
                   std::int64_t groups) {
    checkConvolution(input, weight, bias, transposed, groups);
    const Window window{stride, padding, dilation, outputPadding, transposed};
    Sizes sizes{input.size(0), transposed ? weight.size(1) * groups : weight.size(0)};
    for (std::int64_t d = 2; d < input.dim(); ++d)
        sizes.push_back(convolvedSize(input.size(d), weight.size(d), window, static_cast<std::size_t>(d - 2)));
    return formatted(sizes, input.scalar_type(), convolvedFormat(input, weight));
}

// ── normalisations ──

/// As the input suggests; statistics of a batch only when training.
std::tuple<Tensor, Tensor, Tensor> batchNorm(const Tensor& input, OptionalTensor, OptionalTensor, OptionalTensor,
                                             OptionalTensor, bool training, double, double) {
    const Sizes statistics{training ? input.size(1) : 0};
    const at::ScalarType type = input.scalar_type();
    return {at::empty_like(input, input.suggest_memory_format()), contiguous(statistics, type),
            contiguous(statistics, type)};
}
std::tuple<Tensor, Tensor, Tensor> batchNormLegit(const Tensor& input, OptionalTensor weight, OptionalTensor bias,
                                                  Tensor&, Tensor&, bool training, double momentum, double eps) {
    return batchNorm(input, weight, bias, {}, {}, training, momentum, eps);
}
std::tuple<Tensor, Tensor, Tensor> batchNormWithoutStatistics(const Tensor& input, OptionalTensor weight,
                                                              OptionalTensor bias, bool training, double momentum,
                                                              double eps) {
    return batchNorm(input, weight, bias, {}, {}, training, momentum, eps);
}

std::tuple<Tensor, Tensor, Tensor> layerNorm(const Tensor& input, IntArrayRef normalized, OptionalTensor weight,
                                             OptionalTensor bias, double) {
    const auto width = static_cast<std::int64_t>(normalized.size());
    TORCH_CHECK(width >= 1,
                "Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one element, but "
                "got normalized_shape = ",
                normalized);
    for (const auto* part : {&weight, &bias})
        TORCH_CHECK(!*part || !(*part)->defined() || (*part)->sizes() == normalized,
                    "Expected the parameter of the norm to be of same shape as normalized_shape, but got one of shape ",
                    (*part)->sizes(), " and normalized_shape = ", normalized);
    TORCH_CHECK(input.dim() >= width &&
                    input.sizes().slice(static_cast<std::size_t>(input.dim() - width)) == normalized,
                "Given normalized_shape=", normalized, ", expected input with shape [*, ", c10::Join(", ", normalized),
                "], but got input of size ", input.sizes());
    Sizes statistics(input.sizes().begin(), input.sizes().end() - width);
    statistics.resize(static_cast<std::size_t>(input.dim()), 1);
    const at::ScalarType type = at::isReducedFloatingType(input.scalar_type()) && weight && weight->defined()
                                    ? weight->scalar_type()
                                    : input.scalar_type();
    return {contiguous(input.sizes(), input.scalar_type()), contiguous(statistics, type), contiguous(statistics, type)};
}

std::tuple<Tensor, Tensor, Tensor> groupNorm(const Tensor& input, OptionalTensor weight, OptionalTensor,
                                             std::int64_t batch, std::int64_t, std::int64_t, std::int64_t groups,
                                             double) {
    const at::ScalarType type = at::isReducedFloatingType(input.scalar_type()) && weight && weight->defined()
                                    ? weight->scalar_type()
                                    : input.scalar_type();
    return {formatted(input.sizes(), input.scalar_type(), input.suggest_memory_format()),
            contiguous({batch, groups}, type), contiguous({batch, groups}, type)};
}

// ── selection ──

void checkIndex(const Tensor& indices) {
    TORCH_CHECK(
        indices.scalar_type() == at::kLong || indices.scalar_type() == at::kInt,
        "Expected tensor for argument #1 'indices' to have one of the following scalar types: Long, Int; but got ",
        indices.scalar_type(), " instead");
}

Tensor embedding(const Tensor& weight, const Tensor& indices, std::int64_t, bool, bool) {
    TORCH_CHECK(weight.dim() == 2, "'weight' must be 2-D");
    checkIndex(indices);
    Sizes sizes = indices.sizes().vec();
    sizes.push_back(weight.size(1));
    return contiguous(sizes, weight.scalar_type());
}

Tensor indexSelect(const Tensor& self, std::int64_t dim, const Tensor& index) {
    TORCH_CHECK(index.dim() <= 1, "index_select(): Index is supposed to be a vector, but got one of ", index.dim(),
                " dimensions");
    checkIndex(index);
    Sizes sizes = self.sizes().vec();
    if (!sizes.empty()) sizes[static_cast<std::size_t>(c10::maybe_wrap_dim(dim, self.dim()))] = index.numel();
    return contiguous(sizes, self.scalar_type());
}

Tensor flip(const Tensor& self, IntArrayRef dims) {
    for (const std::int64_t dim : dims) c10::maybe_wrap_dim(dim, self.dim());
    return at::empty_like(self, at::MemoryFormat::Preserve);
}

/// One dimension: two parts joined the other way round; several: one after the other, none: the flat tensor.
Tensor roll(const Tensor& self, IntArrayRef shifts, IntArrayRef dims) {
    TORCH_CHECK(!shifts.empty(), "`shifts` required");
    TORCH_CHECK(dims.empty() ? shifts.size() == 1 : dims.size() == shifts.size(),
                "shifts and dimensions must align. shifts: ", shifts.size(), ", dims:", dims.size());
    if (dims.empty()) return contiguous(self.sizes(), self.scalar_type());
    for (const std::int64_t dim : dims) c10::maybe_wrap_dim(dim, self.dim());
    return self.numel() == 0 ? at::empty_like(self) : at::cat({self}, 0);
}

/// As the product of both: the weight has one value, or one for each channel.
Tensor prelu(const Tensor& self, const Tensor& weight) { return at::mul(self, weight); }

// ── attention ──

/// The CPU's choice looks at geometry only, so tensors whose memory nobody touches will do.
std::int64_t attentionChoice(const Tensor& query, const Tensor& key, const Tensor& value, OptionalTensor mask,
                             double dropout, bool causal, std::optional<double> scale, bool grouped) {
    const auto standIn = [](const Tensor& tensor) {
        Tensor out(at::detail::empty_strided_cpu(tensor.sizes(), tensor.strides(), tensor.scalar_type()));
        return tensor.requires_grad() ? out.set_requires_grad(true) : out;
    };
    return at::_fused_sdp_choice(standIn(query), standIn(key), standIn(value),
                                 mask && mask->defined() ? std::optional(standIn(*mask)) : std::nullopt, dropout,
                                 causal, scale, grouped);
}

/// Computed as (batch, length, heads, width), whatever the input was.
std::tuple<Tensor, Tensor> flashAttention(const Tensor& query, const Tensor&, const Tensor&, double, bool,
                                          OptionalTensor, std::optional<double>) {
    const at::ScalarType type = query.scalar_type();
    return {at::empty_like(query), contiguous({query.size(0), query.size(2), query.size(1)},
                                              at::isReducedFloatingType(type) ? at::kFloat : type)
                                       .transpose(1, 2)};
}

/// What LibTorch does on the CPU; for meta tensors it would always take the other way.
Tensor attention(const Tensor& query, const Tensor& key, const Tensor& value, OptionalTensor mask, double dropout,
                 bool causal, std::optional<double> scale, bool grouped) {
    constexpr std::int64_t kFlash = 1; // sdp::SDPBackend::flash_attention
    if (attentionChoice(query, key, value, mask, dropout, causal, scale, grouped) == kFlash)
        return std::get<0>(
            at::_scaled_dot_product_flash_attention_for_cpu(query, key, value, dropout, causal, mask, scale));
    return std::get<0>(
        at::_scaled_dot_product_attention_math(query, key, value, mask, dropout, causal, std::nullopt, scale, grouped));
}

// ── others ──

Tensor adaptiveAveragePool(const Tensor& input, IntArrayRef sizes) {
    Sizes out = input.sizes().vec();
    std::copy(sizes.begin(), sizes.end(), out.end() - static_cast<std::ptrdiff_t>(sizes.size()));
    const bool last = sizes.size() == 2 && input.dim() == 4;
    return last ? formatted(out, input.scalar_type(), input.suggest_memory_format())
                : contiguous(out, input.scalar_type());
}

Tensor toMkldnn(const Tensor& self, std::optional<at::ScalarType> type) {
    return contiguous(self.sizes(), type.value_or(self.scalar_type()));
}

template<class F> void add(std::deque<c10::RegistrationHandleRAII>& out, const char* name, const char* overload,
                           F* kernel, c10::DispatchKey key = c10::DispatchKey::Meta) {
    auto& dispatcher = c10::Dispatcher::singleton();
    const auto op = dispatcher.findSchema({std::string("aten::") + name, overload});
    if (!op || op->hasKernelForDispatchKey(key)) return;
    out.push_back(dispatcher.registerImpl(op->operator_name(), key,
                                          c10::KernelFunction::makeFromUnboxedRuntimeFunction(kernel), std::nullopt,
                                          nullptr, "lancet"));
}

} // namespace

std::deque<c10::RegistrationHandleRAII> ownMetaKernels() {
    std::deque<c10::RegistrationHandleRAII> out;
    add(out, "to_mkldnn", "", &toMkldnn);
    add(out, "convolution", "", &convolution);
    add(out, "native_batch_norm", "", &batchNorm);
    add(out, "_native_batch_norm_legit", "", &batchNormLegit);
    add(out, "_native_batch_norm_legit", "no_stats", &batchNormWithoutStatistics);
    add(out, "native_layer_norm", "", &layerNorm);
    add(out, "native_group_norm", "", &groupNorm);
    add(out, "embedding", "", &embedding);
    add(out, "index_select", "", &indexSelect);
    add(out, "flip", "", &flip);
    add(out, "roll", "", &roll);
    add(out, "_prelu_kernel", "", &prelu);
    // It only chooses among operators that record gradients themselves, so it stands in for both.
    for (const c10::DispatchKey key : {c10::DispatchKey::Meta, c10::DispatchKey::AutogradMeta})
        add(out, "scaled_dot_product_attention", "", &attention, key);
    add(out, "_scaled_dot_product_flash_attention_for_cpu", "", &flashAttention);
    add(out, "_adaptive_avg_pool2d", "", &adaptiveAveragePool);
    add(out, "_adaptive_avg_pool3d", "", &adaptiveAveragePool);
    return out;
}

} // namespace fx::engine
