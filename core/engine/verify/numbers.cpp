// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/numbers.h"

#include "core/base/listed.h"
#include "core/engine/calls.h"
#include "core/engine/for_each_tensor.h"
#include "core/engine/verify/layer.h"
#include "core/engine/verify/what_changed.h"
#include "core/module/call_semantics.h"
#include "core/ops/family.h"
#include "core/ops/semantics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <set>

namespace fx::engine {
namespace {

constexpr std::size_t kMostNumbers = 4;   ///< of the inputs that are varied
constexpr std::size_t kMostVariants = 10; ///< of each
constexpr double kBeside = 1e-3;          ///< relative distance of what is beside a number, or
constexpr double kRoundings = 8;          ///< so many roundings of its type
constexpr double kFewSpecial = 0.1;       ///< part of the floats that are NaN, infinite or large, and
constexpr std::int64_t kLeastSpecial = 3; ///< of these in a tensor
constexpr std::size_t kNamedNodes = 3;    ///< that a remark lists
/// Of inputs, to see how far a value reaches.
constexpr std::array kReaches = {10.0, 100.0, 1000.0, -1.0, -100.0};
/// Of a function of one number.
constexpr std::array kPlaces = {0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 2.5, 3.3, 7.0, 10.0, 31.0, 100.0, 1000.0};

bool isBool(const Value& value) { return value.as<bool>() != nullptr; }
bool isScalar(const Value& value) { return isBool(value) || value.as<std::int64_t>() || value.as<double>(); }

/// Other numbers of its kind, near it and near the constants.
std::vector<Value> variantsOf(const Value& value, const Landmarks& landmarks) {
    if (const bool* flag = value.as<bool>()) return {!*flag};
    std::vector<Value> out;
    if (const auto* integer = value.as<std::int64_t>()) {
        std::set<std::int64_t> seen = {*integer};
        const auto add = [&](std::int64_t each) {
            if (out.size() < kMostVariants && seen.insert(each).second) out.emplace_back(each);
        };
        for (const std::int64_t each : {*integer + 1, *integer - 1, -*integer, 2 * *integer + 1, std::int64_t{0}})
            add(each);
        for (const std::int64_t each : landmarks.integers) add(each);
    } else if (const auto* real = value.as<double>()) {
        std::set<double> seen = {*real};
        const auto add = [&](double each) {
            if (out.size() < kMostVariants && seen.insert(each).second) out.emplace_back(each);
        };
        for (const double each : {*real + 1, -*real, 0.0, 2.5 * *real + 0.1}) add(each);
        for (const auto& group : landmarks.floats)
            for (const double each : group) add(each);
    }
    return out;
}

/// The numbers among some inputs.
std::vector<Value*> numbersIn(RunInputs& inputs) {
    std::vector<Value*> out;
    const auto add = [&](Value& value) {
        if (isScalar(value) && out.size() < kMostNumbers) out.push_back(&value);
    };
    for (Value& value : inputs.positional) add(value);
    for (auto& [name, value] : inputs.named) add(value);
    return out;
}

Exits differForInputNumbers(const Stage& stage, const Scene& scene, const Landmarks& landmarks) {
    RunInputs inputs = copyOf(stage.inputs);
    for (Value* const number : numbersIn(inputs)) {
        const Value usual = *number;
        for (const Value& variant : variantsOf(usual, landmarks)) {
            *number = variant;
            const Contrast seen = stage.contrastFor(scene, copyOf(inputs), Count::Finite);
            if (seen.any()) return scene.where(seen.differs);
        }
        *number = usual;
    }
    return {};
}

bool isFromUser(const Stage& stage, NodeId producer) {
    return producer != kNoNode && isUserInput(*stage.a.model, stage.a.model->graph.node(producer));
}

/// By exit: whether all that leads there are numbers.
std::vector<bool> ofNumbersOnly(const Stage& stage, const Scene& scene) {
    std::vector<bool> out(scene.region.exits.size());
    std::set<NodeId> numbers;
    for (std::size_t i = 0; i < scene.values.size(); ++i)
        if (isScalar(scene.values[i])) numbers.insert(scene.region.entries[i].producer);
    for (std::size_t i = 0; i < out.size() && !scene.whole; ++i) {
        const auto entries = stage.part.regionOf({scene.region.exits[i]}).entries;
        out[i] = !entries.empty() && std::all_of(entries.begin(), entries.end(),
                                                 [&](const auto& entry) { return numbers.contains(entry.producer); });
    }
    return out;
}

Exits differForComputedNumbers(const Stage& stage, const Scene& scene, const Landmarks& landmarks) {
    const std::vector<bool> alone = ofNumbersOnly(stage, scene);
    for (std::size_t i = 0; i < scene.values.size(); ++i) {
        if (!isScalar(scene.values[i]) || isFromUser(stage, scene.region.entries[i].producer)) continue;
        std::vector<Value> values = scene.values;
        for (const Value& variant : variantsOf(scene.values[i], landmarks)) {
            const auto* size = variant.as<std::int64_t>();
            if (size && *size < 1) continue; // most are sizes
            values[i] = variant;
            Contrast seen = stage.trial.contrast(scene.region, values, Count::Finite, stage.random);
            if (!isBool(variant))
                for (std::size_t exit = 0; exit < alone.size(); ++exit)
                    seen.differs[exit] = seen.differs[exit] && alone[exit];
            if (seen.any()) return scene.where(seen.differs);
        }
    }
    return {};
}

/// Whether a node of a region works element by element.
bool isElementwise(const Node& node, const GraphModule& model) {
    if (node.op() == Op::CallModule) {
        const Module* module = calledModule(node, model);
        const bool isActivation = module && ops::familyOfModule(module->qualifiedType()) == ops::Family::Activation &&
                                  module->className.find("oftm") == std::string::npos &&
                                  module->className.find("GLU") == std::string::npos;
        return isActivation && module->parameters.empty();
    }
    const std::string name = canonicalName(node);
    return ops::isPointwise(name) || name == "bool" || name == "float" || name == "int" || name == "zeros_like" ||
           name == "ones_like" || name == "full_like";
}

/// The one float that an exit is a function of, element by element: its place among the scene's entries.
std::optional<std::size_t> soleArgumentOf(const Stage& stage, const Scene& scene, const ChangedPart::Pair& exit) {
    if (scene.whole) return std::nullopt;
    const ChangedPart::Region region = stage.part.regionOf({exit});
    if (region.entries.size() != 1) return std::nullopt;
    const auto all = [](const std::vector<NodeId>& nodes, const GraphModule& model) {
        return std::all_of(nodes.begin(), nodes.end(), [&](NodeId id) {
            const Node& node = model.graph.node(id);
            return !node.isCall() || isElementwise(node, model);
        });
    };
    if (!all(region.a, *stage.a.model) || !all(region.b, *stage.b.model)) return std::nullopt;
    for (std::size_t i = 0; i < scene.region.entries.size(); ++i) {
        if (scene.region.entries[i].producer != region.entries.front().producer) continue;
        const Value& value = scene.values[i];
        const bool isFloat = value.isTensor() && isFloatTensor(value.tensor()) && !value.tensor().is_complex();
        return isFloat && value.tensor().numel() > 0 ? std::optional(i) : std::nullopt;
    }
    return std::nullopt;
}

/// What each element of a value can be: from the least to the largest that inputs give.
class Reach {
public:
    Reach(const Stage& stage, NodeId producer, const Value& own) {
        add(own);
        std::vector<RunInputs> given = {stage.inputs, stage.moreInputs()};
        for (const double scale : kReaches) given.push_back(scaled(stage.inputs, scale));
        for (const RunInputs& inputs : given)
            if (const auto values = stage.trial.tryValuesOfA({producer}, inputs)) add(values->front());
    }
    bool covers(double number) const {
        if (m_isWhole && number != std::floor(number)) return false;
        for (std::size_t i = 0; i < m_low.size(); ++i)
            if (m_low[i] <= number && number <= m_high[i]) return true;
        return false;
    }

private:
    void add(const Value& value) {
        if (!value.isTensor()) return;
        const std::vector<double> elements = elementsOf(value.tensor());
        if (m_low.empty()) m_low = m_high = elements;
        if (elements.size() != m_low.size()) return;
        for (std::size_t i = 0; i < elements.size(); ++i) {
            if (std::isnan(elements[i])) continue;
            m_low[i] = std::min(m_low[i], elements[i]), m_high[i] = std::max(m_high[i], elements[i]);
            m_isWhole = m_isWhole && elements[i] == std::floor(elements[i]);
        }
    }
    std::vector<double> m_low, m_high;
    bool m_isWhole = true;
};

/// A tensor of one element of the kind of another.
Value oneElement(const at::Tensor& like, double number) {
    const std::vector<std::int64_t> sizes(like.dim() > 0 ? 1 : 0, 1);
    at::Tensor one = like.new_zeros(sizes).to(at::kDouble);
    *static_cast<double*>(one.mutable_data_ptr()) = number;
    return one.to(like.scalar_type());
}

std::vector<double> placesFor(const Landmarks& landmarks) {
    std::set<double> places;
    for (const double each : kPlaces) places.insert({each, -each});
    for (const auto& group : landmarks.floats) places.insert(group.begin(), group.end());
    return {places.begin(), places.end()};
}

/// What changed, as a function of one number in both models.
class Function {
public:
    Function(const Stage& stage, const Scene& scene, const ChangedPart::Pair& exit, std::size_t argument)
        : m_stage(stage), m_region(stage.part.regionOf({exit})), m_like(scene.values[argument].tensor()) {
        m_least = std::max(kBeside, kRoundings * roundingOf(m_like.scalar_type()));
    }
    enum class At : std::uint8_t {
        Unknown, ///< one of the models cannot be run so
        Same,
        Other,
        Overflow, ///< finite in one model only
    };
    At at(double number) const {
        const Outcome outcome = m_stage.trial.run(m_region, {oneElement(m_like, number)}).front();
        if (!outcome.ran) return At::Unknown;
        At out = At::Same;
        for (const Outcome::Leaf& leaf : outcome.leaves) {
            const ValueDifference& difference = leaf.difference;
            if (difference.close || !isGross(difference)) continue;
            if (!difference.sameShape) return At::Unknown; // a tensor of the model makes one element several
            const bool isFinite = difference.nansA == 0 && difference.nansB == 0 && std::isfinite(difference.maxAbs);
            if (!difference.comparable() || isFinite) return At::Other;
            out = At::Overflow;
        }
        return out;
    }
    /// Whether the models differ on one side of the number, too.
    bool differsBeside(double number) const {
        const double aside = number == 0 ? m_least : m_least * std::abs(number);
        return at(number - aside) == At::Other || at(number + aside) == At::Other;
    }
    NodeId producer() const { return m_region.entries.front().producer; }

private:
    const Stage& m_stage;
    const ChangedPart::Region m_region;
    const at::Tensor& m_like;
    double m_least = 0;
};

std::string shortText(double number) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.4g", number);
    return text.data();
}

/// Whether a function of one number differs somewhere where its argument gets.
bool differsWhereReached(const Stage& stage, const Scene& scene, const ChangedPart::Pair& exit, std::size_t argument,
                         const std::vector<double>& places) {
    const Function function(stage, scene, exit, argument);
    std::optional<Reach> reach;
    bool isTold = false;
    for (const double place : places) {
        const Function::At found = function.at(place);
        if (found == Function::At::Unknown) return false;
        if (found == Function::At::Same) continue;
        if (!reach) reach.emplace(stage, function.producer(), scene.values[argument]);
        if (!reach->covers(place)) continue;
        if (found == Function::At::Other && function.differsBeside(place)) return true;
        const bool overflows = found == Function::At::Overflow && place != 0; // told of special values
        if (isTold || overflows) continue;
        isTold = true;
        const std::vector<std::string> nodes = whatChanged(stage.a, stage.b, stage.part, {exit});
        stage.remarks.push_back(
            Message("verify.one_value", {{"nodes", fx::listed(nodes, kNamedNodes)}, {"value", shortText(place)}}));
    }
    return false;
}

/// Sets of numbers, each told by a word, and the part of a value that becomes such numbers.
struct Special {
    const char* word;
    std::vector<double> numbers;
    double part;
};
const std::vector<Special>& specials() {
    constexpr double endless = std::numeric_limits<double>::infinity();
    static const std::vector<Special> all = {{"NaN", {std::numeric_limits<double>::quiet_NaN()}, kFewSpecial},
                                             {"infinite values", {endless, -endless}, kFewSpecial},
                                             {"values as large as 100", {100, -100}, kFewSpecial},
                                             {"rows of large negative values", {-1000}, 1},
                                             {"very large values", {1e20, -1e20}, kFewSpecial}};
    return all;
}

/// Whether a region computes with weights: convolutions, products, normalisations, tables.
bool hasLayers(const Stage& stage, const ChangedPart::Region& region) {
    using ops::Family;
    bool found = false;
    const auto look = [&](const Node& node, const GraphModule& model) {
        const Module* module = calledModule(node, model);
        const Family family =
            module ? ops::familyOfModule(module->qualifiedType()) : ops::familyOfFunction(canonicalName(node));
        found = found || family == Family::Convolution || family == Family::Matrix || family == Family::Normalization ||
                family == Family::Lookup;
    };
    forEachCall(*stage.a.model, region.a, look);
    forEachCall(*stage.b.model, region.b, look);
    return found;
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

/// The type of the widest integers in some inputs; nothing without integers.
std::optional<at::ScalarType> integersOf(const Stage& stage) {
    std::optional<at::ScalarType> widest;
    std::vector<Value> inputs = stage.inputs.positional;
    for (const auto& [name, value] : stage.inputs.named) inputs.push_back(value);
    for (const Value& value : inputs)
        forEachTensor(value, [&](const at::Tensor& tensor) {
            const at::ScalarType type = tensor.scalar_type();
            if (at::isIntegralType(type, false) && (!widest || c10::elementSize(type) > c10::elementSize(*widest)))
                widest = type;
        });
    return widest;
}

/// Whether what changed computes with integers or converts them, apart from looking something up.
bool computes(const Node& node, const GraphModule& model) {
    const std::string name = node.op() == Op::CallModule ? std::string() : canonicalName(node);
    return !name.empty() && !tableOf(node, model) &&
           (ops::isPointwise(name) || name == "to" || name == "type" || name == "long" || name == "int" ||
            name == "short" || name == "half" || name == "float" || name == "byte" || name == "char" ||
            name == "_to_copy" || name == "sum" || name == "cumsum" || name == "prod");
}

} // namespace

void tellSpecialValues(const Stage& stage, const Scene& scene) {
    if (!scene.has(hasFloats) || !stage.inputsHave(hasFloats) || hasLayers(stage, scene.region)) return;
    std::vector<std::string> words;
    std::vector<bool> differs(scene.region.exits.size());
    for (const Special& special : specials()) {
        const auto with = [&](const auto& values) {
            return sprinkled(values, special.numbers, special.part, kLeastSpecial, stage.random);
        };
        std::vector<Value> values;
        for (const Value& value : scene.values) values.push_back(with(value));
        if (!stage.trial.contrast(scene.region, values, Count::All, stage.random).any()) continue;
        const Contrast seen = stage.contrastFor(scene, with(stage.inputs), Count::All);
        if (!seen.any()) continue;
        words.emplace_back(special.word);
        for (std::size_t i = 0; i < differs.size(); ++i) differs[i] = differs[i] || seen.differs[i];
    }
    if (words.empty()) return;
    const std::vector<std::string> nodes = whatChanged(stage.a, stage.b, stage.part, scene.where(differs));
    stage.remarks.push_back(Message("verify.special_values", {{"nodes", fx::listed(nodes, kNamedNodes)},
                                                              {"values", fx::listed(words, specials().size())}}));
}

Exits differForNumbers(const Stage& stage, const Scene& scene, const Landmarks& landmarks) {
    Exits where = differForComputedNumbers(stage, scene, landmarks);
    return where.empty() ? differForInputNumbers(stage, scene, landmarks) : where;
}

Exits differWhereReached(const Stage& stage, const Scene& scene, const Landmarks& landmarks) {
    Exits out;
    if (!stage.inputsHave(hasFloats)) return out;
    const std::vector<double> places = placesFor(landmarks);
    for (const ChangedPart::Pair& exit : scene.region.exits)
        if (const auto argument = soleArgumentOf(stage, scene, exit))
            if (differsWhereReached(stage, scene, exit, *argument, places)) out.push_back(exit);
    return out;
}

Exits differAtLimits(const Stage& stage, const Scene& scene) {
    const std::optional<at::ScalarType> type = integersOf(stage);
    if (!type || !scene.has(hasIntegers)) return {};
    bool any = false;
    const auto look = [&](const Node& node, const GraphModule& model) { any = any || computes(node, model); };
    forEachCall(*stage.a.model, scene.region.a, look);
    forEachCall(*stage.b.model, scene.region.b, look);
    if (!any) return {};
    for (const std::int64_t number : limitsOf(*type)) {
        std::vector<Value> values;
        for (const Value& value : scene.values) values.push_back(renumbered(value, {number}));
        if (!stage.trial.contrast(scene.region, values, Count::Finite, stage.random).any()) continue;
        const Contrast seen = stage.contrastFor(scene, renumbered(stage.inputs, {number}), Count::Finite);
        if (seen.any()) return scene.where(seen.differs);
    }
    return {};
}

} // namespace fx::engine
