// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"
#include "core/quant/pt2e/annotation.h"

namespace fx::quant::pt2e {

/// Groups of values that share one observer instance.
///
/// Every annotated edge and output starts as a tree of a union-find. `SharedQuantizationSpec` joins the values that it
/// names. An edge also joins, implicitly, other edges from the same node and the output of that node if their
/// specifications are equal. Mirrors torchao's `_get_edge_or_node_to_group_id` and `_get_obs_or_fq_map`, in its order.
class ObserverGroups {
public:
    /// Throws Error{Refused} if a specification shares with a value that is not observed.
    ObserverGroups(const Graph& graph, const Annotations& annotations, bool isQat);

    /// The observer instance of a group.
    struct Instance {
        std::shared_ptr<Module> module;
        SpecPtr spec;
    };
    /// True if the edge or output is annotated.
    bool contains(EdgeOrNode value) const { return m_instances.contains(value); }
    /// Returns the instance of an edge or output; null if it is not annotated or annotated as not observed.
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
