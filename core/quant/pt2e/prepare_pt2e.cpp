// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/pt2e/prepare_pt2e.h"

#include "core/module/copy_modules.h"
#include "core/ops/catalogue.h"
#include "core/quant/pt2e/fold_norms.h"
#include "core/quant/pt2e/observer_groups.h"
#include "core/quant/pt2e/qat_fusion.h"

#include <algorithm>
#include <unordered_set>

namespace fx::quant::pt2e {
namespace {

constexpr const char* kPrefix = "activation_post_process_";

/// Puts the observers of all groups into a graph. Mirrors torchao's `prepare`.
class Inserting {
public:
    Inserting(PreparedPt2e& prepared)
        : m_prepared(prepared), m_graph(prepared.model.graph), m_groups(m_graph, prepared.annotations, prepared.isQat),
          m_root(std::make_shared<Module>(*prepared.model.root)) {
        for (const auto& child : m_root->children) m_taken.insert(child.name);
        for (const auto* slots : {&m_root->parameters, &m_root->buffers})
            for (const auto& slot : *slots) m_taken.insert(slot.name);
        for (const auto& attribute : m_root->attributes) m_taken.insert(attribute.first);
        prepared.model.root = m_root;
    }

    void run() {
        for (const NodeId id : m_graph.order()) {
            if (!m_prepared.annotations.contains(id)) continue;
            inputs(id);
            output(id);
        }
        const GraphModule all = m_prepared.model;
        copyModules(all, m_prepared.model);
    }

private:
    void inputs(NodeId id) {
        for (const auto& [name, value] : m_graph.node(id).kwargs()) {
            bool hasNodes = false;
            forEachNode(value, [&](NodeId) { hasNodes = true; });
            if (hasNodes)
                throw Error(ErrorKind::Refused, Message("pt2e.keyword_tensor", {{"name", name}}))
                    .onNode(m_graph.node(id).name());
        }
        const std::vector<Argument> before = m_graph.node(id).args();
        std::vector<Argument> args;
        for (const Argument& value : before)
            args.push_back(mapNodes(value, [&](NodeId input) { return Argument(observedInput(id, input)); }));
        m_graph.setArgs(id, std::move(args));
    }

    /// What node `id` takes for its input.
    NodeId observedInput(NodeId id, NodeId input) {
        NodeId original = input;
        while (m_moduleOf.contains(original)) original = m_graph.node(original).args()[0].node();
        const ObserverGroups::Instance* instance = m_groups.find({original, id});
        if (!instance || isMutableBuffer(id, original)) return input;
        if (m_groups.find({original, kNoNode}) == instance) return input; // its output is observed by it
        for (const NodeId user : m_graph.node(input).users())
            if (const auto known = m_moduleOf.find(user); known != m_moduleOf.end() && known->second == instance)
                return user;
        return insert(input, *instance, id, false);
    }

    void output(NodeId id) {
        const auto& values = m_graph.node(id).meta().values;
        const ObserverGroups::Instance* instance = m_groups.find({id, kNoNode});
        if (!instance || values.size() != 1 || !values[0].isTensor) return;
        const NodeId observer = insert(id, *instance, id, true);
        m_graph.replaceAllUses(id, observer, [observer](NodeId user) { return user == observer; });
    }

    NodeId insert(NodeId observed, const ObserverGroups::Instance& instance, NodeId cause, bool isOutput) {
        while (m_taken.contains(kPrefix + std::to_string(m_next))) ++m_next;
        const std::string name = kPrefix + std::to_string(m_next++);
        m_root->children.push_back({name, instance.module});
        m_graph.setInsertPoint({InsertPoint::Side::After, observed});
        const NodeId made = m_graph.createNode(Op::CallModule, name, {Argument(observed)});
        m_graph.setInsertPoint({});
        const auto [first, isNew] = m_firstOf.try_emplace(&instance, name);
        m_moduleOf[made] = &instance;
        NodeId original = observed;
        while (m_moduleOf.contains(original)) original = m_graph.node(original).args()[0].node();
        const Annotation& annotation = m_prepared.annotations.at(cause);
        m_prepared.placements.push_back({name, m_graph.node(original).name(), m_graph.node(cause).name(), isOutput,
                                         annotation.pattern, annotation.rule, instance.spec,
                                         isNew ? std::string() : first->second});
        return made;
    }

    /// torchao `_is_mutable_buffer_arg`: a node that writes to what depends on buffers alone.
    bool isMutableBuffer(NodeId id, NodeId input) const {
        const Node& node = m_graph.node(id);
        if (node.op() != Op::CallFunction || node.args().empty() || !(node.args()[0] == Argument(input))) return false;
        const auto op = ops::findOperator(node.target());
        if (!op || op->arguments().empty() || !op->arguments()[0].isWritten()) return false;
        bool hasBuffer = false;
        std::vector<NodeId> open{input};
        std::unordered_set<NodeId> seen{input};
        while (!open.empty()) {
            const Node& producer = m_graph.node(open.back());
            open.pop_back();
            if (producer.op() == Op::GetAttr)
                hasBuffer |= resolvePath(*m_root, producer.target()).kind == PathTarget::Kind::Buffer;
            for (const Argument& value : producer.args()) {
                if (!value.isNode()) continue;
                if (m_graph.node(value.node()).op() == Op::Placeholder) return false;
                if (seen.insert(value.node()).second) open.push_back(value.node());
            }
        }
        return hasBuffer;
    }

    PreparedPt2e& m_prepared;
    Graph& m_graph;
    ObserverGroups m_groups;
    std::shared_ptr<Module> m_root;
    std::unordered_set<std::string> m_taken;
    std::unordered_map<NodeId, const ObserverGroups::Instance*> m_moduleOf; ///< by observer node
    std::unordered_map<const ObserverGroups::Instance*, std::string> m_firstOf;
    std::size_t m_next = 0;
};

std::unordered_map<std::string, std::string> scopesOf(const Graph& graph) {
    std::unordered_map<std::string, std::string> scopes;
    for (const Node& node : graph.nodes()) {
        const auto& stack = node.meta().moduleStack;
        const std::string path = stack.empty() ? std::string() : stack.back().path;
        scopes[node.name()] = path.substr(path.rfind('.') + 1);
    }
    return scopes;
}

} // namespace

bool isQuantisedPt2e(const GraphModule& module) {
    PathResolver paths(*module.root);
    for (const Node& node : module.graph.nodes()) {
        if (node.target().starts_with("torch.ops.quantized_decomposed.")) return true;
        if (node.op() != Op::CallModule) continue;
        const Module* called = paths.resolve(node.target()).module;
        if (called && isObserver(*called)) return true;
    }
    return false;
}

PreparedPt2e preparePt2e(const GraphModule& module, const X86Quantizer& quantizer) {
    if (isQuantisedPt2e(module)) throw Error(ErrorKind::Refused, Message("quant.already_quantised"));
    PreparedPt2e prepared;
    prepared.model = module;
    prepared.isQat = quantizer.isQat();
    prepared.warnings = quantizer.warnings();
    prepared.scopes = scopesOf(module.graph);
    if (!prepared.isQat) foldNorms(prepared.model, prepared.warnings);
    prepared.annotations = quantizer.annotate(prepared.model, prepared.warnings);
    if (prepared.isQat) fuseForQat(prepared.model, prepared.annotations);
    Inserting(prepared).run();
    return prepared;
}

std::vector<std::string> inFloatingPoint(const PreparedPt2e& prepared) {
    std::vector<std::string> out;
    for (const Node& node : prepared.model.graph.nodes()) {
        // Training also computes weights, with nodes that the program does not have.
        if (node.op() != Op::CallFunction || !prepared.scopes.contains(node.name())) continue;
        const auto annotation = prepared.annotations.find(node.id());
        if (annotation == prepared.annotations.end() || !annotation->second.annotated) out.push_back(node.name());
    }
    return out;
}

std::vector<ObservedPlace> activationPlaces(const PreparedPt2e& prepared) {
    return quant::activationPlaces(prepared.model.graph, prepared.placements);
}

} // namespace fx::quant::pt2e
