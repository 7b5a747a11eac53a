// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/partition/assignment.h"

#include <algorithm>
#include <bit>
#include <memory>

namespace fx {
namespace {

/// A set of small numbers.
class Bits {
public:
    bool has(std::uint32_t bit) const { return bit / 64 < m_words.size() && (m_words[bit / 64] >> (bit % 64) & 1); }
    void set(std::uint32_t bit) {
        if (bit / 64 >= m_words.size()) m_words.resize(bit / 64 + 1);
        m_words[bit / 64] |= std::uint64_t{1} << (bit % 64);
    }
    void reset(std::uint32_t bit) {
        if (has(bit)) m_words[bit / 64] &= ~(std::uint64_t{1} << (bit % 64));
    }
    /// Adds all of `other`; true when that changed anything.
    bool add(const Bits& other) {
        if (other.m_words.size() > m_words.size()) m_words.resize(other.m_words.size());
        std::uint64_t fresh = 0;
        for (std::size_t i = 0; i < other.m_words.size(); ++i)
            fresh |= other.m_words[i] & ~m_words[i], m_words[i] |= other.m_words[i];
        return fresh != 0;
    }
    bool contains(const Bits& other) const {
        for (std::size_t i = 0; i < other.m_words.size(); ++i)
            if (other.m_words[i] & ~(i < m_words.size() ? m_words[i] : 0)) return false;
        return true;
    }
    bool meets(const Bits& other) const {
        for (std::size_t i = 0; i < std::min(m_words.size(), other.m_words.size()); ++i)
            if (m_words[i] & other.m_words[i]) return true;
        return false;
    }
    std::size_t words() const { return m_words.size(); }
    /// Highest first; stops when `visit` returns false.
    template<class Visit> bool forEach(const Visit& visit) const {
        for (std::size_t i = m_words.size(); i-- > 0;)
            for (std::uint64_t word = m_words[i]; word;) {
                const auto bit = static_cast<std::uint32_t>(63 - std::countl_zero(word));
                word &= ~(std::uint64_t{1} << bit);
                if (!visit(static_cast<std::uint32_t>(i * 64) + bit)) return false;
            }
        return true;
    }

private:
    std::vector<std::uint64_t> m_words;
};
using SharedBits = std::shared_ptr<const Bits>;

/// A partition. torch.fx knows partitions by ids, and its record of which reaches which keeps ids of partitions that
/// have meanwhile gone into others; to decide as it does, each id that a partition ever stood under has a number here,
/// a slot.
struct Group {
    std::uint32_t id = 0;   ///< torch.fx's
    std::uint32_t slot = 0; ///< of that id
    std::uint32_t size = 1;
    std::vector<NodeId> outside; ///< users of its nodes that are not in it
    Bits slots;                  ///< all under which it and what went into it were recorded
    Bits exits;                  ///< slots of all nodes that are, or come after, one of `outside`
    Bits record;                 ///< torch.fx partition_map: slots that it was found to reach when it last changed
    Bits reached;                ///< what it reaches now, as torch.fx would find; valid in `epoch`
    std::uint64_t epoch = 0, changed = 0;
};

class VerticalMerger {
public:
    VerticalMerger(const Graph& graph, const std::vector<bool>& isSupported)
        : m_graph(graph), m_isSupported(isSupported) {
        m_groupOf.assign(graph.idLimit(), Assignment::kNone);
        m_after.resize(graph.idLimit());
    }

    void visit(NodeId id) {
        const Node& node = m_graph.node(id);
        SharedBits after = united(node);
        if (m_isSupported[index(id)]) {
            const std::int32_t group = place(node, *after);
            m_groupOf[index(id)] = group;
            if (const std::uint32_t slot = at(group).slot; !after->has(slot)) {
                auto own = std::make_shared<Bits>(*after);
                own->set(slot);
                after = std::move(own);
            }
        }
        m_after[index(id)] = std::move(after);
    }

    Assignment result() {
        Assignment result;
        std::vector<std::int32_t> number(m_groups.size(), Assignment::kNone);
        for (std::size_t i = 0; i < m_groups.size(); ++i)
            if (m_alias[i] == static_cast<std::int32_t>(i))
                number[i] = static_cast<std::int32_t>(result.ids.size()), result.ids.push_back(m_groups[i].id);
        for (auto& group : m_groupOf)
            if (group != Assignment::kNone) group = number[static_cast<std::size_t>(find(group))];
        result.groupOf = std::move(m_groupOf);
        return result;
    }

private:
    Group& at(std::int32_t group) { return m_groups[static_cast<std::size_t>(group)]; }
    std::int32_t find(std::int32_t group) {
        auto& alias = m_alias[static_cast<std::size_t>(group)];
        while (alias != m_alias[static_cast<std::size_t>(alias)]) alias = m_alias[static_cast<std::size_t>(alias)];
        return alias;
    }
    std::int32_t groupOf(NodeId id) {
        const std::int32_t group = m_groupOf[index(id)];
        return group == Assignment::kNone ? group : find(group);
    }

    /// The slots of all nodes after `node`.
    SharedBits united(const Node& node) {
        SharedBits largest = m_none;
        for (const NodeId user : node.users())
            if (m_after[index(user)]->words() >= largest->words()) largest = m_after[index(user)];
        std::shared_ptr<Bits> own;
        for (const NodeId user : node.users()) {
            const SharedBits& bits = m_after[index(user)];
            if (bits == largest || (own ? *own : *largest).contains(*bits)) continue;
            if (!own) own = std::make_shared<Bits>(*largest);
            own->add(*bits);
        }
        return own ? own : largest;
    }

    /// Merges a new partition of `node` with those of its users, as far as that closes no cycle.
    std::int32_t place(const Node& node, const Bits& after) {
        Group fresh;
        fresh.id = m_newId++;
        fresh.outside.assign(node.users().begin(), node.users().end());
        fresh.exits = after;
        std::vector<std::int32_t> candidates;
        for (const NodeId user : node.users())
            if (const std::int32_t group = groupOf(user);
                group != Assignment::kNone &&
                std::find(candidates.begin(), candidates.end(), group) == candidates.end())
                candidates.push_back(group);
        std::int32_t own = Assignment::kNone;
        for (const std::int32_t other : candidates) {
            if (own == Assignment::kNone) {
                if (!closesCycle(fresh, other)) join(fresh, own = other);
            } else if (!closesCycle(own, other)) {
                own = merge(own, other);
            }
        }
        if (own != Assignment::kNone) return own;
        m_groups.push_back(std::move(fresh));
        own = static_cast<std::int32_t>(m_groups.size() - 1);
        m_alias.push_back(own);
        newSlot(own);
        refresh(at(own));
        return own;
    }

    void newSlot(std::int32_t group) {
        at(group).slot = static_cast<std::uint32_t>(m_slotGroup.size());
        at(group).slots.set(at(group).slot);
        m_slotGroup.push_back(group);
        at(group).changed = ++m_epoch;
    }

    /// Whether a user outside leads back to one of the two, by nodes or by what torch.fx recorded of partitions on the
    /// way.
    bool leadsBack(NodeId user, const Group* a, const Group& b) {
        const Bits& after = *m_after[index(user)];
        if (after.meets(b.slots) || (a && after.meets(a->slots))) return true;
        return !after.forEach([&](std::uint32_t slot) {
            const Bits& record = at(find(m_slotGroup[slot])).record;
            return !record.has(b.slot) && !(a && record.has(a->slot));
        });
    }

    /// Of a new node, which nothing leads to.
    bool closesCycle(const Group& fresh, std::int32_t otherGroup) {
        Group& other = at(otherGroup);
        for (const NodeId user : fresh.outside)
            if (groupOf(user) != otherGroup && leadsBack(user, nullptr, other)) return true;
        update(other);
        return other.exits.meets(other.slots) || other.reached.has(other.slot);
    }
    bool closesCycle(std::int32_t a, std::int32_t b) {
        for (const std::int32_t group : {a, b})
            for (const NodeId user : at(group).outside)
                if (const std::int32_t place = groupOf(user);
                    place != a && place != b && leadsBack(user, &at(a), at(b)))
                    return true;
        return false;
    }

    /// Brings `reached` up to date: the partitions that come after, and what these are recorded to reach.
    void update(Group& group) {
        if (group.epoch == m_epoch) return;
        Bits reached;
        std::vector<const Group*> taken;
        group.exits.forEach([&](std::uint32_t slot) {
            const Group& other = at(find(m_slotGroup[slot]));
            reached.set(other.slot);
            // What one that was taken has recorded since holds this one's record too.
            for (const Group* each : taken)
                if (each == &other || (each->exits.has(other.slot) && other.changed < each->changed)) return true;
            reached.add(other.record);
            if (taken.size() < 4) taken.push_back(&other);
            return true;
        });
        group.reached = std::move(reached);
        group.epoch = m_epoch;
    }

    /// torch.fx's update of partition_map.
    void refresh(Group& group) {
        update(group);
        Bits reached = group.reached;
        reached.reset(group.slot);
        if (!group.record.add(reached)) return;
        group.changed = ++m_epoch;
        if (!group.exits.meets(group.slots)) group.epoch = m_epoch; // its own record is no part of what it reaches
    }

    void join(const Group& fresh, std::int32_t group) {
        Group& into = at(group);
        Bits exits;
        for (const NodeId user : fresh.outside) {
            if (groupOf(user) == group) continue;
            into.outside.push_back(user);
            exits.add(*m_after[index(user)]);
        }
        if (into.exits.add(exits)) into.epoch = 0;
        if (into.size++ == 1) into.id = fresh.id, newSlot(group); // of two single nodes the newer keeps its id
        refresh(into);
    }

    /// `a` is torch.fx's self_id, which stays unless it is the smaller one.
    std::int32_t merge(std::int32_t a, std::int32_t b) {
        if (at(a).size < at(b).size) std::swap(a, b);
        Group &into = at(a), &gone = at(b);
        m_alias[static_cast<std::size_t>(b)] = a;
        into.size += gone.size;
        into.slots.add(gone.slots);
        into.record.add(gone.record);
        into.record.reset(gone.slot);
        into.outside.insert(into.outside.end(), gone.outside.begin(), gone.outside.end());
        std::sort(into.outside.begin(), into.outside.end());
        into.outside.erase(std::unique(into.outside.begin(), into.outside.end()), into.outside.end());
        std::erase_if(into.outside, [&](NodeId user) { return groupOf(user) == a; });
        into.exits = {};
        for (const NodeId user : into.outside) into.exits.add(*m_after[index(user)]);
        gone = {};
        into.changed = ++m_epoch;
        refresh(into);
        return a;
    }

    const Graph& m_graph;
    const std::vector<bool>& m_isSupported;
    std::vector<Group> m_groups;
    std::vector<std::int32_t> m_alias, m_slotGroup;
    std::vector<std::int32_t> m_groupOf;
    std::vector<SharedBits> m_after; ///< by node id: slots of the node and of all after it
    const SharedBits m_none = std::make_shared<const Bits>();
    std::uint32_t m_newId = 0;
    std::uint64_t m_epoch = 1; ///< goes up with every change of a slot or a record
};

} // namespace

Assignment assignVertically(const Graph& graph, const std::vector<bool>& isSupported, const Progress& progress) {
    VerticalMerger merger(graph, isSupported);
    std::uint32_t visited = 0;
    for (NodeId id = graph.last(); id != kNoNode; id = graph.prev(id)) {
        if (++visited % 256 == 0) progress.check();
        merger.visit(id);
    }
    return merger.result();
}

} // namespace fx
