// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/constants/moved_sizes.h"

#include "core/trace/constants/size_errors.h"

#include <algorithm>
#include <map>

namespace fx::trace {
namespace {

/// view and reshape: one -1 takes what is left.
std::optional<Sizes> reshaped(const Sizes& sizes, std::optional<Sizes> wanted) {
    if (!wanted) return std::nullopt;
    const Sizes given = *wanted;
    requireReshapable(given);
    const auto open = std::find(wanted->begin(), wanted->end(), -1);
    const bool isOpen = open != wanted->end();
    if (isOpen) *open = 1;
    const auto rest = product(*wanted), all = product(sizes);
    if (!rest || !all) return std::nullopt;
    if (isOpen ? *rest == 0 || *all % *rest != 0 : *rest != *all) refuseShape(given, *all);
    if (isOpen) *open = *all / *rest;
    return wanted;
}

std::optional<Sizes> expanded(const Sizes& sizes, std::optional<Sizes> wanted) {
    if (!wanted || wanted->size() < sizes.size()) return std::nullopt;
    requireExpansion(sizes, *wanted);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        auto& size = (*wanted)[wanted->size() - sizes.size() + i];
        if (size == -1) size = sizes[i];
    }
    return wanted;
}

std::optional<Sizes> permuted(const Sizes& sizes, const std::optional<Sizes>& order) {
    if (!order || order->size() != sizes.size()) return std::nullopt;
    Sizes out;
    for (auto dim : *order) {
        if (dim < 0) dim += static_cast<std::int64_t>(sizes.size());
        if (dim < 0 || dim >= static_cast<std::int64_t>(sizes.size())) return std::nullopt;
        out.push_back(sizes[static_cast<std::size_t>(dim)]);
    }
    return out;
}

std::optional<Sizes> squeezed(const TensorCall& call, const Sizes& sizes) {
    Sizes out;
    const auto only = call.at(1, "dim") ? call.dimension(1, "dim", sizes.size()) : std::nullopt;
    if (call.at(1, "dim") && !only) return std::nullopt;
    for (std::size_t i = 0; i < sizes.size(); ++i)
        if (sizes[i] != 1 || (only && i != *only)) out.push_back(sizes[i]);
    return out;
}

/// torch.atleast_1d, 2d and 3d: the first two put dimensions in front, 3d has those of a vector or a matrix in the
/// middle or in front.
template<std::size_t wanted> std::optional<Sizes> atLeast(const TensorCall& call, const Sizes& sizes) {
    if (call.args.size() != 1) return std::nullopt;
    Sizes out = sizes;
    if (wanted == 3 && out.size() == 2) out.push_back(1);
    if (wanted == 3 && out.size() == 1) out = {1, out[0], 1};
    while (out.size() < wanted) out.insert(out.begin(), 1);
    return out;
}

std::optional<Sizes> repeated(const Sizes& sizes, std::optional<Sizes> times) {
    if (!times || times->size() < sizes.size()) return std::nullopt;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        auto& size = (*times)[times->size() - sizes.size() + i];
        const auto total = product(size, sizes[i]);
        if (!total) return std::nullopt;
        size = *total;
    }
    return times;
}

std::optional<Sizes> unsqueezed(const TensorCall& call, const Sizes& sizes) {
    const auto dim = call.dimension(1, "dim", sizes.size() + 1);
    if (!dim) return std::nullopt;
    Sizes out = sizes;
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(*dim), 1);
    return out;
}

std::optional<Sizes> transposed(const TensorCall& call, const Sizes& sizes) {
    const auto a = call.dimension(1, "dim0", sizes.size()), b = call.dimension(2, "dim1", sizes.size());
    if (!a || !b) return std::nullopt;
    Sizes out = sizes;
    std::swap(out[*a], out[*b]);
    return out;
}

std::optional<Sizes> selected(const TensorCall& call, const Sizes& sizes) {
    const auto dim = call.dimension(1, "dim", sizes.size());
    if (!dim) return std::nullopt;
    Sizes out = sizes;
    out.erase(out.begin() + static_cast<std::ptrdiff_t>(*dim));
    return out;
}

std::optional<Sizes> narrowed(const TensorCall& call, const Sizes& sizes) {
    const auto dim = call.dimension(1, "dim", sizes.size());
    const auto length = call.integer(3, "length");
    if (!dim || !length) return std::nullopt;
    Sizes out = sizes;
    out[*dim] = *length;
    return out;
}

/// The sizes that follow the tensor; nullopt if they are given by name.
std::optional<Sizes> sizesOf(const TensorCall& call) {
    return call.args.size() > 1 && call.kwargs.empty() ? sizesFrom(call.args, 1) : std::nullopt;
}

using Rule = std::optional<Sizes> (*)(const TensorCall& call, const Sizes& sizes);

const std::map<std::string_view, Rule>& rules() {
    constexpr Rule kReshaped = [](const TensorCall& call, const Sizes& sizes) {
        return reshaped(sizes, sizesOf(call));
    };
    static const std::map<std::string_view, Rule> kRules = {
        {"view", kReshaped},
        {"reshape", kReshaped},
        {"view_as",
         [](const TensorCall& call, const Sizes& sizes) {
             const Sizes* other = call.sizes(1);
             return other ? reshaped(sizes, *other) : std::nullopt;
         }},
        {"expand", [](const TensorCall& call, const Sizes& sizes) { return expanded(sizes, sizesOf(call)); }},
        {"permute", [](const TensorCall& call, const Sizes& sizes) { return permuted(sizes, sizesOf(call)); }},
        {"repeat", [](const TensorCall& call, const Sizes& sizes) { return repeated(sizes, sizesOf(call)); }},
        {"t", [](const TensorCall&, const Sizes& sizes) { return std::optional(Sizes(sizes.rbegin(), sizes.rend())); }},
        {"flatten",
         [](const TensorCall& call, const Sizes& sizes) {
             return call.args.size() == 1 && call.kwargs.empty() ? reshaped(sizes, Sizes{-1}) : std::nullopt;
         }},
        {"squeeze", squeezed},
        {"unsqueeze", unsqueezed},
        {"transpose", transposed},
        {"swapaxes", transposed},
        {"swapdims", transposed},
        {"select", selected},
        {"narrow", narrowed},
        {"atleast_1d", atLeast<1>},
        {"atleast_2d", atLeast<2>},
        {"atleast_3d", atLeast<3>}};
    return kRules;
}

} // namespace

std::optional<Sizes> movedSizes(std::string_view name, const TensorCall& call, const Sizes& sizes) {
    const auto rule = rules().find(name);
    return rule == rules().end() ? std::nullopt : rule->second(call, sizes);
}

} // namespace fx::trace
