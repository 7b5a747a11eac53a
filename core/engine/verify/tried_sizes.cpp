// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/tried_sizes.h"

#include "core/diag/sides.h"
#include "core/engine/verify/boundary_numbers.h"

#include <algorithm>
#include <array>
#include <ctime>
#include <limits>

namespace fx::engine {
namespace {

constexpr std::int64_t kElementsOfInputs = 1 << 20; ///< of other sizes
constexpr std::int64_t kMostNumbers = 1 << 18;      ///< elements of a value that may turn
constexpr std::array<std::int64_t, 5> kFarLengths = {10, 100, 500, 1000, 4096};
constexpr double kSlow = 0.02;              ///< seconds of two runs; longer inputs than these are not tried
constexpr std::size_t kMostLengthRuns = 64; ///< that look for turns

} // namespace

TriedSizes::TriedSizes(const Context& context)
    : m_context(context),
      m_sensesSizes(
          !context.search.part ||
          sizeSenseOf(context.a, context.b, context.search.part->regionOf(context.search.part->exits())).any) {}

std::optional<Counterexample> TriedSizes::vary() {
    const Shapes given = m_context.source.shapes();
    const std::int64_t now = elementsIn(given), runs = static_cast<std::int64_t>(m_context.search.runs.values);
    const std::int64_t most = std::min(std::max(kElementsOfInputs, 2 * now), std::max<std::int64_t>(runs, 2) * now);
    m_found.reset();
    VariedSizes varied = varySizes(given, {m_context.fixed, most, m_sensesSizes},
                                   [this](const Shapes& shapes) { return attempt(shapes); });
    m_groups = std::move(varied.groups);
    if (varied.onlyA) m_refused = m_refusals.at(*varied.onlyA);
    return m_found;
}

Attempt TriedSizes::attempt(const Shapes& shapes) {
    const int draws = m_context.search.runs.values < kMostInputs ? 1 : kSizeDraws;
    bool ran = false;
    for (int draw = 0; draw < draws && (draw == 0 || ran); ++draw) {
        if (m_context.isOver()) return Attempt::Enough;
        const FurtherInputs further = m_context.source.ofSizes(shapes);
        const Message difference = m_context.comparison.difference(further, ran);
        if (m_context.search.tried) *m_context.search.tried += ran;
        if (!difference.text().empty()) {
            m_found = counterexampleFrom(further, difference);
            return Attempt::Enough;
        }
        if (m_context.comparison.refused) {
            const MessageArgument inputs("inputs", further.what), reason("reason", m_context.comparison.refused->why);
            m_refusals.emplace(shapes, Message("verify.other_extents", {inputs, reason}));
            return Attempt::RefusedByB;
        }
    }
    return ran ? Attempt::Ran : Attempt::Refused;
}

/// The numbers that follow from the sizes alone: those that are the same for other inputs. Empty where a model refuses
/// the sizes.
Turns::ByNode TriedSizes::numbersFor(bool inB, const Shapes& shapes) {
    const std::int64_t elements = elementsIn(shapes);
    if (m_context.isOver() || elements > m_mostElements) return {};
    const std::clock_t start = std::clock();
    Turns::ByNode numbers, others;
    for (Turns::ByNode* each : {&numbers, &others}) {
        each->resize((inB ? m_context.b : m_context.a).model->graph.idLimit());
        m_context.comparison.watch(inB, [&](const Node& node, const Value& value) {
            (*each)[index(node.id())] = Turns::numbersOf(value, kMostNumbers);
        });
        const bool ran = m_context.comparison.runOn(inB, m_context.source.ofSizes(shapes).inputs);
        m_context.comparison.watch(inB, {});
        if (!ran) return {};
    }
    if (static_cast<double>(std::clock() - start) > kSlow * CLOCKS_PER_SEC) m_mostElements = elements;
    for (std::size_t i = 0; i < numbers.size(); ++i)
        for (std::size_t which = 0; which < numbers[i].size(); ++which)
            if (numbers[i][which] != others[i][which]) numbers[i][which] = std::numeric_limits<double>::quiet_NaN();
    return numbers;
}

std::vector<std::int64_t> TriedSizes::turns(const SizeGroup& group) {
    const ChangedPart* part = m_context.search.part;
    if (!part || group.onlyMultiples) return {};
    const Shapes given = m_context.source.shapes();
    const std::int64_t own = given[group.axes[0].first][group.axes[0].second];
    std::vector<std::int64_t> lengths = {own};
    for (const std::int64_t length : kFarLengths)
        if (length > own && elementsIn(withSize(given, group, length)) <= m_mostElements) lengths.push_back(length);
    if (lengths.size() < 2) return {};
    Turns turns(
        *m_context.a.model, *m_context.b.model,
        [&](bool inB, std::int64_t length) { return numbersFor(inB, withSize(given, group, length)); },
        [&](bool inB, NodeId id) { return part->isChanged(inB, id); }, kMostLengthRuns);
    const std::set<std::int64_t> places = turns.between(lengths, m_context.isOver);
    return {places.begin(), places.end()};
}

} // namespace fx::engine
