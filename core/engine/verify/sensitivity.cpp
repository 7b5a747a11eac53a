// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/sensitivity.h"

#include "core/base/one_of.h"
#include "core/engine/verify/compare.h"
#include "core/module/call_semantics.h"

#include <algorithm>
#include <cmath>

namespace fx::engine {
namespace {

constexpr double kFineNudges = 16, kCoarseNudges = 1; ///< roundings of values of a fine and of a coarse type
constexpr double kOverNoise = 2;                      ///< times what these move a row at most: an order that is steady
constexpr double kDiffers = 10, kCoarseDiffers = 3;   ///< times the relative tolerance: floats that are not the same
constexpr std::int64_t kOrderedRows = 1 << 15;        ///< elements that are looked at
constexpr std::int64_t kCostOfOrders = 1 << 21;       ///< elements of all runs together, of
constexpr std::int64_t kFewestOrders = 4, kMostOrders = 96; ///< so many runs
constexpr std::int64_t kInputsForOrders = 3;                ///< of these, those of inputs of the models

/// Calls that give places along with values, and those that give places alone.
bool givesPlaces(const std::string& name) {
    return isOneOf(name, {"sort", "topk", "max", "min", "median", "nanmedian", "kthvalue", "mode", "cummax", "cummin"});
}
bool ordersFloats(const std::string& name) {
    return givesPlaces(name) || isOneOf(name, {"argmax", "argmin", "argsort"});
}

/// Whether more than the values is used of what a call gives: `x.max(-1)[0]` chooses nothing.
bool usesPlaces(const Node& node, const Graph& graph) {
    const auto takesValues = [&](NodeId id) {
        const Node& user = graph.node(id);
        if (user.args().size() != 2) return false;
        if (user.target() == "_operator.getitem") return user.args()[1] == Argument(0);
        const auto* attribute = user.args()[1].as<std::string>();
        return user.target() == "builtins.getattr" && attribute && *attribute == "values";
    };
    return !givesPlaces(canonicalName(node)) || !std::all_of(node.users().begin(), node.users().end(), takesValues);
}

/// The floats that a call orders, in rows.
struct Rows {
    std::vector<double> values;
    std::size_t width = 0; ///< of a row
};

/// The dimension that a call names; nothing where it names none.
std::optional<std::int64_t> dimensionOf(const Node& node) {
    const std::size_t place = isOneOf(canonicalName(node), {"topk", "kthvalue"}) ? 2 : 1;
    const Argument* dim = node.argument(place, "dim");
    if (!dim) dim = node.kwarg("axis");
    const auto* given = dim ? dim->as<std::int64_t>() : nullptr;
    return given ? std::optional(*given) : std::nullopt;
}

/// Nothing where they are no floats, and for the largest value of all, which is no choice.
std::optional<Rows> rowsOf(const Node& node, const Value& value) {
    const std::string name = canonicalName(node);
    const bool isWhole = name == "argmax" || name == "argmin"; // unless a dimension is given
    const std::optional<std::int64_t> given = dimensionOf(node);
    if (!given && !isWhole && !isOneOf(name, {"topk", "kthvalue", "sort", "argsort"})) return std::nullopt;
    if (!value.isTensor() || !isFloatTensor(value.tensor()) || value.tensor().is_complex()) return std::nullopt;
    at::Tensor rows = plain(value.tensor()).to(at::kDouble);
    const std::int64_t dim = given.value_or(-1);
    const bool along = rows.dim() > 0 && (given || !isWhole);
    if (along && (dim >= rows.dim() || dim < -rows.dim())) return std::nullopt;
    if (along) rows = rows.transpose(dim, -1);
    const auto width = static_cast<std::size_t>(along ? rows.size(-1) : rows.numel());
    const at::Tensor flat = rows.contiguous().flatten();
    const auto* data = static_cast<const double*>(flat.const_data_ptr());
    return Rows{{data, data + std::min(kOrderedRows, flat.numel())}, width};
}

/// How far some rounding of what leads there moves an element of a row at most.
double noiseIn(const Rows& own, const Rows& moved, std::size_t start, std::size_t end) {
    double most = 0;
    for (std::size_t i = start; i < std::min(end, moved.values.size()); ++i)
        if (const double by = std::abs(own.values[i] - moved.values[i]); std::isfinite(by)) most = std::max(most, by);
    return kOverNoise * most;
}

/// Whether two elements have one order in A and the other one in B.
bool orderDiffers(const Rows& a, const Rows& movedA, const Rows& b, const Rows& movedB) {
    if (a.width != b.width) return true; // one of them chooses among more
    for (std::size_t start = 0; start < std::min(a.values.size(), b.values.size()); start += a.width) {
        const std::size_t end = std::min({start + a.width, a.values.size(), b.values.size()});
        std::vector<std::size_t> order;
        for (std::size_t i = start; i < end; ++i)
            if (std::isfinite(a.values[i]) && std::isfinite(b.values[i])) order.push_back(i);
        std::sort(order.begin(), order.end(), [&](auto x, auto y) { return a.values[x] < a.values[y]; });
        const double noiseA = noiseIn(a, movedA, start, end), noiseB = noiseIn(b, movedB, start, end);
        for (std::size_t i = 1; i < order.size(); ++i)
            if (a.values[order[i]] - a.values[order[i - 1]] > noiseA &&
                b.values[order[i - 1]] - b.values[order[i]] > noiseB)
                return true;
    }
    return false;
}

/// The calls of a region that order floats, and of which both models have one.
Exits orderingCalls(const CheckContext& context, const ChangedPart::Region& region) {
    const Graph &a = context.a.model->graph, &b = context.b.model->graph;
    Exits out;
    for (const NodeId id : region.a) {
        const Node& node = a.node(id);
        const NodeId other = context.part.counterpart(id);
        if (!node.isCall() || node.op() == Op::CallModule || !ordersFloats(canonicalName(node))) continue;
        if (other == kNoNode || std::find(region.b.begin(), region.b.end(), other) == region.b.end()) continue;
        if (canonicalName(node) != canonicalName(b.node(other)) || node.inputs().empty()) continue;
        if (usesPlaces(node, a) || usesPlaces(b.node(other), b)) out.emplace_back(id, other);
    }
    return out;
}

/// Whether the models' own data differ in what a node is given, by more than rounding.
bool getsOther(const Node& node, const NodeTable& table) {
    return std::any_of(node.inputs().begin(), node.inputs().end(), [&](NodeId id) {
        const ValueDifference* difference = table.differenceOf(id);
        if (!difference || difference->dtype.find("float") == std::string::npos) return false;
        const double rtol = difference->tolerance.rtol;
        return difference->maxAbs > (rtol > kCoarseRounding ? kCoarseDiffers : kDiffers) * rtol * difference->scale;
    });
}

} // namespace

Exits differInOrder(const CheckContext& context, const BorderValues& border) {
    Exits open = orderingCalls(context, border.region), found;
    const auto floatsOf = [&](bool inB, const Values& values) {
        std::vector<NodeId> nodes;
        for (const auto& [a, b] : open)
            nodes.push_back((inB ? context.b.model->graph.node(b) : context.a.model->graph.node(a)).inputs().front());
        return context.regionRun.valuesAt(inB, border.region, values, nodes);
    };
    const auto tryValues = [&](const Values& values) {
        Values around;
        const std::uint64_t salt = context.random();
        const double nudges = roundingOf(values) > kCoarseRounding ? kCoarseNudges : kFineNudges;
        for (const Value& value : values) around.push_back(nudged(value, salt, nudges));
        ValuesByNode a = floatsOf(false, values), b = floatsOf(true, values), movedA = floatsOf(false, around),
                     movedB = floatsOf(true, around);
        std::erase_if(open, [&](const ChangedPart::Pair& pair) {
            const Node &ofA = context.a.model->graph.node(pair.first), &ofB = context.b.model->graph.node(pair.second);
            const NodeId inA = ofA.inputs().front(), inB = ofB.inputs().front();
            const auto x = rowsOf(ofA, a[inA]), y = rowsOf(ofB, b[inB]), movedX = rowsOf(ofA, movedA[inA]),
                       movedY = rowsOf(ofB, movedB[inB]);
            const bool differs = x && y && movedX && movedY && orderDiffers(*x, *movedX, *y, *movedY);
            if (differs) found.push_back(pair);
            return differs;
        });
    };
    const std::int64_t cost = (elementCount(border.values) + 1) * static_cast<std::int64_t>(border.region.size + 1);
    const std::int64_t runs = std::clamp(kCostOfOrders / cost, kFewestOrders, kMostOrders);
    for (std::int64_t i = 0; i < runs && !open.empty() && border.has(hasFloats); ++i) {
        const bool isGiven = i < kInputsForOrders;
        const RunInputs inputs = i == 0 || !isGiven ? context.inputs : context.moreInputs();
        std::optional<Values> values;
        if (isGiven) values = context.regionRun.tryValuesOfA(border.region.producers(), inputs);
        else {
            values.emplace();
            for (const Value& value : border.values) values->push_back(Pattern(value).draw(context.random));
        }
        if (values) context.regionRun.mayFail([&] { tryValues(*values); });
    }
    return found;
}

BorderValues laterDecisions(const CheckContext& context, const NodeTable& table, const Exits& exits) {
    const Graph& graph = context.a.model->graph;
    std::vector<bool> between(graph.idLimit());
    Exits alike;
    for (const auto& [a, b] : exits) between[index(a)] = true;
    for (const Node& node : graph.nodes()) {
        const auto& inputs = node.inputs();
        if (std::none_of(inputs.begin(), inputs.end(), [&](NodeId id) { return between[index(id)]; })) continue;
        between[index(node.id())] = true;
        const NodeId other = table.counterpart(node.id());
        if (other != kNoNode && table.agrees(node.id()) && !table.differenceOf(node.id()) && getsOther(node, table))
            alike.emplace_back(node.id(), other);
    }
    BorderValues border{context.part.regionOf(alike, between), {}, {}, true};
    const auto own =
        alike.empty() ? std::nullopt : context.regionRun.tryValuesOfA(border.region.producers(), context.inputs);
    if (!own) return {};
    for (const Value& value : *own) border.values.push_back(Pattern(value).draw(context.random));
    bool any = false;
    for (const Outcome& outcome : context.regionRun.run(border.region, *own)) {
        border.discrete.push_back(isDiscrete(outcome));
        any = any || border.discrete.back();
    }
    return any ? border : BorderValues();
}

} // namespace fx::engine
