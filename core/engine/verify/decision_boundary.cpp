// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/decision_boundary.h"

#include "core/engine/for_each_tensor.h"

#include <algorithm>
#include <cmath>

namespace fx::engine {
namespace {

constexpr double kAside = 2e-5;                 ///< from the boundary, as a part of the way: well above rounding, or
constexpr double kAsideRoundings = 8;           ///< so many of the coarsest type
constexpr double kNudges = 16, kFewNudges = 2;  ///< roundings of fine and of coarse types
constexpr int kHalvings = 18;                   ///< to find it within less than that
constexpr double kDecision = 0.5;               ///< the least difference of two whole numbers
constexpr std::size_t kSmall = 16;              ///< nodes of a border that is run for several boundaries
constexpr std::int64_t kTinyElements = 1 << 16; ///< of a small border that is run for many
constexpr std::size_t kMany = 64, kSome = 4;    ///< boundaries on each way
constexpr std::size_t kFewNodes = 64;           ///< of a model whose runs cost next to nothing
constexpr std::size_t kManyWays = 32;           ///< of such a one, until there are many boundaries
constexpr std::size_t kWays = 4;                ///< until one leads across a boundary

/// The elements of what the discrete exits give.
struct Decisions {
    std::vector<double> elements;
    std::vector<std::size_t> exitOf; ///< by element
};

/// A border between the values of two inputs.
class Way {
public:
    Way(const CheckContext& context, const BorderValues& border, std::vector<Value> from, std::vector<Value> to)
        : m_context(context), m_border(border), m_from(std::move(from)), m_to(std::move(to)),
          m_rounding(roundingOf(m_from)) {}

    std::vector<Value> valuesAt(double share) const {
        std::vector<Value> values;
        for (std::size_t i = 0; i < m_from.size(); ++i) values.push_back(blended(m_from[i], m_to[i], share));
        return values;
    }
    Decisions decide(bool inB, const std::vector<Value>& values) const {
        RegionRun& regionRun = m_context.regionRun;
        const Values given = inB ? regionRun.runB(m_border.region, values) : regionRun.runA(m_border.region, values);
        Decisions out;
        for (std::size_t i = 0; i < given.size(); ++i) {
            if (!m_border.discrete[i]) continue;
            forEachTensor(given[i], [&](const at::Tensor& tensor) {
                const std::vector<double> more = elementsOf(tensor);
                out.elements.insert(out.elements.end(), more.begin(), more.end());
                out.exitOf.resize(out.elements.size(), i);
            });
        }
        return out;
    }
    Decisions ofA(double share) const { return decide(false, valuesAt(share)); }

    /// The element decides otherwise at `far` than at `near`: both come close to where it does so.
    void narrow(std::size_t element, double& near, double& far) const {
        const double before = ofA(near).elements[element];
        for (int i = 0; i < kHalvings; ++i) {
            const double middle = (near + far) / 2;
            const Decisions there = ofA(middle);
            (element < there.elements.size() && there.elements[element] == before ? near : far) = middle;
        }
    }
    /// Whether B decides otherwise there than A, which some roundings do not bring to decide so.
    bool differsAt(std::size_t element, double share) const {
        const std::vector<Value> values = valuesAt(share);
        const Decisions a = decide(false, values), b = decide(true, values);
        if (!apart(a, b, element)) return false;
        std::vector<Value> around;
        const double nudges = m_rounding > kCoarseRounding ? kFewNudges : kNudges;
        const std::uint64_t salt = m_context.random();
        for (const Value& value : values) around.push_back(nudged(value, salt, nudges));
        return !apart(a, decide(false, around), element);
    }
    double aside() const { return std::max(kAside, kAsideRoundings * m_rounding); }

private:
    static bool apart(const Decisions& x, const Decisions& y, std::size_t element) {
        if (element >= x.elements.size() || element >= y.elements.size()) return false;
        return std::abs(x.elements[element] - y.elements[element]) >= kDecision;
    }

    const CheckContext& m_context;
    const BorderValues& m_border;
    std::vector<Value> m_from, m_to;
    double m_rounding; ///< of the coarsest type
};

/// Some elements that are decided otherwise at the end of the way.
std::vector<std::size_t> undecided(const Decisions& start, const Decisions& end, std::size_t most, Random& random) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < std::min(start.elements.size(), end.elements.size()); ++i)
        if (std::abs(start.elements[i] - end.elements[i]) >= kDecision) places.push_back(i);
    std::shuffle(places.begin(), places.end(), random);
    places.resize(std::min(places.size(), most));
    return places;
}

/// Of few nodes and elements.
bool isTiny(const BorderValues& border) {
    return border.region.size <= kSmall && elementCount(border.values) <= kTinyElements;
}

/// How many boundaries are tried.
std::size_t tryBoundaries(const Way& way, const BorderValues& border, Random& random, std::vector<bool>& differs) {
    const Decisions start = way.ofA(0), end = way.ofA(1);
    const std::size_t most = isTiny(border) ? kMany : border.region.size <= kSmall ? kSome : 1;
    const std::vector<std::size_t> elements = undecided(start, end, most, random);
    for (const std::size_t element : elements) {
        double near = 0, far = 1;
        way.narrow(element, near, far);
        if (way.differsAt(element, near - way.aside()) || way.differsAt(element, far + way.aside()))
            differs[start.exitOf[element]] = true;
    }
    return elements.size();
}

} // namespace

Exits differAtBoundaries(const CheckContext& context, const BorderValues& border) {
    const bool any = std::find(border.discrete.begin(), border.discrete.end(), true) != border.discrete.end();
    if (!any || !border.has(hasFloats)) return {};
    const auto from = context.regionRun.tryValuesOfA(border.region.producers(), context.inputs);
    const bool isCheap = isTiny(border) && context.a.model->graph.size() <= kFewNodes;
    const std::size_t wanted = isCheap ? kMany : 1, most = isCheap ? kManyWays : kWays;
    std::vector<bool> differs(border.region.exits.size());
    std::size_t tried = 0;
    for (std::size_t way = 0; from && tried < wanted && way < most; ++way) {
        const auto to = context.regionRun.tryValuesOfA(border.region.producers(), context.moreInputs());
        if (!to) break;
        context.regionRun.mayFail(
            [&] { tried += tryBoundaries(Way(context, border, *from, *to), border, context.random, differs); });
        if (Exits where = border.where(differs); !where.empty()) return where;
    }
    return {};
}

} // namespace fx::engine
