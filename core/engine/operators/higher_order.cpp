// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/operators/higher_order.h"

#include "core/engine/calls.h"
#include "core/engine/dispatch.h"
#include "core/engine/machine.h"
#include "core/engine/shapes/cpu_fallback.h"

#include <ATen/core/grad_mode.h>
#include <c10/core/InferenceMode.h>

namespace fx::engine {
namespace {

const Value& need(const Arguments& a, std::size_t index) {
    if (index >= a.positional.size()) throw runError(Message("engine.higher_order_argument", {{"index", index + 1}}));
    return a.positional[index];
}
/// The items of an argument that may be left out.
Values rest(const Arguments& a, std::size_t index) {
    return index < a.positional.size() ? iterate(a.positional[index]) : Values();
}
Values from(const Arguments& a, std::size_t first) {
    need(a, first - 1);
    return {a.positional.begin() + static_cast<std::ptrdiff_t>(first), a.positional.end()};
}
void append(Values& to, const Values& more) { to.insert(to.end(), more.begin(), more.end()); }

std::int64_t length(const Values& tensors) {
    if (tensors.empty() || !tensors.front().isTensor() || tensors.front().tensor().dim() == 0)
        throw runError(Message("engine.higher_order_tensors"));
    return tensors.front().tensor().size(0);
}
Values rowOf(const Values& tensors, std::int64_t index) {
    Values out;
    for (const Value& tensor : tensors) out.push_back(subscriptOf(tensor, index));
    return out;
}
/// The rows of several results, each put together into one tensor.
Values stacked(const std::vector<Values>& rows) {
    Values out;
    for (std::size_t i = 0; !rows.empty() && i < rows.front().size(); ++i) {
        Values column;
        for (const Values& row : rows) column.push_back(row.at(i));
        out.push_back(callFunction("torch.stack", {Value::list(std::move(column))}));
    }
    return out;
}

Value setGrad(const CallGraph& call, const Arguments& a) {
    const at::AutoGradMode mode(truthOf(need(a, 0)) && !c10::InferenceMode::is_enabled());
    return call(need(a, 1), from(a, 2));
}
Value autocast(const CallGraph& call, const Arguments& a) {
    const auto* type = need(a, 1).as<at::ScalarType>();
    const bool enabled = truthOf(need(a, 2));
    if (enabled && stackFilter())
        throw runError(Message("engine.autocast_values")); // LibTorch casts tensors of the CPU only
    const ModesScope untilTheEnd;
    enterAutocast(enabled, type ? *type : at::kBFloat16);
    return call(need(a, 4), from(a, 5));
}
Value invokeSubgraph(const CallGraph& call, const Arguments& a) { return call(need(a, 0), from(a, 2)); }
Value wrap(const CallGraph& call, const Arguments& a) { return call(need(a, 0), from(a, 1)); }
Value cond(const CallGraph& call, const Arguments& a) {
    return call(truthOf(need(a, 0)) ? need(a, 1) : need(a, 2), rest(a, 3));
}

Value whileLoop(const CallGraph& call, const Arguments& a) {
    Values carried = iterate(need(a, 2));
    const Values additional = rest(a, 3);
    const auto operands = [&] {
        Values all = carried;
        append(all, additional);
        return all;
    };
    const auto goesOn = [&] {
        const Value answer = call(need(a, 0), operands());
        return truthOf(answer.items() ? answer.items()->items.at(0) : answer);
    };
    while (goesOn()) carried = iterate(call(need(a, 1), operands()));
    return Value::tuple(std::move(carried));
}

Value map(const CallGraph& call, const Arguments& a) {
    const Values mapped = iterate(need(a, 1)), operands = rest(a, 2);
    std::vector<Values> rows;
    for (std::int64_t i = 0; i < length(mapped); ++i) {
        Values given = rowOf(mapped, i);
        append(given, operands);
        rows.push_back(iterate(call(need(a, 0), std::move(given))));
    }
    return Value::tuple(stacked(rows));
}

Value scan(const CallGraph& call, const Arguments& a) {
    Values carry = iterate(need(a, 1));
    const Values xs = iterate(need(a, 2)), additional = rest(a, 3);
    const auto carried = static_cast<std::ptrdiff_t>(carry.size());
    std::vector<Values> rows;
    for (std::int64_t i = 0; i < length(xs); ++i) {
        Values given = carry;
        append(given, rowOf(xs, i));
        append(given, additional);
        const Values out = iterate(call(need(a, 0), std::move(given)));
        carry.assign(out.begin(), out.begin() + carried);
        rows.emplace_back(out.begin() + carried, out.end());
    }
    append(carry, stacked(rows));
    return Value::tuple(std::move(carry));
}

} // namespace

HigherOrderForm higherOrderForm(std::string_view name) {
    if (name == "cond") return cond;
    if (name == "while_loop") return whileLoop;
    if (name == "map_impl") return map;
    if (name == "scan") return scan;
    if (name == "invoke_subgraph") return invokeSubgraph;
    if (name == "wrap_with_set_grad_enabled") return setGrad;
    if (name == "wrap_with_autocast") return autocast;
    if (name == "wrap") return wrap;
    return nullptr;
}

} // namespace fx::engine
