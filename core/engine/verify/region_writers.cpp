// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/region_run.h"
#include "core/module/call_semantics.h"

#include <algorithm>

namespace fx::engine {
namespace {

/// By node id: whether known values and the model's own tensors are all that it takes to run it.
std::vector<bool> runnable(const GraphModule& model, const std::vector<std::pair<NodeId, Value>>& known) {
    std::vector<bool> out(model.graph.idLimit());
    for (const auto& entry : known) out[index(entry.first)] = true;
    for (const Node& node : model.graph.nodes()) {
        const auto& inputs = node.inputs();
        if (!out[index(node.id())])
            out[index(node.id())] = !isUserInput(model, node) && std::all_of(inputs.begin(), inputs.end(),
                                                                             [&](NodeId id) { return out[index(id)]; });
    }
    return out;
}

} // namespace

RegionRun::Writers RegionRun::writersOf(const GraphModule& model) {
    Writers out;
    CallSemantics(*model.root).forEachWrite(model.graph, [&](const Node& writer, NodeId root) {
        const Node& owner = model.graph.node(root);
        const bool isKnown = !out.ofModel.empty() && out.ofModel.back() == writer.id();
        if (owner.op() == Op::GetAttr && !isKnown) out.ofModel.push_back(writer.id());
        if (owner.isCall()) out.ofCalls.push_back({writer.id(), root});
        if (isUserInput(model, owner)) out.ofInputs.push_back({writer.id(), root});
    });
    return out;
}

/// The exit that writes into an entry; the first one if the writer is no exit; nothing when none writes there.
std::optional<std::size_t> RegionRun::exitThatWrites(const ChangedPart::Region& region,
                                                     const ChangedPart::Entry& entry) const {
    std::optional<std::size_t> out;
    const auto look = [&](const std::vector<Writer>& writers, const std::vector<NodeId>& nodes,
                          const std::vector<NodeId>& entries, auto ofExit) {
        for (const auto& [writer, root] : writers) {
            if (std::find(entries.begin(), entries.end(), root) == entries.end() ||
                std::find(nodes.begin(), nodes.end(), writer) == nodes.end())
                continue;
            const auto exit = std::find_if(region.exits.begin(), region.exits.end(),
                                           [&](const auto& pair) { return ofExit(pair) == writer; });
            out = exit == region.exits.end() ? 0 : static_cast<std::size_t>(exit - region.exits.begin());
        }
    };
    look(m_writersA.ofInputs, region.a, entry.a, [](const auto& pair) { return pair.first; });
    look(m_writersB.ofInputs, region.b, entry.b, [](const auto& pair) { return pair.second; });
    return out;
}

/// Those of the region, and others that nothing uses and that write into what the region computes.
void RegionRun::keepWriters(bool inB, const ChangedPart::Region& region, const Known& known,
                            std::vector<NodeId>& keep) const {
    const GraphModule& model = *(inB ? m_b : m_a).model;
    const Writers& writers = inB ? m_writersB : m_writersA;
    if (writers.ofModel.empty() && writers.ofCalls.empty()) return;
    std::vector<bool> isInside(model.graph.idLimit());
    for (const NodeId id : inB ? region.b : region.a) isInside[index(id)] = true;
    const std::vector<bool> canRun = runnable(model, known);
    for (const auto& [writer, root] : writers.ofCalls) {
        const bool isSilent = model.graph.node(writer).users().empty();
        if (canRun[index(writer)] && (isInside[index(writer)] || (isSilent && isInside[index(root)])))
            keep.push_back(writer);
    }
    for (const NodeId writer : writers.ofModel) // nothing may use the result, but others read what it wrote
        if (canRun[index(writer)]) keep.push_back(writer);
}

} // namespace fx::engine
