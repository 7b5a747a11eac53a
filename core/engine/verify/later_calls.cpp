// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/later_calls.h"

#include "core/engine/verify/compare.h"
#include "core/engine/verify/inputs/alter.h"
#include "core/engine/verify/inputs/stimulus.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace fx::engine {
namespace {

constexpr std::array<std::int64_t, 7> kFarCalls = {1, 10, 100, 1000, 10000, 100000, 1000000};
constexpr std::int64_t kMostContinued = 1 << 16; ///< elements of a buffer
constexpr double kStraight = 1e-3;               ///< relative error of a step that follows the ones before
constexpr double kSameStep = 1e-5;               ///< relative difference of steps that are one
constexpr double kAboveRounding = 4;             ///< times the rounding of a state, what it may be off
constexpr std::int64_t kFewNumbers = 1 << 10;    ///< elements of a value that may turn
constexpr double kLargestState = 1e30;
constexpr std::size_t kMostProbes = 96;         ///< runs that look for turns
constexpr std::size_t kNodesOfProbes = 200'000; ///< that run in all of them

/// The relative distance of numbers of the type of a tensor; 0 for integers.
double roundingIn(const at::Tensor& tensor) {
    return tensor.is_floating_point() ? roundingOf(tensor.scalar_type()) : 0;
}

bool isIntegral(const at::Tensor& tensor) { return at::isIntegralType(tensor.scalar_type(), true); }

} // namespace

/// False where nothing is known of how it goes on.
bool LaterCalls::continueElement(const std::array<double, 4>& states, double rounding, Buffer& buffer) {
    const double step = states[1] - states[0], next = states[2] - states[1], last = states[3] - states[2];
    double ratio = step == 0 ? 1 : next / step;
    if (!(std::abs(last - ratio * next) <= kStraight * std::abs(step)) || (step == 0 && next != 0)) return false;
    const double most = std::max(std::abs(states[0]), std::abs(states[3]));
    const double noise = step == 0 ? 0 : kAboveRounding * rounding * most / std::abs(step); // of the ratio
    if (std::abs(ratio - 1) <= std::max(noise, kSameStep)) {
        if (noise > kSameStep) return false; // a slow decay, or a line
        ratio = 1;
    }
    buffer.step.push_back(step), buffer.ratio.push_back(ratio);
    return true;
}

LaterCalls::LaterCalls(const VerifySide& a, const VerifySide& b, Comparison& comparison)
    : m_a(a), m_b(b), m_comparison(comparison) {
    a.tensors->restore(), b.tensors->restore();
    if (!comparison.run(false, false)) return;
    std::vector<std::array<at::Tensor, 4>> states;
    for (const SharedTensor& buffer : changedTensors(a, b)) {
        const at::Tensor& now = a.tensors->tensor(buffer.ofA);
        if (now.numel() == 0 || now.numel() > kMostContinued || now.is_complex() || now.layout() != at::kStrided)
            continue;
        m_buffers.push_back({buffer, {}, {}, {}, {}});
        states.emplace_back();
    }
    const auto note = [&](std::size_t call) {
        for (std::size_t i = 0; i < states.size(); ++i)
            states[i][call] = a.tensors->tensor(m_buffers[i].tensors.ofA).to(at::kDouble).clone();
    };
    for (std::size_t call = 1; call < 4 && !states.empty(); ++call) {
        if (call > 1 && !comparison.run(false, true)) {
            m_buffers.clear();
            return;
        }
        note(call);
    }
    a.tensors->restore();
    note(0);
    for (std::size_t i = 0; i < states.size(); ++i) {
        Buffer& buffer = m_buffers[i];
        buffer.first = a.tensors->tensor(buffer.tensors.ofA).clone();
        std::array<std::vector<double>, 4> s;
        for (std::size_t call = 0; call < 4; ++call) s[call] = elementsOf(states[i][call], kMostContinued);
        buffer.start = s[0];
        const double rounding = roundingIn(buffer.first);
        for (std::size_t place = 0; place < s[0].size() && s[3].size() == s[0].size(); ++place)
            if (!continueElement({s[0][place], s[1][place], s[2][place], s[3][place]}, rounding, buffer)) break;
    }
    std::erase_if(m_buffers, [](const Buffer& buffer) { return buffer.step.size() != buffer.start.size(); });
}

bool LaterCalls::continues(const SharedTensor& buffer) const {
    return std::any_of(m_buffers.begin(), m_buffers.end(),
                       [&](const Buffer& each) { return each.tensors.ofA == buffer.ofA; });
}

/// Undefined where it is not finite.
at::Tensor LaterCalls::after(const Buffer& buffer, std::int64_t calls) const {
    std::vector<double> numbers = buffer.start;
    const auto many = static_cast<double>(calls);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const double ratio = buffer.ratio[i];
        numbers[i] += buffer.step[i] * (ratio == 1 ? many : (1 - std::pow(ratio, many)) / (1 - ratio));
        if (!(std::abs(numbers[i]) < kLargestState)) return {};
    }
    if (!isIntegral(buffer.first))
        return withElements(buffer.first,
                            [&](double* data, std::int64_t) { std::copy(numbers.begin(), numbers.end(), data); });
    return wholeNumbers(buffer.first, [&](std::int64_t place) { // beyond the end of a type they go round
        return static_cast<std::int64_t>(std::llround(numbers[static_cast<std::size_t>(place)]));
    });
}

bool LaterCalls::enter(std::int64_t calls) {
    leave();
    std::vector<at::Tensor> states;
    for (const Buffer& buffer : m_buffers) {
        states.push_back(after(buffer, calls));
        if (!states.back().defined()) return false;
    }
    put(states);
    m_entered = calls;
    return true;
}

/// Makes these the state that both models start from, by buffer.
void LaterCalls::put(const std::vector<at::Tensor>& states) {
    for (const VerifySide* side : {&m_a, &m_b}) {
        side->tensors->restore();
        for (std::size_t i = 0; i < m_buffers.size(); ++i)
            side->tensors->tensor(side == &m_a ? m_buffers[i].tensors.ofA : m_buffers[i].tensors.ofB).copy_(states[i]);
        side->tensors->keepState();
    }
}

bool LaterCalls::goesOn() {
    if (!m_comparison.run(false, false)) return false;
    for (const Buffer& buffer : m_buffers) {
        const at::Tensor expected = after(buffer, *m_entered + 1);
        if (!expected.defined()) return false;
        const std::vector<double> is = elementsOf(m_a.tensors->tensor(buffer.tensors.ofA), kMostContinued),
                                  should = elementsOf(expected, kMostContinued);
        for (std::size_t i = 0; i < should.size() && i < is.size(); ++i)
            if (!(std::abs(is[i] - should[i]) <= kStraight * std::abs(buffer.step[i]) +
                                                     kAboveRounding * roundingIn(buffer.first) * std::abs(should[i])))
                return false;
    }
    return true;
}

void LaterCalls::leave() {
    if (!m_entered) return;
    std::vector<at::Tensor> states;
    for (const Buffer& buffer : m_buffers) states.push_back(buffer.first);
    put(states);
    m_entered.reset();
}

/// Empty where the models cannot be run so.
Turns::ByNode LaterCalls::numbersAfter(bool inB, std::int64_t calls) {
    if (!enter(calls)) return {};
    Turns::ByNode numbers((inB ? m_b : m_a).model->graph.idLimit());
    m_comparison.watch(inB, [&](const Node& node, const Value& value) {
        numbers[index(node.id())] = Turns::numbersOf(value, kFewNumbers);
    });
    if (!m_comparison.run(inB, false)) numbers.clear();
    m_comparison.watch(inB, {});
    leave();
    return numbers;
}

std::vector<std::int64_t> LaterCalls::turns(const std::function<bool()>& isOver) {
    if (!any()) return {};
    const std::vector<std::int64_t> far(kFarCalls.begin(), kFarCalls.end());
    const std::size_t probes =
        std::min(kMostProbes, kNodesOfProbes / std::max<std::size_t>(m_a.model->graph.size(), 1));
    if (probes < 2 * far.size() || isOver()) return far;
    Turns turns(
        *m_a.model, *m_b.model, [this](bool inB, std::int64_t calls) { return numbersAfter(inB, calls); },
        [](bool, NodeId) { return true; }, probes);
    std::set<std::int64_t> places = turns.between(far, isOver), out(far.begin(), far.end());
    for (const Buffer& buffer : m_buffers) {
        const at::ScalarType type = buffer.first.scalar_type();
        const auto end = static_cast<double>(exactUpTo(type));
        if (isIntegral(buffer.first) && buffer.step[0] > 0 && end < static_cast<double>(far.back()))
            places.insert(static_cast<std::int64_t>((end - buffer.start[0]) / buffer.step[0]) + 1);
    }
    for (const std::int64_t place : places) out.insert({place - 1, place, place + 1});
    return {out.begin(), out.end()};
}

} // namespace fx::engine
