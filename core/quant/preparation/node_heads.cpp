// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/preparation/node_heads.h"

#include "core/make/observer_spec.h"

namespace fx::quant {
namespace {

/// isinstance(arg, list): torch.fx keeps lists as lists.
const Sequence* listOf(const Argument& argument) { return argument.asList(); }

bool isIntOrBool(const Argument& argument) {
    return argument.as<std::int64_t>() || argument.as<bool>() || argument.as<BigInt>();
}

} // namespace

NodeHeads::NodeHeads(const GraphModule& model)
    : m_model(model), m_modules(model.graph.idLimit()), m_types(model.graph.idLimit()),
      m_noTensors(model.graph.idLimit()) {
    PathResolver paths(*model.root);
    for (const Node& node : model.graph.nodes()) {
        if (node.op() == Op::CallModule) {
            const PathTarget target = paths.resolve(node.target());
            if (target.kind != PathTarget::Kind::Module)
                throw Error(ErrorKind::Refused, Message("quant.missing_module", {{"path", node.target()}}))
                    .onNode(node.name());
            m_modules[index(node.id())] = target.module;
            m_types[index(node.id())] = target.module->qualifiedType();
        }
        m_noTensors[index(node.id())] = withoutTensors(node);
    }
}

std::string NodeHeads::key(NodeId id) const {
    const Node& node = graph().node(id);
    switch (node.op()) {
    case Op::CallModule: return BackendConfig::headKey(Pattern::Kind::Module, type(id));
    case Op::CallFunction: return BackendConfig::headKey(Pattern::Kind::Function, node.target());
    case Op::CallMethod: return BackendConfig::headKey(Pattern::Kind::Method, node.target());
    default: return {};
    }
}

bool NodeHeads::matchesHead(const Node& node, const Pattern& pattern) const {
    switch (pattern.kind) {
    case Pattern::Kind::Any: return true;
    case Pattern::Kind::Module: return node.op() == Op::CallModule && type(node.id()) == pattern.name;
    case Pattern::Kind::Function: return node.op() == Op::CallFunction && node.target() == pattern.name;
    case Pattern::Kind::Method: return node.op() == Op::CallMethod && node.target() == pattern.name;
    }
    return false;
}

bool NodeHeads::withoutTensors(const Node& node) const {
    const auto of = [&](const Argument& value) { return !value.isNode() || m_noTensors[index(value.node())]; };
    if (node.op() == Op::Placeholder || node.op() == Op::GetAttr) return false;
    if (node.op() == Op::CallModule)
        return isObserver(*module(node.id())) && !node.args().empty() && of(node.args()[0]);
    if (node.op() == Op::CallFunction && node.target() == "_operator.getitem")
        return !node.args().empty() && of(node.args()[0]);
    if (node.op() == Op::CallFunction && node.target() == "getattr" && node.args().size() > 1) {
        const auto* name = node.args()[1].as<std::string>();
        if (name && (*name == "ndim" || *name == "shape")) return true;
    }
    if (node.op() == Op::CallMethod && node.target() == "size") return true;
    bool found = false, result = false;
    for (const Argument& arg : node.args()) {
        if (const Sequence* list = listOf(arg)) {
            for (const Argument& item : list->items) {
                if (!item.isNode()) continue;
                found = found || !of(item);
                if (found) return false;
            }
        } else if (arg.isNode()) {
            found = found || !of(arg);
            if (found) return false;
        } else if (!isIntOrBool(arg)) {
            found = true;
        }
        result = !found;
    }
    return result;
}

bool matches(const NodeHeads& heads, const Argument& value, const Pattern& pattern, bool isInner) {
    if (pattern.kind == Pattern::Kind::Any) return true;
    if (!value.isNode()) return false;
    const Node& node = heads.graph().node(value.node());
    if (isInner && node.users().size() > 1) return false;
    if (!heads.matchesHead(node, pattern)) return false;
    if (pattern.arguments.empty()) return true;
    if (pattern.arguments.size() != node.args().size()) return false;
    for (std::size_t i = 0; i < pattern.arguments.size(); ++i)
        if (!matches(heads, node.args()[i], pattern.arguments[i], true)) return false;
    return true;
}

} // namespace fx::quant
