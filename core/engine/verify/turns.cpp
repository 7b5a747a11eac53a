// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/turns.h"

#include "core/engine/verify/boundary_numbers.h"
#include "core/engine/verify/inputs/stimulus.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fx::engine {
namespace {

constexpr std::size_t kMostTurns = 32; ///< each costs three runs of both models
constexpr int kGuesses = 3;            ///< along a line, before halves are taken
constexpr std::size_t kLast = 2;       ///< place of the last number of a value
constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

int signOf(double number) { return number > 0 ? 1 : number < 0 ? -1 : 0; }

} // namespace

Turns::Numbers Turns::numbersOf(const Value& value, std::int64_t most) {
    if (!value.isTensor()) {
        const double number = value.real().value_or(kNone);
        return {number, number, number};
    }
    const at::Tensor& tensor = value.tensor();
    const bool isNumbers = tensor.layout() == at::kStrided && !tensor.is_complex() && !tensor.is_quantized();
    if (!isNumbers || tensor.numel() == 0 || tensor.numel() > most) return {kNone, kNone, kNone};
    const std::vector<double> elements = elementsOf(tensor, tensor.numel());
    const auto [least, largest] = std::minmax_element(elements.begin(), elements.end());
    return {*least, *largest, elements.back()};
}

double Turns::Turn::at(const ByNode& numbers) const {
    if (numbers.empty()) return kNone;
    return numbers[index(number)][which] - (other == kNoNode ? constant : numbers[index(other)][which]);
}

const Turns::ByNode& Turns::numbersAt(bool inB, std::int64_t count) {
    const auto [known, isNew] = m_known.emplace(std::pair(inB, count), ByNode());
    if (isNew) known->second = m_run(inB, count);
    return known->second;
}

/// All numbers that vary with the count, against what they are used with.
std::vector<Turns::Turn> Turns::turnsOf(bool inB, const std::vector<std::int64_t>& counts) {
    const GraphModule& model = inB ? m_b : m_a;
    std::vector<const ByNode*> all;
    for (const std::int64_t each : counts)
        if (const ByNode& numbers = numbersAt(inB, each); !numbers.empty()) all.push_back(&numbers);
    std::vector<Turn> out;
    if (all.size() < 2) return out;
    const auto isNumber = [&](NodeId id, std::size_t which) {
        const double last = (*all.front())[index(id)][kLast], own = (*all.front())[index(id)][which];
        return !std::isnan(own) && (which == kLast || own != last); // of one element they are the same
    };
    const auto varies = [&](NodeId id, std::size_t which) {
        return std::any_of(all.begin(), all.end(), [&](const ByNode* each) {
            return (*each)[index(id)][which] != (*all.front())[index(id)][which];
        });
    };
    for (const Node& node : model.graph.nodes()) {
        if (!node.isCall() || !m_filter(inB, node.id())) continue;
        std::optional<std::vector<double>> constants;
        for (const NodeId id : node.inputs())
            for (const std::size_t which : {kLast, std::size_t{0}, std::size_t{1}}) {
                if (!isNumber(id, which) || !varies(id, which)) continue;
                if (!constants) constants = argumentsOf(model, {node.id()});
                for (const double constant : *constants) out.push_back({id, kNoNode, constant, which});
                for (const NodeId other : node.inputs())
                    if (other != id && !std::isnan((*all.front())[index(other)][which]))
                        out.push_back({id, other, 0, which});
            }
    }
    return out;
}

/// Returns the first count at which the sign differs from that at `before`.
std::int64_t Turns::placeOf(const Turn& turn, bool inB, std::int64_t before, std::int64_t after) {
    double low = turn.at(numbersAt(inB, before)), high = turn.at(numbersAt(inB, after));
    for (int guess = 0; after - before > 1 && m_known.size() < m_mostRuns; ++guess) {
        const double part = guess < kGuesses ? low / (low - high) : 0.5;
        const auto between = before + static_cast<std::int64_t>(part * static_cast<double>(after - before));
        const std::int64_t middle = std::clamp(between, before + 1, after - 1);
        const double number = turn.at(numbersAt(inB, middle));
        if (std::isnan(number)) break;
        if (signOf(number) == signOf(low)) before = middle, low = number;
        else after = middle, high = number;
    }
    return after;
}

std::set<std::int64_t> Turns::between(const std::vector<std::int64_t>& counts, const std::function<bool()>& isOver) {
    std::set<std::int64_t> places;
    for (const bool inB : {false, true})
        for (const Turn& turn : turnsOf(inB, counts))
            for (std::size_t i = 1; i < counts.size() && places.size() < kMostTurns && !isOver(); ++i) {
                const double before = turn.at(numbersAt(inB, counts[i - 1])),
                             after = turn.at(numbersAt(inB, counts[i]));
                const bool isKnown = std::isfinite(before) && std::isfinite(after);
                if (isKnown && signOf(before) != signOf(after))
                    places.insert(placeOf(turn, inB, counts[i - 1], counts[i]));
            }
    return places;
}

} // namespace fx::engine
