// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/preparation/traced.h"

#include "core/base/joined_path.h"
#include "core/diag/error.h"
#include "core/ir/print.h"
#include "core/module/copy_modules.h"
#include "core/ops/python_operators.h"
#include "core/python/tracing/source_scopes.h"
#include "core/quant/preparation/float_functionals.h"

#include <algorithm>

namespace fx::quant {
namespace {

constexpr std::string_view kSequential = "torch.nn.modules.container.Sequential";

/// A graph that is being entered: the model's own or that of a module that is no leaf.
struct Frame {
    const Graph* graph = nullptr; ///< null: the children of a Sequential
    const Module* module = nullptr;
    std::string path; ///< of the module
    NodeId next = kNoNode;
    std::size_t nextChild = 0;
    Argument value;          ///< of a Sequential: what goes into the next child
    NodeId caller = kNoNode; ///< in the frame before
    std::vector<Argument> args;
    Kwargs kwargs;
    std::size_t seenInputs = 0;
    std::unordered_map<std::uint32_t, Argument> env;
};

class Tracing {
public:
    Tracing(const GraphModule& from, TracedModel& to, const CustomConfig& custom)
        : m_from(from), m_to(to), m_custom(custom), m_paths(*from.root) {}

    void run() {
        Frame first;
        first.graph = &m_from.graph, first.module = m_from.root.get(), first.next = m_from.graph.first();
        m_frames.push_back(std::move(first));
        while (!m_frames.empty()) step();
    }

private:
    Graph& graph() { return m_to.model.graph; }

    /// Whether the tracer follows the module: the class of a nested GraphModule has no name.
    bool isEntered(const std::string& path, const Module& module) const {
        const std::string type = module.qualifiedType();
        if (!module.graphModule && type != kSequential) return false;
        const auto& names = m_custom.untracedNames;
        return std::find(names.begin(), names.end(), path) == names.end() && !m_custom.standaloneFor(path, type) &&
               (module.graphModule || !namesClass(m_custom.untracedClasses, type));
    }

    void step() {
        Frame& frame = m_frames.back();
        if (!frame.graph) return child(frame);
        if (frame.next == kNoNode) return leave(Argument());
        const Node& node = frame.graph->node(frame.next);
        frame.next = frame.graph->next(frame.next);
        visit(frame, node);
    }

    static std::function<Argument(NodeId)> mapped(const Frame& frame) {
        return [&frame](NodeId id) { return frame.env.at(index(id)); };
    }

    void visit(Frame& frame, const Node& node) {
        const bool isRoot = m_frames.size() == 1;
        switch (node.op()) {
        case Op::Placeholder: frame.env[index(node.id())] = isRoot ? rootInput(node) : input(frame, node); return;
        case Op::Output: {
            const Argument value = node.args().empty() ? Argument() : mapNodes(node.args()[0], mapped(frame));
            if (!isRoot) return leave(value);
            graph().output(value, node.type());
            return;
        }
        case Op::GetAttr:
            frame.env[index(node.id())] = graph().createNode(Op::GetAttr, joinedPath(frame.path, node.target()));
            return;
        case Op::CallModule: return callModule(frame, node);
        case Op::CallFunction:
        case Op::CallMethod: {
            Kwargs kwargs = isWrittenAsOperator(node) ? Kwargs() : mapNodes(node.kwargs(), mapped(frame));
            const NodeId made =
                node.callable()
                    ? graph().callFunction(node.callable(), mapNodes(node.args(), mapped(frame)), std::move(kwargs))
                    : graph().createNode(node.op(), node.target(), mapNodes(node.args(), mapped(frame)),
                                         std::move(kwargs));
            if (node.meta().wrapped) graph().setMeta(made, std::make_shared<const NodeMeta>(node.meta()));
            frame.env[index(node.id())] = made;
            noteScope(frame, made);
            return;
        }
        }
    }

    /// The code that PyTorch traces again has `a + b`, without arguments by keyword.
    static bool isWrittenAsOperator(const Node& node) {
        constexpr std::string_view kModule = "_operator."; // the C module that has the functions
        if (node.op() != Op::CallFunction || !node.target().starts_with(kModule)) return false;
        const std::string_view name = std::string_view(node.target()).substr(kModule.size());
        return !ops::operatorFormat(name).empty() || !ops::inPlaceOperatorFormat(name).empty();
    }

    Argument rootInput(const Node& node) {
        const NodeId made = graph().placeholder(node.target(), node.args(), node.type());
        return made;
    }

    /// The argument of an entered module that a placeholder stands for.
    Argument input(Frame& frame, const Node& node) {
        const std::size_t place = frame.seenInputs++;
        if (place < frame.args.size()) return frame.args[place];
        for (const auto& [key, value] : frame.kwargs)
            if (key == node.target()) return value;
        if (!node.args().empty()) return node.args()[0];
        throw Error(ErrorKind::Refused, Message("quant.missing_input", {{"input", node.target()}}))
            .onModule(frame.path);
    }

    void callModule(Frame& frame, const Node& node) {
        const std::string path = joinedPath(frame.path, node.target());
        const PathTarget target = m_paths.resolve(path);
        const Module* module = target.module;
        if (!module || target.kind != PathTarget::Kind::Module)
            throw Error(ErrorKind::Refused, Message("quant.missing_module", {{"path", path}})).onNode(node.name());
        if (isEntered(path, *module)) return enter(frame, node, path, *module);
        const NodeId made = graph().createNode(Op::CallModule, path, mapNodes(node.args(), mapped(frame)),
                                               mapNodes(node.kwargs(), mapped(frame)));
        frame.env[index(node.id())] = made;
        m_to.scopes[graph().node(made).name()] = {path, module->qualifiedType()};
    }

    void enter(Frame& frame, const Node& node, const std::string& path, const Module& module) {
        if (m_frames.size() > kMaxDepth) throw Error(ErrorKind::Refused, Message("quant.too_deep")).onModule(path);
        Frame inner;
        inner.module = &module, inner.path = path, inner.caller = node.id();
        inner.args = mapNodes(node.args(), mapped(frame)), inner.kwargs = mapNodes(node.kwargs(), mapped(frame));
        if (module.graphModule) {
            inner.graph = &module.graphModule->graph, inner.next = inner.graph->first();
        } else {
            if (inner.args.size() != 1)
                throw Error(ErrorKind::Refused, Message("quant.missing_input", {{"input", "input"}})).onModule(path);
            inner.value = inner.args[0];
        }
        m_frames.push_back(std::move(inner));
    }

    /// The next child of a Sequential.
    void child(Frame& frame) {
        if (frame.nextChild == frame.module->children.size()) return leave(Argument(frame.value));
        const Module::Child& child = frame.module->children[frame.nextChild];
        const std::string path = joinedPath(frame.path, child.name);
        if (!child.module) throw Error(ErrorKind::Refused, Message("quant.missing_module", {{"path", path}}));
        ++frame.nextChild;
        if (isEntered(path, *child.module)) {
            if (m_frames.size() > kMaxDepth) throw Error(ErrorKind::Refused, Message("quant.too_deep")).onModule(path);
            Frame inner;
            inner.module = child.module.get(), inner.path = path;
            inner.args = {frame.value}, inner.value = frame.value;
            if (child.module->graphModule)
                inner.graph = &child.module->graphModule->graph, inner.next = inner.graph->first();
            m_frames.push_back(std::move(inner));
            return;
        }
        const NodeId made = graph().createNode(Op::CallModule, path, {frame.value});
        frame.value = made;
        m_to.scopes[graph().node(made).name()] = {path, child.module->qualifiedType()};
    }

    /// Gives a module's result to who called it.
    void leave(const Argument& value) {
        const NodeId caller = m_frames.back().caller;
        m_frames.pop_back();
        if (m_frames.empty()) return;
        if (!m_frames.back().graph) m_frames.back().value = value;
        else m_frames.back().env[index(caller)] = value;
    }

    void noteScope(const Frame& frame, NodeId made) {
        m_to.scopes[graph().node(made).name()] =
            m_frames.size() > 1 ? Scope{frame.path, frame.module->qualifiedType()} : Scope{};
    }

    static constexpr std::size_t kMaxDepth = 200;
    const GraphModule& m_from;
    TracedModel& m_to;
    const CustomConfig& m_custom;
    PathResolver m_paths;
    std::vector<Frame> m_frames;
};

/// The graph of a source is the trace: only the scopes are added.
void takeScopes(const SourceScopes& known, TracedModel& traced) {
    PathResolver paths(*traced.model.root);
    for (const Node& node : traced.model.graph.nodes()) {
        Scope& scope = traced.scopes[node.name()];
        if (node.op() == Op::CallModule) {
            const Module* module = paths.resolve(node.target()).module;
            scope = {node.target(), module ? module->qualifiedType() : std::string()};
        } else if (known.knows(index(node.id()))) {
            scope = {known.of(index(node.id())).path, known.of(index(node.id())).type};
        }
    }
}

/// `x.values` becomes a node where it is used first: for an argument of a module within the scope of that call.
void moveAttributesToTheirUsers(TracedModel& traced) {
    const Graph& graph = traced.model.graph;
    const auto isAttribute = [](const Node& node) {
        return node.op() == Op::CallFunction && node.target() == "getattr";
    };
    for (NodeId id = graph.last(); id != kNoNode; id = graph.prev(id)) {
        const Node& node = graph.node(id);
        if (!isAttribute(node) || node.users().empty()) continue;
        const Node& user = graph.node(*node.users().begin());
        if (user.op() == Op::CallModule || isAttribute(user)) traced.scopes[node.name()] = traced.scopes[user.name()];
    }
}

/// Puts the trace without methods that FXFloatFunctional does not have in place of that with them; not of a graph that
/// was edited. Returns whether it did.
bool takeSwapped(const SourceScopes& known, TracedModel& traced) {
    if (!known.ownMember || !known.swapped || graphText(traced.model.graph) != known.swapped->replaces) return false;
    const auto& swapped = traced.model.root->training ? known.swapped->training : known.swapped->evaluating;
    traced.model.graph = swapped->graph;
    traced.model.origin = swapped->origin;
    return true;
}

} // namespace

TracedModel traceForQuantisation(const GraphModule& model, const CustomConfig& custom) {
    TracedModel traced;
    traced.model = model;
    const auto* known = dynamic_cast<const SourceScopes*>(model.origin.get());
    const bool isSwapped = known && takeSwapped(*known, traced);
    if (known) {
        takeScopes(static_cast<const SourceScopes&>(*traced.model.origin), traced);
    } else {
        traced.model.graph = Graph();
        Tracing(model, traced, custom).run();
    }
    moveAttributesToTheirUsers(traced);
    swapFloatFunctionals(traced, known, isSwapped);
    const GraphModule from = traced.model;
    copyModules(from, traced.model);
    return traced;
}

} // namespace fx::quant
