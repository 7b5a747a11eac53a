// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/diff/normalised.h"

#include "core/base/joined_path.h"
#include "core/module/hooked_modules.h"

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace fx {
namespace {

constexpr std::size_t kMostNodes = std::size_t{1} << 21; ///< children that call children twice each grow fast
constexpr std::size_t kMostDepth = 64;                   ///< of children in children

/// The graph of a child and the values of its nodes in the result.
struct Frame {
    const GraphModule* graph;
    std::string prefix;  ///< its path in the model
    std::string call;    ///< the node that calls it, with those of the frames above
    std::string topCall; ///< the node of the model itself that leads to it
    NodeId next;
    NodeId caller = kNoNode; ///< its node in the frame above
    std::unordered_map<NodeId, Argument> values = {};
};

/// An item of what a child returned: `getitem(submod_0, 1)`. Nothing for other nodes.
std::optional<Argument> itemTaken(const Node& node, const Argument& container) {
    if (node.args().size() != 2 || !node.kwargs().empty()) return std::nullopt;
    const Argument& key = node.args()[1];
    if (const auto* sequence = container.as<Sequence>()) {
        const auto* place = key.as<std::int64_t>();
        if (!place) return std::nullopt;
        const auto count = static_cast<std::int64_t>(sequence->items.size());
        const std::int64_t index = *place < 0 ? *place + count : *place;
        if (index < 0 || index >= count) return std::nullopt;
        return sequence->items[static_cast<std::size_t>(index)];
    }
    if (const auto* dict = container.as<Dict>())
        for (const auto& [name, value] : dict->items)
            if (name == key) return value;
    return std::nullopt;
}

class Normaliser {
public:
    Normaliser(const GraphModule& model, InlinedNodes* inlined) : m_model(model), m_inlined(inlined) {
        for (const std::string& path : hookedModules(model)) m_hooked.insert(path);
        for (const Node& node : model.graph.nodes()) m_names.insert(node.name());
    }

    /// Whether any call is of a graph.
    bool isCut() {
        Frame top{&m_model, {}, {}, {}, m_model.graph.first()};
        for (const Node& node : m_model.graph.nodes())
            if (childOf(top, node)) return true;
        return false;
    }
    /// Null when there are too many nodes.
    std::shared_ptr<const GraphModule> run() {
        m_open.push_back({&m_model, {}, {}, {}, m_model.graph.first()});
        while (!m_open.empty()) {
            Frame& frame = m_open.back();
            if (frame.next == kNoNode) { // a graph without an output returns None
                finish(Argument());
                continue;
            }
            const Node& node = frame.graph->graph.node(frame.next);
            frame.next = frame.graph->graph.next(frame.next);
            if (m_result.size() > kMostNodes) return nullptr;
            visit(frame, node);
        }
        auto out = std::make_shared<GraphModule>(m_model);
        out->graph = std::move(m_result);
        out->linted = std::make_shared<LintMemory>();
        for (LiftedInput& lifted : out->lifted)
            if (const auto known = m_inputs.find(lifted.node); known != m_inputs.end()) lifted.node = known->second;
        return out;
    }

private:
    bool isTop(const Frame& frame) const { return frame.graph == &m_model && frame.caller == kNoNode; }
    PathResolver& pathsOf(const GraphModule& model) { return m_paths.try_emplace(&model, *model.root).first->second; }
    /// The graph that a node calls and that can take its place.
    const GraphModule* childOf(const Frame& frame, const Node& node) {
        if (node.op() != Op::CallModule || m_open.size() > kMostDepth) return nullptr;
        const Module* module = pathsOf(*frame.graph).resolve(node.target()).module;
        if (!module || !module->graphModule) return nullptr;
        const std::string path = joinedPath(frame.prefix, node.target());
        return m_hooked.contains(path) || !fits(module->graphModule->graph, node) ? nullptr : module->graphModule.get();
    }
    static bool fits(const Graph& inner, const Node& call) {
        std::size_t next = 0, named = 0;
        for (const Node& node : inner.nodes()) {
            if (node.op() != Op::Placeholder) continue;
            if (node.target().starts_with('*')) return false;
            if (argumentNamed(call, node)) ++named;
            else if (next < call.args().size()) ++next;
            else if (node.args().empty()) return false;
        }
        return next == call.args().size() && named == call.kwargs().size();
    }
    static const Argument* argumentNamed(const Node& call, const Node& input) {
        const Argument* given = call.kwarg(input.target());
        return given ? given : call.kwarg(input.name());
    }
    static std::function<Argument(NodeId)> inResult(const Frame& frame) {
        return [&frame](NodeId id) {
            const auto known = frame.values.find(id);
            return known == frame.values.end() ? Argument() : known->second;
        };
    }

    void visit(Frame& frame, const Node& node) {
        if (node.op() == Op::Output && !isTop(frame))
            return finish(node.args().empty() ? Argument() : mapNodes(node.args()[0], inResult(frame)));
        if (const GraphModule* child = childOf(frame, node)) return enter(frame, node, *child);
        if (node.op() == Op::CallFunction && node.target() == "_operator.getitem" && !node.args().empty() &&
            node.args()[0].isNode()) {
            const Argument& container = frame.values[node.args()[0].node()];
            if (auto item = container.isNode() ? std::nullopt : itemTaken(node, container)) {
                frame.values[node.id()] = std::move(*item);
                return;
            }
        }
        copy(frame, node);
    }
    /// Puts the arguments of a call in the place of the inputs of a child.
    void enter(const Frame& frame, const Node& call, const GraphModule& child) {
        Frame inner{&child,
                    joinedPath(frame.prefix, call.target()),
                    isTop(frame) ? call.name() : frame.call + "_" + call.name(),
                    isTop(frame) ? call.name() : frame.topCall,
                    child.graph.first(),
                    call.id()};
        std::size_t next = 0;
        for (const Node& node : child.graph.nodes()) {
            if (node.op() != Op::Placeholder) continue;
            const Argument* given = argumentNamed(call, node);
            if (!given && next < call.args().size()) given = &call.args()[next++];
            inner.values[node.id()] = given ? mapNodes(*given, inResult(frame)) : node.args()[0];
        }
        m_open.push_back(std::move(inner));
    }
    void finish(Argument returned) {
        const NodeId caller = m_open.back().caller;
        m_open.pop_back();
        if (!m_open.empty()) m_open.back().values[caller] = std::move(returned);
    }
    void copy(Frame& frame, const Node& node) {
        if (node.op() == Op::Placeholder && !isTop(frame)) return; // bound
        const bool isPath = node.op() == Op::CallModule || node.op() == Op::GetAttr;
        const std::string name = nameFor(frame, node);
        const NodeId made = m_result.createCopy(node, inResult(frame), name,
                                                isPath ? joinedPath(frame.prefix, node.target()) : std::string());
        if (m_result.node(made).name() != name) m_result.setNameUnchecked(made, name);
        if (m_inlined && !isTop(frame)) (*m_inlined)[name] = {frame.topCall, node.name()};
        if (node.sharedMeta()) m_result.setMeta(made, node.sharedMeta());
        frame.values[node.id()] = made;
        if (node.op() == Op::Placeholder) m_inputs[node.id()] = made;
        if (node.op() == Op::Output) finish(Argument());
    }
    std::string nameFor(const Frame& frame, const Node& node) {
        if (isTop(frame)) return node.name();
        std::string name = node.name();
        if (m_names.contains(name)) name = frame.call + "_" + node.name();
        for (std::size_t i = 1; !m_names.insert(name).second; ++i)
            name = frame.call + "_" + node.name() + "_" + std::to_string(i);
        return name;
    }

    const GraphModule& m_model;
    InlinedNodes* const m_inlined; ///< may be null
    Graph m_result;
    std::vector<Frame> m_open;
    std::set<std::string> m_hooked;
    std::unordered_set<std::string> m_names;
    std::unordered_map<const GraphModule*, PathResolver> m_paths;
    std::unordered_map<NodeId, NodeId> m_inputs; ///< placeholders of the model
};

} // namespace

std::shared_ptr<const GraphModule> normalised(const std::shared_ptr<const GraphModule>& model, InlinedNodes* inlined) {
    Normaliser normaliser(*model, inlined);
    if (!normaliser.isCut()) return model;
    auto result = normaliser.run();
    if (!result && inlined) inlined->clear();
    return result ? result : model;
}

} // namespace fx
