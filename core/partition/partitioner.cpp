// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/partition/partitioner.h"

#include "core/partition/rule_support.h"

#include <algorithm>
#include <unordered_map>

namespace fx {
namespace {
constexpr std::string_view kGetitem = "_operator.getitem", kView = "torch.ops.aten.view";
}

CapabilityBasedPartitioner::CapabilityBasedPartitioner(const GraphModule& model, const OperatorSupportBase& support,
                                                       PartitionerOptions options)
    : m_model(model), m_graph(model.graph), m_support(support), m_options(std::move(options)) {
    for (auto* names : {&m_options.nonComputeOps, &m_options.allowedSingleNodePartitionOps})
        for (std::string& name : *names) name = canonicalTarget(name);
    m_isSupported.assign(m_graph.idLimit(), false);
    m_isGetitem.assign(m_graph.idLimit(), false);
    m_follows.assign(m_graph.idLimit(), kNoNode);
    m_trimmed.assign(m_graph.idLimit(), false);
    for (const Node& node : m_graph.nodes()) {
        m_isSupported[index(node.id())] = m_support.isNodeSupported(*m_model.root, node);
        m_isGetitem[index(node.id())] = node.op() == Op::CallFunction && node.target() == kGetitem;
    }
}

std::size_t CapabilityBasedPartitioner::supportedCount() const {
    return static_cast<std::size_t>(std::count(m_isSupported.begin(), m_isSupported.end(), true));
}

void CapabilityBasedPartitioner::checkOrder() const {
    for (const Node& node : m_graph.nodes())
        for (const NodeId input : node.inputs())
            if (!m_graph.isBefore(input, node.id()))
                throw Error(ErrorKind::Refused, Message("partition.not_sorted",
                                                        {{"node", node.name()}, {"input", m_graph.node(input).name()}}))
                    .onNode(node.name());
}

std::vector<Partition> CapabilityBasedPartitioner::proposePartitions(const Progress& progress) {
    checkOrder();
    m_assignment = m_options.skipHorizontalFusion ? assignVertically(m_graph, m_isSupported, progress)
                                                  : assignLevels(m_graph, m_isSupported, progress);
    collectGroups();
    reassignGetitems(progress);
    std::vector<Partition> partitions;
    for (std::size_t group = 0; group < m_groups.size(); ++group) {
        Partition partition{m_assignment.ids[group], {}};
        for (const Member& member : m_groups[group])
            if (m_assignment.groupOf[index(member.node)] == static_cast<std::int32_t>(group) &&
                m_stamps[index(member.node)] == member.stamp)
                partition.nodes.push_back(member.node);
        if (partition.nodes.empty() || (!m_options.allowsSingleNodePartition && computeNodes(partition.nodes) <= 1))
            continue;
        partitions.push_back(std::move(partition));
    }
    // Python's dict keeps partitions in the order in which the ids were given out.
    std::sort(partitions.begin(), partitions.end(), [](const Partition& a, const Partition& b) { return a.id < b.id; });
    return partitions;
}

void CapabilityBasedPartitioner::collectGroups() {
    m_groups.assign(m_assignment.ids.size(), {});
    m_stamps.assign(m_graph.idLimit(), 0);
    for (const Node& node : m_graph.nodes())
        if (const std::int32_t group = m_assignment.groupOf[index(node.id())]; group != Assignment::kNone)
            m_groups[static_cast<std::size_t>(group)].push_back({node.id(), 0});
}

/// Of each of `producers` whose users are all getitems: those that are not where it is. In the order in which they are
/// met, with the last place that is wanted for each.
std::vector<CapabilityBasedPartitioner::Move> CapabilityBasedPartitioner::wrongGetitems(
    const std::vector<NodeId>& producers) const {
    std::vector<Move> wrong;
    std::unordered_map<NodeId, std::size_t> places;
    for (const NodeId producer : producers) {
        const auto& users = m_graph.node(producer).users();
        if (!std::all_of(users.begin(), users.end(), [&](NodeId user) { return m_isGetitem[index(user)]; })) continue;
        const std::int32_t group = m_assignment.groupOf[index(producer)];
        for (const NodeId user : users) {
            if (m_assignment.groupOf[index(user)] == group) continue;
            const auto [place, isNew] = places.try_emplace(user, wrong.size());
            if (isNew) wrong.push_back({user, producer, group});
            else wrong[place->second] = {user, producer, group};
        }
    }
    return wrong;
}

void CapabilityBasedPartitioner::reassignGetitems(const Progress& progress) {
    std::vector<NodeId> producers;
    for (const Node& node : m_graph.nodes())
        if (!node.users().empty() && m_isGetitem[index(node.users().front())]) producers.push_back(node.id());
    std::uint32_t stamp = 0;
    for (std::size_t round = 0; !producers.empty(); ++round, progress.check()) {
        const auto wrong = wrongGetitems(producers);
        // Each round settles at least the getitems one step further from the nodes that are none.
        if (round > m_graph.size())
            throw Error(ErrorKind::Refused,
                        Message("partition.getitem_loop", {{"node", m_graph.node(wrong.front().node).name()}}))
                .onNode(m_graph.node(wrong.front().node).name());
        producers.clear();
        for (const auto& [node, producer, group] : wrong) {
            m_assignment.groupOf[index(node)] = group;
            m_stamps[index(node)] = ++stamp;
            if (group != Assignment::kNone) m_groups[static_cast<std::size_t>(group)].push_back({node, stamp});
            m_follows[index(node)] = producer;
            producers.push_back(node);
            producers.insert(producers.end(), m_graph.node(node).inputs().begin(), m_graph.node(node).inputs().end());
        }
        std::sort(producers.begin(), producers.end(), [this](NodeId a, NodeId b) { return m_graph.isBefore(a, b); });
        producers.erase(std::unique(producers.begin(), producers.end()), producers.end());
    }
}

std::size_t CapabilityBasedPartitioner::computeNodes(const std::vector<NodeId>& nodes) const {
    const auto isOneOf = [](const std::vector<std::string>& names, const std::string& name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    std::size_t count = 0;
    for (const NodeId id : nodes) {
        const Node& node = m_graph.node(id);
        if (node.op() != Op::CallFunction) continue;
        const std::string& name = node.target();
        count += !m_isGetitem[index(id)] && name != kView && !isOneOf(m_options.nonComputeOps, name);
        count += isOneOf(m_options.allowedSingleNodePartitionOps, name);
    }
    return count;
}

bool CapabilityBasedPartitioner::isNonCompute(const Node& node) const {
    return node.op() == Op::CallFunction && std::find(m_options.nonComputeOps.begin(), m_options.nonComputeOps.end(),
                                                      node.target()) != m_options.nonComputeOps.end();
}

namespace {

/// torch.fx's is_transparent_input_node and is_transparent_output_node: whether only nodes that compute nothing lie
/// between a node and the edge of the partition. Answers are kept over all partitions, as there, also when nodes are
/// removed later.
class Transparency {
public:
    Transparency(const Graph& graph, std::function<bool(const Node&)> isNonCompute, bool inputs)
        : m_graph(graph), m_isNonCompute(std::move(isNonCompute)), m_inputs(inputs), m_known(graph.idLimit(), Unknown) {
    }

    template<class IsInside> bool isTransparent(NodeId start, const IsInside& isInside) {
        Answer answer = Unknown;
        std::vector<Open> open;
        const auto enter = [&](NodeId id) {
            if (m_graph.node(id).op() == Op::Placeholder || !isInside(id)) return answer = Yes, void();
            if (m_known[index(id)] != Unknown) return answer = m_known[index(id)], void();
            if (!m_isNonCompute(m_graph.node(id))) return answer = m_known[index(id)] = No, void();
            answer = Unknown;
            open.push_back({id, neighbours(id), 0});
        };
        enter(start);
        while (!open.empty()) {
            Open& top = open.back();
            if (answer == No || (answer != Unknown && top.next == top.neighbours.size()) || top.neighbours.empty()) {
                if (top.neighbours.empty()) answer = Yes;
                m_known[index(top.node)] = answer;
                open.pop_back();
            } else {
                enter(top.neighbours[top.next++]);
            }
        }
        return answer == Yes;
    }

private:
    enum Answer : std::uint8_t { Unknown, Yes, No };
    struct Open {
        NodeId node;
        std::vector<NodeId> neighbours;
        std::size_t next;
    };
    std::vector<NodeId> neighbours(NodeId id) const {
        const Node& node = m_graph.node(id);
        if (m_inputs) return node.inputs();
        return {node.users().begin(), node.users().end()};
    }
    const Graph& m_graph;
    std::function<bool(const Node&)> m_isNonCompute;
    bool m_inputs;
    std::vector<Answer> m_known;
};

} // namespace

void CapabilityBasedPartitioner::removeBookendNonComputeOps(std::vector<Partition>& partitions) {
    const auto test = [this](const Node& node) { return isNonCompute(node); };
    Transparency inputs(m_graph, test, true), outputs(m_graph, test, false);
    std::vector<std::uint32_t> inside(m_graph.idLimit(), 0); ///< by node id: number of its partition, from 1
    for (std::uint32_t i = 0; i < partitions.size(); ++i)
        for (const NodeId id : partitions[i].nodes) inside[index(id)] = i + 1;
    for (std::uint32_t i = 0; i < partitions.size(); ++i) {
        const auto isInside = [&, number = i + 1](NodeId id) { return inside[index(id)] == number; };
        for (const NodeId id : partitions[i].nodes)
            if (isNonCompute(m_graph.node(id)) &&
                (inputs.isTransparent(id, isInside) || outputs.isTransparent(id, isInside)))
                inside[index(id)] = 0, m_trimmed[index(id)] = true;
        std::erase_if(partitions[i].nodes, [&](NodeId id) { return !isInside(id); });
    }
}

} // namespace fx
