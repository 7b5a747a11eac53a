// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/several_calls.h"

#include "core/diag/sides.h"
#include "core/engine/verify/compare.h"
#include "core/engine/verify/inputs/alter.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>

namespace fx::engine {
namespace {

constexpr std::size_t kMostCalls = 12;                       ///< one after another
constexpr std::array kScalesOfCalls = {1.0, 0.5, 2.0, 0.25}; ///< of their floats, when they are not the same
constexpr std::int64_t kFewElements = 16;                    ///< of a buffer that is set to constants
constexpr std::size_t kMostConstants = 16;                   ///< that it is set to

Counterexample found(const VerifySide& a, Message reason) {
    return {VerdictReason::OtherData, std::move(reason), copyOf(a.inputs)};
}

/// Several calls one after another.
std::optional<Counterexample> differInSomeCalls(const CallSearch& search, std::size_t most) {
    const VerifySide& a = search.a;
    std::vector<RunInputs> calls(most, a.inputs);
    std::size_t call = search.comparison.callThatDiffers(calls);
    if (call > 0) return found(a, Message("verify.other_call", {{"call", call}}));
    if (!search.comparison.changesAnyState()) return std::nullopt;
    for (std::size_t i = 1; i < calls.size(); ++i)
        calls[i] = newInputs(a.inputs, i, kScalesOfCalls[i % kScalesOfCalls.size()]);
    call = search.comparison.callThatDiffers(calls);
    if (call == 0 && search.tellsNan) { // the first call gets NaN; only later calls are compared
        calls.front() = altered(a.inputs, scaledBy(std::numeric_limits<double>::quiet_NaN()));
        call = search.comparison.callThatDiffers(calls, 2);
    }
    if (call == 0) return std::nullopt;
    return Counterexample{VerdictReason::OtherData, Message("verify.other_call_inputs", {{"call", call}}),
                          copyOf(calls[call - 1])};
}

/// Calls much later.
std::optional<Counterexample> differMuchLater(const CallSearch& search, LaterCalls& later) {
    for (const std::int64_t calls : later.turns(search.isOver)) {
        if (search.isOver()) break;
        if (!later.enter(calls)) continue;
        bool ran = false;
        const Message difference = search.comparison.difference({search.a.inputs, {}}, ran);
        const bool goesOn = difference.text().empty() && later.goesOn();
        later.leave();
        if (difference.text().empty() && !goesOn) break; // a counter that starts again: what follows is not reached
        if (difference.text().empty()) continue;
        const Message reason("verify.later_call", {{"calls", calls}, {"difference", difference.text()}});
        return found(search.a, containing(reason, "difference", difference));
    }
    return std::nullopt;
}

/// How a buffer that is not continued may change.
struct Course {
    double before = 0, step = 1;
    bool mayGoTo(double number) const { return (number - before) * step >= 0; }
};
/// Nothing where all that is known is that it changes. An integer that the given inputs leave as it is may count
/// others.
std::optional<Course> courseOf(const at::Tensor& before, const at::Tensor& after) {
    const std::vector<double> from = elementsOf(before), to = elementsOf(after);
    if (from == to && at::isIntegralType(before.scalar_type(), true)) return Course{from.front(), 1};
    const double step = to.front() - from.front();
    for (std::size_t i = 0; i < from.size(); ++i)
        if (!((to[i] - from[i]) * step > 0)) return std::nullopt;
    return Course{from.front(), step};
}

std::optional<Counterexample> differAtConstants(const CallSearch& search, const LaterCalls& later,
                                                const std::vector<SharedTensor>& written,
                                                const std::vector<double>& constants) {
    if (constants.empty() || constants.size() > kMostConstants) return std::nullopt;
    for (const SharedTensor& buffer : written) {
        search.a.tensors->restore();
        const at::Tensor before = search.a.tensors->tensor(buffer.ofA).clone();
        const bool isSmall = before.numel() > 0 && before.numel() <= kFewElements && !before.is_complex();
        if (later.continues(buffer) || !isSmall || !search.comparison.run(false, false)) continue;
        const auto course = courseOf(before, search.a.tensors->tensor(buffer.ofA));
        for (const double constant : course ? constants : std::vector<double>())
            for (const double number : {constant - course->step, constant, constant + course->step}) {
                if (!course->mayGoTo(number) || search.isOver()) continue;
                if (!search.comparison.differsFrom(buffer.ofA, buffer.ofB, number)) continue;
                std::array<char, 32> text{};
                std::snprintf(text.data(), text.size(), "%.6g", number);
                return found(search.a,
                             Message("verify.other_count", {{"buffer", buffer.path}, {"value", text.data()}}));
            }
    }
    return std::nullopt;
}

} // namespace

std::optional<Counterexample> differInLaterCalls(const CallSearch& search, std::size_t most,
                                                 const std::vector<double>& constants) {
    if (auto differs = differInSomeCalls(search, std::min(kMostCalls, most))) return differs;
    const std::vector<SharedTensor> written = writtenTensors(search.a, search.b);
    if (written.empty()) return std::nullopt;
    LaterCalls later(search.a, search.b, search.comparison);
    if (auto differs = differMuchLater(search, later)) return differs;
    return differAtConstants(search, later, written, constants);
}

} // namespace fx::engine
