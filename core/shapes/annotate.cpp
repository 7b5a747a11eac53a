// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/shapes/annotate.h"

#include <unordered_map>

namespace fx {
std::vector<std::pair<NodeId, MetaPtr>> shapeNotes(const Graph& graph, const NodeShapes& shapes) {
    std::unordered_map<std::string_view, const std::vector<ValueInfo>*> known;
    for (const auto& [name, infos] : shapes.nodes) known.emplace(name, &infos);
    std::vector<std::pair<NodeId, MetaPtr>> changes;
    for (const Node& node : graph.nodes()) {
        const auto found = known.find(node.name());
        if (found == known.end() || found->second->empty() || *found->second == node.meta().values) continue;
        auto meta = std::make_shared<NodeMeta>(node.meta());
        meta->values = *found->second;
        changes.emplace_back(node.id(), std::move(meta));
    }
    return changes;
}

bool noteShapes(Graph& graph, const NodeShapes& shapes) {
    std::vector<std::pair<NodeId, MetaPtr>> changes = shapeNotes(graph, shapes);
    for (auto& [id, meta] : changes) graph.setMeta(id, std::move(meta));
    return !changes.empty();
}

} // namespace fx
