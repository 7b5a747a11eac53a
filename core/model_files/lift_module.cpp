// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/lift_module.h"

#include "core/base/joined_path.h"
#include "core/module/exported_signature.h"
#include "core/partition/submodule.h"

#include <algorithm>
#include <unordered_map>

namespace fx {
namespace {

using Kind = LiftedInput::Kind;

/// A tree with the tensors that a graph reads.
class StateTree {
public:
    StateTree(const Module& from, const Module& classes) : m_from(from), m_classes(classes) {
        m_root->className = classes.className, m_root->classModule = classes.classModule;
        m_root->training = classes.training;
    }

    /// Puts the tensor at `path` of the module there; as what the program has it, or else as what it is.
    void add(const std::string& path, const LiftedInput* known, bool persistent) {
        const PathTarget target = m_from.resolve(path);
        if (!target.tensor) return;
        Module& holder = at(std::string(parentPath(path)));
        const std::string name(lastAtom(path));
        const Kind kind = known                                        ? known->kind
                          : target.kind == PathTarget::Kind::Parameter ? Kind::Parameter
                                                                       : Kind::Buffer;
        if (kind == Kind::Constant) {
            holder.attributes.emplace_back(name, target.tensor);
            return;
        }
        (kind == Kind::Parameter ? holder.parameters : holder.buffers).push_back({name, target.tensor, persistent});
    }

    std::shared_ptr<Module> root() const { return m_root; }

private:
    Module& at(const std::string& path) {
        if (path.empty()) return *m_root;
        const auto [place, isNew] = m_modules.try_emplace(path, nullptr);
        if (!isNew) return *place->second;
        auto module = emptyModule();
        if (const Module* known = m_classes.resolve(path).module)
            module->className = known->className, module->classModule = known->classModule;
        place->second = module.get();
        at(std::string(parentPath(path))).children.push_back({std::string(lastAtom(path)), module});
        return *module;
    }

    struct Resolver {
        explicit Resolver(const Module& root) : paths(root) {}
        PathTarget resolve(const std::string& path) { return paths.resolve(path); }
        PathResolver paths;
    };
    Resolver m_from;
    Resolver m_classes;
    std::shared_ptr<Module> m_root = std::make_shared<Module>();
    std::unordered_map<std::string, Module*> m_modules;
};

class Lifting {
public:
    Lifting(const GraphModule& module, const GraphModule& program)
        : m_module(module), m_program(program), m_signature(ExportedSignature::of(program)), m_out(program) {
        for (const LiftedInput& input : program.lifted) {
            if (input.kind == Kind::UserInput || input.kind == Kind::ConstantInput) m_users.push_back(input.node);
            else if (!input.path.empty()) m_states.emplace(input.path, &input);
        }
    }

    GraphModule run() {
        clear();
        copyNodes();
        output();
        dropUnused();
        state();
        m_out.warnings.clear();
        return std::move(m_out);
    }

private:
    /// Only inputs remain.
    void clear() {
        const std::vector<NodeId> order = m_out.graph.order();
        for (auto id = order.rbegin(); id != order.rend(); ++id)
            if (m_out.graph.node(*id).op() != Op::Placeholder) m_out.graph.erase(*id);
        m_out.graph.setInsertPoint({});
    }

    bool isGuard(const Node& node) const {
        return node.op() == Op::CallModule && node.users().empty() && node.target() == "_guards_fn";
    }
    /// A copy into what the signature says is updated.
    bool isUpdate(const Node& node) const {
        if (node.target() != "torch.ops.aten.copy_.default" || node.args().size() < 2 || !node.args()[0].isNode() ||
            !m_signature)
            return false;
        const std::string target = updated(node);
        return std::any_of(m_signature->outputs.begin(), m_signature->outputs.end(),
                           [&](const auto& as) { return !target.empty() && as.target == target; });
    }
    /// The path or the input that a copy is into, as the signature calls it.
    std::string updated(const Node& copy) const {
        const Node& target = m_module.graph.node(copy.args()[0].node());
        if (target.op() == Op::GetAttr) return target.target();
        const auto input = m_inputNames.find(target.id());
        return input == m_inputNames.end() ? std::string() : input->second;
    }

    void copyNodes() {
        const auto map = [this](NodeId id) { return Argument(m_made.at(id)); };
        for (const Node& node : m_module.graph.nodes()) {
            if (node.op() == Op::Output || isGuard(node)) continue;
            if (node.op() == Op::Placeholder) {
                if (m_taken >= m_users.size())
                    throw Error(ErrorKind::Refused, Message("saving.not_an_input", {{"name", node.name()}}))
                        .onNode(node.name());
                m_inputNames[node.id()] = m_program.graph.node(m_users[m_taken]).name();
                m_made[node.id()] = m_users[m_taken++];
            } else if (const auto state = m_states.find(node.target());
                       node.op() == Op::GetAttr && state != m_states.end()) {
                m_made[node.id()] = state->second->node;
            } else if (isUpdate(node)) {
                m_updates[updated(node)] = node.args()[1];
                m_copies[node.id()] = node.args()[1];
            } else {
                m_made[node.id()] = named(copyNode(m_out.graph, node, map, node.name()), node.name());
            }
        }
    }

    /// Erased nodes still reserve their names in the graph.
    NodeId named(NodeId id, const std::string& name) {
        if (m_out.graph.find(name) == kNoNode) m_out.graph.setNameUnchecked(id, name);
        return id;
    }

    Argument valueOf(Argument value) const {
        for (auto copy = m_copies.end(); value.isNode(); value = copy->second) {
            copy = m_copies.find(value.node());
            if (copy == m_copies.end()) return Argument(m_made.at(value.node()));
        }
        return value;
    }

    void output() {
        const NodeId end = m_module.graph.outputNode();
        const Argument all = end == kNoNode ? Argument() : m_module.graph.node(end).args().at(0);
        const auto* flat = all.as<Sequence>();
        std::vector<Argument> results;
        std::size_t next = 0;
        const std::size_t count = flat ? flat->items.size() : 0;
        for (const auto& as : m_signature ? m_signature->outputs : std::vector<ExportedSignature::Output>()) {
            if (const auto update = m_updates.find(as.target); !as.target.empty() && update != m_updates.end())
                results.push_back(valueOf(update->second));
            else if (next < count) results.push_back(valueOf(flat->items[next++]));
        }
        if (!flat || next != count) throw Error(ErrorKind::Refused, Message("saving.outputs_differ")).onNode("output");
        named(m_out.graph.output(Argument::tuple(std::move(results))), "output");
    }

    void dropUnused() {
        std::erase_if(m_out.lifted, [this](const LiftedInput& input) {
            const bool isUnused = !input.path.empty() && m_out.graph.node(input.node).users().empty();
            if (isUnused) m_out.graph.erase(input.node);
            return isUnused;
        });
    }

    /// The tensors of the inputs that remain, with the values of now, and those that are new.
    void state() {
        StateTree tree(*m_module.root, *m_program.root);
        PathResolver before(*m_program.root);
        std::unordered_map<std::string, bool> done;
        const auto add = [&](const std::string& path, const LiftedInput* known) {
            if (!done.try_emplace(path, true).second) return;
            const PathTarget target = before.resolve(path);
            const auto* slot = target.kind == PathTarget::Kind::Buffer
                                   ? target.holder->buffer(path.substr(path.rfind('.') + 1))
                                   : nullptr;
            tree.add(path, known, !slot || slot->persistent);
        };
        for (const LiftedInput& input : m_out.lifted)
            if (!input.path.empty()) add(input.path, &input);
        for (const Node& node : m_out.graph.nodes())
            if (node.op() == Op::GetAttr) add(node.target(), nullptr);
        m_out.root = tree.root();
    }

    const GraphModule &m_module, &m_program;
    std::shared_ptr<const ExportedSignature> m_signature;
    GraphModule m_out;
    std::unordered_map<std::string, const LiftedInput*> m_states;
    std::vector<NodeId> m_users; ///< inputs of the user, in order
    std::size_t m_taken = 0;     ///< of these
    std::unordered_map<NodeId, std::string> m_inputNames;
    std::unordered_map<NodeId, NodeId> m_made;
    std::unordered_map<NodeId, Argument> m_copies; ///< what a dropped copy gave
    std::unordered_map<std::string, Argument> m_updates;
};

} // namespace

GraphModule liftedAs(const GraphModule& module, const GraphModule& program) { return Lifting(module, program).run(); }

} // namespace fx
