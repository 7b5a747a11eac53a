// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/inputs/other_sizes.h"

#include "core/engine/for_each_tensor.h"
#include "core/engine/verify/landmarks.h"

#include <algorithm>
#include <cstdlib>
#include <set>

namespace fx::engine {
namespace {

constexpr std::int64_t kSmallSize = 256;       ///< sizes up to that are made larger in any case
constexpr std::int64_t kBeyond = 3;            ///< how far beyond an integer of what changed
constexpr std::int64_t kLargestLiteral = 4096; ///< integers above that are no sizes to go beyond
constexpr std::int64_t kElements = 1 << 20;    ///< that values of other sizes may have, or
constexpr std::int64_t kGrowth = 2;            ///< times as many as they have
constexpr std::size_t kAlone = 5;              ///< sizes that are changed one by one
constexpr std::int64_t kForOne = 3;            ///< what a size of one becomes while there are few elements
constexpr std::int64_t kFewElements = 16384;
constexpr int kDraws = 3; ///< of inputs of other sizes

/// Sizes that a model fixes for its inputs: those of an exported program that are no symbols.
std::set<std::int64_t> fixedSizes(const GraphModule& model) {
    std::set<std::int64_t> sizes;
    const bool isExported =
        model.format == Format::Pt2 || model.format == Format::CompileGraph || !model.lifted.empty();
    if (!isExported) return sizes;
    for (const Node& node : model.graph.nodes()) {
        if (!isUserInput(model, node)) continue;
        for (const ValueInfo& value : node.meta().values)
            for (const std::string& size : value.sizes)
                if (!size.empty() && size.size() < 10 && size.find_first_not_of("0123456789") == size.npos)
                    sizes.insert(std::stoll(size));
    }
    return sizes;
}

std::set<std::int64_t> sizesOf(const std::vector<Value>& values) {
    std::set<std::int64_t> sizes;
    for (const Value& value : values)
        forEachTensor(value,
                      [&](const at::Tensor& tensor) { sizes.insert(tensor.sizes().begin(), tensor.sizes().end()); });
    return sizes;
}

std::int64_t elementsIn(const std::vector<Value>& values, const SizeMap& sizes) {
    std::int64_t count = 0;
    for (const Value& value : values) count += elementCount(value, sizes);
    return count;
}

/// Which sizes of some values become which.
class Growth {
public:
    Growth(const std::vector<Value>& values, const SizeSense& sense, const std::set<std::int64_t>& fixed)
        : m_values(values), m_now(elementsIn(values, {})) {
        for (const std::int64_t size : sizesOf(values)) {
            if (size < 1 || fixed.contains(size)) continue;
            const std::int64_t beyond = largestFrom(size, sense.literals);
            if (size > kSmallSize && beyond == 0) continue;
            for (const std::int64_t larger : {beyond == 0 ? 0 : beyond + kBeyond, next(size)})
                if (larger > size && !m_all.contains(size) && fits({{size, larger}})) m_all[size] = larger;
        }
    }
    bool empty() const { return m_all.empty(); }
    bool canDoAll() const { return fits(m_all); }
    const SizeMap& all() const { return m_all; }
    std::vector<SizeMap> oneByOne() const {
        std::vector<SizeMap> maps;
        for (const auto& [size, larger] : m_all)
            if (maps.size() < kAlone) maps.push_back({{size, larger}});
        return maps;
    }
    /// A size of one, which broadcasts, becomes one of the others.
    std::vector<SizeMap> fromOne() const {
        std::vector<SizeMap> maps;
        if (!m_all.contains(1)) return maps;
        for (const std::int64_t size : sizesOf(m_values))
            if (size > 1 && maps.size() < kAlone && fits({{1, size}})) maps.push_back({{1, size}});
        return maps;
    }
    /// Twice as large, for what needs multiples of a size; empty when that is too much.
    SizeMap doubled(const SizeMap& sizes) const {
        SizeMap out;
        for (const auto& [size, larger] : sizes) out[size] = 2 * size;
        return fits(out) ? out : SizeMap();
    }

private:
    /// The largest of the integers that are at least `size`; 0 for none.
    static std::int64_t largestFrom(std::int64_t size, const std::vector<std::int64_t>& literals) {
        std::int64_t out = 0;
        for (const std::int64_t literal : literals) {
            const std::int64_t each = std::abs(literal); // `x[:, -20:]`
            if (each >= size && each > 1 && each <= kLargestLiteral) out = std::max(out, each);
        }
        return out;
    }
    std::int64_t next(std::int64_t size) const { return size == 1 && m_now < kFewElements ? kForOne : size + 1; }
    bool fits(const SizeMap& sizes) const {
        return elementsIn(m_values, sizes) <= std::max(kElements, kGrowth * m_now);
    }

    const std::vector<Value>& m_values;
    std::int64_t m_now;
    SizeMap m_all;
};

std::vector<Value> valuesOf(const RunInputs& inputs) {
    std::vector<Value> values = inputs.positional;
    for (const auto& [name, value] : inputs.named) values.push_back(value);
    return values;
}

Contrast contrastWith(const Stage& stage, const Scene& scene, const SizeMap& sizes) {
    std::vector<Value> values;
    for (const Value& value : scene.values) values.push_back(resized(value, sizes, stage.random));
    return stage.trial.contrast(scene.region, values, Count::Finite, stage.random);
}

/// A size that was computed before: it does not follow when the sizes of tensors are changed.
bool isNumber(const Value& value) { return value.as<std::int64_t>() != nullptr || value.items() != nullptr; }

/// Whether values of other sizes show a difference, whatever gives them, or cannot tell.
bool isSuspicious(const Stage& stage, const Scene& scene, const Growth& growth) {
    if (scene.has(isNumber)) return true;
    for (const SizeMap& sizes : growth.fromOne())
        if (contrastWith(stage, scene, sizes).any()) return true;
    if (growth.canDoAll())
        if (const Contrast seen = contrastWith(stage, scene, growth.all()); seen.ran) return seen.any();
    const std::vector<SizeMap> maps = growth.oneByOne();
    return std::any_of(maps.begin(), maps.end(), [&](const SizeMap& sizes) {
        const Contrast seen = contrastWith(stage, scene, sizes);
        if (seen.ran) return seen.any();
        const SizeMap twice = growth.doubled(sizes);
        return !twice.empty() && contrastWith(stage, scene, twice).any();
    });
}

/// By exit: whether a call that leads there may care for sizes.
std::vector<bool> sensitive(const Stage& stage, const Scene& scene) {
    std::vector<bool> out(scene.region.exits.size(), true);
    if (scene.whole) return out;
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = sizeSenseOf(stage.a, stage.b, stage.part.regionOf({scene.region.exits[i]})).any;
    return out;
}

/// Several draws: a median of medians is now and then the median.
Contrast contrastOf(const Stage& stage, const Scene& part, const SizeMap& sizes) {
    Contrast seen;
    for (int i = 0; i < kDraws && !seen.any() && (i == 0 || seen.ran); ++i)
        seen = stage.contrastFor(part, resized(stage.inputs, sizes, stage.random), Count::Finite);
    return seen;
}

Exits differForLarger(const Stage& stage, const Scene& part, const SizeSense& sense,
                      const std::set<std::int64_t>& fixed) {
    const std::vector<Value> inputs = valuesOf(stage.inputs);
    const Growth ofInputs(inputs, sense, fixed), growth(part.values, sense, {});
    if (ofInputs.empty() || growth.empty() || !isSuspicious(stage, part, growth)) return {};
    std::vector<SizeMap> maps = ofInputs.oneByOne();
    if (maps.size() > 1 && ofInputs.canDoAll()) maps.push_back(ofInputs.all());
    const std::vector<SizeMap> fromOne = ofInputs.fromOne();
    maps.insert(maps.end(), fromOne.begin(), fromOne.end());
    for (const SizeMap& sizes : maps) {
        Contrast seen = contrastOf(stage, part, sizes);
        const SizeMap twice = seen.ran ? SizeMap() : ofInputs.doubled(sizes);
        if (!twice.empty()) seen = contrastOf(stage, part, twice);
        if (seen.any()) return part.where(seen.differs);
    }
    return {};
}

/// Sizes of one, for which squeeze and the like do something else: first the batch.
Exits differForOne(const Stage& stage, const Scene& part, const std::set<std::int64_t>& fixed) {
    std::vector<SizeMap> maps;
    std::set<std::int64_t> seenSizes = fixed;
    const auto add = [&](std::int64_t size) {
        if (size > 1 && maps.size() < kAlone && seenSizes.insert(size).second) maps.push_back({{size, 1}});
    };
    for (const Value& value : valuesOf(stage.inputs))
        forEachTensor(value, [&](const at::Tensor& tensor) {
            for (const std::int64_t size : tensor.sizes()) add(size);
        });
    for (const SizeMap& toOne : maps) {
        if (!part.has(isNumber) && !contrastWith(stage, part, toOne).any()) continue;
        const Contrast seen = contrastOf(stage, part, toOne);
        if (seen.any()) return part.where(seen.differs);
    }
    return {};
}

} // namespace

std::set<std::int64_t> fixedSizesOf(const VerifySide& a, const VerifySide& b) {
    std::set<std::int64_t> fixed = fixedSizes(*a.model);
    fixed.merge(fixedSizes(*b.model));
    return fixed;
}

Exits differForOtherSizes(const Stage& stage, const Scene& scene) {
    const SizeSense sense = sizeSenseOf(stage.a, stage.b, scene.region);
    if (!sense.any) return {};
    const std::set<std::int64_t> fixed = fixedSizesOf(stage.a, stage.b);
    const Scene part = restricted(stage, scene, sensitive(stage, scene));
    const Exits where = differForLarger(stage, part, sense, fixed);
    return where.empty() ? differForOne(stage, part, fixed) : where;
}

} // namespace fx::engine
