// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/deciding_floats.h"

#include "core/base/one_of.h"
#include "core/engine/verify/compare.h"
#include "core/module/call_semantics.h"

#include <algorithm>
#include <cmath>

namespace fx::engine {
namespace {

constexpr std::int64_t kLookedAt = 1 << 15;            ///< of a value that decides, that are looked at
constexpr double kOwnRoundings = 8, kFewRoundings = 2; ///< of a fine and of a coarse type: noise of an element
constexpr double kDiffers = 10, kCoarseDiffers = 3;    ///< times the relative tolerance: values that are not the same

bool isLess(const std::string& name) { return isOneOf(name, {"lt", "le", "less", "less_equal"}); }

/// An argument by place or name; null when it is not given.
const Argument* argumentOf(const Node& node, std::size_t place, std::initializer_list<const char*> names) {
    if (place < node.args().size()) return &node.args()[place];
    for (const auto& [name, value] : node.kwargs())
        for (const char* each : names)
            if (name == each) return &value;
    return nullptr;
}

/// The tensor that an argument is; nothing for others.
std::optional<at::Tensor> tensorAt(const Argument* argument, const ValuesByNode& values) {
    if (!argument || !argument->isNode()) return std::nullopt;
    const auto found = values.find(argument->node());
    if (found == values.end() || !found->second.isTensor() || found->second.tensor().is_complex()) return std::nullopt;
    return found->second.tensor();
}

std::optional<double> numberGiven(const Argument* argument, const ValuesByNode& values) {
    if (!argument) return 0; // `x.sign()` is a comparison with 0
    if (const auto* real = argument->as<double>()) return *real;
    if (const auto* integer = argument->as<std::int64_t>()) return static_cast<double>(*integer);
    if (!argument->isNode()) return std::nullopt;
    const auto found = values.find(argument->node());
    return found == values.end() ? std::nullopt : found->second.real();
}

double roundingOf(const at::Tensor& tensor) {
    return tensor.is_floating_point() ? engine::roundingOf(tensor.scalar_type()) : 0;
}

std::vector<double> firstElements(const at::Tensor& tensor) {
    const at::Tensor flat = tensor.contiguous().flatten();
    const at::Tensor some = flat.narrow(0, 0, std::min(kLookedAt, flat.numel()));
    const auto* data = static_cast<const double*>(some.const_data_ptr());
    return {data, data + some.numel()};
}

Quantity quantity(const at::Tensor& values, const at::Tensor& size, double rounding) {
    const double noise = (rounding > kCoarseRounding ? kFewRoundings : kOwnRoundings) * rounding;
    return {firstElements(values), firstElements(size.abs().mul(noise))};
}

/// Rows along the dimension that a call names, all in one where it names none.
std::optional<Quantity> rowsOf(const Decision& decision, const Node& node, const at::Tensor& tensor) {
    const bool hasCount = isOneOf(decision.name, {"topk", "kthvalue"}), isWhole = decision.name.starts_with("arg");
    const Argument* dim = argumentOf(node, hasCount ? 2 : 1, {"dim", "axis"});
    const auto* given = dim ? dim->as<std::int64_t>() : nullptr;
    if (!given && !hasCount && decision.name != "sort" && !isWhole) return std::nullopt; // the largest value of all
    at::Tensor rows = plain(tensor).to(at::kDouble);
    const bool along = given || (decision.name != "argmax" && decision.name != "argmin");
    const std::int64_t axis = given ? *given : -1;
    if (rows.dim() > 0 && along && (axis >= rows.dim() || axis < -rows.dim())) return std::nullopt;
    if (rows.dim() > 0 && along) rows = rows.transpose(axis, -1);
    Quantity out = quantity(rows, rows, roundingOf(tensor));
    out.width = rows.dim() > 0 && along ? rows.size(-1) : rows.numel();
    return out;
}

/// Of a call with this first operand.
std::optional<Quantity> floatsOf(const Decision& decision, const Node& node, const at::Tensor& first,
                                 const Argument* other, const ValuesByNode& values) {
    if (decision.rule == Rule::Order) return rowsOf(decision, node, first);
    const auto second = tensorAt(other, values);
    const at::Tensor left = plain(first).to(at::kDouble);
    if (decision.name == "floor_divide" && second)
        return quantity(left.div(plain(*second).to(at::kDouble)), left, roundingOf(first));
    if (decision.rule == Rule::Value) return quantity(left, left, roundingOf(first));
    const double sign = isLess(canonicalName(node)) ? -1 : 1;
    if (second) {
        const at::Tensor right = plain(*second).to(at::kDouble);
        const double rounding = std::max(roundingOf(first), roundingOf(*second));
        return quantity(left.sub(right).mul(sign), left.abs().add(right.abs()), rounding);
    }
    const std::optional<double> number = numberGiven(other, values);
    if (!number) return std::nullopt;
    return quantity(left.sub(*number).mul(sign), left.abs().add(std::abs(*number)), roundingOf(first));
}

} // namespace

bool rounds(const std::string& name) { return isOneOf(name, {"round", "floor", "ceil", "trunc", "fix"}); }
bool givesValues(const std::string& name) {
    return isOneOf(name, {"sort", "topk", "max", "min", "median", "nanmedian", "kthvalue", "mode", "cummax", "cummin"});
}

std::optional<Rule> ruleOf(const std::string& name) {
    if (givesValues(name) || isOneOf(name, {"argmax", "argmin", "argsort"})) return Rule::Order;
    if (isLess(name) || isOneOf(name, {"gt", "ge", "greater", "greater_equal", "sign", "sgn"})) return Rule::Sign;
    if (isOneOf(name, {"eq", "ne", "not_equal", "bool", "logical_not", "nonzero", "count_nonzero"})) return Rule::Zero;
    if (rounds(name) || isOneOf(name, {"floor_divide", "bucketize", "searchsorted", "int", "long", "short", "char",
                                       "byte", "to", "type", "_to_copy", "type_as"}))
        return Rule::Value;
    return std::nullopt;
}

bool usesPlaces(const Node& node, const Graph& graph) {
    const auto takesValues = [&](NodeId id) {
        const Node& user = graph.node(id);
        if (user.args().size() != 2) return false;
        if (user.target() == "_operator.getitem") return user.args()[1] == Argument(0);
        const auto* attribute = user.args()[1].as<std::string>();
        return user.target() == "builtins.getattr" && attribute && *attribute == "values";
    };
    return !std::all_of(node.users().begin(), node.users().end(), takesValues);
}

double leastDifference(const Tolerance& tolerance) {
    return (tolerance.rtol > kCoarseRounding ? kCoarseDiffers : kDiffers) * tolerance.rtol;
}

std::optional<Quantity> quantityOf(const Decision& decision, const Node& node, const ValuesByNode& values) {
    const std::size_t place = decision.name == "searchsorted" ? 1 : 0;
    const auto first = tensorAt(argumentOf(node, place, {"input", "self"}), values);
    const Argument* other = decision.name == "count_nonzero" ? nullptr : argumentOf(node, 1, {"other"});
    const auto second = tensorAt(other, values);
    const bool isFloat = first && (first->is_floating_point() || (second && second->is_floating_point()));
    if (!isFloat || first->numel() == 0) return std::nullopt;
    std::optional<Quantity> out = floatsOf(decision, node, *first, other, values);
    if (out) out->least = leastDifference(toleranceFor(first->scalar_type(), {}));
    return out;
}

} // namespace fx::engine
