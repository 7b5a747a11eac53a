// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/partition/sent_memory.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace fx {
namespace {

/// Of values that were sent by themselves: the one that is used last, and the last use of all others.
class LastUses {
public:
    void add(NodeId sent, std::size_t lastUse) {
        if (sent == m_sent) {
            m_last = std::max(m_last, lastUse);
        } else if (lastUse > m_last) {
            m_lastOfOthers = std::exchange(m_last, lastUse);
            m_sent = sent;
        } else {
            m_lastOfOthers = std::max(m_lastOfOthers, lastUse);
        }
    }
    std::size_t ofAllBut(NodeId sent) const { return sent == m_sent ? m_lastOfOthers : m_last; }

private:
    NodeId m_sent = kNoNode;
    std::size_t m_last = 0, m_lastOfOthers = 0;
};

} // namespace

SentMemory::SentMemory(const Graph& graph, const std::vector<int>& stageOf, const CallSemantics& semantics)
    : m_graph(graph), m_stageOf(stageOf), m_semantics(semantics), m_entry(graph.idLimit(), kNoNode),
      m_memory(semantics.memoryOf(graph)), m_place(graph.idLimit(), 0), m_lastUse(m_place), m_sharers(graph.idLimit()) {
    std::size_t place = 0;
    for (const Node& node : graph.nodes()) {
        const auto at = index(node.id());
        m_place[at] = ++place;
        for (const NodeId input : node.inputs()) m_lastUse[index(input)] = place;
        const std::vector<NodeId> shared = semantics.sharedMemory(node);
        const NodeId of = shared.empty() ? node.id() : shared[0];
        m_entry[at] = of == node.id() ? of : sentAs(of, stageOf[at]);
        m_sharers[index(m_memory[at])].push_back(node.id());
        m_byStage.resize(std::max(m_byStage.size(), static_cast<std::size_t>(stageOf[at]) + 1));
        m_byStage[static_cast<std::size_t>(stageOf[at])].push_back(node.id());
    }
}

bool SentMemory::clashes(NodeId writer, NodeId written, NodeId other) const {
    const int stage = m_stageOf[index(writer)];
    const NodeId sent = sentAs(other, stage);
    return m_stageOf[index(sent)] < stage && sent != sentAs(written, stage) &&
           m_lastUse[index(other)] > m_place[index(writer)];
}

std::optional<SentMemory::Clash> SentMemory::firstClash() const {
    std::optional<Clash> first;
    std::unordered_map<NodeId, LastUses> earlier; // by memory: what the stages before hold of it
    for (std::size_t stage = 0; stage < m_byStage.size(); ++stage) {
        const int number = static_cast<int>(stage);
        std::unordered_map<NodeId, LastUses> here;
        const auto usesOf = [&](NodeId memory) -> LastUses& {
            return here.try_emplace(memory, earlier[memory]).first->second;
        };
        for (const NodeId id : m_byStage[stage])
            if (const NodeId sent = sentAs(id, number); m_stageOf[index(sent)] < number)
                usesOf(m_memory[index(id)]).add(sent, m_lastUse[index(id)]);
        for (const NodeId id : m_byStage[stage]) {
            if (!m_graph.node(id).isCall() || (first && m_place[index(first->writer)] < m_place[index(id)])) continue;
            for (const NodeId written : m_semantics.written(m_graph.node(id))) {
                const NodeId memory = m_memory[index(written)];
                if (usesOf(memory).ofAllBut(sentAs(written, number)) <= m_place[index(id)]) continue;
                const auto& sharers = m_sharers[index(memory)];
                const auto other = std::find_if(sharers.begin(), sharers.end(),
                                                [&](NodeId each) { return clashes(id, written, each); });
                if (other != sharers.end()) first = Clash{id, written, *other};
                break;
            }
        }
        for (const NodeId id : m_byStage[stage]) earlier[m_memory[index(id)]].add(id, m_lastUse[index(id)]);
    }
    return first;
}

} // namespace fx
