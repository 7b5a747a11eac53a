// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/pt2e/observer_groups.h"

#include "core/diag/error.h"

namespace fx::quant::pt2e {
namespace {

using Kind = QuantizationSpec::Kind;

/// torchao `_has_same_attr` of what decides how a value is quantised; the observer's class does not.
bool areAlike(const QuantizationSpec& a, const QuantizationSpec& b) {
    if (a.kind != b.kind || a.dtype != b.dtype || a.isDynamic != b.isDynamic || a.quantMin != b.quantMin ||
        a.quantMax != b.quantMax || a.qscheme != b.qscheme || a.axis != b.axis)
        return false;
    return a.kind != Kind::Fixed || (a.scale == b.scale && a.zeroPoint == b.zeroPoint);
}

} // namespace

ObserverGroups::ObserverGroups(const Graph& graph, const Annotations& annotations, bool isQat) {
    for (const Node& node : graph.nodes()) {
        const auto found = annotations.find(node.id());
        if (found == annotations.end()) continue;
        const auto add = [this](EdgeOrNode value, const SpecPtr& spec) {
            const auto [place, isNew] = m_places.try_emplace(value, m_entries.size());
            if (isNew) m_entries.push_back({value, spec});
            else m_entries[place->second].spec = spec;
        };
        for (const auto& [input, spec] : found->second.inputs) add({input, node.id()}, spec);
        if (found->second.output) add({node.id(), kNoNode}, found->second.output);
    }
    share(graph, annotations);
    makeInstances(graph, isQat);
}

std::size_t ObserverGroups::rootOf(std::size_t entry) {
    std::size_t root = entry;
    while (m_parents[root] != root) root = m_parents[root];
    while (m_parents[entry] != root) {
        const std::size_t next = m_parents[entry];
        m_parents[entry] = root;
        entry = next;
    }
    return root;
}

/// torchao `_unwrap_shared_qspec`.
SpecPtr ObserverGroups::rootSpec(SpecPtr spec) {
    for (std::size_t steps = 0; spec && spec->kind == Kind::Shared; ++steps) {
        const auto place = m_places.find(spec->from.front());
        if (place == m_places.end() || steps > m_entries.size())
            throw Error(ErrorKind::Refused, Message("pt2e.shared_with_nothing"));
        spec = m_entries[rootOf(place->second)].spec;
    }
    return spec;
}

void ObserverGroups::unite(std::size_t parent, std::size_t child) {
    const std::size_t above = rootOf(parent), below = rootOf(child);
    const SpecPtr& spec = m_entries[above].spec;
    const bool isReversed = spec && spec->kind == Kind::Shared && spec->from.front() == m_entries[below].value;
    if (isReversed) m_parents[above] = below;
    else m_parents[below] = above;
}

void ObserverGroups::uniteIfAlike(std::size_t edge, const SpecPtr& edgeSpec, EdgeOrNode other) {
    const auto place = m_places.find(other);
    if (place == m_places.end()) return;
    const SpecPtr spec = rootSpec(m_entries[place->second].spec);
    if (spec && edgeSpec && areAlike(*spec, *edgeSpec)) unite(place->second, edge);
}

void ObserverGroups::share(const Graph& graph, const Annotations& annotations) {
    for (std::size_t i = 0; i < m_entries.size(); ++i) m_parents.push_back(i);
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        const EdgeOrNode value = m_entries[i].value;
        const SpecPtr spec = m_entries[i].spec;
        if (value.isEdge()) {
            const SpecPtr root = rootSpec(spec);
            if (annotations.at(value.to).allowImplicitSharing) {
                // Other users come first: the other order could close a circle.
                for (const NodeId user : graph.node(value.from).users())
                    if (user != value.to) uniteIfAlike(i, root, {value.from, user});
                uniteIfAlike(i, root, {value.from, kNoNode});
            }
        }
        if (!spec || spec->kind != Kind::Shared) continue;
        const auto with = m_places.find(spec->from.front());
        if (with == m_places.end()) throw Error(ErrorKind::Refused, Message("pt2e.shared_with_nothing"));
        unite(with->second, i);
    }
}

void ObserverGroups::makeInstances(const Graph& graph, bool isQat) {
    std::unordered_map<std::size_t, std::shared_ptr<Instance>> groups; // by root
    for (std::size_t i = 0; i < m_entries.size(); ++i) {
        const auto [group, isNew] = groups.try_emplace(rootOf(i));
        const SpecPtr& spec = m_entries[i].spec;
        if (isNew && spec) {
            const std::string& node = graph.node(m_entries[i].value.from).name();
            if (spec->kind == Kind::Derived) throw Error(ErrorKind::Refused, Message("pt2e.derived_spec")).onNode(node);
            if (spec->kind == Kind::Shared) {
                const auto with = m_instances.find(spec->from.front());
                if (with == m_instances.end())
                    throw Error(ErrorKind::Refused, Message("pt2e.shared_with_nothing")).onNode(node);
                group->second = with->second;
            } else {
                group->second = std::make_shared<Instance>(Instance{makeObserver(spec->observerSpec(isQat)), spec});
            }
        }
        m_instances[m_entries[i].value] = group->second;
    }
}

const ObserverGroups::Instance* ObserverGroups::find(EdgeOrNode value) const {
    const auto found = m_instances.find(value);
    return found == m_instances.end() ? nullptr : found->second.get();
}

} // namespace fx::quant::pt2e
