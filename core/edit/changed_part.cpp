// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/changed_part.h"

#include "core/edit/counterparts.h"
#include "core/edit/tree_diff.h"
#include "core/ir/print.h"
#include "core/module/call_semantics.h"

#include <algorithm>
#include <map>

namespace fx {
namespace {

/// What it gives depends on how often something random was drawn before.
bool isRandom(const Node& node, const CallSemantics& semantics, PathResolver& paths) {
    if (node.op() != Op::CallModule) return semantics.isRandom(node);
    const Module* module = paths.resolve(node.target()).module;
    return module && drawsRandom(*module);
}

const LiftedInput* liftedAs(const GraphModule& model, const Node& node) {
    for (const LiftedInput& lifted : model.lifted)
        if (lifted.node == node.id() && lifted.kind != LiftedInput::Kind::UserInput) return &lifted;
    return nullptr;
}

} // namespace

/// Gives the same number to the same value.
class ChangedPart::Numbering {
public:
    Numbering(const GraphModule& a, const GraphModule& b, const Progress& progress)
        : m_tree(a, b, m_options, progress), m_pathsA(*a.root), m_pathsB(*b.root), m_semanticsA(*a.root),
          m_semanticsB(*b.root), m_memory{Memory(a.graph, m_semanticsA.memoryOf(a.graph)),
                                          Memory(b.graph, m_semanticsB.memoryOf(b.graph))},
          m_ownWrites{ownWrites(a.graph, m_semanticsA, m_memory[0].of),
                      ownWrites(b.graph, m_semanticsB, m_memory[1].of)} {
        m_tree.ignoreGradients();
        for (const Node& node : a.graph.nodes())
            if (node.op() == Op::Placeholder && !liftedAs(a, node)) m_inputs.push_back(node.target());
    }

    /// What a node does, with the values that it is given. `pathInA`: where A may have what it calls or reads.
    std::string keyOf(const Side& side, const Node& node, bool inB, const std::string& pathInA) {
        const LiftedInput* lifted = node.op() == Op::Placeholder ? liftedAs(*side.model, node) : nullptr;
        if (lifted && !lifted->path.empty()) return held(*side.model, lifted->path, inB, pathInA);
        if (node.op() == Op::GetAttr) return held(*side.model, node.target(), inB, pathInA);
        std::string key(opName(node.op()));
        if (node.op() == Op::Placeholder) return key + ' ' + inputName(node, inB);
        if (node.op() == Op::CallModule) key += ' ' + held(*side.model, node.target(), inB, pathInA);
        else if (node.op() != Op::Output) key += ' ' + node.target();
        const auto text = [&](const Argument& argument) {
            return reprOf(m_none, mapNodes(argument, [&](NodeId id) {
                              return Argument(Bytes{
                                  std::to_string(readAt(side, id, inB))}); // nothing else in a graph looks like it
                          }));
        };
        for (const Argument& argument : node.args()) key += "\n" + text(argument);
        for (const auto& [name, argument] : node.kwargs()) key += "\n" + name + "=" + text(argument);
        if (isRandom(node, semantics(inB), inB ? m_pathsB : m_pathsA)) key += "\n#" + std::to_string(++m_drawn[inB]);
        return key;
    }
    /// The value of the key, a new one when there is none.
    std::uint32_t intern(const std::string& key) {
        const auto [entry, isNew] = m_values.emplace(key, m_next);
        m_next += isNew;
        return entry->second;
    }
    /// Takes notice of what a node writes to; true if that is anything. Its own value must be known.
    bool noteWrites(const Side& side, const Node& node, bool inB) {
        Memory& memory = m_memory[inB];
        const CallSemantics& known = semantics(inB);
        const std::vector<NodeId> written = known.written(node);
        const std::uint32_t value = side.value[index(node.id())];
        if (m_ownWrites[inB][index(node.id())]) {
            memory.holds(node.id(), value);
            return false;
        }
        for (const NodeId id : written) {
            std::uint32_t& state = memory.state[index(memory.of[index(id)])];
            state = intern("write " + std::to_string(state) + ' ' + std::to_string(value));
        }
        // The result of x.relu_() is x, so that whoever reads x from now on reads that.
        if (written.size() == 1) {
            const std::vector<NodeId> shared = known.sharedMemory(node);
            if (std::find(shared.begin(), shared.end(), written.front()) != shared.end())
                memory.holds(written.front(), value);
        }
        memory.holds(node.id(), value);
        return !written.empty();
    }
    const CallSemantics& semantics(bool inB) const { return inB ? m_semanticsB : m_semanticsA; }
    bool knows(const std::string& key) const { return m_values.contains(key); }
    std::uint32_t count() const { return m_next; }

private:
    /// What is in the memory of values as nodes write to it in place.
    struct Memory {
        Memory(const Graph& graph, std::vector<NodeId> memoryOf)
            : of(std::move(memoryOf)), state(graph.idLimit()), read(graph.idLimit()), at(graph.idLimit()) {}
        /// From now on a node gives this value, until something else is written to its memory.
        void holds(NodeId node, std::uint32_t value) {
            read[index(node)] = value;
            at[index(node)] = state[index(of[index(node)])];
        }
        std::vector<NodeId> of;                     ///< by node: the node in whose memory it lies
        std::vector<std::uint32_t> state, read, at; ///< of each memory; of each node: its value at which state
    };
    /// By node id: writes that only its own result shows, as those of `x.clone().add_(1)`: into memory that a call made
    /// and that nothing reads afterwards under another name. They do the same as a call with a result of its own.
    static std::vector<bool> ownWrites(const Graph& graph, const CallSemantics& semantics,
                                       const std::vector<NodeId>& memoryOf) {
        std::vector<bool> out(graph.idLimit());
        std::map<NodeId, std::vector<NodeId>> names; // of each memory, so far
        for (const Node& node : graph.nodes()) {
            const NodeId own = memoryOf[index(node.id())];
            const std::vector<NodeId> written = semantics.written(node);
            if (written.size() == 1 && graph.node(memoryOf[index(written.front())]).isCall() &&
                own == memoryOf[index(written.front())] && !semantics.hasEffect(node)) {
                const auto isLater = [&](NodeId user) { return user != node.id() && graph.isBefore(node.id(), user); };
                const std::vector<NodeId>& before = names[own];
                out[index(node.id())] = std::none_of(before.begin(), before.end(), [&](NodeId id) {
                    const auto& users = graph.node(id).users();
                    return std::any_of(users.begin(), users.end(), isLater);
                });
            }
            names[own].push_back(node.id());
        }
        return out;
    }
    /// The value that is read from a node now.
    std::uint32_t readAt(const Side& side, NodeId id, bool inB) {
        const Memory& memory = m_memory[inB];
        const std::uint32_t state = memory.state[index(memory.of[index(id)])];
        if (memory.at[index(id)] == state) return memory.read[index(id)];
        return intern("read " + std::to_string(side.value[index(id)]) + ' ' + std::to_string(memory.at[index(id)]) +
                      ' ' + std::to_string(state));
    }
    /// A module, tensor or constant: the path in A at which it is found with the same content, else its own.
    std::string held(const GraphModule& model, const std::string& path, bool inB, const std::string& pathInA) {
        for (const auto& [name, graph] : model.subgraphs)
            if (name == path) return "graph " + graphText(graph->graph);
        if (!inB) return idOf(m_pathsA.resolve(path), path, "a ");
        for (const std::string& candidate : {path, pathInA}) {
            const PathTarget there = m_pathsA.resolve(candidate);
            if (there.kind == PathTarget::Kind::Missing) continue;
            if (m_tree.compare(candidate, path).empty()) return idOf(there, candidate, "a ");
        }
        return idOf(m_pathsB.resolve(path), path, "b ");
    }
    static std::string idOf(const PathTarget& target, const std::string& path, const char* side) {
        const void* const object =
            target.module ? static_cast<const void*>(target.module) : static_cast<const void*>(target.tensor.get());
        if (!object) return side + path;
        return side + std::to_string(reinterpret_cast<std::uintptr_t>(object));
    }
    /// As inputs are given: by the name that A has for them, else by their place.
    std::string inputName(const Node& node, bool inB) {
        if (!inB || std::find(m_inputs.begin(), m_inputs.end(), node.target()) != m_inputs.end()) {
            m_place += inB;
            return node.target();
        }
        const std::size_t place = m_place++;
        return place < m_inputs.size() ? m_inputs[place] : "b " + node.target();
    }

    const DiffOptions m_options;
    TreeDiff m_tree;
    PathResolver m_pathsA, m_pathsB;
    const CallSemantics m_semanticsA, m_semanticsB;
    Memory m_memory[2]; ///< of A, of B
    const std::vector<bool> m_ownWrites[2];
    const Graph m_none;
    std::vector<std::string> m_inputs;
    std::size_t m_place = 0, m_drawn[2] = {};
    std::map<std::string, std::uint32_t> m_values;
    std::uint32_t m_next = 1; ///< 0: the state of memory that nothing was written to
};

ChangedPart::ChangedPart(const GraphModule& a, const GraphModule& b, const Progress& progress)
    : m_a(a), m_b(b), m_counterparts(a.graph.idLimit(), kNoNode), m_changedA(a.graph.idLimit(), true),
      m_changedB(b.graph.idLimit(), true) {
    const Counterparts counterparts(a, b);
    Numbering numbering(a, b, progress);
    const auto follow = [&](Side& side, const Node& node) {
        side.dependsOnInput[index(node.id())] =
            (node.op() == Op::Placeholder && !liftedAs(*side.model, node)) ||
            std::any_of(node.inputs().begin(), node.inputs().end(),
                        [&](NodeId input) { return side.dependsOnInput[index(input)]; });
        side.writes[index(node.id())] = numbering.noteWrites(side, node, &side == &m_b);
        m_changesInPlace = m_changesInPlace || side.writes[index(node.id())];
    };
    pairNodes(counterparts);
    std::vector<NodeId> ofB(b.graph.idLimit(), kNoNode);
    for (const Node& node : a.graph.nodes())
        if (const NodeId other = counterpart(node.id()); other != kNoNode) ofB[index(other)] = node.id();
    for (const Node& node : a.graph.nodes()) {
        progress.check();
        m_a.value[index(node.id())] = numbering.intern(numbering.keyOf(m_a, node, false, node.target()));
        follow(m_a, node);
    }
    const std::uint32_t known = numbering.count();
    m_producerOf.assign(known, kNoNode);
    for (const Node& node : a.graph.nodes())
        if (NodeId& producer = m_producerOf[m_a.value[index(node.id())]]; producer == kNoNode) producer = node.id();
    std::vector<bool> inB(known);
    for (const Node& node : b.graph.nodes()) {
        progress.check();
        const NodeId other = ofB[index(node.id())];
        const std::string pathInA = other == kNoNode ? node.target() : a.graph.node(other).target();
        const std::string key = numbering.keyOf(m_b, node, true, pathInA);
        std::uint32_t& value = m_b.value[index(node.id())];
        if (numbering.knows(key) || other == kNoNode) {
            value = numbering.intern(key);
            m_changedB[index(node.id())] = value >= known;
        } else {
            value = m_a.value[index(other)];
            m_pairs.emplace_back(other, node.id());
        }
        if (value < known && !m_changedB[index(node.id())]) inB[value] = true;
        follow(m_b, node);
    }
    for (const Node& node : a.graph.nodes()) m_changedA[index(node.id())] = !inB[m_a.value[index(node.id())]];
    findExits();
    compareOrder();
}

/// Counterparts, and nodes that have none but stand in each other's place: what a node uses and what its counterpart
/// uses instead.
void ChangedPart::pairNodes(const Counterparts& counterparts) {
    const Graph &a = m_a.model->graph, &b = m_b.model->graph;
    std::vector<bool> taken(b.idLimit());
    for (const Node& node : b.nodes()) taken[index(node.id())] = counterparts.ofB(node.id()) != kNoNode;
    for (const Node& node : a.nodes()) m_counterparts[index(node.id())] = counterparts.ofA(node.id());
    for (NodeId id = a.last(); id != kNoNode; id = a.prev(id)) { // users first
        if (counterpart(id) == kNoNode) continue;
        const auto &mine = a.node(id).inputs(), &theirs = b.node(counterpart(id)).inputs();
        if (mine.size() != theirs.size()) continue;
        for (std::size_t i = 0; i < mine.size(); ++i) {
            if (counterpart(mine[i]) != kNoNode || taken[index(theirs[i])]) continue;
            if (!a.node(mine[i]).isCall() || !b.node(theirs[i]).isCall()) continue;
            m_counterparts[index(mine[i])] = theirs[i];
            taken[index(theirs[i])] = true;
        }
    }
}

void ChangedPart::findExits() {
    const auto usedBy = [](const Side& side, NodeId id, const std::vector<bool>& changed) {
        const auto& users = side.model->graph.node(id).users();
        return std::any_of(users.begin(), users.end(), [&](NodeId user) { return !changed[index(user)]; });
    };
    for (const Pair& pair : m_pairs) {
        const Node &a = m_a.model->graph.node(pair.first), &b = m_b.model->graph.node(pair.second);
        const bool unused = a.users().empty() && b.users().empty();
        const bool writes = m_a.writes[index(a.id())] || m_b.writes[index(b.id())]; // who reads that is no user
        if (a.op() == Op::Output || unused || writes || usedBy(m_a, a.id(), m_changedA) ||
            usedBy(m_b, b.id(), m_changedB))
            m_exits.push_back(pair);
    }
    std::sort(m_exits.begin(), m_exits.end(), [&](const Pair& x, const Pair& y) {
        return x.first != y.first && m_a.model->graph.isBefore(x.first, y.first);
    });
}

void ChangedPart::compareOrder() {
    const Graph &a = m_a.model->graph, &b = m_b.model->graph;
    const auto outputA = a.outputNode(), outputB = b.outputNode();
    m_sameOutputs = !m_changesInPlace && m_exits.empty() && outputA != kNoNode && outputB != kNoNode &&
                    m_a.value[index(outputA)] == m_b.value[index(outputB)];
    const auto valuesOf = [](const Side& side) {
        std::vector<std::uint32_t> values;
        for (const Node& node : side.model->graph.nodes()) {
            values.push_back(side.value[index(node.id())]);
            // A value may be read from its node, or from another one that has been changed in place to it.
            for (const NodeId input : node.inputs()) values.push_back(side.value[index(input)]);
        }
        return values;
    };
    m_identical = m_pairs.empty() && valuesOf(m_a) == valuesOf(m_b);
}

std::vector<NodeId> ChangedPart::Region::producers() const {
    std::vector<NodeId> nodes;
    for (const Entry& entry : entries) nodes.push_back(entry.producer);
    return nodes;
}

bool ChangedPart::isSameCall(const Pair& pair) const {
    const Node &a = m_a.model->graph.node(pair.first), &b = m_b.model->graph.node(pair.second);
    const auto sameValue = [&](NodeId x, NodeId y) { return m_a.value[index(x)] == m_b.value[index(y)]; };
    const auto same = [](const Argument& x, const Argument& y) {
        const auto withoutNodes = [](NodeId) { return Argument(EllipsisValue()); };
        return mapNodes(x, withoutNodes) == mapNodes(y, withoutNodes);
    };
    return a.op() == b.op() && a.target() == b.target() &&
           std::equal(a.inputs().begin(), a.inputs().end(), b.inputs().begin(), b.inputs().end(), sameValue) &&
           std::equal(a.args().begin(), a.args().end(), b.args().begin(), b.args().end(), same) &&
           std::equal(a.kwargs().begin(), a.kwargs().end(), b.kwargs().begin(), b.kwargs().end(),
                      [&](const auto& x, const auto& y) { return x.first == y.first && same(x.second, y.second); });
}

/// Goes back from an exit to what is not `inside` and depends on the inputs.
void ChangedPart::trace(const Side& side, NodeId exit, const std::vector<bool>& inside, std::vector<bool>& seen,
                        std::vector<NodeId>& border, std::vector<NodeId>& run) const {
    for (std::vector<NodeId> open{exit}; !open.empty();) {
        const NodeId id = open.back();
        open.pop_back();
        if (seen[index(id)]) continue;
        seen[index(id)] = true;
        const bool depends = side.dependsOnInput[index(id)];
        if (depends && id != exit && !inside[index(id)]) {
            border.push_back(id);
            continue;
        }
        run.push_back(id);
        const auto& inputs = side.model->graph.node(id).inputs();
        open.insert(open.end(), inputs.begin(), inputs.end());
    }
}

ChangedPart::Region ChangedPart::regionOf(std::vector<Pair> exits, const std::vector<bool>& alsoA) const {
    Region region;
    std::vector<bool> insideA = m_changedA, insideB = m_changedB;
    for (std::size_t i = 0; i < alsoA.size(); ++i) {
        if (!alsoA[i]) continue;
        insideA[i] = true;
        if (const NodeId other = m_counterparts[i]; other != kNoNode) insideB[index(other)] = true;
    }
    for (const auto& [a, b] : exits) insideA[index(a)] = insideB[index(b)] = true; // one may lead to another
    std::vector<NodeId> borderA, borderB;
    std::vector<bool> seenA(insideA.size()), seenB(insideB.size());
    for (const auto& [a, b] : exits) {
        trace(m_a, a, insideA, seenA, borderA, region.a);
        trace(m_b, b, insideB, seenB, borderB, region.b);
    }
    const auto depends = [&](NodeId id) { return m_a.dependsOnInput[index(id)]; };
    region.size = static_cast<std::size_t>(std::count_if(region.a.begin(), region.a.end(), depends));
    std::map<std::uint32_t, Entry> byValue;
    for (const NodeId id : borderA) byValue[m_a.value[index(id)]].a.push_back(id);
    for (const NodeId id : borderB) byValue[m_b.value[index(id)]].b.push_back(id);
    for (auto& [value, entry] : byValue) {
        if (value < m_producerOf.size()) entry.producer = m_producerOf[value];
        region.entries.push_back(std::move(entry));
    }
    region.exits = std::move(exits);
    return region;
}

} // namespace fx
