// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/further_runs.h"

#include "core/engine/modules/branch_watch.h"
#include "core/engine/verify/border_values.h"
#include "core/engine/verify/boundary_numbers.h"
#include "core/engine/verify/inputs/other_sizes.h"
#include "core/engine/verify/several_calls.h"
#include "core/engine/verify/tried_sizes.h"
#include "core/engine/verify/what_changed.h"
#include "core/trace/constants/constant_types.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <numeric>
#include <set>

namespace fx::engine {
namespace {

constexpr std::int64_t kElementsOfAll = 1 << 22; ///< of the values of all runs together
constexpr std::int64_t kElementsOfNode = 256;    ///< elements that the call of a node costs as much as
constexpr double kMillisForFurther = 500, kShareForFurther = 0.08;  ///< in any case, or a share of the time until here
constexpr std::size_t kBeforeSizes = 12;                            ///< inputs of the same sizes, which come first
constexpr std::int64_t kLongestInput = 4096;                        ///< of integers that are taken for lengths
constexpr std::int64_t kMostRows = 1 << 14, kRowsAtATime = 1 << 12; ///< of tables that inputs are looked up in
constexpr std::array<std::int64_t, 3> kTimesLimits = {1, 2, 4};     ///< the integers that a type holds, as lengths

/// Draws inputs for A, those that it is not given included.
InputSource sourceFor(const VerifySide& a, const VerifySide& b, std::int64_t round = 0) {
    return InputSource(a.inputs, defaultsOf(*a.model, *b.model, a.inputs), 5 + static_cast<std::uint64_t>(round));
}

/// The time until now: of the clock, or of this process alone, so that the verdict does not depend on others.
double millisOf(const FurtherRuns& runs) {
    if (!runs.isWall) return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The changed calls of a model.
std::vector<NodeId> changedCalls(const GraphModule& model, const ChangedPart* part, bool inB) {
    std::vector<NodeId> nodes;
    for (const Node& node : model.graph.nodes())
        if (part && node.isCall() && part->isChanged(inB, node.id())) nodes.push_back(node.id());
    return nodes;
}

/// The finite numbers among the arguments and settings of the changed calls of both models; sorted and unique.
std::vector<double> constantsIn(const VerifySide& a, const VerifySide& b, const ChangedPart* part) {
    std::set<double> out;
    for (const VerifySide* side : {&a, &b})
        for (const double number : argumentsOf(*side->model, changedCalls(*side->model, part, side == &b)))
            if (std::isfinite(number)) out.insert(number);
    return {out.begin(), out.end()};
}

/// The type that an argument names, as in `x.to(torch.bfloat16)`.
std::optional<at::ScalarType> typeNamedBy(const Argument& argument) {
    const auto* constant = argument.as<TorchConstant>();
    return constant ? scalarType(constant->name) : std::nullopt;
}

/// Multiples of the integers up to which the types are exact that a call names. Counts and indices are seldom as large
/// as the input is long.
void addExactLimits(const Node& node, std::set<std::int64_t>& lengths) {
    const auto add = [&](std::optional<at::ScalarType> type) {
        for (const std::int64_t times : kTimesLimits)
            if (type && *type != at::kBool && exactUpTo(*type) <= kLongestInput / times)
                lengths.insert(times * exactUpTo(*type));
    };
    if (node.op() == Op::CallMethod)
        if (const auto type = trace::conversionMethod(node.target())) add(scalarType(dtypeName(*type)));
    for (const Argument& argument : node.args()) add(typeNamedBy(argument));
    for (const auto& [name, argument] : node.kwargs()) add(typeNamedBy(argument));
}

/// Lengths at which the changed region may behave differently: its integers, such as 512 of a sliding window, and those
/// beyond which the types that it names are not exact.
std::vector<std::int64_t> lengthsFor(const VerifySide& a, const VerifySide& b, const ChangedPart* part,
                                     const std::vector<double>& constants) {
    std::set<std::int64_t> out;
    for (const double number : constants)
        if (number == std::floor(number) && std::abs(number) > 1 && std::abs(number) <= kLongestInput)
            out.insert(static_cast<std::int64_t>(std::abs(number)));
    for (const VerifySide* side : {&a, &b})
        for (const NodeId id : changedCalls(*side->model, part, side == &b))
            addExactLimits(side->model->graph.node(id), out);
    return {out.begin(), out.end()};
}

} // namespace

FurtherRuns furtherRunsFor(std::int64_t nodes, std::int64_t elements, double millisOfRun, double millisSofar) {
    const std::int64_t cost = std::max<std::int64_t>(elements + kElementsOfNode * nodes, 1);
    const double millis = std::max(kMillisForFurther, kShareForFurther * millisSofar);
    const auto affordable = static_cast<std::size_t>(kElementsOfAll / cost);
    const std::size_t least = millisOfRun < millis / 4 ? 2 : 0;
    return {std::clamp(affordable, least, kMostInputs), millis};
}

FurtherFinding differOnFurtherInputs(const VerifySide& a, const VerifySide& b, const VerifyOptions& options,
                                     const FurtherSearch& search) {
    const FurtherRuns& runs = search.runs;
    const auto isOver = [&, start = millisOf(runs)] {
        options.progress.check();
        const double millis = millisOf(runs) - start;
        if (runs.isWall) options.progress.report("further inputs", millis / runs.millis);
        return millis > runs.millis;
    };
    if (runs.values == 0) return {};
    BranchWatch watch; // unless there is one
    BranchWatch::current()->limitRounds();
    Comparison comparison(a, b, options, search.reads);
    if (!comparison.takesInputsOfA()) return {};
    InputSource source = sourceFor(a, b, search.round);
    const auto tried = [&](const FurtherInputs& further) -> std::optional<Counterexample> {
        if (isOver()) return std::nullopt;
        bool ran = false;
        const Message difference = comparison.difference(further, ran);
        if (!ran) source.refused(further);
        else if (search.tried) ++*search.tried;
        if (comparison.refused && !further.mayRefuse) return counterexampleFrom(further, *comparison.refused);
        return difference.text().empty() ? std::nullopt : std::optional(counterexampleFrom(further, difference));
    };
    const auto anyOf = [&](const std::vector<FurtherInputs>& all) -> std::optional<Counterexample> {
        for (const FurtherInputs& each : all)
            if (auto found = tried(each)) return found;
        return std::nullopt;
    };
    const FixedSizes fixed = fixedSizesOf(a, b);
    const std::vector<double> constants = constantsIn(a, b, search.part);
    const std::vector<std::int64_t> lengths = lengthsFor(a, b, search.part, constants);
    TriedSizes sizes({a, b, comparison, source, fixed, search, isOver});
    for (std::size_t i = 0; i < runs.values && !isOver(); ++i) {
        if (auto found = tried(source.values(i))) return {found, {}};
        if ((i + 1) % kBeforeSizes != 0 && i + 1 != runs.values) continue;
        if (i >= kBeforeSizes && !runs.isWall) continue; // once, unless the user asked for more
        for (int draw = 0; draw < kSizeDraws; ++draw)
            if (auto found = anyOf(source.sizes(fixed))) return {found, {}};
        if (auto found = sizes.vary()) return {found, {}};
        if (auto found = anyOf(source.lengths(sizes.groups(), lengths))) return {found, {}};
        if (auto found = anyOf(source.directed())) return {found, {}};
    }
    for (const std::int64_t number : search.part ? integersOfA(a, b, *search.part) : std::vector<std::int64_t>())
        if (auto found = anyOf(source.withInteger(number))) return {found, {}};
    const std::int64_t allRows = rowsOfTables(*a.model);
    for (std::int64_t row = 0; row < std::min(kMostRows, allRows); row += kRowsAtATime) {
        std::vector<std::int64_t> rows(static_cast<std::size_t>(std::min(kRowsAtATime, allRows - row)));
        std::iota(rows.begin(), rows.end(), row);
        if (auto found = anyOf(source.integersFrom(rows, sizes.groups()))) return {found, {}};
    }
    if (search.reads) {
        const auto isRead = [&] { return search.reads->unread().empty() || isOver(); };
        for (const auto by : {ReadElements::By::Rows, ReadElements::By::Places})
            for (std::int64_t before = 0; !isRead() && before != search.reads->unreadCount();) { // as many as fit
                before = search.reads->unreadCount();
                if (auto found = anyOf(source.integersFrom(search.reads->indices(by), sizes.groups())))
                    return {found, {}};
            }
        for (const FurtherInputs& longer :
             isRead() ? std::vector<FurtherInputs>() : source.lengths(sizes.groups(), search.reads->lengths()))
            if (!isRead())
                if (auto found = tried(longer)) return {found, {}};
    }
    const bool tellsNan = search.part && tellsNonFinite(a, b, search.part->regionOf(search.part->exits()));
    if (auto found = differInLaterCalls({a, b, comparison, isOver, tellsNan}, runs.values, constants))
        return {found, {}};
    for (const SizeGroup& group : sizes.groups())
        if (auto found = anyOf(source.lengths({group}, sizes.turns(group)))) return {found, {}};
    return {{}, sizes.refused()};
}

} // namespace fx::engine
