// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/manager/pass_schedule.h"

#include <algorithm>
#include <deque>
#include <map>

namespace fx {
namespace {

/// Two requests with equal keys are one pass to the solver: one object in torch.fx. One with settings, or of one's own,
/// is always its own.
std::string keyOf(const PassRequest& pass, std::size_t place) {
    return passLabel(pass) + (pass.settings.exists() || pass.own ? '#' + std::to_string(place) : "");
}

/// The graph of `_topological_sort_passes`; passes are called by the index of their first occurrence.
struct Order {
    std::vector<std::size_t> first;               ///< by place in the list
    std::vector<std::vector<std::size_t>> after;  ///< those that wait for a pass
    std::vector<std::vector<std::size_t>> before; ///< those that a pass waits for
    std::vector<std::size_t> waiting;
    std::deque<std::size_t> ready;

    explicit Order(const PassSchedule& schedule)
        : after(schedule.passes.size()), before(schedule.passes.size()), waiting(schedule.passes.size()) {
        const auto& passes = schedule.passes;
        std::map<std::string, std::size_t> known;
        for (std::size_t i = 0; i < passes.size(); ++i)
            first.push_back(known.emplace(keyOf(passes[i], i), i).first->second);
        for (std::size_t a = 0; a < passes.size(); ++a) {
            for (std::size_t b = 0; b < passes.size(); ++b) {
                if (first[a] == first[b]) continue;
                for (const PassConstraint& constraint : schedule.constraints) {
                    if (constraint.holds(passes[a], passes[b])) continue;
                    after[first[b]].push_back(first[a]);
                    before[first[a]].push_back(first[b]);
                    ++waiting[first[a]];
                }
            }
            if (waiting[first[a]] == 0) ready.push_back(first[a]);
        }
    }
};

/// A cycle among passes that wait: "a before b before a".
std::string cycleText(const PassSchedule& schedule, const Order& order) {
    std::size_t at = 0;
    while (order.waiting[at] == 0) ++at;
    std::vector<std::size_t> path;
    while (std::find(path.begin(), path.end(), at) == path.end()) {
        path.push_back(at);
        at = *std::find_if(order.before[at].begin(), order.before[at].end(),
                           [&](std::size_t each) { return order.waiting[each] > 0; });
    }
    path.erase(path.begin(), std::find(path.begin(), path.end(), at));
    std::reverse(path.begin(), path.end()); // each one runs before the next
    path.push_back(path.front());
    std::string text;
    for (const std::size_t each : path) text += (text.empty() ? "" : " before ") + passLabel(schedule.passes[each]);
    return text;
}

} // namespace

std::string passLabel(const PassRequest& pass) { return pass.isLoop() ? "loop_pass(" + pass.name + ")" : pass.name; }

bool PassConstraint::holds(const PassRequest& a, const PassRequest& b) const {
    const auto is = [this](const PassRequest& pass, const std::string& name) {
        return pass.name == name && (unwrap || !pass.isLoop());
    };
    return !is(a, then) || !is(b, first);
}

PassConstraint thisBeforeThat(std::string first, std::string then) {
    return {std::move(first), std::move(then), false};
}

void PassSchedule::validate() const {
    for (const PassConstraint& constraint : constraints)
        for (std::size_t i = 0; i < passes.size(); ++i)
            for (std::size_t j = i + 1; j < passes.size(); ++j)
                if (!constraint.holds(passes[i], passes[j]))
                    throw Error(ErrorKind::Refused, Message("passes.order", {{"first", passLabel(passes[j])},
                                                                             {"then", passLabel(passes[i])}}));
}

void PassSchedule::solve() {
    if (constraints.empty()) return;
    Order order(*this);
    std::vector<bool> visited(passes.size());
    std::vector<PassRequest> sorted;
    while (!order.ready.empty()) {
        const std::size_t each = order.ready.front();
        order.ready.pop_front();
        sorted.push_back(passes[each]);
        visited[each] = true;
        for (const std::size_t next : order.after[each])
            if (!visited[next] && order.waiting[next] > 0 && --order.waiting[next] == 0) order.ready.push_back(next);
    }
    if (std::any_of(order.waiting.begin(), order.waiting.end(), [](std::size_t count) { return count > 0; }))
        throw Error(ErrorKind::Refused, Message("passes.cycle", {{"cycle", cycleText(*this, order)}}));
    passes = std::move(sorted);
}

} // namespace fx
