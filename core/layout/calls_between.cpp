// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/calls_between.h"

#include <algorithm>
#include <string>
#include <unordered_set>

namespace fx {
namespace {

constexpr std::size_t kNeighboursLookedAt = 64;

bool isNumber(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

class BetweenPlacer {
public:
    BetweenPlacer(const Graph& graph, Grouping& grouping, const std::vector<bool>& decided, const Progress& progress)
        : m_graph(graph), m_result(grouping), m_decided(decided), m_progress(progress), m_place(graph.idLimit(), 0),
          m_mark(grouping.groups.size(), kNone) {
        std::uint32_t place = 0;
        for (const Node& node : graph.nodes()) m_place[index(node.id())] = place++;
    }
    void run() {
        findContainers();
        assignBetween();
        followSiblings();
    }

private:
    using Ids = std::vector<std::uint32_t>;
    void tick() {
        if (++m_ticks % 1024 == 0) m_progress.check();
    }
    bool isDrawn(NodeId id) const { return m_result.groupOf[index(id)] != kNone; }

    /// Containers compute nothing. torch.fx keeps their classes only where it kept the modules, else their children
    /// have numbers for names.
    void findContainers() {
        auto& groups = m_result.groups;
        std::vector<bool> named(groups.size(), false), numbered(groups.size(), false);
        const auto see = [&](std::uint32_t parent, std::string_view child) {
            (isNumber(child) ? numbered : named)[parent] = true;
        };
        for (std::uint32_t g = 1; g < groups.size(); ++g) see(groups[g].parent, lastAtom(groups[g].path));
        for (const Node& node : m_graph.nodes())
            if (node.op() == Op::CallModule && isDrawn(node.id()))
                see(m_result.groupOf[index(node.id())], lastAtom(node.target()));
        m_isContainer.assign(groups.size(), false);
        for (std::uint32_t g = 1; g < groups.size(); ++g) {
            std::string& type = groups[g].type;
            if (type == "Module") type.clear(); // what torch.fx puts in the place of a module that is not called itself
            m_isContainer[g] = type == "Sequential" || type == "ModuleList" || type == "ModuleDict" ||
                               (type.empty() && numbered[g] && !named[g]);
        }
    }

    std::uint32_t common(std::uint32_t a, std::uint32_t b) const {
        const auto& groups = m_result.groups;
        while (a != b) {
            std::uint32_t& lower = groups[a].depth >= groups[b].depth ? a : b;
            lower = groups[lower].parent;
        }
        return a;
    }
    /// The child of `ancestor` that holds `group`, or kNone when they are the same or not related.
    std::uint32_t childToward(std::uint32_t ancestor, std::uint32_t group) const {
        if (group == kNone) return kNone;
        const auto depth = m_result.groups[ancestor].depth;
        std::uint32_t child = kNone;
        for (; m_result.groups[group].depth > depth; group = m_result.groups[group].parent) child = group;
        return group == ancestor ? child : kNone;
    }

    /// Gives a group to every call that has none. Its users are decided after it, so `m_after` first carries groups
    /// backwards: that of the first user with one.
    void assignBetween() {
        const auto order = m_graph.order();
        m_after = m_result.groupOf;
        for (std::size_t i = 0; i < m_decided.size(); ++i)
            if (!m_decided[i]) m_after[i] = kNone;
        for (auto id = order.rbegin(); id != order.rend(); ++id)
            if (tick(); isDrawn(*id) && !m_decided[index(*id)]) m_after[index(*id)] = firstUserGroup(m_graph.node(*id));
        for (const auto id : order)
            if (tick(); isDrawn(id) && !m_decided[index(id)])
                m_result.groupOf[index(id)] = groupBetween(m_graph.node(id));
    }

    std::uint32_t firstUserGroup(const Node& node) const {
        std::uint32_t best = kNone, place = 0;
        for (const auto id : node.users()) {
            const auto i = index(id);
            if (isDrawn(id) && m_after[i] != kNone && (best == kNone || m_place[i] < place))
                best = m_after[i], place = m_place[i];
        }
        return best;
    }
    /// Drawn and decided.
    NodeId lastInput(const Node& node) const {
        NodeId best = kNoNode;
        for (const auto id : node.inputs())
            if (isDrawn(id) && (best == kNoNode || m_place[index(id)] > m_place[index(best)])) best = id;
        return best;
    }

    template<class Range> Ids knownGroups(const Range& neighbours, const Ids& groups) const {
        Ids known;
        for (const auto id : neighbours)
            if (isDrawn(id) && groups[index(id)] != kNone && known.size() < kNeighboursLookedAt)
                known.push_back(groups[index(id)]);
        return known;
    }

    std::uint32_t groupBetween(const Node& node) {
        const auto before = knownGroups(node.inputs(), m_result.groupOf), after = knownGroups(node.users(), m_after);
        if (before.empty() && after.empty()) return 0;
        std::uint32_t best = 0;
        if (before.empty() || after.empty()) {
            const auto& known = before.empty() ? after : before;
            best = known[0];
            for (const auto other : known) best = common(best, other);
        } else {
            best = deeper(groupOfTwoInputs(node), groupWithUser(node, before, after));
        }
        return outOfContainer(node, best);
    }
    std::uint32_t deeper(std::uint32_t a, std::uint32_t b) const {
        return m_result.groups[a].depth > m_result.groups[b].depth ? a : b;
    }

    /// The deepest group with an input and a user: calls are nested, so what lies between is called there too.
    std::uint32_t groupWithUser(const Node& node, const Ids& before, const Ids& after) {
        const auto& groups = m_result.groups;
        const auto mark = index(node.id());
        for (auto group : before)
            for (; group != kNone && m_mark[group] != mark; group = groups[group].parent) m_mark[group] = mark;
        std::uint32_t best = 0;
        for (auto group : after) {
            while (m_mark[group] != mark) group = groups[group].parent;
            best = deeper(best, group);
        }
        return best;
    }

    /// The deepest group with two inputs that are not calls of the same target: a module returns one value, so a call
    /// that uses two of its inner values is inside.
    std::uint32_t groupOfTwoInputs(const Node& node) const {
        std::uint32_t best = 0;
        NodeId before = kNoNode;
        std::size_t looked = 0;
        for (const auto id : node.inputs()) {
            if (!isDrawn(id) || ++looked > kNeighboursLookedAt) continue;
            if (before != kNoNode && m_graph.node(before).target() != m_graph.node(id).target())
                best = deeper(best, common(m_result.groupOf[index(before)], m_result.groupOf[index(id)]));
            before = id;
        }
        return best;
    }

    /// Containers compute nothing: the call is the end of the child with its last input, if that child has all inputs
    /// of the call. Otherwise the module around the container makes the call.
    std::uint32_t outOfContainer(const Node& node, std::uint32_t group) const {
        if (!m_isContainer[group]) return group;
        const auto last = lastInput(node);
        const auto from = last == kNoNode ? kNone : m_result.groupOf[index(last)];
        while (m_isContainer[group]) {
            const auto child = childToward(group, from);
            if (child == kNone || !hasInputs(node, group, child)) return ownerOf(group);
            group = child;
        }
        return group;
    }
    std::uint32_t ownerOf(std::uint32_t group) const {
        while (m_isContainer[group]) group = m_result.groups[group].parent;
        return group;
    }
    /// Whether a child of a container uses every value that the node takes from the other children.
    bool hasInputs(const Node& node, std::uint32_t container, std::uint32_t child) const {
        std::size_t looked = 0;
        for (const auto id : node.inputs()) {
            if (!isDrawn(id)) continue;
            const auto from = childToward(container, m_result.groupOf[index(id)]);
            if (from == kNone || from == child) continue;
            if (++looked > kNeighboursLookedAt) return false;
            const auto& users = m_graph.node(id).users();
            const auto uses = [&](NodeId user) {
                return isDrawn(user) && m_place[index(user)] < m_place[index(node.id())] &&
                       childToward(container, m_result.groupOf[index(user)]) == child;
            };
            if (users.size() > kNeighboursLookedAt || std::none_of(users.begin(), users.end(), uses)) return false;
        }
        return true;
    }

    /// The call that ends one block of a container also ends the last one, although another module follows there.
    /// `ends` holds the pairs of last input and call that end a block.
    void followSiblings() {
        std::unordered_set<std::string> ends;
        const auto key = [&](NodeId input, std::uint32_t block, const Node& node) {
            const Node& from = m_graph.node(input);
            std::string text = from.target();
            if (from.op() == Op::CallModule) text.erase(0, m_result.groups[block].path.size());
            return text + '\n' + std::string(opName(node.op())) + node.target();
        };
        const auto visit = [&](const auto& use) {
            for (const Node& node : m_graph.nodes()) {
                if (tick(); !isDrawn(node.id()) || m_decided[index(node.id())]) continue;
                const auto input = lastInput(node);
                const auto block = input == kNoNode ? kNone : blockAround(m_result.groupOf[index(input)]);
                if (block != kNone) use(node, block, key(input, block, node));
            }
        };
        visit([&](const Node& node, std::uint32_t block, std::string end) {
            if (m_result.groupOf[index(node.id())] == block) ends.insert(std::move(end));
        });
        if (ends.empty()) return;
        visit([&](const Node& node, std::uint32_t block, const std::string& end) {
            auto& group = m_result.groupOf[index(node.id())];
            if (common(group, block) == group && group != block && ends.contains(end)) group = block;
        });
    }
    /// The innermost group around `group`, or itself, that is in a container; kNone if there is none.
    std::uint32_t blockAround(std::uint32_t group) const {
        for (; group != 0; group = m_result.groups[group].parent)
            if (m_isContainer[m_result.groups[group].parent]) return m_isContainer[group] ? kNone : group;
        return kNone;
    }

    const Graph& m_graph;
    Grouping& m_result;
    const std::vector<bool>& m_decided;
    const Progress& m_progress;
    std::uint32_t m_ticks = 0;
    Ids m_place;                     ///< per node id: its index in the graph
    Ids m_after;                     ///< per node id: its group, or that of its first user with one
    Ids m_mark;                      ///< per group: the node that last looked at it
    std::vector<bool> m_isContainer; ///< per group; never the root
};

} // namespace

void placeCallsBetween(const Graph& graph, Grouping& grouping, const std::vector<bool>& decided,
                       const Progress& progress) {
    BetweenPlacer(graph, grouping, decided, progress).run();
}

} // namespace fx
