// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/partition/carried_marks.h"

#include "ui/partition/carried_nodes.h"

namespace ui {

SupportDraft withCarriedMarks(const SupportDraft& draft, const fx::GraphModule& before, const fx::GraphModule& after) {
    SupportDraft carried = draft;
    const CarriedNodes places(before, after);
    for (const auto& [name, support] : draft.nodes()) {
        const fx::NodeId node = before.graph.find(name);
        if (node == fx::kNoNode) continue;
        const fx::NodeId to = places[node];
        if (to == fx::kNoNode || after.graph.node(to).name() == name) continue;
        carried.setNode(name, Support::ByRule);
        carried.setNode(after.graph.node(to).name(), support);
    }
    return carried;
}

} // namespace ui
