// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/inplace_methods.h"

#include "core/module/number_values.h"
#include "core/ops/python_operators.h"
#include "core/passes/inplace_forms.h"

namespace fx {
namespace {

bool inplaceMethods(const PassRun& run) {
    Graph& graph = run.graph();
    const NumberValues numbers(graph);
    bool changed = false;
    for (const NodeId id : graph.order()) {
        run.progress.check();
        const Node& node = graph.node(id);
        const std::string_view plain = augmentedOperator(node);
        if (plain.empty() || !node.args()[0].isNode() || numbers.contains(node.args()[0].node())) continue;
        changed |= run.rewrite(
            id, [&] { graph.setCall(id, Op::CallMethod, std::string(ops::inPlaceMethod(plain)), nullptr); });
    }
    return changed;
}

} // namespace

Pass inplaceMethodsPass() {
    return {"inplace_methods",
            "writes x += y as x.add_(y) and the like, which PyTorch keeps when it traces saved code again",
            {},
            inplaceMethods,
            {}};
}

} // namespace fx
