// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/tensor/promotion.h"
#include "core/trace/constants/call_errors.h"
#include "core/trace/constants/dtype_texts.h"
#include "core/trace/constants/size_errors.h"

#include <algorithm>
#include <numeric>

namespace fx::trace {
namespace {

[[noreturn]] void raiseRuntime(const std::string& text) { raiseAs("RuntimeError", text); }

std::string countText(std::int64_t number) { return std::to_string(number); }
std::string rankText(const Sizes& sizes) { return std::to_string(sizes.size()) + "D"; }

bool isReal(const CheckedCall& checked) { return dtypeKind(checked.call.dtype()) >= DTypeKind::Float; }

void requireMean(const CheckedCall& checked) {
    if (isReal(checked) || checked.call.args.size() > 3 || keywordOf(checked.call.kwargs, "dtype")) return;
    for (const Value& each : checked.call.args) // a dtype may stand there, too
        if (each.as<Argument>() && each.as<Argument>()->as<TorchConstant>()) return;
    if (const std::string_view got = scalarText(checked.call.dtype()); !got.empty())
        raiseRuntime("mean(): could not infer output dtype. Input dtype must be either a floating point or complex "
                     "dtype. Got: " +
                     std::string(got));
}

void requireDeviation(const CheckedCall& checked) {
    if (!isReal(checked)) raiseRuntime("std and var only support floating point and complex dtypes");
}

/// max, min, amax, amin, argmax and argmin of nothing.
void requireElements(const CheckedCall& checked) {
    const std::string name(checked.name);
    if (product(checked.sizes) != std::optional<std::int64_t>(0)) return;
    if (checked.call.args.size() == 1 && checked.call.kwargs.empty())
        raiseAs(name.starts_with("arg") ? "IndexError" : "RuntimeError",
                name + "(): Expected reduction dim to be specified for input.numel() == 0." +
                    (name.starts_with("arg") ? "" : " Specify the reduction dim with the 'dim' argument."));
    const Value* given = checked.call.at(1, "dim");
    const auto* argument = given ? given->as<Argument>() : nullptr;
    const auto* number = argument ? argument->as<std::int64_t>() : nullptr;
    if (!number) return;
    const std::size_t dim = requireDimension(*number, checked.sizes.size());
    if (checked.sizes[dim] == 0)
        raiseAs("IndexError", name + "(): Expected reduction dim " +
                                  countText(name.starts_with("am") ? *number : static_cast<std::int64_t>(dim)) +
                                  " to have non-zero size.");
}

void requireMatrix(const CheckedCall& checked) {
    if (checked.sizes.size() < 2)
        raiseRuntime(std::string(checked.name) + ": input tensor must have at least 2 dimensions");
}

void requireTransposable(const CheckedCall& checked) {
    if (checked.sizes.size() > 2)
        raiseRuntime(std::string(checked.writes ? "t_" : "t") +
                     "() expects a tensor with <= 2 dimensions, but self is " + rankText(checked.sizes));
}

void requireBound(const CheckedCall& checked) {
    const auto isNone = [](const Value& value) { return value.isNone(); };
    if (std::all_of(checked.call.args.begin() + 1, checked.call.args.end(), isNone) &&
        std::all_of(checked.call.kwargs.begin(), checked.call.kwargs.end(),
                    [](const auto& word) { return word.second.isNone(); }))
        raiseRuntime("torch.clamp: At least one of 'min' or 'max' must not be None");
}

void requireMask(const CheckedCall& checked) {
    const std::string_view got = checked.call.sizes(1) ? storedText(checked.call.dtype(1)) : "";
    if (!got.empty() && checked.call.dtype(1) != DType::Bool)
        raiseRuntime("masked_fill_ only supports boolean masks, but got mask with dtype " + std::string(got));
    const Sizes* value = checked.call.sizes(2);
    if (value && !value->empty())
        raiseRuntime("masked_fill_ only supports a 0-dimensional value tensor, but got tensor with " +
                     std::to_string(value->size()) + " dimension(s).");
}

void requireScalar(const CheckedCall& checked) {
    const Sizes* value = checked.call.sizes(1);
    if (value && !value->empty())
        raiseRuntime("fill_ only supports 0-dimension value tensor but got tensor with " +
                     std::to_string(value->size()) + " dimensions.");
}

void requireItem(const CheckedCall& checked) {
    const auto count = product(checked.sizes);
    if (count && *count != 1)
        raiseRuntime("a Tensor with " + countText(*count) + " elements cannot be converted to Scalar");
}

void requireSizeOf(const CheckedCall& checked) {
    const auto dim = checked.call.integer(1, "dim");
    if (checked.sizes.empty() && dim)
        raiseAs("IndexError", "Dimension specified as " + countText(*dim) + " but tensor has no dimensions");
}

void requireChunks(const CheckedCall& checked) {
    if (checked.sizes.empty()) raiseRuntime("chunk expects at least a 1-dimensional tensor");
    const auto chunks = checked.call.integer(1, "chunks");
    if (chunks && *chunks <= 0) raiseRuntime("chunk expects `chunks` to be greater than 0, got: " + countText(*chunks));
}

/// The size along the dimension that is given, or along the first.
std::pair<std::size_t, std::int64_t> sizeAlong(const CheckedCall& checked, std::size_t place) {
    const std::size_t dim = requireDimension(checked.call.integer(place, "dim").value_or(0), checked.sizes.size());
    return {dim, checked.sizes.at(dim)};
}

void requireParts(const CheckedCall& checked) {
    if (checked.sizes.empty() && checked.name == "split") raiseRuntime("split expects at least a 1-dimensional tensor");
    const Value* given = checked.call.at(1, checked.name == "split" && checked.isMethod ? "split_size"
                                            : checked.name == "split"                   ? "split_size_or_sections"
                                                                                        : "split_sizes");
    if (!given || checked.sizes.empty()) return;
    if (const auto size = integerOf(*given)) {
        if (*size < 0) raiseRuntime("split expects split_size be non-negative, but got split_size=" + countText(*size));
        const std::int64_t total = sizeAlong(checked, 2).second;
        if (*size == 0 && total != 0)
            raiseRuntime("split_size can only be 0 if dimension size is 0, but got dimension size of " +
                         countText(total));
        return;
    }
    const auto parts = given->as<ValueSequence>() ? sizesFrom({*given}) : std::nullopt;
    if (!parts) return;
    const std::int64_t dim = checked.call.integer(2, "dim").value_or(0), total = sizeAlong(checked, 2).second;
    if (std::any_of(parts->begin(), parts->end(), [](std::int64_t part) { return part < 0; }))
        raiseRuntime("split_with_sizes expects split_sizes have only non-negative entries, but got split_sizes=" +
                     sizesText(*parts));
    if (std::accumulate(parts->begin(), parts->end(), std::int64_t{0}) != total)
        raiseRuntime("split_with_sizes expects split_sizes to sum exactly to " + countText(total) +
                     " (input tensor's size at dimension " + countText(dim) +
                     "), but got split_sizes=" + sizesText(*parts));
}

void requireRange(const CheckedCall& checked) {
    if (checked.sizes.empty()) raiseRuntime("narrow() cannot be applied to a 0-dim tensor.");
    const auto start = checked.call.integer(2, "start"), length = checked.call.integer(3, "length");
    if (!start || !length || !checked.call.integer(1, "dim") || checked.call.tensor(2)) return;
    if (*length < 0) raiseRuntime("narrow(): length must be non-negative.");
    const std::int64_t size = sizeAlong(checked, 1).second;
    if (*start < -size || *start > size)
        raiseAs("IndexError", "start out of range (expected to be in range of [" + countText(-size) + ", " +
                                  countText(size) + "], but got " + countText(*start) + ")");
    const std::int64_t from = *start < 0 ? *start + size : *start;
    if (*length > size - from)
        raiseRuntime("start (" + countText(from) + ") + length (" + countText(*length) + ") exceeds dimension size (" +
                     countText(size) + ").");
}

void requireSelected(const CheckedCall& checked) {
    if (checked.sizes.empty()) raiseAs("IndexError", "select() cannot be applied to a 0-dim tensor.");
    const auto place = checked.call.integer(2, "index");
    if (!place || !checked.call.integer(1, "dim")) return;
    const auto [dim, size] = sizeAlong(checked, 1);
    if (*place < -size || *place >= size)
        raiseAs("IndexError", "select(): index " + countText(*place) + " out of range for tensor of size " +
                                  sizesText(checked.sizes) + " at dimension " + std::to_string(dim));
}

void requireUnbound(const CheckedCall& checked) {
    if (checked.sizes.empty())
        raiseAs("IndexError", "Dimension specified as " + countText(checked.call.integer(1, "dim").value_or(0)) +
                                  " but tensor has no dimensions");
}

void requireExpanded(const CheckedCall& checked) {
    const auto wanted =
        checked.call.kwargs.empty() && checked.call.args.size() > 1 ? sizesFrom(checked.call.args, 1) : std::nullopt;
    if (!wanted) return;
    const auto has = [&](const auto& test) { return std::any_of(wanted->begin(), wanted->end(), test); };
    if (wanted->size() < checked.sizes.size())
        raiseRuntime("expand(" + typeText(checked.call.dtype()) + "{" + sizesText(checked.sizes) + "}, size=" +
                     sizesText(*wanted) + "): the number of sizes provided (" + std::to_string(wanted->size()) +
                     ") must be greater or equal to the number of dimensions in the tensor (" +
                     std::to_string(checked.sizes.size()) + ")");
    if (checked.sizes.empty() && has([](std::int64_t size) { return size < 0; }) &&
        !has([](std::int64_t size) { return size == 0; }))
        raiseRuntime("numel: integer multiplication overflow");
}

void requireRepeated(const CheckedCall& checked) {
    const auto times =
        checked.call.kwargs.empty() && checked.call.args.size() > 1 ? sizesFrom(checked.call.args, 1) : std::nullopt;
    if (!times) return;
    if (times->size() < checked.sizes.size())
        raiseRuntime("Number of dimensions of repeat dims can not be smaller than number of dimensions of tensor");
    Sizes wanted = *times;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const std::size_t fromEnd = wanted.size() - i;
        const auto size =
            product(wanted[i], fromEnd > checked.sizes.size() ? 1 : checked.sizes[checked.sizes.size() - fromEnd]);
        if (!size) return;
        wanted[i] = *size;
    }
    const auto negative = std::find_if(wanted.begin(), wanted.end(), [](std::int64_t size) { return size < 0; });
    if (negative != wanted.end())
        raiseRuntime("Trying to create tensor with negative dimension " + countText(*negative) + ": " +
                     sizesText(wanted));
}

void requireRolled(const CheckedCall& checked) {
    const Value *shifts = checked.call.at(1, "shifts"), *dims = checked.call.at(2, "dims");
    const auto countOf = [](const Value* value) -> std::optional<std::size_t> {
        if (!value) return 0;
        const auto* several = value->as<ValueSequence>();
        if (!several && !integerOf(*value)) return std::nullopt;
        return several ? several->items.size() : 1;
    };
    const auto moved = countOf(shifts), along = countOf(dims);
    if (!moved || !along || *moved == 0) return;
    if (*moved != *along && (*moved != 1 || *along != 0))
        raiseRuntime("shifts and dimensions must align. shifts: " + std::to_string(*moved) +
                     ", dims:" + std::to_string(*along));
    const auto all = *along > 0 ? sizesFrom({*dims}) : std::nullopt;
    const std::int64_t rank = static_cast<std::int64_t>(checked.sizes.size());
    if (!all || rank == 0 || product(checked.sizes) == std::optional<std::int64_t>(0)) return;
    for (const std::int64_t dim : *all) (void)requireDimension(dim, checked.sizes.size());
}

void requireFlattened(const CheckedCall& checked) {
    const auto start = checked.call.integer(1, "start_dim"), end = checked.call.integer(2, "end_dim");
    if (!start && !end) return;
    const std::size_t first = requireDimension(start.value_or(0), checked.sizes.size());
    if (first > requireDimension(end.value_or(-1), checked.sizes.size()))
        raiseRuntime("flatten() has invalid args: start_dim cannot come after end_dim");
}

struct OperandRule {
    std::string_view name;
    void (*require)(const CheckedCall& checked);
};
constexpr OperandRule kOperandRules[] = {{"amax", requireElements},     {"amin", requireElements},
                                         {"argmax", requireElements},   {"argmin", requireElements},
                                         {"bmm", requireFactors},       {"chunk", requireChunks},
                                         {"clamp", requireBound},       {"dot", requireFactors},
                                         {"expand", requireExpanded},   {"fill", requireScalar},
                                         {"flatten", requireFlattened}, {"item", requireItem},
                                         {"masked_fill", requireMask},  {"matmul", requireFactors},
                                         {"max", requireElements},      {"mean", requireMean},
                                         {"min", requireElements},      {"mm", requireFactors},
                                         {"mv", requireFactors},        {"narrow", requireRange},
                                         {"repeat", requireRepeated},   {"roll", requireRolled},
                                         {"select", requireSelected},   {"size", requireSizeOf},
                                         {"split", requireParts},       {"split_with_sizes", requireParts},
                                         {"std", requireDeviation},     {"t", requireTransposable},
                                         {"tril", requireMatrix},       {"triu", requireMatrix},
                                         {"unbind", requireUnbound},    {"var", requireDeviation}};

} // namespace

void requireOperands(const CheckedCall& checked) {
    const auto* rule = std::find_if(std::begin(kOperandRules), std::end(kOperandRules),
                                    [&](const OperandRule& each) { return each.name == checked.name; });
    if (rule != std::end(kOperandRules)) rule->require(checked);
}

} // namespace fx::trace
