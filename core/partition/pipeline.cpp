// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/partition/pipeline.h"

#include "core/partition/sent_memory.h"
#include "core/partition/submodule.h"

#include <algorithm>
#include <unordered_map>

namespace fx {
namespace {

class PipelineCutter {
public:
    PipelineCutter(const GraphModule& model, const SplitAssignment& assignment)
        : m_model(model), m_graph(model.graph), m_assignment(assignment), m_root(rootWithSubgraphs(model)),
          m_paths(*m_root), m_semantics(*m_root), m_stageOf(m_graph.idLimit(), 0), m_lastUse(m_graph.idLimit(), -1),
          m_isNumber(m_graph.idLimit(), false) {
        using Kind = LiftedInput::Kind;
        for (const LiftedInput& input : model.lifted) {
            if (input.kind == Kind::Parameter || input.kind == Kind::Buffer || input.kind == Kind::Constant)
                m_weights.emplace(input.node, input.path);
            else if (input.kind != Kind::UserInput)
                throw Error(ErrorKind::Refused,
                            Message("pipeline.input_not_tensor", {{"name", m_graph.node(input.node).name()}}))
                    .onNode(m_graph.node(input.node).name());
        }
    }

    Pipeline run() {
        place();
        refuseSharedState();
        refuseSharedMemory();
        findNumbers();
        Pipeline result;
        std::vector<NodeId> incoming;
        for (const Node& node : m_graph.nodes()) {
            if (node.op() != Op::Placeholder || m_weights.contains(node.id())) continue;
            result.inputs.push_back(node.name());
            incoming.push_back(node.id());
        }
        for (int stage = 0; stage < m_count; ++stage) {
            const bool isLast = stage + 1 == m_count;
            std::vector<NodeId> outgoing = isLast ? returned(result) : crossing(stage, incoming);
            if (outgoing.empty())
                throw Error(ErrorKind::Refused, isLast ? Message("pipeline.no_result")
                                                       : Message("pipeline.unused_stage", {{"stage", stage}}));
            result.stages.push_back(makeStage(stage, incoming, outgoing));
            incoming = std::move(outgoing);
        }
        return result;
    }

private:
    /// The stage of each call, and the last one that uses it. The output belongs to the last stage.
    void place() {
        for (const Node& node : m_graph.nodes()) {
            if (!node.isCall()) continue;
            int stage = m_assignment.partOf[index(node.id())];
            m_count = std::max(m_count, stage + 1);
            if (node.target() == "_operator.getitem" && node.inputs().size() == 1 &&
                m_graph.node(node.inputs()[0]).isCall())
                stage = m_stageOf[index(node.inputs()[0])];
            m_stageOf[index(node.id())] = stage;
            if (stage == SplitAssignment::kNoPart)
                throw Error(ErrorKind::Refused, Message("pipeline.unassigned", {{"node", node.name()}}))
                    .onNode(node.name());
            m_calls.resize(std::max<std::size_t>(m_calls.size(), static_cast<std::size_t>(m_count)));
            m_calls[static_cast<std::size_t>(stage)].push_back(node.id());
        }
        for (const Node& node : m_graph.nodes()) {
            if (!node.isCall() && node.op() != Op::Output) continue;
            const int stage = node.op() == Op::Output ? m_count - 1 : m_stageOf[index(node.id())];
            for (const NodeId input : node.inputs()) {
                if (m_graph.node(input).isCall() && m_stageOf[index(input)] > stage)
                    throw Error(ErrorKind::Refused, Message("pipeline.order", {{"node", node.name()},
                                                                               {"stage", stage},
                                                                               {"input", m_graph.node(input).name()}}))
                        .onNode(node.name());
                m_lastUse[index(input)] = std::max(m_lastUse[index(input)], stage);
            }
        }
    }

    /// The path of a parameter or buffer that the node reads from the module; empty for others.
    std::string_view stateOf(const Node& node) const {
        const auto weight = m_weights.find(node.id());
        return weight != m_weights.end()  ? std::string_view(weight->second)
               : node.op() == Op::GetAttr ? std::string_view(node.target())
                                          : std::string_view();
    }

    /// Each process has a copy of what its stage reads: what one writes the others never see.
    void refuseSharedState() const {
        std::unordered_map<std::string_view, const Node*> writers;
        for (const Node& node : m_graph.nodes())
            for (const NodeId written : m_semantics.written(node))
                if (const std::string_view path = stateOf(m_graph.node(written)); !path.empty())
                    writers.emplace(path, &node);
        for (const Node& node : m_graph.nodes()) {
            if (writers.empty() || !node.isCall()) continue;
            for (const NodeId input : node.inputs()) {
                const auto writer = writers.find(stateOf(m_graph.node(input)));
                if (writer == writers.end() || m_stageOf[index(writer->second->id())] == m_stageOf[index(node.id())])
                    continue;
                throw Error(ErrorKind::Refused,
                            Message("pipeline.state_shared", {{"writer", writer->second->name()},
                                                              {"writer_stage", m_stageOf[index(writer->second->id())]},
                                                              {"tensor", writer->first},
                                                              {"reader", node.name()},
                                                              {"reader_stage", m_stageOf[index(node.id())]}}))
                    .onNode(writer->second->name());
            }
        }
    }

    /// Values that share memory are sent one by one, and then share none: what is written to one the others never see.
    ///
    ///     stage 0: a = linear(x) ── v = a.view(-1)      sent: a, v
    ///     stage 1: v.add_(1) ── y = relu(a)             PyTorch's a has changed too, this one has not
    void refuseSharedMemory() const {
        const SentMemory sent(m_graph, m_stageOf, m_semantics);
        const auto clash = sent.firstClash();
        if (!clash) return;
        const std::string& writer = m_graph.node(clash->writer).name();
        throw Error(ErrorKind::Refused,
                    Message("pipeline.memory_shared", {{"node", writer},
                                                       {"stage", m_stageOf[index(clash->writer)]},
                                                       {"value", m_graph.node(clash->written).name()},
                                                       {"other", m_graph.node(clash->other).name()}}))
            .onNode(writer);
    }

    /// Sizes and what is computed of them alone.
    void findNumbers() {
        for (const Node& node : m_graph.nodes()) {
            const auto input = [&](std::size_t i) -> const Node& { return m_graph.node(node.inputs()[i]); };
            const auto& values = node.meta().values;
            bool is = values.size() == 1 && !values[0].isTensor;
            if (node.op() == Op::CallMethod && node.target() == "size")
                is = node.args().size() == 2 || node.kwargs().size() == 1;
            if (node.op() == Op::CallMethod &&
                (node.target() == "dim" || node.target() == "numel" || node.target() == "item"))
                is = true;
            if (node.op() == Op::CallFunction && node.target() == "_operator.getitem" && !node.inputs().empty())
                is |= (input(0).op() == Op::CallMethod && input(0).target() == "size") ||
                      (input(0).target() == "builtins.getattr" && input(0).args().size() == 2 &&
                       input(0).args()[1] == Argument("shape"));
            else if (node.op() == Op::CallFunction && node.target().starts_with("_operator.") && !node.inputs().empty())
                is |= std::all_of(node.inputs().begin(), node.inputs().end(),
                                  [&](NodeId id) { return m_isNumber[index(id)]; });
            m_isNumber[index(node.id())] = is;
        }
    }

    void refuseNumber(NodeId id, const std::string& where) const {
        if (!m_isNumber[index(id)]) return;
        const std::string& name = m_graph.node(id).name();
        throw Error(ErrorKind::Refused, Message("pipeline.number_sent", {{"name", name}, {"place", where}}))
            .onNode(name);
    }

    std::vector<NodeId> crossing(int stage, const std::vector<NodeId>& incoming) const {
        std::vector<NodeId> result;
        const auto take = [&](NodeId id) {
            if (m_lastUse[index(id)] <= stage) return;
            refuseNumber(id, "crosses from stage " + std::to_string(stage) + " to the next");
            result.push_back(id);
        };
        for (const NodeId id : incoming) take(id);
        for (const NodeId id : m_calls[static_cast<std::size_t>(stage)]) take(id);
        return result;
    }

    /// The values that the output names, each once, and in `result` the output in terms of them.
    std::vector<NodeId> returned(Pipeline& result) const {
        std::vector<NodeId> values;
        const NodeId output = m_graph.outputNode();
        if (output == kNoNode || m_graph.node(output).args().empty()) return values;
        result.output = mapNodes(m_graph.node(output).args()[0], [&](NodeId id) {
            auto at = std::find(values.begin(), values.end(), id);
            if (at == values.end()) {
                refuseNumber(id, "is returned by the model");
                at = values.insert(values.end(), id);
            }
            return Argument(
                BigInt{std::to_string(at - values.begin())}); // no argument of a graph: integers are std::int64_t
        });
        return values;
    }

    GraphModule makeStage(int stage, const std::vector<NodeId>& incoming, const std::vector<NodeId>& outgoing) {
        Graph graph;
        std::unordered_map<NodeId, NodeId> made;
        GraphModule result;
        result.className = "GraphModule";
        result.root->setType("torch.fx.graph_module.GraphModule");
        result.root->training = m_model.root->training;
        AttributeTree attributes(result.root);
        for (const NodeId id : incoming) {
            const Node& node = m_graph.node(id);
            const bool isInput = node.op() == Op::Placeholder;
            made[id] = graph.placeholder(isInput ? node.target() : node.name(),
                                         isInput && stage == 0 ? node.args() : std::vector<Argument>(), node.type(),
                                         node.name());
            graph.setMeta(made[id], std::make_shared<const NodeMeta>(node.meta()));
        }
        const std::function<Argument(NodeId)> map = [&](NodeId id) -> Argument {
            if (const auto known = made.find(id); known != made.end()) return known->second;
            // A get_attr or a weight that was lifted to an input: in each stage that reads it.
            const Node& node = m_graph.node(id);
            if (const auto weight = m_weights.find(id); weight != m_weights.end()) {
                attributes.assign(weight->second, m_paths.resolve(weight->second));
                made[id] = graph.createNode(Op::GetAttr, weight->second, {}, {}, node.name());
                graph.setMeta(made[id], std::make_shared<const NodeMeta>(node.meta()));
            } else {
                attributes.assign(node.target(), needTarget(m_paths, node));
                made[id] = copyNode(graph, node, {}, node.name());
            }
            return made[id];
        };
        for (const NodeId id : m_calls[static_cast<std::size_t>(stage)]) {
            const Node& node = m_graph.node(id);
            for (const NodeId input : node.inputs()) (void)map(input); // get_attr nodes before their user
            if (node.op() == Op::CallModule) attributes.assign(node.target(), needTarget(m_paths, node));
            made[id] = copyNode(graph, node, map, node.name());
        }
        std::vector<Argument> results;
        for (const NodeId id : outgoing) results.push_back(map(id));
        graph.output(results.size() == 1 ? results[0] : Argument::tuple(std::move(results)));
        result.graph = std::move(graph);
        return result;
    }

    const GraphModule& m_model;
    const Graph& m_graph;
    const SplitAssignment& m_assignment;
    std::shared_ptr<Module> m_root;
    PathResolver m_paths;
    CallSemantics m_semantics;
    std::unordered_map<NodeId, std::string>
        m_weights; ///< inputs of an exported program that are its tensors, by their paths
    int m_count = 0;
    std::vector<int> m_stageOf, m_lastUse; ///< by node id
    std::vector<bool> m_isNumber;
    std::vector<std::vector<NodeId>> m_calls; ///< of each stage, in graph order
};

} // namespace

Pipeline makePipeline(const GraphModule& model, const SplitAssignment& assignment) {
    return PipelineCutter(model, assignment).run();
}

} // namespace fx
