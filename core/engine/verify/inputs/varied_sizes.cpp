// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/inputs/varied_sizes.h"

#include "core/base/listed.h"
#include "core/engine/for_each_tensor.h"

#include <algorithm>
#include <numeric>
#include <set>

namespace fx::engine {
namespace {

constexpr std::int64_t kLargestVaried = 1024; ///< larger sizes are left as they are
constexpr std::size_t kMostAttempts = 96;     ///< of models with many inputs
constexpr std::int64_t kMostMultiple = 4;     ///< of a size
constexpr std::size_t kNamedShapes = 3;       ///< whose sizes a text lists

using Axes = decltype(SizeGroup::axes);

std::string textOf(const std::vector<std::int64_t>& sizes) { return fx::joined(sizes, "×"); }

/// The search of `varySizes`.
class Search {
public:
    Search(const Shapes& given, const SizeLimits& limits, const std::function<Attempt(const Shapes&)>& attempt)
        : m_given(given), m_limits(limits), m_attempt(attempt) {}

    VariedSizes run() {
        for (std::size_t tensor = 0; tensor < m_given.size(); ++tensor)
            for (std::size_t dim = m_given[tensor].size(); dim-- > 0;) // the batch last
                if (const std::int64_t size = m_given[tensor][dim]; size > 0 && size <= kLargestVaried)
                    if (!isFixed(tensor, dim)) place(tensor, dim);
        if (m_out.groups.size() > 1) together(false);
        if (m_limits.multiples) together(true);
        return std::move(m_out);
    }

private:
    bool isFixed(std::size_t tensor, std::size_t dim) const {
        const FixedSizes& fixed = m_limits.fixed;
        return tensor < fixed.size() && dim < fixed[tensor].size() && fixed[tensor][dim];
    }
    std::int64_t sizeOf(const SizeGroup& group) const {
        const auto& [tensor, dim] = group.axes.front();
        return m_given[tensor][dim];
    }
    /// Each attempt once.
    Attempt attempt(const Shapes& shapes) {
        if (m_isOver || m_attempts == kMostAttempts) return Attempt::Enough;
        if (elementsIn(shapes) > m_limits.most || !m_seen.insert(shapes).second) return Attempt::Refused;
        ++m_attempts;
        const Attempt result = m_attempt(shapes);
        m_isOver = result == Attempt::Enough;
        return result;
    }
    /// Finds a group for a dimension. One that varies with others may also do so alone.
    void place(std::size_t tensor, std::size_t dim) {
        const auto has = [&](const SizeGroup& group) {
            return std::find(group.axes.begin(), group.axes.end(), std::pair(tensor, dim)) != group.axes.end();
        };
        std::vector<Axes> ties = tiesOf(tensor, dim);
        const bool isKnown = std::any_of(m_out.groups.begin(), m_out.groups.end(), has);
        if (isKnown) ties.resize(1);
        std::optional<Shapes> onlyA;
        for (const Axes& axes : ties)
            for (const bool isMultiple : {false, true}) {
                if (isMultiple && !m_limits.multiples) continue;
                SizeGroup group{axes, isMultiple};
                const Shapes shapes = withSize(m_given, group, sizesFor(group, isMultiple).front());
                const Attempt result = attempt(shapes);
                if (result == Attempt::Ran) return m_out.groups.push_back(std::move(group));
                if (result == Attempt::Enough) return;
                if (result == Attempt::RefusedByB && !onlyA) onlyA = shapes;
            }
        if (!m_out.onlyA && !isKnown && m_given[tensor][dim] > 1) // one may broadcast in A alone
            m_out.onlyA = std::move(onlyA);
    }
    /// A dimension alone, and with others of its size.
    std::vector<Axes> tiesOf(std::size_t tensor, std::size_t dim) const {
        std::vector<Axes> out = {{{tensor, dim}}};
        const auto add = [&](auto belongs) {
            Axes axes;
            for (std::size_t other = 0; other < m_given.size(); ++other)
                for (std::size_t at = 0; at < m_given[other].size(); ++at)
                    if (m_given[other][at] == m_given[tensor][dim] && belongs(other, at)) axes.emplace_back(other, at);
            if (std::find(out.begin(), out.end(), axes) == out.end()) out.push_back(std::move(axes));
        };
        const std::size_t fromLast = m_given[tensor].size() - dim;
        add([&](std::size_t, std::size_t at) { return at == dim; });
        add([&](std::size_t other, std::size_t at) { return m_given[other].size() - at == fromLast; });
        add([&](std::size_t other, std::size_t) { return other == tensor; });
        add([](std::size_t, std::size_t) { return true; });
        return out;
    }
    /// Other sizes for a group, the best first.
    std::vector<std::int64_t> sizesFor(const SizeGroup& group, bool isMultiple) const {
        const std::int64_t size = sizeOf(group);
        std::vector<std::int64_t> out;
        if (isMultiple || group.onlyMultiples)
            for (std::int64_t by = 2; by <= kMostMultiple; ++by) out.push_back(by * size);
        else
            for (std::int64_t more = size == 1 ? 2 : 1; out.size() <= m_out.groups.size(); ++more)
                out.push_back(size + more);
        return out;
    }
    /// Sizes of some groups, no two of which are the same if that can be.
    Shapes differing(const std::vector<SizeGroup>& groups, bool isMultiple) const {
        Shapes shapes = m_given;
        std::set<std::int64_t> used;
        for (const SizeGroup& group : groups) {
            const std::vector<std::int64_t> sizes = sizesFor(group, isMultiple);
            const auto free = std::find_if(sizes.begin(), sizes.end(), [&](auto size) { return !used.contains(size); });
            const std::int64_t size = free == sizes.end() ? sizes.front() : *free;
            used.insert(size);
            shapes = withSize(std::move(shapes), group, size);
        }
        return shapes;
    }
    /// All groups at once, or else as many as run together.
    void together(bool isMultiple) {
        if (m_out.groups.empty() || attempt(differing(m_out.groups, isMultiple)) == Attempt::Ran) return;
        std::vector<SizeGroup> kept;
        for (const SizeGroup& group : m_out.groups) {
            kept.push_back(group);
            if (attempt(differing(kept, isMultiple)) == Attempt::Ran) continue;
            kept.pop_back();
            if (isMultiple) (void)attempt(differing({group}, true));
        }
    }

    const Shapes& m_given;
    const SizeLimits& m_limits;
    const std::function<Attempt(const Shapes&)>& m_attempt;
    VariedSizes m_out;
    std::set<Shapes> m_seen;
    std::size_t m_attempts = 0;
    bool m_isOver = false;
};

} // namespace

Shapes shapesOf(const std::vector<Value>& values) {
    Shapes shapes;
    for (const Value& value : values)
        forEachTensor(value, [&](const at::Tensor& tensor) { shapes.push_back(tensor.sizes().vec()); });
    return shapes;
}

std::int64_t elementsIn(const Shapes& shapes) {
    return std::accumulate(shapes.begin(), shapes.end(), std::int64_t{0}, [](std::int64_t sum, const auto& sizes) {
        return sum + std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
    });
}

std::string textOf(const Shapes& shapes, const Shapes& given) {
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < shapes.size(); ++i)
        if (i >= given.size() || shapes[i] != given[i]) texts.push_back(textOf(shapes[i]));
    return "inputs of " + listed(texts, kNamedShapes);
}

Shapes withSize(Shapes shapes, const SizeGroup& group, std::int64_t size) {
    for (const auto& [tensor, dim] : group.axes) shapes[tensor][dim] = size;
    return shapes;
}

VariedSizes varySizes(const Shapes& given, const SizeLimits& limits,
                      const std::function<Attempt(const Shapes&)>& attempt) {
    return Search(given, limits, attempt).run();
}

} // namespace fx::engine
