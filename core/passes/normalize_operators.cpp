// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/normalize_operators.h"

#include "core/trace/callables.h"

#include <array>

namespace fx {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 12> kOperators = {
    {{"torch.add", "operator.add"},
     {"torch.mul", "operator.mul"},
     {"torch.sub", "operator.sub"},
     {"torch.div", "operator.truediv"},
     {"torch.floor_divide", "operator.floordiv"},
     {"torch.remainder", "operator.mod"},
     {"torch.eq", "operator.eq"},
     {"torch.ne", "operator.ne"},
     {"torch.lt", "operator.lt"},
     {"torch.le", "operator.le"},
     {"torch.gt", "operator.gt"},
     {"torch.ge", "operator.ge"}}};

bool useOperators(const PassRun& run) {
    bool changed = false;
    for (const NodeId id : run.graph().order()) {
        const Node& node = run.graph().node(id);
        if (node.op() != Op::CallFunction || node.args().size() != 2) continue;
        for (const auto& [from, to] : kOperators) {
            if (node.target() != from) continue;
            if (!node.kwargs().empty()) { // torch.fx forgets them, which changes what is computed
                run.warnings.push_back(
                    {Message("passes.keyword_arguments", {{"target", node.target()}}), node.name(), {}, {}});
                break;
            }
            changed |= run.rewrite(id, [&, target = to] { run.graph().setCallable(id, resolveCallable(target)); });
            break;
        }
    }
    return changed;
}

} // namespace

Pass normalizeOperatorsPass() {
    return {"normalize_operators",
            "replaces torch.add(x, y) by x + y, and likewise for other operators of Python",
            {},
            useOperators,
            {}};
}

} // namespace fx
