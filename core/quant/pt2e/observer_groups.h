// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"
#include "core/quant/pt2e/annotation.h"

namespace fx::quant::pt2e {

/// Which values are observed by one instance.
///
/// Every annotated edge and output starts as its own tree of a union-find; `SharedQuantizationSpec` joins what it
/// names, and an edge is joined implicitly with other edges from the same node, and with that node's output, if their
/// specifications are alike. Mirrors `_get_edge_or_node_to_group_id` and `_get_obs_or_fq_map` of torchao, in its order.
class ObserverGroups {
public:
    /// Throws Error{Refused} if a specification shares with something that is not observed.
    ObserverGroups(const Graph& graph, const Annotations& annotations, bool isQat);

    /// One instance for each group.
    struct Instance {
        std::shared_ptr<Module> module;
        SpecPtr spec;
    };
    /// Whether the edge or output is annotated, and its instance; null if it is annotated as not observed.
    bool contains(EdgeOrNode value) const { return m_instances.contains(value); }
    const Instance* find(EdgeOrNode value) const;

private:
    struct Entry {
        EdgeOrNode value;
        SpecPtr spec;
    };
    std::size_t rootOf(std::size_t entry);
    SpecPtr rootSpec(SpecPtr spec);
    void unite(std::size_t parent, std::size_t child);
    void uniteIfAlike(std::size_t edge, const SpecPtr& edgeSpec, EdgeOrNode other);
    void share(const Graph& graph, const Annotations& annotations);
    void makeInstances(const Graph& graph, bool isQat);

    std::vector<Entry> m_entries; ///< in graph order
    std::unordered_map<EdgeOrNode, std::size_t, EdgeOrNodeHash> m_places;
    std::vector<std::size_t> m_parents;
    std::unordered_map<EdgeOrNode, std::shared_ptr<Instance>, EdgeOrNodeHash> m_instances;
};

} // namespace fx::quant::pt2e
