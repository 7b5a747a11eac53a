// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diff/changed_part.h"

#include "core/base/joined_path.h"
#include "core/diff/content.h"
#include "core/diff/counterparts.h"
#include "core/ir/print.h"
#include "core/module/call_semantics.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace fx {
namespace {

/// What it gives depends on how often something random was drawn before.
bool isRandom(const Node& node, const CallSemantics& semantics, PathResolver& paths) {
    if (node.op() != Op::CallModule) return semantics.isRandom(node);
    const Module* module = paths.resolve(node.target()).module;
    return module && drawsRandom(*module);
}

/// The parameters, buffers and constants that inputs of an exported program are, by node.
using LiftedPaths = std::unordered_map<NodeId, std::string>;
LiftedPaths liftedPaths(const GraphModule& model) {
    LiftedPaths out;
    for (const LiftedInput& lifted : model.lifted)
        if (lifted.kind != LiftedInput::Kind::UserInput) out.emplace(lifted.node, lifted.path);
    return out;
}

} // namespace

/// Gives the same number to the same value.
class ChangedPart::Numbering {
public:
    Numbering(const GraphModule& a, const GraphModule& b, const Progress& progress)
        : m_content(progress), m_pathsA(*a.root), m_pathsB(*b.root), m_semanticsA(*a.root),
          m_semanticsB(*b.root), m_lifted{liftedPaths(a), liftedPaths(b)}, m_memory{Memory(a.graph, memoryOf(a, false)),
                                                                                    Memory(b.graph, memoryOf(b, true))},
          m_ownWrites{ownWrites(a.graph, m_semanticsA, m_memory[0].of),
                      ownWrites(b.graph, m_semanticsB, m_memory[1].of)} {
        m_content.add(a);
        m_content.add(b);
        for (const Node& node : a.graph.nodes())
            if (node.op() == Op::Placeholder && !isLifted(node, false)) m_inputs.push_back(node.target());
        m_inputNames.insert(m_inputs.begin(), m_inputs.end());
    }

    bool isLifted(const Node& node, bool inB) const {
        return node.op() == Op::Placeholder && m_lifted[inB].contains(node.id());
    }
    /// What a node does, with the values that it is given.
    std::string keyOf(const Side& side, const Node& node, bool inB) {
        if (isLifted(node, inB))
            if (const std::string& path = m_lifted[inB].at(node.id()); !path.empty())
                return held(*side.model, path, inB);
        if (node.op() == Op::GetAttr) return held(*side.model, node.target(), inB);
        std::string key(opName(node.op()));
        if (node.op() == Op::Placeholder) return key + ' ' + inputName(node, inB);
        if (node.op() == Op::CallModule) key += ' ' + held(*side.model, node.target(), inB);
        else if (node.op() != Op::Output) key += ' ' + node.target();
        const auto text = [&](const Argument& argument) {
            return reprOf(m_none, mapNodes(argument, [&](NodeId id) {
                              return Argument(Bytes{
                                  std::to_string(readAt(side, id, inB))}); // nothing else in a graph looks like it
                          }));
        };
        for (const Argument& argument : node.args()) key += "\n" + text(argument);
        for (const auto& [name, argument] : node.kwargs()) key += "\n" + name + "=" + text(argument);
        if (isRandom(node, semantics(inB), paths(inB))) key += "\n#" + std::to_string(++m_drawn[inB]);
        return key;
    }
    /// The value of the key, which is new if the key is.
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
        if (isTensorOfModel(side, node.id(), inB)) { // whatever was written until now, its own value is the first one
            memory.read[index(node.id())] = value;
            return false;
        }
        for (const NodeId id : written) {
            std::uint32_t& state = memory.state[index(memory.of[index(id)])];
            state = intern("write " + std::to_string(state) + ' ' + std::to_string(value));
        }
        // The result of x.relu_() is x, so that whoever reads x from now on reads that.
        if (written.size() == 1) {
            const std::vector<NodeId> shared = known.sharedMemory(node);
            if (std::find(shared.begin(), shared.end(), written.front()) != shared.end()) {
                memory.holds(written.front(), value);
                if (isTensorOfModel(side, written.front(), inB)) memory.holdsWhole(written.front(), value);
            }
        }
        memory.holds(node.id(), value);
        return !written.empty();
    }
    NodeId memoryOf(NodeId id, bool inB) const { return m_memory[inB].of[index(id)]; }
    /// Whether two nodes read tensors of the models that do not have one shape: what uses them is another computation.
    bool isOfOtherSizes(const Node& a, const Node& b) {
        const TensorPtr mine = tensorOf(a, false), theirs = tensorOf(b, true);
        return mine && theirs && mine->sizes != theirs->sizes;
    }
    /// The number of what a tensor holds.
    std::uint32_t contentOf(const TensorPtr& tensor) { return m_content.ofTensor(tensor); }
    /// The path of what a node reads or calls; empty for other nodes.
    std::string pathOf(const Node& node, bool inB) const {
        if (isLifted(node, inB)) return m_lifted[inB].at(node.id());
        return node.op() == Op::GetAttr || node.op() == Op::CallModule ? node.target() : std::string();
    }
    const CallSemantics& semantics(bool inB) const { return inB ? m_semanticsB : m_semanticsA; }
    bool knows(const std::string& key) const { return m_values.contains(key); }
    std::uint32_t count() const { return m_next; }

private:
    /// What is in the memory of values as nodes write to it in place.
    struct Memory {
        Memory(const Graph& graph, std::vector<NodeId> memoryOf)
            : of(std::move(memoryOf)), state(graph.idLimit()), read(graph.idLimit()), at(graph.idLimit()),
              whole(graph.idLimit()), wholeAt(graph.idLimit()) {}
        /// From now on a node gives this value, until something else is written to its memory.
        void holds(NodeId node, std::uint32_t value) {
            read[index(node)] = value;
            at[index(node)] = state[index(of[index(node)])];
        }
        /// A tensor of the model has this value, whichever node reads it.
        void holdsWhole(NodeId node, std::uint32_t value) {
            const std::uint32_t root = index(of[index(node)]);
            whole[root] = value, wholeAt[root] = state[root];
        }
        std::vector<NodeId> of;                     ///< by node: the node in whose memory it lies
        std::vector<std::uint32_t> state, read, at; ///< of each memory; of each node: its value at which state
        std::vector<std::uint32_t> whole, wholeAt;  ///< of each memory: its value at which state; 0: never
    };
    /// By node: the node in whose memory its value lies. All that read one storage of the model are in one.
    std::vector<NodeId> memoryOf(const GraphModule& model, bool inB) {
        std::vector<NodeId> memory = semantics(inB).memoryOf(model.graph);
        std::unordered_map<const void*, NodeId> readers;
        std::vector<NodeId> moved(memory.size(), kNoNode);
        for (const Node& node : model.graph.nodes()) {
            const TensorPtr tensor = tensorOf(node, inB);
            if (!tensor) continue;
            const void* const storage =
                tensor->storage ? static_cast<const void*>(tensor->storage.get()) : tensor.get();
            moved[index(node.id())] = readers.emplace(storage, node.id()).first->second;
        }
        for (NodeId& of : memory)
            if (of != kNoNode && moved[index(of)] != kNoNode) of = moved[index(of)];
        return memory;
    }
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
    /// The tensor of the model that a node is; null for other nodes.
    TensorPtr tensorOf(const Node& node, bool inB) {
        const std::string* path = node.op() == Op::GetAttr ? &node.target() : nullptr;
        if (isLifted(node, inB)) path = &m_lifted[inB].at(node.id());
        return path && !path->empty() ? paths(inB).resolve(*path).tensor : nullptr;
    }
    bool isTensorOfModel(const Side& side, NodeId id, bool inB) const {
        const Node& node = side.model->graph.node(id);
        return node.op() == Op::GetAttr || isLifted(node, inB);
    }
    /// The value that is read from a node now.
    std::uint32_t readAt(const Side& side, NodeId id, bool inB) {
        const Memory& memory = m_memory[inB];
        const std::uint32_t root = index(memory.of[index(id)]), state = memory.state[root];
        if (state != 0 && memory.wholeAt[root] == state && isTensorOfModel(side, id, inB)) return memory.whole[root];
        if (memory.at[index(id)] == state) return memory.read[index(id)];
        return intern("read " + std::to_string(side.value[index(id)]) + ' ' + std::to_string(memory.at[index(id)]) +
                      ' ' + std::to_string(state));
    }
    /// A module, tensor, attribute or graph by its content.
    std::string held(const GraphModule& model, const std::string& path, bool inB) {
        for (const auto& [name, graph] : model.subgraphs)
            if (name == path)
                return "graph " + std::to_string(m_content.ofModule(*graph->root)) + '\n' + graphText(graph->graph);
        const PathTarget target = paths(inB).resolve(path);
        if (target.module) return "module " + std::to_string(m_content.ofModule(*target.module));
        if (target.value) return "value " + reprOf(m_none, *target.value);
        if (target.kind == PathTarget::Kind::Missing) return "missing " + path;
        return "tensor " + std::to_string(m_content.ofTensor(target.tensor));
    }
    PathResolver& paths(bool inB) { return inB ? m_pathsB : m_pathsA; }
    /// As inputs are given: by the name that A has for them, else by their place.
    std::string inputName(const Node& node, bool inB) {
        if (!inB || m_inputNames.contains(node.target())) {
            m_place += inB;
            return node.target();
        }
        const std::size_t place = m_place++;
        return place < m_inputs.size() ? m_inputs[place] : "b " + node.target();
    }

    Content m_content;
    PathResolver m_pathsA, m_pathsB;
    const CallSemantics m_semanticsA, m_semanticsB;
    const LiftedPaths m_lifted[2];
    Memory m_memory[2]; ///< of A, of B
    const std::vector<bool> m_ownWrites[2];
    const Graph m_none;
    std::vector<std::string> m_inputs;
    std::unordered_set<std::string> m_inputNames;
    std::size_t m_place = 0, m_drawn[2] = {};
    std::unordered_map<std::string, std::uint32_t> m_values;
    std::uint32_t m_next = 1; ///< 0: the state of memory that nothing was written to
};

ChangedPart::ChangedPart(const GraphModule& a, const GraphModule& b, const Progress& progress)
    : m_a(a), m_b(b), m_counterparts(a.graph.idLimit(), kNoNode), m_changedA(a.graph.idLimit(), true),
      m_changedB(b.graph.idLimit(), true) {
    const Counterparts counterparts(a, b);
    Numbering numbering(a, b, progress);
    const auto follow = [&](Side& side, const Node& node) {
        side.dependsOnInput[index(node.id())] =
            (node.op() == Op::Placeholder && !numbering.isLifted(node, &side == &m_b)) ||
            std::any_of(node.inputs().begin(), node.inputs().end(),
                        [&](NodeId input) { return side.dependsOnInput[index(input)]; });
        side.writes[index(node.id())] = numbering.noteWrites(side, node, &side == &m_b);
        m_changesInPlace = m_changesInPlace || side.writes[index(node.id())];
        side.memory[index(node.id())] = numbering.memoryOf(node.id(), &side == &m_b);
        if (!side.writes[index(node.id())]) return;
        for (const NodeId written : numbering.semantics(&side == &m_b).written(node))
            if (const NodeId memory = side.memory[index(written)]; side.model->graph.node(memory).isCall())
                side.writers[memory].push_back(node.id());
    };
    pairNodes(counterparts);
    std::vector<NodeId> ofB(b.graph.idLimit(), kNoNode);
    for (const Node& node : a.graph.nodes())
        if (const NodeId other = counterpart(node.id()); other != kNoNode) ofB[index(other)] = node.id();
    for (const Node& node : a.graph.nodes()) {
        progress.check();
        m_a.value[index(node.id())] = numbering.intern(numbering.keyOf(m_a, node, false));
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
        const std::string key = numbering.keyOf(m_b, node, true);
        std::uint32_t& value = m_b.value[index(node.id())];
        const bool isAnother = other != kNoNode && numbering.isOfOtherSizes(a.graph.node(other), node);
        if (numbering.knows(key) || other == kNoNode || isAnother) {
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
    pairValues(known);
    for (Side* side : {&m_a, &m_b}) findLive(*side, numbering.semantics(side == &m_b));
    findExits();
    compareOrder();
    compareDefaults(a, b);
    compareUnused(numbering);
}

/// Nodes that give one value are counterparts, whatever their names. A pair ends if its node of B gives the value of a
/// different node of A.
void ChangedPart::pairValues(std::uint32_t known) {
    const Graph &a = m_a.model->graph, &b = m_b.model->graph;
    std::vector<bool> taken(b.idLimit());
    const auto sameValue = [&](NodeId id) {
        return counterpart(id) != kNoNode && m_a.value[index(id)] == m_b.value[index(counterpart(id))];
    };
    for (const Node& node : a.nodes())
        if (sameValue(node.id())) taken[index(counterpart(node.id()))] = true;
    std::vector<std::vector<NodeId>> free(known); // of B, by value, the first last
    for (NodeId id = b.last(); id != kNoNode; id = b.prev(id))
        if (const std::uint32_t value = m_b.value[index(id)]; value < known && !taken[index(id)])
            free[value].push_back(id);
    for (const Node& node : a.nodes()) {
        NodeId& other = m_counterparts[index(node.id())];
        if (sameValue(node.id()) || node.op() == Op::Output) continue;
        auto& candidates = free[m_a.value[index(node.id())]];
        if (!candidates.empty()) {
            other = candidates.back();
            candidates.pop_back();
        } else if (other != kNoNode && (taken[index(other)] || m_b.value[index(other)] < known)) {
            other = kNoNode;
        }
    }
    std::vector<bool> seen(b.idLimit()); // pairs are one to one
    for (const Node& node : a.nodes())
        if (sameValue(node.id())) seen[index(counterpart(node.id()))] = true;
    for (const Node& node : a.nodes())
        if (!sameValue(node.id()) && counterpart(node.id()) != kNoNode) {
            NodeId& other = m_counterparts[index(node.id())];
            if (seen[index(other)]) other = kNoNode;
            else seen[index(other)] = true;
        }
}

/// Inputs that both models have and that stand for other values when they are left out.
void ChangedPart::compareDefaults(const GraphModule& a, const GraphModule& b) {
    const auto defaultsOf = [](const GraphModule& model) {
        std::map<std::string, std::string> out;
        for (const Node& node : model.graph.nodes())
            if (node.op() == Op::Placeholder && !node.args().empty())
                out.emplace(node.target(), reprOf(model.graph, node.args()[0]));
        return out;
    };
    const auto ofA = defaultsOf(a), ofB = defaultsOf(b);
    for (const auto& [name, value] : ofA)
        if (const auto other = ofB.find(name); other == ofB.end() || other->second != value)
            m_otherDefaults.push_back(name);
    for (const auto& [name, value] : ofB)
        if (!ofA.contains(name)) m_otherDefaults.push_back(name);
    if (!m_otherDefaults.empty()) m_identical = m_sameOutputs = false;
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

void ChangedPart::findLive(Side& side, const CallSemantics& semantics) {
    const Graph& graph = side.model->graph;
    for (NodeId id = graph.last(); id != kNoNode; id = graph.prev(id)) {
        const Node& node = graph.node(id);
        if (node.op() == Op::Output || side.writes[index(id)] || semantics.hasEffect(node)) side.live[index(id)] = true;
        if (side.live[index(id)])
            for (const NodeId input : node.inputs()) side.live[index(input)] = true;
    }
}

/// Tensors that no constant reads and no live node. They are part of the state dict all the same.
void ChangedPart::compareUnused(Numbering& numbering) {
    std::set<std::string> used; // paths of modules and tensors
    std::string sources;
    std::map<std::string, std::uint32_t> held[2];
    for (const Side* side : {&m_a, &m_b}) {
        const bool inB = side == &m_b;
        for (const Node& node : side->model->graph.nodes())
            if (side->live[index(node.id())]) used.insert(numbering.pathOf(node, inB));
        forEachModule(*side->model->root, [&](const std::string& path, const Module& module) {
            for (const auto* slots : {&module.parameters, &module.buffers})
                for (const Module::Slot& slot : *slots) {
                    if (!slot.tensor) continue;
                    const auto& storage = slot.tensor->storage;
                    if (storage && storage->isExpression()) sources += storage->expressionSource() + '\n';
                    else held[inB].emplace(joinedPath(path, slot.name), numbering.contentOf(slot.tensor));
                }
        });
    }
    const auto isUsed = [&](const std::string& path) {
        for (std::size_t end = path.size(); end != path.npos; end = path.substr(0, end).rfind('.'))
            if (used.contains(path.substr(0, end))) return true;
        return sources.find(path.substr(path.rfind('.') + 1)) != sources.npos;
    };
    for (const auto& [path, number] : held[0])
        if (const auto other = held[1].find(path); other != held[1].end() && other->second != number && !isUsed(path))
            m_otherUnused.push_back(path);
    if (!m_otherUnused.empty()) m_identical = false;
}

void ChangedPart::findExits() {
    const auto usedBy = [](const Side& side, NodeId id, const std::vector<bool>& changed) {
        const auto& users = side.model->graph.node(id).users();
        return std::any_of(users.begin(), users.end(), [&](NodeId user) { return !changed[index(user)]; });
    };
    for (const Pair& pair : m_pairs) {
        const Node &a = m_a.model->graph.node(pair.first), &b = m_b.model->graph.node(pair.second);
        if (!m_a.live[index(a.id())] && !m_b.live[index(b.id())]) continue;
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
            // A value may be read from its node, or from a different node that was changed in place to it.
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

/// Goes back from exits to what is not `inside` and depends on the inputs. What an exit reads may have been changed in
/// place meanwhile: then what wrote there runs too, and so do the views in between, since copies would hide the write.
///
///     y = tanh(x); y.mul_(z); conv(y)          back from conv: mul_ runs, y and z are the border
class ChangedPart::Trace {
public:
    Trace(const Side& side, const std::vector<bool>& inside)
        : m_side(side), m_inside(inside), m_seen(inside.size()), m_runs(inside.size()) {}

    void from(NodeId exit) {
        for (m_open = {{exit, true}}; !m_open.empty();) {
            const auto [id, mustRun] = m_open.back();
            m_open.pop_back();
            if (m_seen[index(id)] && (!mustRun || m_runs[index(id)])) continue;
            m_seen[index(id)] = true;
            if (m_side.dependsOnInput[index(id)] && !mustRun && !m_inside[index(id)]) {
                m_border.push_back(id);
                continue;
            }
            m_runs[index(id)] = true;
            run.push_back(id);
            for (const NodeId input : m_side.model->graph.node(id).inputs()) openInput(id, input);
        }
    }
    std::vector<NodeId> border() const {
        std::vector<NodeId> out;
        for (const NodeId id : m_border)
            if (!m_runs[index(id)]) out.push_back(id);
        return out;
    }
    std::vector<NodeId> run;

private:
    void openInput(NodeId reader, NodeId input) {
        const NodeId memory = m_side.memory[index(input)];
        const auto writers = m_side.writers.find(memory);
        bool isWritten = false;
        if (writers != m_side.writers.end()) {
            const Graph& graph = m_side.model->graph;
            std::size_t& next = m_opened[memory];
            for (; next < writers->second.size(); ++next) {
                const NodeId writer = writers->second[next];
                if (writer != reader && !graph.isBefore(writer, reader)) break;
                m_open.emplace_back(writer, true);
            }
            const NodeId first = writers->second.front();
            isWritten = first == reader || graph.isBefore(first, reader);
        }
        m_open.emplace_back(input, isWritten && input != memory);
    }

    const Side& m_side;
    const std::vector<bool>& m_inside;
    std::vector<bool> m_seen, m_runs; ///< by node id
    std::vector<std::pair<NodeId, bool>> m_open;
    std::vector<NodeId> m_border;
    std::unordered_map<NodeId, std::size_t> m_opened; ///< by memory: how many of its writers
};

ChangedPart::Region ChangedPart::regionOf(std::vector<Pair> exits, const std::vector<bool>& alsoA) const {
    Region region;
    std::vector<bool> insideA = m_changedA, insideB = m_changedB;
    for (std::size_t i = 0; i < alsoA.size(); ++i) {
        if (!alsoA[i]) continue;
        insideA[i] = true;
        if (const NodeId other = m_counterparts[i]; other != kNoNode) insideB[index(other)] = true;
    }
    for (const auto& [a, b] : exits) insideA[index(a)] = insideB[index(b)] = true; // one may lead to another
    Trace traceA(m_a, insideA), traceB(m_b, insideB);
    for (const auto& [a, b] : exits) traceA.from(a), traceB.from(b);
    region.a = std::move(traceA.run), region.b = std::move(traceB.run);
    const auto depends = [&](NodeId id) { return m_a.dependsOnInput[index(id)]; };
    region.size = static_cast<std::size_t>(std::count_if(region.a.begin(), region.a.end(), depends));
    std::map<std::uint32_t, Entry> byValue;
    for (const NodeId id : traceA.border()) byValue[m_a.value[index(id)]].a.push_back(id);
    for (const NodeId id : traceB.border()) byValue[m_b.value[index(id)]].b.push_back(id);
    for (auto& [value, entry] : byValue) {
        if (value < m_producerOf.size()) entry.producer = m_producerOf[value];
        region.entries.push_back(std::move(entry));
    }
    region.exits = std::move(exits);
    return region;
}

} // namespace fx
