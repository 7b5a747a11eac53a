// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/io/pt2/pt2_form.h"

#include "core/io/pt2/pt2_link.h"
#include "core/module/exported_signature.h"
#include "core/module/subgraphs.h"
#include "core/module/value_info.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace fx {
namespace {

using Kind = LiftedInput::Kind;

/// Makes inputs of what get_attr nodes read.
class Lifter {
public:
    explicit Lifter(GraphModule& model) : m_model(model), m_paths(*model.root) {
        for (const LiftedInput& input : model.lifted) {
            if (index(input.node) >= model.graph.idLimit() || model.graph.node(input.node).erased()) continue;
            m_inputs.emplace(input.node, input);
            if (!input.path.empty()) m_byPath.emplace(input.path, input.node);
            if (m_firstOfUser == kNoNode && (input.kind == Kind::UserInput || input.kind == Kind::ConstantInput))
                m_firstOfUser = input.node;
        }
    }

    void run() {
        for (const NodeId id : m_model.graph.order()) {
            const Node& node = m_model.graph.node(id);
            if (node.op() != Op::GetAttr || hasSubgraph(m_model, node.target())) continue;
            const NodeId input = inputFor(node);
            m_model.graph.replaceAllUses(id, input);
            m_model.graph.erase(id);
        }
        std::unordered_map<NodeId, std::size_t> former;
        for (const LiftedInput& input : m_model.lifted) former.emplace(input.node, former.size());
        std::vector<LiftedInput> inputs;
        std::vector<std::size_t> places;
        for (const Node& node : m_model.graph.nodes()) {
            if (node.op() != Op::Placeholder) continue;
            const auto known = m_inputs.find(node.id());
            inputs.push_back(known == m_inputs.end() ? LiftedInput{node.id(), Kind::UserInput, {}} : known->second);
            const auto before = former.find(node.id());
            places.push_back(before == former.end() ? m_model.lifted.size() : before->second);
        }
        setInputs(m_model, std::move(inputs), places);
    }

private:
    NodeId inputFor(const Node& node) {
        const std::string path = node.target();
        if (const auto known = m_byPath.find(path); known != m_byPath.end()) return known->second;
        const PathTarget target = m_paths.resolve(path);
        if (!target.tensor)
            throw Error(ErrorKind::Refused, Message("pt2.not_a_tensor", {{"path", path}}))
                .onNode(node.name())
                .onModule(path);
        const Kind kind = target.kind == PathTarget::Kind::Parameter ? Kind::Parameter
                          : target.kind == PathTarget::Kind::Buffer  ? Kind::Buffer
                                                                     : Kind::Constant;
        std::string name = (kind == Kind::Parameter ? "p_" : kind == Kind::Buffer ? "b_" : "c_") + path;
        std::replace(name.begin(), name.end(), '.', '_');
        Graph& graph = m_model.graph;
        const NodeId first = m_firstOfUser != kNoNode ? m_firstOfUser : graph.first();
        const NodeId id = graph.placeholder(name);
        if (id != first) graph.moveBefore(id, first);
        auto meta = std::make_shared<NodeMeta>();
        meta->values.push_back(infoOf(*target.tensor));
        graph.setMeta(id, std::move(meta));
        m_inputs.emplace(id, LiftedInput{id, kind, path});
        m_byPath.emplace(path, id);
        return id;
    }

    GraphModule& m_model;
    PathResolver m_paths;
    std::map<NodeId, LiftedInput> m_inputs;
    std::unordered_map<std::string, NodeId> m_byPath;
    NodeId m_firstOfUser = kNoNode;
};

void mergeGetItems(Graph& graph) {
    std::map<std::pair<NodeId, std::int64_t>, NodeId> seen;
    for (const NodeId id : graph.order()) {
        const std::int64_t place = getItemPlace(graph.node(id));
        if (place < 0) continue;
        const auto [first, isNew] = seen.emplace(std::pair(graph.node(id).args()[0].node(), place), id);
        if (isNew) continue;
        graph.replaceAllUses(id, first->second);
        graph.erase(id);
    }
}

} // namespace

GraphModule pt2Form(const GraphModule& model) {
    GraphModule form = model;
    form.graph.setInsertPoint({});
    Lifter(form).run();
    mergeGetItems(form.graph);
    return form;
}

void sortGetItems(Graph& graph) {
    std::vector<NodeId> order = graph.order();
    for (auto id = order.rbegin(); id != order.rend(); ++id)
        if (getItemPlace(graph.node(*id)) >= 0 && graph.node(*id).users().empty()) graph.erase(*id);
    order = graph.order();
    std::map<NodeId, std::map<std::int64_t, NodeId>> items;
    for (const NodeId id : order)
        if (const std::int64_t place = getItemPlace(graph.node(id)); place >= 0)
            items[graph.node(id).args()[0].node()].emplace(place, id);
    for (const NodeId id : order) {
        const auto found = items.find(id);
        if (found == items.end()) continue;
        for (auto item = found->second.rbegin(); item != found->second.rend(); ++item)
            graph.moveAfter(item->second, id);
    }
}

} // namespace fx
