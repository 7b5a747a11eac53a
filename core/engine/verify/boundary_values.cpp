// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/boundary_values.h"

#include "core/base/listed.h"
#include "core/engine/for_each_tensor.h"
#include "core/engine/verify/boundary_numbers.h"
#include "core/engine/verify/layer.h"
#include "core/engine/verify/single_values.h"
#include "core/engine/verify/what_changed.h"
#include "core/module/call_semantics.h"
#include "core/ops/family.h"
#include "core/ops/semantics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace fx::engine {
namespace {

constexpr double kRange = 10;                             ///< times the values, to meet the ends of ranges
constexpr double kHalf = 0.5;                             ///< part of the floats that are numbers near constants
constexpr double kSomeZeros = 0.25;                       ///< part of them that are zero, where that decides
constexpr double kFew = 0.1;                              ///< part of them that are NaN, infinite or very large
constexpr std::int64_t kAtLeast = 3;                      ///< of these in a tensor
constexpr std::int64_t kRounds = 3;                       ///< trials of a group whose numbers do not fit into one
constexpr std::int64_t kManyRounds = 8, kFewInEntry = 64; ///< those of entries that have no more than that
constexpr double kNearlyEqual = 5e-6;                     ///< relative distance: above rounding, below isclose's
constexpr std::size_t kSingles = 16;                      ///< integers that are tried one by one
/// What the numbers in the inputs are multiplied by: layers before what changed make them larger or smaller.
constexpr std::array kScales = {1.0, 10.0, 0.1};
constexpr double kEndless = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();

/// How values are altered, at a border and in inputs.
struct Trial {
    Alter alter;
    Count count = Count::Finite;
    std::vector<double> scales = {1}; ///< of the altered inputs: each is tried
    bool isBelieved = false;          ///< what the border shows is
    bool ofFloats = false;            ///< of exits that give floats: large values saturate, so that decisions change
};

/// By exit: whether the altered border differs, and altered inputs show it.
Contrast differing(const CheckContext& context, const BorderValues& border, const Trial& trial) {
    Contrast at = context.regionRun.contrast(border.region, trial.alter(border.values), trial.count, context.random);
    for (std::size_t i = 0; trial.ofFloats && i < border.discrete.size(); ++i)
        at.differs[i] = at.differs[i] && !border.discrete[i];
    if (!at.any() || trial.isBelieved) return at;
    const std::vector<bool> suspects = std::exchange(at.differs, std::vector<bool>(at.differs.size()));
    for (const double scale : trial.scales) {
        const RunInputs given = altered(context.inputs, trial.alter);
        const Contrast seen =
            context.contrastFor(border, scale == 1 ? given : altered(given, scaledBy(scale)), trial.count);
        for (std::size_t i = 0; i < suspects.size(); ++i) at.differs[i] = suspects[i] && seen.differs[i];
        if (at.any()) break;
    }
    return at;
}

/// Whether a call of the region, in either model, holds that.
bool anyCall(const CheckContext& context, const ChangedPart::Region& region,
             const std::function<bool(const Node& node, const GraphModule& model)>& holds) {
    bool any = false;
    const auto look = [&](const Node& node, const GraphModule& model) { any = any || holds(node, model); };
    forEachCall(*context.a.model, region.a, look);
    forEachCall(*context.b.model, region.b, look);
    return any;
}

/// The numbers of a group in parts that fit into half of the largest entry.
std::vector<std::vector<double>> parted(const std::vector<double>& group, const BorderValues& border) {
    std::int64_t most = 2;
    for (const Value& value : border.values)
        if (hasFloats(value)) most = std::max(most, elementCount({value}));
    const std::int64_t room = most / 2, numbers = static_cast<std::int64_t>(group.size());
    const std::int64_t rounds = most <= kFewInEntry ? kManyRounds : kRounds;
    const std::int64_t count = std::clamp<std::int64_t>((numbers + room - 1) / room, 1, rounds);
    std::vector<std::vector<double>> parts(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < group.size(); ++i) parts[i * parts.size() / group.size()].push_back(group[i]);
    return parts;
}

/// The root mean square of the floats.
double rmsOf(const Values& values) {
    double squares = 0, count = 0;
    for (const Value& value : values)
        forEachTensor(value, [&](const at::Tensor& tensor) {
            if (!isFloatTensor(tensor)) return;
            for (const double each : elementsOf(tensor))
                if (std::isfinite(each)) squares += each * each, ++count;
        });
    return count > 0 ? std::sqrt(squares / count) : 0;
}

/// What inputs are multiplied by so that numbers in them are about as large when they come to the border.
std::vector<double> scalesFor(const CheckContext& context, const BorderValues& border) {
    std::vector<double> scales(kScales.begin(), kScales.end());
    const double there = rmsOf(border.values), here = rmsOf(valuesOf(context.inputs));
    if (there > 0 && here > 0 && std::abs(std::log10(here / there)) > 1) scales.push_back(here / there);
    return scales;
}

std::vector<Trial> trialsOfFloats(const CheckContext& context, const BorderValues& border,
                                  const BoundaryNumbers& numbers) {
    Random& random = context.random;
    const std::vector<double> scales = scalesFor(context, border);
    std::vector<Trial> out;
    const auto hasRange = [](const Node& node, const GraphModule& model) { return !isScaleFree(node, model); };
    if (anyCall(context, border.region, hasRange)) out.push_back({scaledBy(kRange), Count::Finite, {1}, false, true});
    for (const std::vector<double>& group : numbers.floats)
        for (const std::vector<double>& part : parted(group, border))
            out.push_back({sprinkled(part, kHalf, 1, random), Count::Finite, scales});
    const std::vector<double> magnitudes = smallMagnitudes(context.a, context.b, context.part, border.region);
    for (const double magnitude : magnitudes) out.push_back({scaledTo(magnitude), Count::Finite, scales});
    if (!magnitudes.empty()) out.push_back({withRowsOf(0, random), Count::All}); // one model divides zero by zero
    if (std::find(border.discrete.begin(), border.discrete.end(), true) != border.discrete.end())
        out.push_back({sprinkled({0}, kSomeZeros, 1, random)});
    return out;
}

/// Numbers that matter for arithmetic on integers of a type.
std::vector<std::int64_t> limitsOf(at::ScalarType type) {
    switch (type) {
    case at::kByte: return {255, 128, 200, 16};
    case at::kChar: return {127, -128, 100, -64, 12};
    case at::kShort: return {32767, -32768, 2049, 256, 182};
    case at::kInt: return {2147483647, -2147483647, 16777217, 46341, 65536, 2049, 300};
    default: return {2147483653, 16777217, 65536, 32768, 2049, 300, 130, -3};
    }
}

/// Of the widest integers in some inputs.
std::vector<std::int64_t> limitsFor(const RunInputs& inputs) {
    std::optional<at::ScalarType> widest;
    for (const Value& value : valuesOf(inputs))
        forEachTensor(value, [&](const at::Tensor& tensor) {
            const at::ScalarType type = tensor.scalar_type();
            if (at::isIntegralType(type, false) && (!widest || c10::elementSize(type) > c10::elementSize(*widest)))
                widest = type;
        });
    return widest ? limitsOf(*widest) : std::vector<std::int64_t>();
}

/// Whether a call computes with integers or converts them, apart from looking something up.
bool computes(const Node& node, const GraphModule& model) {
    const std::string name = node.op() == Op::CallModule ? std::string() : canonicalName(node);
    return !name.empty() && !tableOf(node, model) &&
           (ops::isPointwise(name) || name == "to" || name == "type" || name == "long" || name == "int" ||
            name == "short" || name == "half" || name == "float" || name == "byte" || name == "char" ||
            name == "_to_copy" || name == "sum" || name == "cumsum" || name == "prod");
}

/// Many at once, as long as they fit; then one by one, since a run ends where a number is beyond a table.
std::vector<Trial> trialsOfIntegers(const CheckContext& context, const BorderValues& border,
                                    const BoundaryNumbers& numbers) {
    std::int64_t room = std::numeric_limits<std::int64_t>::max();
    for (const Value& value : border.values)
        if (hasIntegers(value)) room = std::min(room, elementCount({value}));
    std::vector<Trial> out;
    const auto& all = numbers.integers;
    std::vector<std::int64_t> part;
    for (const std::int64_t each : all) {
        part.push_back(each);
        if (static_cast<std::int64_t>(part.size()) < room && each != all.back()) continue;
        out.push_back({renumbered(std::exchange(part, {}))});
    }
    for (const std::int64_t oneOf : {1, 2}) // others may stay: a loss of ignored labels alone is NaN
        for (std::size_t i = 0; i < std::min(all.size(), kSingles); ++i) out.push_back({renumbered({all[i]}, oneOf)});
    if (anyCall(context, border.region, computes))
        for (const std::int64_t each : limitsFor(context.inputs)) out.push_back({renumbered({each})});
    return out;
}

/// Whether what uses an exit, element by element alone, gives the same for some inputs: `where(x >= y, x, y)` for equal
/// ones.
bool isMaskedFor(const CheckContext& context, const ChangedPart::Pair& exit, const RunInputs& inputs) {
    const Exits users = usersOf(context, exit);
    if (users.empty() || !std::all_of(users.begin(), users.end(), [&](const ChangedPart::Pair& user) {
            return isElementwise(context.a.model->graph.node(user.first), *context.a.model);
        }))
        return false;
    const Contrast seen = context.contrastFor({context.part.regionOf(users), {}, {}}, inputs, Count::Finite);
    return seen.ran && !seen.any();
}

/// Flags are flipped at the border, where inputs of the models may not lead.
Exits differForFlags(const CheckContext& context, const BorderValues& border) {
    const Alter flip = flipped(context.random);
    if (!context.regionRun.contrast(border.region, flip(border.values), Count::Finite, context.random).any()) return {};
    return border.where(
        context.contrastFor(border, otherInputs(context.inputs, context.random()), Count::Finite, flip).differs);
}

/// Equal, nearly equal, and equal in some elements only.
Exits differForEqual(const CheckContext& context, const BorderValues& border) {
    for (const auto& [apart, some] : {std::pair(0.0, false), std::pair(0.0, true), std::pair(kNearlyEqual, false)}) {
        Exits where = border.where(differing(context, border, {equalised(apart, some, context.random)}).differs);
        std::erase_if(where, [&, inputs = context.shownBy](const auto& exit) {
            return inputs && isMaskedFor(context, exit, *inputs);
        });
        if (!where.empty()) return where;
    }
    return {};
}

/// Sets of numbers, each told by a word, and the part of a value that becomes such numbers.
struct Special {
    const char* word;
    std::vector<double> numbers;
    double part = kFew;
    bool occurs = false; ///< they are no limits of a type: a model has to do with them
};

} // namespace

Exits differAtBoundaryValues(const CheckContext& context, const BorderValues& border) {
    const BoundaryNumbers numbers = boundaryNumbersOf(context.a, context.b, border.region);
    std::vector<Trial> trials;
    if (border.has(hasFloats) && context.inputsHave(hasFloats)) trials = trialsOfFloats(context, border, numbers);
    if (border.has(hasIntegers) && context.inputsHave(hasIntegers))
        for (Trial& each : trialsOfIntegers(context, border, numbers)) trials.push_back(std::move(each));
    if (border.has(isNumberOrFlag) && context.inputsHave(isNumberOrFlag))
        for (const std::int64_t by : {1, -1}) trials.push_back({shifted(by)});
    for (const Trial& trial : trials)
        if (Exits where = border.where(differing(context, border, trial).differs); !where.empty()) return where;
    Exits where = border.has(hasIdleFlags) ? differForFlags(context, border) : Exits();
    return where.empty() && hasAlike(border.values) ? differForEqual(context, border) : where;
}

/// Each for itself: what replaces infinity would hide what replaces NaN.
Exits differForNonFinite(const CheckContext& context, const BorderValues& border) {
    if (!border.has(hasFloats) || !tellsNonFinite(context.a, context.b, border.region)) return {};
    for (const std::vector<double>& numbers : {std::vector{kNan}, std::vector{kEndless, -kEndless}}) {
        const Alter alter = sprinkled(numbers, kFew, kAtLeast, context.random);
        const Contrast seen = differing(context, border, {alter, Count::All, {1}, !context.inputsHave(hasFloats)});
        if (Exits where = border.where(seen.differs); !where.empty()) return where;
    }
    return {};
}

Exits tellSpecialValues(const CheckContext& context, const BorderValues& border) {
    const auto isLayer = [](const Node& node, const GraphModule& model) {
        using ops::Family;
        const Family family = familyOf(node, model);
        return family == Family::Convolution || family == Family::Matrix || family == Family::Normalization ||
               family == Family::Lookup;
    };
    if (!border.has(hasFloats) || !context.inputsHave(hasFloats) || anyCall(context, border.region, isLayer)) return {};
    const std::vector<Special> specials = {{"NaN", {kNan}},
                                           {"infinite values", {kEndless, -kEndless}},
                                           {"values as large as 100", {100, -100}, kFew, true},
                                           {"rows of large negative values", {-1000}, 1, true},
                                           {"very large values", {1e20, -1e20}}};
    std::vector<std::string> words;
    std::vector<bool> anywhere(border.region.exits.size()), overflows(border.region.exits.size());
    std::optional<RunInputs> shownBy;
    for (const Special& special : specials) {
        const Alter alter = sprinkled(special.numbers, special.part, kAtLeast, context.random);
        const Contrast seen = differing(context, border, {alter, Count::All});
        if (!seen.any()) continue;
        words.emplace_back(special.word);
        for (std::size_t i = 0; i < seen.differs.size(); ++i) {
            anywhere[i] = anywhere[i] || seen.differs[i];
            if (!special.occurs || !seen.differs[i] || !seen.lostInB[i]) continue;
            overflows[i] = true;
            shownBy = context.shownBy;
        }
    }
    if (words.empty()) return {};
    const std::vector<std::string> nodes = whatChanged(context.a, context.b, context.part, border.where(anywhere));
    context.remarks.push_back(Message("verify.special_values", {{"nodes", fx::listed(nodes, kNamedNodes)},
                                                                {"values", fx::listed(words, specials.size())}}));
    context.shownBy = std::move(shownBy);
    return border.where(overflows);
}

} // namespace fx::engine
