// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/pt2e/source_partitions.h"

#include <algorithm>
#include <map>
#include <set>

namespace fx::quant::pt2e {
namespace {

/// `torch_fn` of a node: the name of the call and the function, "add__1" and "add_" of "add__1;method_descriptor.add_".
std::pair<std::string_view, std::string_view> torchFunction(const NodeMeta& meta) {
    for (const auto& [key, text] : meta.other) {
        if (key != "torch_fn") continue;
        const std::string_view all = text;
        const auto semicolon = all.find(';');
        if (semicolon == std::string_view::npos) return {};
        std::string_view function = all.substr(semicolon + 1);
        const auto dot = function.find('.');
        if (dot == std::string_view::npos) return {};
        function = function.substr(dot + 1);
        return {all.substr(0, semicolon), function.substr(0, function.find('.'))};
    }
    return {};
}

bool contains(const std::vector<std::string>& list, std::string_view text) {
    return std::find(list.begin(), list.end(), text) != list.end();
}

/// The source of a node and its place, or nothing.
std::optional<std::pair<std::string, std::string>> sourceOf(const Node& node, const SourceKind& kind, bool apart) {
    const auto [call, function] = torchFunction(node.meta());
    if (contains(kind.calls, function)) return std::pair(std::string(function), std::string(call));
    if (node.op() != Op::CallFunction || node.meta().moduleStack.empty()) return std::nullopt;
    const ModuleFrame& innermost = node.meta().moduleStack.back();
    if (!contains(kind.classes, innermost.type)) return std::nullopt;
    return std::pair(innermost.type, apart ? innermost.key : innermost.path); // "L__self__b.r@1": the second call
}

} // namespace

const SourcePartitions::Found& SourcePartitions::found(const SourceKind& kind) {
    const auto [place, isNew] = m_found.try_emplace(kind.name);
    Found& found = place->second;
    if (!isNew) return found;
    std::vector<std::string> sources; // in order of appearance
    std::map<std::string, std::vector<SourcePartition>> bySource;
    std::map<std::pair<std::string, std::string>, std::size_t> places;
    for (const Node& node : m_graph.nodes()) {
        const auto source = sourceOf(node, kind, m_calls == Calls::Apart);
        if (!source) continue;
        if (!bySource.contains(source->first)) sources.push_back(source->first);
        auto& partitions = bySource[source->first];
        const auto [at, isNewPlace] = places.try_emplace(*source, partitions.size());
        if (isNewPlace) partitions.push_back({source->first, source->second, {}, {}});
        partitions[at->second].nodes.push_back(node.id());
    }
    for (const std::string& source : sources) {
        for (SourcePartition& partition : bySource[source]) {
            for (const NodeId id : partition.nodes) found.partitionOf[id] = found.partitions.size();
            found.partitions.push_back(std::move(partition));
        }
    }
    for (std::size_t i = 0; i < found.partitions.size(); ++i) {
        SourcePartition& partition = found.partitions[i];
        for (const NodeId id : partition.nodes) {
            const Node& node = m_graph.node(id);
            if (node.op() == Op::GetAttr) continue;
            const bool isUsedOutside = std::any_of(node.users().begin(), node.users().end(), [&](NodeId user) {
                const auto other = found.partitionOf.find(user);
                return other == found.partitionOf.end() || other->second != i;
            });
            if (isUsedOutside) partition.outputs.push_back(id);
        }
    }
    return found;
}

const std::vector<SourcePartition>& SourcePartitions::of(const SourceKind& kind) { return found(kind).partitions; }

std::vector<std::vector<const SourcePartition*>> SourcePartitions::sequences(const std::vector<SourceKind>& kinds) {
    std::vector<std::vector<const SourcePartition*>> sequences;
    for (const SourcePartition& first : of(kinds.front())) sequences.push_back({&first});
    for (std::size_t depth = 1; depth < kinds.size(); ++depth) {
        const Found& next = found(kinds[depth]);
        std::vector<std::vector<const SourcePartition*>> longer;
        for (const auto& sequence : sequences) {
            std::set<std::size_t> fed; // in the order of partitions
            for (const NodeId id : sequence.back()->nodes)
                for (const NodeId user : m_graph.node(id).users())
                    if (const auto at = next.partitionOf.find(user); at != next.partitionOf.end())
                        fed.insert(at->second);
            for (const std::size_t i : fed) {
                longer.push_back(sequence);
                longer.back().push_back(&next.partitions[i]);
            }
        }
        sequences = std::move(longer);
    }
    return sequences;
}

} // namespace fx::quant::pt2e
