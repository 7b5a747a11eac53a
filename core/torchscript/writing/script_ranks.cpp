// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/torchscript/writing/script_ranks.h"

#include "core/base/listed.h"
#include "core/ops/parameter_list.h"

#include <algorithm>

namespace fx::script {
namespace {

using Items = std::vector<std::string>;

bool isNumberTerm(std::string_view text) {
    if (!text.empty() && text.front() == '-') text.remove_prefix(1);
    return !text.empty() && text.find_first_not_of("0123456789.e-+") == text.npos && text.front() != 'e';
}
std::string asReal(const std::string& term) { return isIntegerTerm(term) ? term + ".0" : term; }
std::string listTerm(const Items& items) { return "[" + joined(items) + "]"; }

/// Names of a call, with what its function does to them.
class RankedCall {
public:
    explicit RankedCall(const Names& names) : m_names(names), m_input(get("input")) {}

    std::string get(std::string_view name) const {
        const auto found = m_names.find(name);
        if (found == m_names.end() || found->second.empty()) return "None";
        const std::string& term = found->second;
        const bool isReal = term.starts_with("float(") && isNumberTerm(term.substr(6, term.size() - 7));
        return isReal ? asReal(term.substr(6, term.size() - 7)) : term;
    }
    bool has(std::string_view name) const { return get(name) != "None"; }

    /// The items of a list, or a number once per dimension; empty for another value.
    Items items(std::string_view name, std::size_t dims) const {
        const std::string term = get(name);
        if (isNumberTerm(term) || term == "None") return Items(dims, term);
        Items out;
        if (!isList(term)) return out;
        for (const std::string_view item : ops::splitTopLevel(std::string_view(term).substr(1, term.size() - 2)))
            if (!item.empty()) out.emplace_back(item);
        return out;
    }
    /// A list of numbers in place of one, also where only the script knows which it is.
    std::string list(std::string_view name, std::size_t dims, bool isReal) const {
        const std::string term = get(name);
        if (term == "None") return term;
        Items all = items(name, dims);
        if (all.empty()) {
            const std::string one = isReal ? "float(" + term + ")" : term;
            return "(" + listTerm(Items(dims, one)) + " if isinstance(" + term + ", " +
                   (isReal ? "(int, float)" : "int") + ") else " + term + ")";
        }
        if (isReal) std::transform(all.begin(), all.end(), all.begin(), asReal);
        return listTerm(all);
    }
    std::string size(std::size_t fromEnd) const { return "(" + m_input + ").size(-" + std::to_string(fromEnd) + ")"; }
    const std::string& input() const { return m_input; }

    /// The sizes of the input's last dimensions times these factors; empty if only the script knows the factors.
    std::string scaledSizes(std::string_view factors, std::size_t dims) const {
        Items all = items(factors, dims);
        if (all.size() != dims) return {};
        for (std::size_t i = 0; i < dims; ++i) all[i] = "int(float(" + size(dims - i) + ") * " + asReal(all[i]) + ")";
        return listTerm(all);
    }
    /// The length of a list; 0 for other values.
    std::size_t lengthOf(std::string_view name) const { return isList(get(name)) ? items(name, 0).size() : 0; }

private:
    static bool isList(const std::string& term) { return term.front() == '[' || term.front() == '('; }

    const Names& m_names;
    std::string m_input;
};

/// The kernel of a mode for `dims` spatial dimensions; empty if PyTorch has none.
std::string upsampling(std::string_view mode, std::size_t dims, bool antialias) {
    const std::string rank = std::to_string(dims) + "d";
    if (mode == "\"nearest\"") return "upsample_nearest" + rank;
    if (mode == "\"nearest-exact\"") return "_upsample_nearest_exact" + rank;
    if (mode == "\"area\"") return "adaptive_avg_pool" + rank;
    if (mode == "\"linear\"" && dims == 1) return "upsample_linear1d";
    if (mode == "\"trilinear\"" && dims == 3) return "upsample_trilinear3d";
    if (dims != 2) return {};
    for (const char* known : {"bilinear", "bicubic", "lanczos"})
        if (mode.substr(1, mode.size() - 2) == known && (antialias || known != std::string_view("lanczos")))
            return (antialias ? "_upsample_" : "upsample_") + std::string(known) + (antialias ? "2d_aa" : "2d");
    return {};
}

std::string interpolated(const RankedCall& call, std::size_t dims) {
    const std::string mode = call.get("mode"), kernel = upsampling(mode, dims, call.get("antialias") == "True");
    std::string size = call.list("size", dims, false), scale = call.list("scale_factor", dims, true);
    if (mode == "\"area\"" || call.get("recompute_scale_factor") == "True")
        if (size == "None") size = call.scaledSizes("scale_factor", dims), scale = "None";
    if (kernel.empty() || size.empty()) return {};
    std::string out = "torch." + kernel + "(" + call.input() + ", " + size;
    if (mode == "\"area\"") return out + ")";
    if (mode.find("nearest") == mode.npos) out += call.get("align_corners") == "True" ? ", True" : ", False";
    return out + ", " + scale + ")";
}

/// Chooses the kernel by the number of dimensions that the input has when the script runs.
std::string interpolate(const RankedCall& call) {
    const std::size_t length = std::max(call.lengthOf("size"), call.lengthOf("scale_factor"));
    if (call.has("size") == call.has("scale_factor")) return {};
    std::string out;
    for (std::size_t dims = 3; dims >= 1; --dims) {
        const std::string one = length == 0 || length == dims ? interpolated(call, dims) : std::string();
        if (one.empty()) continue;
        out = out.empty() ? one
                          : "(" + one + " if (" + call.input() + ").dim() == " + std::to_string(dims + 2) + " else " +
                                out + ")";
    }
    return out;
}

/// The sums of powers over the windows, as torch.nn.functional computes them; its sign and absolute value cancel out.
std::string lpPool(const RankedCall& call, std::size_t dims) {
    const std::string rank = std::to_string(dims) + "d(", norm = asReal(call.get("norm_type"));
    const std::string kernel = call.list("kernel_size", dims, false),
                      stride = call.has("stride") ? call.list("stride", dims, false) : kernel,
                      window = ", " + kernel + ", " + stride + ", " + listTerm(Items(dims, "0")) + ", ",
                      ceil = call.get("ceil_mode") + ")";
    if (norm.find("inf") != norm.npos) {
        const bool isLeast = norm.find('-') != norm.npos;
        const std::string most = "torch.max_pool" + rank + (isLeast ? "-" : "") + "torch.abs(" + call.input() + ")" +
                                 window + listTerm(Items(dims, "1")) + ", " + ceil;
        return isLeast ? "(-" + most + ")" : most;
    }
    Items sizes = call.items("kernel_size", dims);
    if (sizes.size() != dims || !isNumberTerm(norm)) return {};
    std::string count;
    for (const std::string& size : sizes) count += (count.empty() ? "" : " * ") + size;
    return "torch.pow(torch.mul(torch.avg_pool" + rank + "torch.pow(" + call.input() + ", " + norm + ")" + window +
           ceil + ", " + count + "), 1.0 / " + norm + ")";
}

/// With new random samples where none are given.
std::string fractionalMaxPool(const RankedCall& call, std::size_t dims) {
    const std::string size =
        call.has("output_size") ? call.list("output_size", dims, false) : call.scaledSizes("output_ratio", dims);
    if (size.empty()) return {};
    std::string samples = call.get("_random_samples");
    if (samples == "None")
        samples = "torch.rand([" + call.size(dims + 2) + " if (" + call.input() +
                  ").dim() == " + std::to_string(dims + 2) + " else 1, " + call.size(dims + 1) + ", " +
                  std::to_string(dims) + "], dtype=(" + call.input() + ").dtype)";
    return "torch.fractional_max_pool" + std::to_string(dims) + "d(" + call.input() + ", " +
           call.list("kernel_size", dims, false) + ", " + size + ", " + samples + ")";
}

/// None stands for the size of the input.
std::string adaptivePool(const RankedCall& call, std::string_view kind, std::size_t dims) {
    Items sizes = call.items("output_size", dims);
    for (std::size_t i = 0; i < sizes.size(); ++i)
        if (sizes[i] == "None") sizes[i] = call.size(sizes.size() - i);
    return "torch.adaptive_" + std::string(kind) + "_pool" + std::to_string(dims) + "d(" + call.input() + ", " +
           (sizes.empty() ? call.list("output_size", dims, false) : listTerm(sizes)) + ")";
}

/// The reverse of max pooling, whose windows determine the size of the result.
std::string maxUnpool(const RankedCall& call, std::size_t dims) {
    const std::string stride = call.list(call.has("stride") ? "stride" : "kernel_size", dims, false),
                      padding = call.list("padding", dims, false);
    Items sizes = call.items("output_size", dims);
    if (call.has("output_size")) {
        if (sizes.size() < dims) return {};
        sizes.erase(sizes.begin(), sizes.end() - static_cast<std::ptrdiff_t>(dims));
    } else {
        const Items kernels = call.items("kernel_size", dims), paddings = call.items("padding", dims),
                    strides = call.items(call.has("stride") ? "stride" : "kernel_size", dims);
        if (kernels.size() != dims || strides.size() != dims || paddings.size() != dims) return {};
        for (std::size_t i = 0; i < dims; ++i)
            sizes[i] =
                "(" + call.size(dims - i) + " - 1) * " + strides[i] + " + " + kernels[i] + " - 2 * " + paddings[i];
    }
    const std::string indices = call.get("indices"), &input = call.input();
    if (dims == 3)
        return "torch.max_unpool3d(" + input + ", " + indices + ", " + listTerm(sizes) + ", " + stride + ", " +
               padding + ")";
    if (dims == 2) return "torch.max_unpool2d(" + input + ", " + indices + ", " + listTerm(sizes) + ")";
    return "torch.max_unpool2d((" + input + ").unsqueeze(-1), (" + indices + ").unsqueeze(-1), [" + sizes[0] +
           ", 1]).squeeze(-1)";
}

/// Without a dimension, the one that softmax had before it took any.
std::string softmax(const RankedCall& call, std::string_view name) {
    const std::string& x = call.input();
    const std::string dim = "(" + x + ").dim()";
    return std::string(name == "log_softmax" ? "torch.log_softmax(" : "torch.softmax(") +
           (name == "softmin" ? "-" : "") + x + ", " +
           (call.has("dim") ? call.get("dim")
                            : "(0 if " + dim + " == 0 or " + dim + " == 1 or " + dim + " == 3 else 1)") +
           ", " + call.get("dtype") + ")";
}

/// With a weight, which may have fewer dimensions.
std::string binaryCrossEntropy(const RankedCall& call) {
    const std::string target = call.get("target"), how = call.get("reduction");
    return "torch.binary_cross_entropy(" + call.input() + ", " + target + ", torch.broadcast_tensors([" +
           call.get("weight") + ", " + target + "])[0], " +
           (how == "\"none\""   ? "0"
            : how == "\"mean\"" ? "1"
                                : "2") +
           ")";
}

} // namespace

std::optional<std::string> rankedTerm(std::string_view name, const Names& names) {
    const RankedCall call(names);
    if (name == "interpolate") return interpolate(call);
    if (name == "softmax" || name == "log_softmax" || name == "softmin") return softmax(call, name);
    if (name == "binary_cross_entropy" && call.has("weight")) return binaryCrossEntropy(call);
    const std::size_t place = name.find_last_of("123");
    const std::size_t dims = place == name.npos ? 0 : static_cast<std::size_t>(name[place] - '0');
    const std::string_view base = name.substr(0, std::min(place, name.size()));
    if (base == "lp_pool") return lpPool(call, dims);
    if (name.starts_with("fractional_max_pool") && name.ends_with("_with_indices"))
        return fractionalMaxPool(call, dims);
    if (base == "adaptive_avg_pool" && dims > 1) return adaptivePool(call, "avg", dims);
    if (base == "adaptive_max_pool" && dims > 1 && name.ends_with("_with_indices"))
        return adaptivePool(call, "max", dims);
    if (base == "max_unpool") return maxUnpool(call, dims);
    return std::nullopt;
}

} // namespace fx::script
