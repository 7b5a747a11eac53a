// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/pt2e/exported_module.h"

#include "core/module/copy_modules.h"
#include "core/module/exported_signature.h"
#include "core/trace/callables.h"

#include <unordered_map>

namespace fx::quant::pt2e {
namespace {

using Kind = LiftedInput::Kind;

bool isState(Kind kind) { return kind == Kind::Parameter || kind == Kind::Buffer || kind == Kind::Constant; }

class Unlifting {
public:
    explicit Unlifting(const GraphModule& program)
        : m_program(program), m_signature(ExportedSignature::of(program)), m_out(program) {
        m_out.lifted.clear();
        m_out.origin.reset();
        m_out.format = Format::GraphModule;
        m_out.className = "GraphModule";
    }

    GraphModule run() {
        copyGraph();
        states();
        outputs();
        guards();
        const GraphModule all = m_out;
        copyModules(all, m_out);
        return std::move(m_out);
    }

private:
    Graph& graph() { return m_out.graph; }

    /// copy.deepcopy(graph): only names that nodes have are taken in the new one.
    void copyGraph() {
        Graph copy;
        std::unordered_map<NodeId, NodeId> made;
        const auto map = [&made](NodeId id) { return Argument(made.at(id)); };
        for (const Node& node : m_program.graph.nodes()) {
            const NodeId id = copy.createCopy(node, map, node.name());
            made[node.id()] = id;
            copy.setMeta(id, std::make_shared<const NodeMeta>(node.meta()));
        }
        for (LiftedInput input : m_program.lifted) {
            const auto copied = made.find(input.node);
            if (copied == made.end()) continue; // an edit has erased it
            m_userNames[m_program.graph.node(input.node).name()] = copied->second;
            input.node = copied->second;
            m_inputs.push_back(std::move(input));
        }
        graph() = std::move(copy);
    }

    void states() {
        for (const LiftedInput& input : m_inputs) {
            const Node& node = graph().node(input.node);
            if (input.kind == Kind::UserInput || input.kind == Kind::ConstantInput) {
                m_users.push_back(input.node);
                continue;
            }
            if (!isState(input.kind))
                throw Error(
                    ErrorKind::Refused,
                    Message("saving.input_kind",
                            {{"name", node.name()}, {"kind", input.kind == Kind::Token ? "token" : "custom object"}}))
                    .onNode(node.name());
            const MetaPtr meta = std::make_shared<const NodeMeta>(node.meta());
            graph().setInsertPoint({InsertPoint::Side::After, input.node});
            const NodeId made = graph().createNode(Op::GetAttr, input.path);
            graph().replaceAllUses(input.node, made);
            graph().erase(input.node);
            graph().setMeta(made, meta);
            m_states[input.path] = made;
        }
        graph().setInsertPoint({});
    }

    /// Only what the user gets; updates become copies before the end.
    void outputs() {
        const NodeId end = graph().outputNode();
        if (end == kNoNode || graph().node(end).args().empty() || !m_signature) return;
        const Argument all = graph().node(end).args()[0];
        const auto* flat = all.as<Sequence>();
        if (!flat || flat->items.size() != m_signature->outputs.size()) return;
        const std::vector<Argument> items = flat->items;
        std::unordered_map<NodeId, NodeId> copies;
        std::vector<Argument> returned;
        for (std::size_t i = 0; i < items.size(); ++i) {
            const auto& as = m_signature->outputs[i];
            const NodeId target = as.target.empty() ? kNoNode : updated(as.target);
            if (target == kNoNode) {
                returned.push_back(items[i]);
                continue;
            }
            graph().setInsertPoint({InsertPoint::Side::Before, end});
            const NodeId copy =
                graph().callFunction(resolveCallable("torch.ops.aten.copy_.default"), {target, items[i]});
            if (items[i].isNode()) copies[items[i].node()] = copy;
        }
        for (Argument& value : returned)
            if (value.isNode() && copies.contains(value.node())) value = copies.at(value.node());
        const std::string name = graph().node(end).name();
        const MetaPtr meta = std::make_shared<const NodeMeta>(graph().node(end).meta());
        graph().erase(end);
        graph().setInsertPoint({});
        const NodeId made = graph().output(Argument::tuple(std::move(returned)));
        graph().setNameUnchecked(made, name);
        graph().setMeta(made, meta);
    }

    /// The node that an output changes, or kNoNode.
    NodeId updated(const std::string& target) const {
        if (const auto state = m_states.find(target); state != m_states.end()) return state->second;
        const auto user = m_userNames.find(target);
        return user == m_userNames.end() ? kNoNode : user->second;
    }

    void guards() {
        if (m_users.empty()) return;
        auto module = std::make_shared<Module>();
        module->className = "GuardsFn";
        module->classModule = "torch.export._unlift";
        module->attributes.emplace_back("_is_impure", Argument(true));
        m_out.root = std::make_shared<Module>(*m_out.root);
        m_out.root->children.push_back({kGuards, std::move(module)});
        NodeMeta meta;
        for (const Node& node : graph().nodes()) {
            if (node.op() != Op::CallFunction || node.meta().moduleStack.empty()) continue;
            meta.moduleStack = node.meta().moduleStack;
            break;
        }
        graph().setInsertPoint({InsertPoint::Side::After, m_users.back()});
        const NodeId made =
            graph().createNode(Op::CallModule, kGuards, std::vector<Argument>(m_users.begin(), m_users.end()));
        graph().setInsertPoint({});
        graph().setMeta(made, std::make_shared<const NodeMeta>(std::move(meta)));
    }

    const GraphModule& m_program;
    std::shared_ptr<const ExportedSignature> m_signature;
    GraphModule m_out;
    std::vector<LiftedInput> m_inputs;
    std::vector<NodeId> m_users;
    std::unordered_map<std::string, NodeId> m_states, m_userNames;
};

} // namespace

GraphModule exportedModule(const GraphModule& program) {
    return program.lifted.empty() ? program : Unlifting(program).run();
}

} // namespace fx::quant::pt2e
