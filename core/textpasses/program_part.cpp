// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/textpasses/program_part.h"

#include "core/module/call_semantics.h"

#include <algorithm>

namespace fx {

// In rounds: a write may come after what reads it.
std::unordered_set<NodeId> sourcesOf(const GraphModule& program, NodeId wanted) {
    const CallSemantics semantics(*program.root);
    const std::vector<NodeId> memory = semantics.memoryOf(program.graph);
    std::vector<const Node*> order;
    for (const Node& node : program.graph.nodes()) order.push_back(&node);
    std::unordered_set<NodeId> out{wanted}, touched{memory[index(wanted)]};
    const auto add = [&](NodeId id) {
        touched.insert(memory[index(id)]);
        return out.insert(id).second;
    };
    const auto writesToSource = [&](const Node& node) {
        const std::vector<NodeId> written = semantics.written(node);
        return std::any_of(written.begin(), written.end(),
                           [&](NodeId id) { return touched.contains(memory[index(id)]); });
    };
    for (bool grows = true; grows;) {
        grows = false;
        for (auto each = order.rbegin(); each != order.rend(); ++each) {
            const Node& node = **each;
            if (!out.contains(node.id())) {
                if (!writesToSource(node)) continue;
                grows |= add(node.id());
            }
            for (const NodeId input : node.inputs()) grows |= add(input);
        }
    }
    return out;
}

GraphModule partOf(const GraphModule& program, const std::unordered_set<NodeId>& sources) {
    GraphModule part = program;
    std::vector<NodeId> order;
    for (const Node& each : part.graph.nodes()) order.push_back(each.id());
    for (auto each = order.rbegin(); each != order.rend(); ++each)
        if (!sources.contains(*each)) part.graph.erase(*each);
    auto root = std::make_shared<Module>();
    for (const Node& each : part.graph.nodes())
        if (each.op() == Op::GetAttr)
            for (const Module::Slot& slot : program.root->buffers)
                if (slot.name == each.target()) root->buffers.push_back(slot);
    part.root = std::move(root);
    return part;
}

} // namespace fx
