// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/function_forms.h"

#include <array>

namespace fx::engine {
namespace {

/// The operator for a mode and the number of spatial dimensions, or null.
const char* upsampling(const std::string& mode, std::int64_t dims, bool antialias) {
    if (dims < 1 || dims > 3) return nullptr;
    const auto index = static_cast<std::size_t>(dims - 1);
    static constexpr std::array kNearest = {"torch._C._nn.upsample_nearest1d", "torch._C._nn.upsample_nearest2d",
                                            "torch._C._nn.upsample_nearest3d"};
    static constexpr std::array kExact = {"torch._C._nn._upsample_nearest_exact1d",
                                          "torch._C._nn._upsample_nearest_exact2d",
                                          "torch._C._nn._upsample_nearest_exact3d"};
    static constexpr std::array kArea = {"torch.adaptive_avg_pool1d", "torch.nn.functional.adaptive_avg_pool2d",
                                         "torch.nn.functional.adaptive_avg_pool3d"};
    if (mode == "nearest") return kNearest[index];
    if (mode == "nearest-exact") return kExact[index];
    if (mode == "area") return kArea[index];
    if (mode == "linear" && dims == 1) return "torch._C._nn.upsample_linear1d";
    if (mode == "bilinear" && dims == 2)
        return antialias ? "torch._C._nn._upsample_bilinear2d_aa" : "torch._C._nn.upsample_bilinear2d";
    if (mode == "bicubic" && dims == 2)
        return antialias ? "torch._C._nn._upsample_bicubic2d_aa" : "torch._C._nn.upsample_bicubic2d";
    if (mode == "lanczos" && dims == 2 && antialias) return "torch._C._nn._upsample_lanczos2d_aa";
    if (mode == "trilinear" && dims == 3) return "torch._C._nn.upsample_trilinear3d";
    return nullptr;
}

Value perDimension(const Value& value, std::int64_t dims) {
    if (value.isNone() || value.items()) return value;
    return Value::list(Values(static_cast<std::size_t>(dims), value));
}

} // namespace

Value interpolate(const Names& n) {
    const at::Tensor input = n.tensor("input");
    const std::int64_t dims = input.dim() - 2;
    const std::string mode = n.text("mode");
    if (n.given("size") == n.given("scale_factor"))
        throw raised(n.given("size") ? "ValueError: only one of size or scale_factor should be defined"
                                     : "ValueError: either size or scale_factor should be defined");
    Value size = perDimension(n["size"], dims), scale = perDimension(n["scale_factor"], dims);
    for (const Value* list : {&size, &scale})
        if (!list->isNone() && list->items()->items.size() != static_cast<std::size_t>(dims))
            throw raised("ValueError: Input and output must have the same number of spatial dimensions");
    if (size.isNone() && (mode == "area" || (n.given("recompute_scale_factor") && n.flag("recompute_scale_factor")))) {
        Values sizes;
        for (std::int64_t d = 0; d < dims; ++d)
            sizes.push_back(
                static_cast<std::int64_t>(static_cast<double>(input.size(d + 2)) *
                                          scale.items()->items[static_cast<std::size_t>(d)].real().value_or(1)));
        size = Value::list(std::move(sizes)), scale = {};
    }
    const char* function = upsampling(mode, dims, n.flag("antialias"));
    if (!function)
        throw raised("NotImplementedError: interpolate() of a " + std::to_string(input.dim()) +
                     "-dimensional input does not know mode '" + mode + "'");
    if (mode == "area") return callFunction(function, {n["input"], size});
    if (mode.starts_with("nearest")) return callFunction(function, {n["input"], size, scale});
    return callFunction(function, {n["input"], size, n.given("align_corners") && n.flag("align_corners"), scale});
}

} // namespace fx::engine
