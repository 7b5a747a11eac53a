// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/operators/prims.h"

#include "core/engine/dispatch.h"

#include <ATen/ATen.h>
#include <torch/library.h>

#include <limits>

namespace fx::engine {
namespace {

// ── torch/_inductor/inductor_prims.py: what it computes with ATen where Inductor makes no kernel ──

using at::IntArrayRef;
using at::Tensor;

Tensor forceStrides(const Tensor& input, IntArrayRef strides) {
    if (input.strides() == strides) return input;
    Tensor out = input.clone().as_strided(input.sizes(), strides);
    return out.copy_(input);
}

std::tuple<Tensor, Tensor> prepareSoftmax(const Tensor& a, std::int64_t dim) {
    const Tensor most = at::amax(a, dim, true);
    return {most, at::sum(at::exp(a - most), dim, true)};
}

Tensor seeds(IntArrayRef count, at::Device device) {
    return at::randint(std::numeric_limits<std::int64_t>::max(), count, at::TensorOptions(at::kLong).device(device));
}

Tensor random(IntArrayRef size, const Tensor& seed, c10::string_view mode, std::optional<at::ScalarType>) {
    TORCH_CHECK(mode == "rand" || mode == "randn", "expected rand or randn, got ", mode);
    const auto options = at::TensorOptions(at::kFloat).device(seed.device());
    return mode == "rand" ? at::rand(size, options) : at::randn(size, options);
}

Tensor randomIntegers(std::int64_t low, std::int64_t high, IntArrayRef size, const Tensor& seed) {
    return at::randint(low, high, size, at::TensorOptions(at::kLong).device(seed.device()));
}

/// Indices into an array of these sizes, by dimension.
std::vector<Tensor> byDimension(Tensor indices, IntArrayRef sizes) {
    std::vector<Tensor> out;
    for (std::size_t i = 0; i + 1 < sizes.size(); ++i) {
        std::int64_t inner = 1;
        for (const std::int64_t size : sizes.slice(i + 1)) inner *= size;
        out.push_back(at::floor_divide(indices, inner));
        indices = indices - out.back() * inner;
    }
    out.push_back(std::move(indices));
    return out;
}

Tensor flattened(const std::vector<Tensor>& indices, IntArrayRef sizes) {
    Tensor out = indices.at(0);
    for (std::size_t i = 1; i < indices.size(); ++i) out = out * sizes[i] + indices[i];
    return out;
}

/// Where each window of a pooling starts in dimension `d`, in a form that broadcasts with the indices.
Tensor starts(const Tensor& indices, std::size_t d, IntArrayRef kernel, IntArrayRef stride, IntArrayRef padding) {
    const auto axis = static_cast<std::int64_t>(d) - static_cast<std::int64_t>(kernel.size());
    std::vector<std::int64_t> shape(static_cast<std::size_t>(indices.dim()), 1);
    shape[shape.size() - kernel.size() + d] = -1;
    const auto options = at::TensorOptions(at::kLong).device(indices.device());
    return at::arange(indices.size(axis), options).view(shape) * stride[d] - padding[d];
}

std::tuple<Tensor, Tensor> maxPoolWithOffsets(const Tensor& self, IntArrayRef kernel, IntArrayRef stride,
                                              IntArrayRef padding, IntArrayRef dilation, bool ceil) {
    TORCH_CHECK(kernel.size() == 2 || kernel.size() == 3, "expected 2 or 3 sizes of the kernel");
    auto [values, indices] = kernel.size() == 2
                                 ? at::max_pool2d_with_indices(self, kernel, stride, padding, dilation, ceil)
                                 : at::max_pool3d_with_indices(self, kernel, stride, padding, dilation, ceil);
    std::vector<Tensor> offsets = byDimension(indices, self.sizes().slice(self.sizes().size() - kernel.size()));
    for (std::size_t d = 0; d < offsets.size(); ++d)
        offsets[d] = at::floor_divide(offsets[d] - starts(indices, d, kernel, stride, padding), dilation[d]);
    return {values, flattened(offsets, kernel).to(at::kChar)};
}

Tensor offsetsToIndices(const Tensor& offsets, IntArrayRef kernel, IntArrayRef input, IntArrayRef stride,
                        IntArrayRef padding, IntArrayRef dilation) {
    std::vector<Tensor> indices = byDimension(offsets.to(at::kLong), kernel);
    for (std::size_t d = 0; d < indices.size(); ++d)
        indices[d] = starts(offsets, d, kernel, stride, padding) + indices[d] * dilation[d];
    return flattened(indices, input);
}

/// The exponent of each number, rounded up, as MX formats keep it.
Tensor exponentsRoundedUp(const Tensor& input) {
    const Tensor bits = input.to(at::kFloat).view(at::kInt);
    const Tensor up = bits.bitwise_and(0x7FFFFF).ne(0).to(at::kInt);
    return (bits.bitwise_right_shift(23).bitwise_and(0xFF) + up).clamp(0, 254).to(at::kByte);
}

TORCH_LIBRARY_FRAGMENT(prims, m) {
    m.def("inductor_seed(Device device) -> Tensor", [](at::Device device) { return seeds({}, device); });
    m.def("inductor_seeds(int count, Device device) -> Tensor",
          [](std::int64_t count, at::Device device) { return seeds({count}, device); });
    m.def("inductor_lookup_seed(Tensor seeds, int index) -> Tensor",
          [](const Tensor& all, std::int64_t index) { return all.select(0, index).clone(); });
    m.def("inductor_random(int[] size, Tensor seed, str mode, *, ScalarType? align_dtype=None) -> Tensor", random);
    m.def("inductor_randint(int low, int high, int[] size, Tensor seed) -> Tensor", randomIntegers);
    // Only CUDA's generator has offsets.
    m.def("inductor_rand_eager_offset(int offset, Device device) -> Tensor",
          [](std::int64_t, at::Device device) { return at::zeros({2}, at::TensorOptions(at::kLong).device(device)); });
    m.def("inductor_rand_eager_offsets(int[] offsets, Device device) -> Tensor",
          [](IntArrayRef offsets, at::Device device) {
              const auto count = static_cast<std::int64_t>(offsets.size());
              return at::zeros({count, 2}, at::TensorOptions(at::kLong).device(device));
          });
    m.def("inductor_force_stride_order(Tensor input, int[] stride) -> Tensor", forceStrides);
    m.def("_unsafe_index_put_(Tensor(a!) self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor(a!)",
          [](Tensor& self, const c10::List<std::optional<Tensor>>& indices, const Tensor& values,
             bool accumulate) -> Tensor& { return self.index_put_(indices, values, accumulate); });
    m.def("device_put(Tensor a, Device device, bool non_blocking=False) -> Tensor",
          [](const Tensor& a, at::Device device, bool) { return a.to(device, a.scalar_type(), false, true); });
    m.def("fma(Tensor a, Tensor b, Tensor c) -> Tensor",
          [](const Tensor& a, const Tensor& b, const Tensor& c) { return a * b + c; });
    m.def("prepare_softmax_online(Tensor a, int dim) -> (Tensor, Tensor)", prepareSoftmax);
    m.def("_low_memory_max_pool_with_offsets(Tensor self, int[] kernel_size, int[] stride, int[] padding, "
          "int[] dilation, bool ceil_mode) -> (Tensor, Tensor)",
          maxPoolWithOffsets);
    m.def("_low_memory_max_pool_offsets_to_indices(Tensor self, int[] kernel_size, int[] input_size, int[] "
          "stride, int[] padding, int[] dilation) -> Tensor",
          offsetsToIndices);
    m.def("inductor_cvt_e8m0_rceil(Tensor input) -> Tensor", exponentsRoundedUp);
}

Value valueOrNone(const Value* value) { return value ? *value : Value(); }

/// `prims.iota(length, *, start, step, dtype, device, requires_grad)`
Value iotaPrim(const Arguments& arguments) {
    const std::int64_t length = valueOrNone(arguments.at(0, "length")).integer().value_or(0),
                       start = valueOrNone(arguments.find("start")).integer().value_or(0),
                       step = valueOrNone(arguments.find("step")).integer().value_or(1);
    return callOperator("aten::arange.start_step", {{start, start + length * step, step},
                                                    {{"dtype", valueOrNone(arguments.find("dtype"))},
                                                     {"device", valueOrNone(arguments.find("device"))}}});
}
} // namespace

std::optional<Value> callPrim(std::string_view name, const Arguments& arguments) {
    if (name == "torch.ops.prims.convert_element_type.default")
        return callOperator("aten::_to_copy",
                            {{valueOrNone(arguments.at(0, "a"))}, {{"dtype", valueOrNone(arguments.at(1, "dtype"))}}});
    if (name == "torch.ops.prims.iota.default") return iotaPrim(arguments);
    return std::nullopt;
}

} // namespace fx::engine
