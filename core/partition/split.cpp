// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/partition/split.h"

#include "core/module/call_semantics.h"
#include "core/partition/quotient.h"
#include "core/partition/submodule.h"
#include "core/trace/callables.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace fx {
namespace {

constexpr int kNoPart = SplitAssignment::kNoPart;

/// A set that keeps the order in which things came in.
template<class T> struct OrderedSet {
    std::vector<T> items;
    std::unordered_map<T, std::size_t> known;
    void add(const T& item) {
        if (known.try_emplace(item, items.size()).second) items.push_back(item);
    }
};

struct Part {
    int number = 0;
    std::vector<NodeId> nodes;
    OrderedSet<NodeId> inputs, outputs;
    OrderedSet<std::size_t> dependents;
    std::size_t dependencies = 0;
    Graph graph;
    std::vector<NodeId> passedIn; ///< outer nodes given as arguments
};

class Splitter {
public:
    Splitter(const GraphModule& model, const SplitAssignment& assignment)
        : m_model(model), m_graph(model.graph), m_assignment(assignment), m_paths(*model.root) {
        result = model;
        result.className = "GraphModule";
        result.tracerClass.clear();
        result.root = emptyModule("torch.fx.graph_module.GraphModule");
    }

    void run(std::vector<SplitPart>* parts, const Progress& progress) {
        collectParts();
        collectUses();
        makeBase();
        for (const std::size_t part : sortedParts()) {
            progress.check();
            buildPart(m_parts[part]);
            callPart(m_parts[part], parts);
        }
        finish();
    }

    GraphModule result;

private:
    using Attributes = std::vector<std::pair<std::string, PathTarget>>;
    std::size_t partOf(NodeId id) const { return m_partOf[index(id)]; }
    static constexpr std::size_t kOutside = static_cast<std::size_t>(-1);

    void collectParts() {
        std::unordered_map<int, std::size_t> places;
        m_partOf.assign(m_graph.idLimit(), kOutside);
        for (const Node& node : m_graph.nodes()) {
            if (!node.isCall()) continue;
            refuseRegion(node);
            const int number = m_assignment.partOf[index(node.id())];
            if (number == kNoPart)
                throw Error(ErrorKind::Refused, Message("partition.unassigned", {{"node", node.name()}}))
                    .onNode(node.name());
            const auto [place, isNew] = places.try_emplace(number, m_parts.size());
            if (isNew) m_parts.emplace_back().number = number;
            m_parts[place->second].nodes.push_back(node.id());
            m_partOf[index(node.id())] = place->second;
        }
    }

    static void refuseRegion(const Node& node) {
        if (node.op() != Op::CallFunction) return;
        for (const std::string_view name :
             {"torch.amp.autocast_mode._enter_autocast", "torch.amp.autocast_mode._exit_autocast",
              "torch.amp._enter_autocast", "torch.amp._exit_autocast", "torch._C._set_grad_enabled"})
            if (node.target() == name)
                throw Error(ErrorKind::Refused, Message("partition.switches_mode", {{"node", node.name()}}))
                    .onNode(node.name());
    }

    /// torch.fx record_cross_partition_use
    void recordUse(NodeId from, std::size_t used) {
        const std::size_t defined = partOf(from);
        if (defined == used) return;
        if (defined != kOutside) {
            m_parts[defined].outputs.add(from);
            if (used != kOutside) {
                const std::size_t before = m_parts[defined].dependents.items.size();
                m_parts[defined].dependents.add(used);
                m_parts[used].dependencies += m_parts[defined].dependents.items.size() - before;
            }
        }
        if (used != kOutside) m_parts[used].inputs.add(from);
    }

    void collectUses() {
        for (const Node& node : m_graph.nodes())
            if (node.isCall() || node.op() == Op::Output)
                for (const NodeId input : node.inputs()) recordUse(input, partOf(node.id()));
    }

    bool writesInPlace() const {
        const CallSemantics semantics(*m_model.root);
        for (const Node& node : m_graph.nodes())
            if (!semantics.written(node).empty()) return true;
        return false;
    }

    /// torch.fx takes the part that became free last, so independent parts come in reverse.
    std::vector<std::size_t> sortedParts() {
        std::vector<std::size_t> sorted, free;
        if (m_assignment.inOrder && writesInPlace()) {
            sorted.resize(m_parts.size());
            std::iota(sorted.begin(), sorted.end(), std::size_t{0});
            return sorted;
        }
        for (std::size_t i = 0; i < m_parts.size(); ++i)
            if (m_parts[i].dependencies == 0) free.push_back(i);
        while (!free.empty()) {
            sorted.push_back(free.back());
            free.pop_back();
            for (const std::size_t dependent : m_parts[sorted.back()].dependents.items)
                if (--m_parts[dependent].dependencies == 0) free.push_back(dependent);
        }
        if (sorted.size() == m_parts.size()) return sorted;
        std::string text;
        for (const Part& part : m_parts)
            if (part.dependencies > 0) text += (text.empty() ? "submod_" : ", submod_") + std::to_string(part.number);
        throw Error(ErrorKind::Refused, Message("partition.part_cycle", {{"parts", text}}));
    }

    /// Leaves the placeholders and get_attr nodes, named anew as in a new graph.
    void makeBase() {
        result.graph = m_graph.withOnly([](const Node& node) { return !node.isCall() && node.op() != Op::Output; });
        Graph& graph = result.graph;
        m_base.assign(m_graph.idLimit(), kNoNode);
        m_made.assign(m_graph.idLimit(), kNoNode);
        for (const NodeId id : graph.order()) {
            const Node& node = graph.node(id);
            if (std::string name = graph.names().create(nameCandidate(node.target())); name != node.name())
                graph.setNameUnchecked(id, std::move(name));
            m_base[index(id)] = id;
            if (node.op() != Op::GetAttr) continue;
            graph.setType(id, {});
            m_attributes.emplace_back(node.target(), needTarget(m_paths, node));
        }
    }
    /// torch.fx `_target_to_str`
    static std::string nameCandidate(std::string_view target) {
        if (target.size() >= 4 && target.starts_with("__") && target.ends_with("__"))
            target = target.substr(2, target.size() - 4);
        return snakeCase(target);
    }

    void addInputs(Part& part, Attributes& attributes) {
        const auto isModule = [&](const Node& node) {
            return node.op() == Op::GetAttr && needTarget(m_paths, node).kind == PathTarget::Kind::Module;
        };
        for (const NodeId id : part.inputs.items) {
            const Node& node = m_graph.node(id);
            if (isModule(node)) continue;
            addInput(part, node, part.graph.placeholder(node.name(), {}, node.type()));
            part.passedIn.push_back(id);
        }
        for (const NodeId id : part.inputs.items) {
            const Node& node = m_graph.node(id);
            if (!isModule(node)) continue;
            addInput(part, node, part.graph.createNode(Op::GetAttr, node.target()));
            attributes.emplace_back(node.target(), needTarget(m_paths, node));
        }
    }
    void addInput(Part& part, const Node& node, NodeId made) {
        part.graph.setMeta(made, node.sharedMeta());
        m_made[index(node.id())] = made;
    }

    void buildPart(Part& part) {
        Attributes attributes;
        addInputs(part, attributes);
        std::unordered_map<std::string, std::string> flattened;
        for (const NodeId id : part.nodes) {
            const Node& node = m_graph.node(id);
            std::string target;
            if (node.op() == Op::CallModule) {
                target = node.target();
                std::replace(target.begin(), target.end(), '.', '_');
                if (const auto [known, isNew] = flattened.emplace(target, node.target());
                    !isNew && known->second != node.target())
                    throw Error(ErrorKind::Refused, Message("partition.same_target", {{"first", known->second},
                                                                                      {"second", node.target()},
                                                                                      {"name", target},
                                                                                      {"number", part.number}}))
                        .onNode(node.name());
                attributes.emplace_back(target, needTarget(m_paths, node));
            }
            m_made[index(id)] = copyNode(
                part.graph, node, [&](NodeId each) { return m_made[index(each)]; }, {}, target);
        }
        std::vector<Argument> results;
        for (const NodeId id : part.outputs.items) results.emplace_back(m_made[index(id)]);
        part.graph.output(results.size() == 1 ? results[0] : Argument::tuple(std::move(results)));
        m_modules.emplace_back("submod_" + std::to_string(part.number),
                               asGraphModule(rootWith(std::move(attributes), std::make_shared<Module>()),
                                             std::move(part.graph), "GraphModule"));
    }

    void callPart(Part& part, std::vector<SplitPart>* parts) {
        const std::string& name = m_modules.back().first;
        std::vector<Argument> arguments;
        for (const NodeId id : part.passedIn) arguments.emplace_back(m_base[index(id)]);
        const NodeId call = result.graph.createNode(Op::CallModule, name, std::move(arguments));
        const auto& outputs = part.outputs.items;
        if (outputs.size() == 1) m_base[index(outputs[0])] = call;
        else
            for (std::size_t i = 0; i < outputs.size(); ++i)
                m_base[index(outputs[i])] = result.graph.callFunction(m_getitem, {call, static_cast<std::int64_t>(i)});
        for (const NodeId id : outputs) result.graph.setMeta(m_base[index(id)], m_graph.node(id).sharedMeta());
        if (!parts) return;
        const auto number = static_cast<std::size_t>(part.number);
        parts->push_back({name, part.number, std::move(part.nodes),
                          number < m_assignment.partitions.size() ? m_assignment.partitions[number] : std::nullopt});
    }

    void finish() {
        if (const NodeId output = m_graph.outputNode(); output != kNoNode && !m_graph.node(output).args().empty())
            result.graph.output(mapNodes(m_graph.node(output).args()[0], [&](NodeId id) { return m_base[index(id)]; }));
        keepState();
        for (auto& [name, module] : m_modules) {
            makeRoomFor(name);
            PathTarget target;
            target.kind = PathTarget::Kind::Module;
            target.shared = module;
            target.module = module.get();
            m_attributes.emplace_back(name, std::move(target));
        }
        rootWith(std::move(m_attributes), result.root);
    }

    /// The weights that an exported program gives to its graph as inputs.
    void keepState() {
        for (const LiftedInput& input : m_model.lifted)
            if (PathTarget target = m_paths.resolve(input.path);
                !input.path.empty() && target.kind != PathTarget::Kind::Missing)
                m_attributes.emplace_back(input.path, std::move(target));
    }

    /// As in torch.fx the new module takes the name of one that only parts used, as the branches of an export are
    /// called submod_N too: each part has those that it needs.
    void makeRoomFor(const std::string& name) {
        const auto taken = [&](const auto& item) { return item.first == name; };
        if (std::none_of(m_attributes.begin(), m_attributes.end(), taken)) return;
        bool isUsed = false;
        for (const Node& node : result.graph.nodes())
            isUsed = isUsed || (node.op() == Op::GetAttr && node.target() == name && !node.users().empty());
        if (isUsed || m_paths.resolve(name).kind != PathTarget::Kind::Module)
            throw Error(ErrorKind::Refused, Message("partition.name_taken", {{"name", name}})).onModule(name);
        std::erase_if(m_attributes, taken);
    }

    /// Those with fewer dots first, as GraphModule takes them from a dictionary.
    static std::shared_ptr<Module> rootWith(Attributes attributes, std::shared_ptr<Module> root) {
        const auto dots = [](const auto& item) { return std::count(item.first.begin(), item.first.end(), '.'); };
        std::stable_sort(attributes.begin(), attributes.end(),
                         [&](const auto& a, const auto& b) { return dots(a) < dots(b); });
        AttributeTree tree(root);
        for (const auto& [path, target] : attributes) tree.assign(path, target);
        return root;
    }

    const GraphModule& m_model;
    const Graph& m_graph;
    const SplitAssignment& m_assignment;
    PathResolver m_paths;
    std::vector<Part> m_parts;
    std::vector<std::size_t> m_partOf; ///< by node id: place in m_parts, kOutside for what is in none
    std::vector<NodeId> m_base;        ///< by node id: what has its value in the result
    std::vector<NodeId> m_made;        ///< by node id: the copy in the part that is built
    Attributes m_attributes;
    std::vector<std::pair<std::string, std::shared_ptr<Module>>> m_modules;
    const CallablePtr m_getitem = resolveCallable("operator.getitem");
};

} // namespace

GraphModule splitModule(const GraphModule& model, const SplitAssignment& assignment, std::vector<SplitPart>* parts,
                        const Progress& progress) {
    Splitter splitter(model, assignment);
    splitter.run(parts, progress);
    return std::move(splitter.result);
}

SplitAssignment splitByPartitions(const Graph& graph, const std::vector<Partition>& partitions) {
    SplitAssignment result;
    result.partOf.assign(graph.idLimit(), kNoPart);
    bool inRun = false;
    for (const Unit& unit : quotientOrder(graph, partitions)) {
        if (unit.node != kNoNode && !graph.node(unit.node).isCall()) continue;
        const bool isPartition = unit.node == kNoNode;
        if (isPartition || !inRun)
            result.partitions.push_back(isPartition ? std::optional(unit.partition) : std::nullopt);
        inRun = !isPartition;
        const int number = static_cast<int>(result.partitions.size()) - 1;
        if (!isPartition) result.partOf[index(unit.node)] = number;
        else
            for (const NodeId id : partitions[unit.partition].nodes) result.partOf[index(id)] = number;
    }
    return result;
}

} // namespace fx
