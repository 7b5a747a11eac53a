// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/trace/constants/call_errors.h"
#include "core/trace/constants/size_errors.h"

#include <algorithm>

namespace fx::trace {
namespace {

/// Where an operation takes dimensions.
struct DimensionRule {
    std::string_view name;
    std::size_t place;
    std::string_view word = "dim";
    std::int64_t added = 0;       ///< dimensions that the result has in addition
    bool needsDimensions = false; ///< says something else of a tensor without dimensions
};

// clang-format off
constexpr DimensionRule kDimensionRules[] = {
    {"all", 1}, {"amax", 1}, {"amin", 1}, {"any", 1}, {"argmax", 1}, {"argmin", 1}, {"argsort", 1},
    {"chunk", 2, "dim", 0, true},
    {"cumprod", 1}, {"cumsum", 1}, {"flatten", 1, "start_dim"}, {"flatten", 2, "end_dim"}, {"flip", 1, "dims"},
    {"gather", 1}, {"index_copy", 1}, {"index_fill", 1}, {"index_select", 1}, {"log_softmax", 1}, {"logcumsumexp", 1},
    {"logsumexp", 1}, {"max", 1}, {"mean", 1}, {"median", 1}, {"min", 1}, {"mode", 1}, {"nansum", 1},
    {"narrow", 1, "dim", 0, true}, {"permute", 1, "dims"}, {"prod", 1}, {"repeat_interleave", 2}, {"scatter", 1},
    {"select", 1, "dim", 0, true}, {"size", 1, "dim", 0, true}, {"softmax", 1}, {"sort", 1},
    {"split", 2, "dim", 0, true},
    {"squeeze", 1}, {"std", 1}, {"sum", 1}, {"swapaxes", 1, "axis0"}, {"swapaxes", 2, "axis1"}, {"swapdims", 1, "dim0"},
    {"swapdims", 2, "dim1"}, {"topk", 2}, {"transpose", 1, "dim0"}, {"transpose", 2, "dim1"},
    {"unbind", 1, "dim", 0, true},
    {"unflatten", 1}, {"unsqueeze", 1, "dim", 1}, {"var", 1}};
// clang-format on

bool isPlainInt(const Value& value) { return value.as<Argument>() && value.as<Argument>()->as<std::int64_t>(); }

/// The dimensions at the place of a rule: a number, several in a sequence, or, for flip and permute, several arguments.
Sizes dimensionsGiven(const CheckedCall& checked, const DimensionRule& rule) {
    const Value* value = checked.call.at(rule.place, rule.word);
    if (!value) return {};
    Values items{*value};
    if (const auto* sequence = value->as<ValueSequence>()) items = sequence->items;
    else if (rule.word == "dims" && checked.call.args.size() > rule.place)
        items.assign(checked.call.args.begin() + static_cast<std::ptrdiff_t>(rule.place), checked.call.args.end());
    if (!std::all_of(items.begin(), items.end(), isPlainInt)) return {};
    Sizes out;
    for (const Value& item : items) out.push_back(*integerOf(item));
    return out;
}

void requireOrder(const CheckedCall& checked, std::size_t count) {
    if (count != checked.sizes.size())
        raiseAs(
            "RuntimeError",
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            "ordering of dimensions i.e. input.dim() = " +
                std::to_string(checked.sizes.size()) + " is not equal to len(dims) = " + std::to_string(count));
}

} // namespace

std::size_t requireDimension(std::int64_t dim, std::size_t rank) {
    const auto count = std::max<std::int64_t>(static_cast<std::int64_t>(rank), 1);
    if (dim < -count || dim >= count)
        raiseAs("IndexError", "Dimension out of range (expected to be in range of [" + std::to_string(-count) + ", " +
                                  std::to_string(count - 1) + "], but got " + std::to_string(dim) + ")");
    return static_cast<std::size_t>(dim < 0 ? dim + count : dim);
}

void requireDimensions(const CheckedCall& checked) {
    for (const DimensionRule& rule : kDimensionRules) {
        if (rule.name != checked.name || (rule.needsDimensions && checked.sizes.empty())) continue;
        const bool isOrder = checked.name == "permute";
        const Sizes dims = dimensionsGiven(checked, rule);
        if (dims.empty()) continue;
        if (isOrder) requireOrder(checked, dims.size());
        std::vector<std::size_t> met;
        for (const std::int64_t dim : dims) {
            const std::size_t at = requireDimension(dim, checked.sizes.size() + static_cast<std::size_t>(rule.added));
            if (std::find(met.begin(), met.end(), at) != met.end())
                raiseAs("RuntimeError",
                        isOrder ? "permute(): duplicate dims are not allowed."
                                : "dim " + std::to_string(at) + " appears multiple times in the list of dims");
            met.push_back(at);
        }
    }
}

} // namespace fx::trace
