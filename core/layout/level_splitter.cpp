// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/layout/level_splitter.h"

#include "core/base/joined_path.h"
#include "core/base/plain_number.h"
#include "core/layout/components.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <queue>

namespace fx {

namespace {

/// How many groups a run of `count` items is cut into, so that all levels below come out about equally long.
std::size_t branching(std::size_t count) {
    double levels = 1;
    for (double reach = kMaxLevelItems; reach < static_cast<double>(count); reach *= kMaxLevelItems) ++levels;
    return static_cast<std::size_t>(std::ceil(std::pow(static_cast<double>(count), 1 / levels)));
}

/// How many values are alive between the items before each place and those from it on; cuts go where this is small.
std::vector<std::uint32_t> aliveAt(const std::vector<std::vector<std::uint32_t>>& out,
                                   const std::vector<std::uint32_t>& order) {
    std::vector<std::uint32_t> place(order.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    std::vector<std::uint32_t> change(order.size() + 2, 0);
    for (std::uint32_t item = 0; item < out.size(); ++item) {
        if (out[item].empty()) continue;
        std::uint32_t last = 0;
        for (const auto to : out[item]) last = std::max(last, place[to]);
        ++change[place[item] + 1], --change[last + 1];
    }
    for (std::size_t i = 1; i < change.size(); ++i) change[i] += change[i - 1];
    return change;
}

/// "conv1" of "layer1.conv1"; numbers say little alone: "layer1.0" of "encoder.layer1.0".
std::string_view titleOf(std::string_view path) {
    const auto dot = path.rfind('.');
    const auto last = path.substr(dot + 1);
    if (dot == std::string_view::npos || last.find_first_not_of("0123456789") != std::string_view::npos) return last;
    return path.substr(path.rfind('.', dot - 1) + 1);
}

} // namespace

LevelSplitter::LevelSplitter(const GraphModule& module, Grouping& grouping, const Progress& progress)
    : m_graph(module.graph), m_grouping(grouping), m_progress(progress) {
    m_item.assign(m_graph.idLimit(), kNone);
    m_stamp.assign(m_graph.idLimit(), kNone);
    m_levels.resize(grouping.groups.size());
    for (std::size_t g = 0; g < grouping.groups.size(); ++g) {
        m_levels[g].title = titleOf(grouping.groups[g].path);
        m_paths.insert(grouping.groups[g].path);
    }
}

std::vector<LevelSplitter::Level> LevelSplitter::run() {
    Work root;
    for (const Node& node : m_graph.nodes())
        if (m_grouping.groupOf[index(node.id())] != kNone) root.nodes.push_back(node.id());
    m_work.push_back(std::move(root));
    while (!m_work.empty()) {
        m_progress.check();
        auto work = std::move(m_work.back());
        m_work.pop_back();
        process(std::move(work));
    }
    return std::move(m_levels);
}

void LevelSplitter::process(Work work) {
    auto parts = partition(work);
    auto order = sorted(parts);
    if (order.size() < parts.items.size()) {
        splitCycles(work, parts, order);
        parts = partition(work);
        order = sorted(parts);
        nameLoneRuns(parts);
    }
    fill(work.group, parts, order);
}

LevelSplitter::Partition LevelSplitter::partition(const Work& work) {
    Partition result;
    std::unordered_map<std::uint32_t, std::uint32_t> itemOfGroup;
    const auto depth = m_grouping.groups[work.group].depth;
    std::uint32_t count = 0;
    for (const auto id : work.nodes) {
        if (++count % 4096 == 0) m_progress.check();
        auto group = m_grouping.groupOf[index(id)], child = kNone;
        for (; m_grouping.groups[group].depth > depth; group = m_grouping.groups[group].parent) child = group;
        const auto next = static_cast<std::uint32_t>(result.items.size());
        const auto item = child == kNone ? next : itemOfGroup.emplace(child, next).first->second;
        if (item == next) {
            result.items.push_back(child == kNone ? LevelItem{false, index(id)} : LevelItem{true, child});
            result.nodes.emplace_back();
        }
        result.nodes[item].push_back(id);
        m_item[index(id)] = item;
        m_stamp[index(id)] = work.group;
    }
    for (std::size_t i = 0; i < result.items.size(); ++i)
        if (result.items[i].isGroup && result.nodes[i].size() == 1) {
            m_grouping.groupOf[index(result.nodes[i][0])] = work.group;
            result.items[i] = {false, index(result.nodes[i][0])};
        }
    result.out.resize(result.items.size());
    for (const auto id : work.nodes)
        for (const auto input : m_graph.node(id).inputs())
            if (m_stamp[index(input)] == work.group && m_item[index(input)] != m_item[index(id)])
                result.out[m_item[index(input)]].push_back(m_item[index(id)]);
    return result;
}

/// Topological order that stays as near to the graph's order as it can; shorter than the items when there is a cycle.
std::vector<std::uint32_t> LevelSplitter::sorted(const Partition& partition) const {
    std::vector<std::uint32_t> missing(partition.items.size(), 0), order;
    for (const auto& out : partition.out)
        for (const auto to : out) ++missing[to];
    std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> ready;
    for (std::uint32_t i = 0; i < missing.size(); ++i)
        if (missing[i] == 0) ready.push(i);
    while (!ready.empty()) {
        const auto item = ready.top();
        ready.pop();
        order.push_back(item);
        for (const auto to : partition.out[item])
            if (--missing[to] == 0) ready.push(to);
    }
    return order;
}

/// Every group on a cycle is cut into its runs between the other members of that cycle.
void LevelSplitter::splitCycles(const Work& work, const Partition& parts, const std::vector<std::uint32_t>& acyclic) {
    const auto component = strongComponents(parts.out);
    std::vector<std::uint32_t> members(parts.items.size(), 0), lastItem(parts.items.size(), kNone),
        runs(parts.items.size(), 0);
    std::vector<bool> onCycle(parts.items.size(), true);
    for (const auto item : acyclic) onCycle[item] = false;
    for (const auto c : component) ++members[c];
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> clones; // (group, run) -> group
    for (const auto id : work.nodes) {
        const auto item = m_item[index(id)], c = component[item];
        if (!onCycle[item] || members[c] == 1) continue;
        if (lastItem[c] != item) ++runs[item];
        lastItem[c] = item;
        if (!parts.items[item].isGroup || runs[item] == 1) continue;
        auto& group = m_grouping.groupOf[index(id)];
        const auto key = std::pair(group, runs[item]);
        auto found = clones.find(key);
        if (found == clones.end()) {
            // Groups between the item and the node come along; outermost first.
            std::vector<std::uint32_t> chain{group};
            while (chain.back() != parts.items[item].id) chain.push_back(m_grouping.groups[chain.back()].parent);
            auto parent = work.group;
            for (auto link = chain.rbegin(); link != chain.rend(); ++link) {
                auto& clone = clones.emplace(std::pair(*link, runs[item]), kNone).first->second;
                if (clone == kNone) clone = cloneFor(*link, parent, runs[item]);
                parent = clone;
            }
            found = clones.find(key);
        }
        group = found->second;
    }
}

/// A run of a group needs no number when the others have one node each and no box.
void LevelSplitter::nameLoneRuns(const Partition& parts) {
    const auto original = [this](std::uint32_t group) {
        const auto found = m_cloneOf.find(group);
        return found == m_cloneOf.end() ? group : found->second;
    };
    std::unordered_map<std::uint32_t, int> boxes;
    for (const LevelItem& item : parts.items)
        if (item.isGroup) ++boxes[original(item.id)];
    for (const LevelItem& item : parts.items)
        if (item.isGroup && boxes[original(item.id)] == 1) m_levels[item.id].title = m_levels[original(item.id)].title;
}

std::uint32_t LevelSplitter::cloneFor(std::uint32_t group, std::uint32_t parent, std::uint32_t copy) {
    const auto original = m_grouping.groups[group];
    const auto& outer = m_grouping.groups[original.parent];
    const auto& around = m_grouping.groups[parent];
    // Inside a clone the path below it is kept; the clone itself gets the number.
    const bool inside = original.parent != parent;
    std::string path =
        inside ? around.path + original.path.substr(outer.path.size()) : original.path + '@' + std::to_string(copy);
    while (m_paths.contains(path)) path += '\'';
    std::string title = m_levels[group].title + (inside ? "" : '@' + std::to_string(copy));
    const auto clone = newGroup(std::move(path), std::move(title), parent);
    m_grouping.groups[clone].type = original.type;
    if (!inside) m_cloneOf.emplace(clone, group);
    return clone;
}

std::uint32_t LevelSplitter::newGroup(std::string path, std::string title, std::uint32_t parent) {
    m_paths.insert(path);
    m_grouping.groups.push_back({std::move(path), "", parent, m_grouping.groups[parent].depth + 1});
    m_levels.push_back({std::move(title), false, {}});
    return static_cast<std::uint32_t>(m_levels.size() - 1);
}

/// The 7 of the module "layers.7", which a group is or a node calls.
std::optional<std::size_t> LevelSplitter::numberOf(const LevelItem& item) const {
    const bool calls = !item.isGroup && m_graph.node(static_cast<NodeId>(item.id)).op() == Op::CallModule;
    if (!item.isGroup && !calls) return std::nullopt;
    const std::string& path =
        item.isGroup ? m_grouping.groups[item.id].path : m_graph.node(static_cast<NodeId>(item.id)).target();
    return plainNumber<std::size_t>(lastAtom(path));
}

/// What of a long level is in one of its pieces: "0–39" in the numbers of the modules where these ascend, as those of a
/// Sequential do, else its places in the level, from 1.
std::string LevelSplitter::pieceTitle(const Partition& parts, const std::vector<std::uint32_t>& order,
                                      std::size_t begin, std::size_t end) const {
    std::optional<std::size_t> first, last;
    std::size_t numbered = 0;
    for (std::size_t i = begin; i < end; ++i) {
        const auto number = numberOf(parts.items[order[i]]);
        if (!number) continue;
        if (last && *number <= *last) return std::to_string(begin + 1) + "–" + std::to_string(end);
        if (!first) first = number;
        last = number;
        ++numbered;
    }
    const bool names = 2 * numbered > end - begin;
    return std::to_string(names ? *first : begin + 1) + "–" + std::to_string(names ? *last : end);
}

/// Gives a group its items, through artificial groups where they are too many, and queues the groups among them.
void LevelSplitter::fill(std::uint32_t group, Partition& parts, const std::vector<std::uint32_t>& order) {
    const auto alive = order.size() > kMaxLevelItems ? aliveAt(parts.out, order) : std::vector<std::uint32_t>{};
    struct Run {
        std::uint32_t group;
        std::size_t begin, end;
    };
    std::vector<Run> ranges{{group, 0, order.size()}};
    while (!ranges.empty()) {
        const auto range = ranges.back();
        ranges.pop_back();
        const auto count = range.end - range.begin;
        if (count <= kMaxLevelItems) {
            for (auto i = range.begin; i < range.end; ++i) {
                const auto& item = parts.items[order[i]];
                m_levels[range.group].items.push_back(item);
                if (item.isGroup) {
                    m_grouping.groups[item.id].parent = range.group;
                    m_work.push_back({item.id, std::move(parts.nodes[order[i]])});
                } else {
                    m_grouping.groupOf[item.id] = range.group;
                }
            }
            continue;
        }
        const auto pieces = branching(count);
        auto begin = range.begin;
        for (std::size_t k = 1; k <= pieces; ++k) {
            auto end = range.begin + count * k / pieces;
            const auto slack = k == pieces ? 0 : count / pieces / 4;
            for (auto at = end - slack, last = end + slack; at <= last; ++at)
                if (alive[at] < alive[end]) end = at;
            const auto path = m_grouping.groups[range.group].path + '#' + std::to_string(k);
            const auto piece = newGroup(path, pieceTitle(parts, order, begin, end), range.group);
            m_levels[piece].artificial = true;
            m_levels[range.group].items.push_back({true, piece});
            ranges.push_back({piece, begin, end});
            begin = end;
        }
    }
}

} // namespace fx
