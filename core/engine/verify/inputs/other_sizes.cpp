// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/inputs/other_sizes.h"

#include "core/engine/verify/boundary_numbers.h"
#include "core/module/exported_signature.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>

namespace fx::engine {
namespace {

constexpr std::int64_t kBeyond = 3;            ///< how far beyond an integer of what changed
constexpr std::int64_t kLargestLiteral = 4096; ///< integers above that are no sizes to go beyond
constexpr std::int64_t kElements = 1 << 20;    ///< that values of other sizes may have, or
constexpr std::int64_t kGrowth = 2;            ///< times as many as they have
constexpr std::int64_t kSpecialised = 2;       ///< what torch.export takes for the least size, as the case may be
constexpr std::size_t kToOne = 16;             ///< dimensions that become one
constexpr std::int64_t kSmallInputs = 16384;   ///< elements of small inputs
constexpr int kDraws = 3;                      ///< of inputs of other sizes

/// Whether a model takes inputs of its own sizes only, but for those that are symbols.
bool isExported(const GraphModule& model) {
    return model.format == Format::Pt2 || model.format == Format::CompileGraph || !model.lifted.empty();
}

bool isWhole(const std::string& size) { return !size.empty() && size.find_first_not_of("0123456789") == size.npos; }

bool isSymbol(const std::string& size) {
    const auto isPart = [](char each) { return each == '_' || std::isalnum(static_cast<unsigned char>(each)); };
    return !isWhole(size) && std::all_of(size.begin(), size.end(), isPart);
}

/// The largest of the integers that may be a size.
std::int64_t largestOf(const std::vector<std::int64_t>& literals) {
    std::int64_t out = 0;
    for (const std::int64_t literal : literals)
        if (std::abs(literal) <= kLargestLiteral) out = std::max(out, std::abs(literal)); // `x[:, -20:]`
    return out;
}

/// Runs values of other sizes until some show a difference: each size varied, a little beyond an integer of what
/// changed, one, which squeeze drops, and of one, which broadcasts, the others. `any` is false when none shows it.
Contrast firstDifference(const Shapes& given, const FixedSizes& fixed, std::int64_t beyond,
                         const std::function<Contrast(const Shapes&)>& run) {
    Contrast seen;
    const std::int64_t most = std::max(kElements, kGrowth * elementsIn(given));
    const auto attempt = [&](const Shapes& shapes) {
        seen = run(shapes);
        return seen.any() ? Attempt::Enough : seen.ran ? Attempt::Ran : Attempt::Refused;
    };
    const VariedSizes varied = varySizes(given, {fixed, most}, attempt);
    const auto alsoAttempt = [&](const SizeGroup& group, std::int64_t size) {
        const Shapes shapes = withSize(given, group, size);
        if (!seen.any() && shapes != given && elementsIn(shapes) <= most) (void)attempt(shapes);
    };
    for (const SizeGroup& group : varied.groups)
        if (beyond >= given[group.axes[0].first][group.axes[0].second]) alsoAttempt(group, beyond + kBeyond);
    std::set<std::int64_t> all;
    for (const auto& sizes : given) all.insert(sizes.begin(), sizes.end());
    std::size_t left = kToOne;
    const auto isFixed = [&](std::size_t i, std::size_t dim) { return i < fixed.size() && fixed[i][dim]; };
    for (std::size_t i = 0; i < given.size() && left > 0 && !seen.any(); ++i)
        for (std::size_t dim = 0; dim < given[i].size() && left > 0; ++dim, --left)
            for (const std::int64_t size : given[i][dim] == 1 ? all : std::set<std::int64_t>{1})
                if (!isFixed(i, dim)) alsoAttempt({{{i, dim}}}, size);
    return seen;
}

/// A size that was computed before: it does not follow when the sizes of tensors are changed.
bool isNumber(const Value& value) { return value.as<std::int64_t>() != nullptr || value.items() != nullptr; }

/// By exit: whether a call that leads there may care for sizes.
std::vector<bool> sensitive(const CheckContext& context, const BorderValues& border) {
    std::vector<bool> out(border.region.exits.size(), true);
    if (border.whole) return out;
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = sizeSenseOf(context.a, context.b, context.part.regionOf({border.region.exits[i]})).any;
    return out;
}

/// Several draws of small inputs: a median of medians is now and then the median.
Contrast contrastOf(const CheckContext& context, const BorderValues& part, const Shapes& shapes) {
    Contrast seen;
    const int draws = elementsIn(shapes) <= kSmallInputs ? kDraws : 1;
    for (int i = 0; i < draws && !seen.any() && (i == 0 || seen.ran); ++i)
        seen = context.contrastFor(part, altered(context.inputs, reshaped(shapes, context.random)), Count::Finite);
    return seen;
}

/// Whether values of other sizes that arrive there show a difference, whatever gives them, or cannot tell.
bool isSuspicious(const CheckContext& context, const BorderValues& part, std::int64_t beyond) {
    const auto run = [&](const Shapes& shapes) {
        const Values values = reshaped(shapes, context.random)(part.values);
        return context.regionRun.contrast(part.region, values, Count::Finite, context.random);
    };
    return part.has(isNumber) || firstDifference(shapesOf(part.values), {}, beyond, run).any();
}

/// By tensor and dimension of the inputs of a model.
FixedSizes fixedSizes(const VerifySide& side) {
    FixedSizes out;
    for (const auto& sizes : shapesOf(valuesOf(side.inputs))) out.emplace_back(sizes.size());
    if (!isExported(*side.model)) return out;
    std::size_t place = 0;
    for (const Node& node : side.model->graph.nodes()) {
        if (!isUserInput(*side.model, node)) continue;
        const auto named = std::find_if(side.inputs.named.begin(), side.inputs.named.end(),
                                        [&](const auto& each) { return each.first == node.target(); });
        const std::size_t given = side.inputs.positional.size(),
                          at = place < given ? place : given + (named - side.inputs.named.begin());
        ++place;
        const Values before = valuesOf(side.inputs);
        if (at >= before.size() || !before[at].isTensor() || node.meta().values.size() != 1) continue;
        const std::size_t tensor = shapesOf({before.begin(), before.begin() + static_cast<std::ptrdiff_t>(at)}).size();
        const auto& sizes = node.meta().values[0].sizes;
        for (std::size_t dim = 0; dim < std::min(sizes.size(), out[tensor].size()); ++dim)
            out[tensor][dim] = isWhole(sizes[dim]);
    }
    return out;
}

std::vector<const Node*> userInputs(const GraphModule& model) {
    std::vector<const Node*> out;
    for (const Node& node : model.graph.nodes())
        if (isUserInput(model, node)) out.push_back(&node);
    return out;
}

ExportedSignature::Range rangeOf(const ExportedSignature& signature, const std::string& symbol) {
    for (const ExportedSignature::Range& range : signature.ranges)
        if (range.symbol == symbol) return range;
    return {symbol, {}, {}};
}

/// Whether a range is a part of another. Exports differ in whether 0 and 1 belong to one.
bool isWithin(const ExportedSignature::Range& range, const ExportedSignature::Range& other) {
    const bool isLowEnough = other.min.value_or(0) <= std::max<std::int64_t>(range.min.value_or(0), kSpecialised);
    return isLowEnough && (!other.max || (range.max && *range.max <= *other.max));
}

/// "s0" or "s0 up to 64"
std::string textOf(const ExportedSignature& signature, const std::string& size) {
    const ExportedSignature::Range range = rangeOf(signature, size);
    return (range.min.value_or(0) > kSpecialised ? std::to_string(*range.min) + " or more, " : "") + size +
           (range.max ? " up to " + std::to_string(*range.max) : "");
}

} // namespace

FixedSizes fixedSizesOf(const VerifySide& a, const VerifySide& b) {
    FixedSizes fixed = fixedSizes(a);
    const FixedSizes ofB = fixedSizes(b);
    if (shapesOf(valuesOf(a.inputs)) == shapesOf(valuesOf(b.inputs)))
        for (std::size_t i = 0; i < fixed.size(); ++i)
            for (std::size_t dim = 0; dim < fixed[i].size(); ++dim) fixed[i][dim] = fixed[i][dim] || ofB[i][dim];
    return fixed;
}

Message narrowerSizes(const GraphModule& a, const GraphModule& b) {
    const auto ofA = ExportedSignature::of(a), ofB = ExportedSignature::of(b);
    if (!ofA || !ofB) return {};
    const std::vector<const Node*> inputsA = userInputs(a), inputsB = userInputs(b);
    std::map<std::string, std::string> inA; // by symbol of B
    for (std::size_t i = 0; i < std::min(inputsA.size(), inputsB.size()); ++i) {
        const auto &valuesA = inputsA[i]->meta().values, &valuesB = inputsB[i]->meta().values;
        if (valuesA.size() != 1 || valuesB.size() != 1 || valuesA[0].sizes.size() != valuesB[0].sizes.size()) continue;
        for (std::size_t dim = 0; dim < valuesA[0].sizes.size(); ++dim) {
            const std::string &mine = valuesA[0].sizes[dim], &theirs = valuesB[0].sizes[dim];
            if (isWhole(mine) || (!isSymbol(mine) && !isWhole(theirs))) continue;
            const bool isFirst = inA.emplace(theirs, mine).second; // a later one has to be the same
            if (isSymbol(theirs) &&
                (isFirst ? isWithin(rangeOf(*ofA, mine), rangeOf(*ofB, theirs)) : inA[theirs] == mine))
                continue;
            return Message("verify.narrower_sizes", {{"dimension", dim},
                                                     {"input", inputsA[i]->target()},
                                                     {"a", textOf(*ofA, mine)},
                                                     {"b", textOf(*ofB, theirs)}});
        }
    }
    return {};
}

Exits differForOtherSizes(const CheckContext& context, const BorderValues& border) {
    const SizeSense sense = sizeSenseOf(context.a, context.b, border.region);
    if (!sense.any) return {};
    const BorderValues part = restricted(context, border, sensitive(context, border));
    const std::int64_t beyond = largestOf(sense.literals);
    if (!isSuspicious(context, part, beyond)) return {};
    const auto run = [&](const Shapes& shapes) { return contrastOf(context, part, shapes); };
    const FixedSizes fixed = fixedSizesOf(context.a, context.b);
    const Contrast seen = firstDifference(shapesOf(valuesOf(context.inputs)), fixed, beyond, run);
    return seen.any() ? part.where(seen.differs) : Exits(); // nothing is known of exits if nothing may vary
}

} // namespace fx::engine
