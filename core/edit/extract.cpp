// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/edit/extract.h"

#include "core/module/copy_modules.h"
#include "core/module/exported_signature.h"

#include <algorithm>
#include <unordered_map>

namespace fx {
namespace {

class Extraction {
public:
    Extraction(const GraphModule& whole, std::span<const NodeId> nodes)
        : m_whole(whole), m_selected(whole.graph.idLimit()), m_copies(whole.graph.idLimit(), kNoNode) {
        for (const LiftedInput& input : whole.lifted)
            if (input.kind == LiftedInput::Kind::Parameter || input.kind == LiftedInput::Kind::Buffer ||
                input.kind == LiftedInput::Kind::Constant)
                m_lifted.emplace(input.node, &input.path);
        for (const NodeId id : nodes) m_selected[index(id)] = true;
        for (const NodeId id : nodes)
            for (const NodeId input : m_whole.graph.node(id).inputs())
                if (isConstant(m_whole.graph.node(input))) m_selected[index(input)] = true;
    }

    Extracted run() {
        copyHead();
        copyInputs();
        for (const Node& node : m_whole.graph.nodes())
            if (isSelected(node.id()) && m_copies[index(node.id())] == kNoNode && node.op() != Op::Output) copy(node);
        copyOutput();
        copyModules(m_whole, m_result.model);
        if (m_whole.format == Format::Pt2) m_result.model.root->setType("torch.fx.graph_module.GraphModule");
        return std::move(m_result);
    }

private:
    bool isSelected(NodeId id) const { return m_selected[index(id)]; }
    bool isConstant(const Node& node) const { return node.op() == Op::GetAttr || m_lifted.contains(node.id()); }
    Graph& graph() { return m_result.model.graph; }

    void copyHead() {
        GraphModule& model = m_result.model;
        const bool exported = m_whole.format == Format::Pt2;
        model.format = exported ? Format::GraphModule : m_whole.format;
        model.className = exported ? "GraphModule" : m_whole.className;
        model.producer = m_whole.producer;
        model.path = m_whole.path;
        if (!ExportedSignature::of(m_whole))
            model.origin = m_whole.origin; // what the whole returns is nothing of the part
    }

    /// Selected placeholders and nodes outside, in the order of their first use.
    void copyInputs() {
        std::vector<NodeId> found;
        std::vector<bool> met(m_whole.graph.idLimit());
        const auto add = [&](NodeId id) {
            if (!met[index(id)]) found.push_back(id);
            met[index(id)] = true;
        };
        for (const Node& node : m_whole.graph.nodes()) {
            if (!isSelected(node.id())) continue;
            if (node.op() == Op::Placeholder && !isConstant(node)) add(node.id());
            for (const NodeId input : node.inputs())
                if (!isSelected(input)) add(input);
        }
        std::stable_sort(found.begin(), found.end(), [this](NodeId a, NodeId b) { return rank(a) < rank(b); });
        for (const NodeId id : found) {
            const Node& node = m_whole.graph.node(id);
            const bool isInput = node.op() == Op::Placeholder && isSelected(id);
            const NodeId made =
                graph().createNode(Op::Placeholder, isInput ? node.target() : node.name(),
                                   isInput ? node.args() : std::vector<Argument>(), {}, node.name(), node.type());
            graph().setMeta(made, metaOf(node));
            m_copies[index(id)] = made;
        }
        m_result.inputs = std::move(found);
    }

    /// Where Python wants an input: plain ones, those with a default, *args, **kwargs.
    int rank(NodeId id) const {
        const Node& node = m_whole.graph.node(id);
        if (node.op() != Op::Placeholder || !isSelected(id)) return 0;
        return node.target().starts_with("**") ? 3 : node.target().starts_with('*') ? 2 : node.args().empty() ? 0 : 1;
    }

    static MetaPtr metaOf(const Node& node) { return std::make_shared<const NodeMeta>(node.meta()); }
    std::function<Argument(NodeId)> toCopies() const {
        return [this](NodeId id) { return Argument(m_copies[index(id)]); };
    }

    void copy(const Node& node) {
        const auto lifted = m_lifted.find(node.id());
        const NodeId made = lifted != m_lifted.end() ? graph().createNode(Op::GetAttr, *lifted->second)
                                                     : graph().createCopy(node, toCopies(), node.name());
        graph().setMeta(made, metaOf(node));
        m_copies[index(node.id())] = made;
    }

    bool isUsedOutsideOrNot(const Node& node) const {
        return node.users().empty() ||
               std::any_of(node.users().begin(), node.users().end(), [this](NodeId user) { return !isSelected(user); });
    }

    void copyOutput() {
        if (const NodeId output = m_whole.graph.outputNode(); output != kNoNode && isSelected(output)) {
            const Node& node = m_whole.graph.node(output);
            if (!node.args().empty()) graph().output(mapNodes(node.args()[0], toCopies()), node.type());
            m_result.outputs = node.inputs();
            return;
        }
        for (const bool constants : {false, true}) {
            for (const Node& node : m_whole.graph.nodes())
                if (isSelected(node.id()) && (node.op() == Op::Placeholder || isConstant(node)) == constants &&
                    isUsedOutsideOrNot(node))
                    m_result.outputs.push_back(node.id());
            if (!m_result.outputs.empty()) break;
        }
        std::vector<Argument> values;
        for (const NodeId id : m_result.outputs) values.emplace_back(m_copies[index(id)]);
        graph().output(values.size() == 1 ? values[0] : Argument::tuple(std::move(values)));
    }

    const GraphModule& m_whole;
    std::vector<bool> m_selected; ///< by node id
    std::vector<NodeId> m_copies; ///< by node id of the whole model
    std::unordered_map<NodeId, const std::string*>
        m_lifted; ///< inputs of an exported program that are tensors of the model
    Extracted m_result;
};

} // namespace

Extracted extractNodes(const GraphModule& model, std::span<const NodeId> nodes) {
    if (nodes.empty()) throw Error(ErrorKind::Refused, Message("edit.nothing_selected"));
    return Extraction(model, nodes).run();
}

} // namespace fx
