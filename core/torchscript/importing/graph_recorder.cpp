// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/torchscript/importing/graph_recorder.h"

#include "core/module/purity.h"
#include "core/torchscript/folding.h"
#include "core/trace/callables.h"

#include <algorithm>

namespace fx::script {
namespace {

constexpr std::size_t kMostSteps = 2'000'000; ///< with those of unrolled loops

} // namespace

std::string sourceOf(const Program& program, const Node& node) {
    if (node.source < 0) return {};
    const std::string& place = program.sources[static_cast<std::size_t>(node.source)];
    const std::size_t colon = place.rfind(':');
    return "File \"" + place.substr(0, colon) + "\", line " + place.substr(colon + 1);
}

void GraphRecorder::countStep() {
    if (++m_steps > kMostSteps) throw Error(ErrorKind::Refused, Message("script.too_long", {{"count", kMostSteps}}));
    if (m_steps % 1024 == 0) m_progress.check();
}

NodeId GraphRecorder::finish(const CallFrame& frame, const Node* node, NodeId id) {
    auto meta = std::make_shared<NodeMeta>();
    // torch.fx traces the saved code: Python's own functions must not look into the values.
    const fx::Node& made = m_graph.node(id);
    meta->wrapped =
        made.op() == Op::CallFunction && made.callable()->module == "builtins" && made.target() != "getattr";
    if (m_graph.node(id).op() != Op::CallModule) meta->moduleStack = *frame.stack;
    if (node) meta->stackTrace = sourceOf(frame.program, *node);
    m_graph.setMeta(id, std::move(meta));
    return id;
}

NodeId GraphRecorder::attributeNode(const CallFrame& frame, const std::string& path) {
    const auto known = m_attributes.find(path);
    if (known != m_attributes.end() && index(known->second) < m_graph.idLimit())
        if (const fx::Node& node = m_graph.node(known->second);
            !node.erased() && node.op() == Op::GetAttr && node.target() == path)
            return known->second;
    return m_attributes[path] = finish(frame, nullptr, m_graph.createNode(Op::GetAttr, path));
}

NodeId GraphRecorder::itemNode(const Symbol& part) {
    const auto key = std::pair(part.value.node(), part.index);
    const std::vector<Argument> args = {part.value, Argument(part.index)};
    if (const auto known = m_items.find(key); known != m_items.end() && index(known->second) < m_graph.idLimit())
        if (const fx::Node& node = m_graph.node(known->second);
            !node.erased() && node.target() == "_operator.getitem" && node.args() == args)
            return known->second;
    const NodeId id = m_graph.callFunction(resolveCallable("_operator.getitem"), args);
    m_graph.setMeta(id, std::make_shared<NodeMeta>(m_graph.node(part.value.node()).meta()));
    return m_items[key] = id;
}

Argument GraphRecorder::tensorArgument(const CallFrame& frame, const Symbol& given) {
    const Symbol& symbol = frame.mutables.current(given);
    if (symbol.isContainer()) {
        std::vector<Argument> items;
        const bool anyNumber =
            std::any_of(symbol.items->begin(), symbol.items->end(), [](const Symbol& item) { return item.asTensor; });
        if (!anyNumber || symbol.is == Symbol::Is::Dict) return argument(frame, symbol);
        for (const Symbol& item : *symbol.items) countStep(), items.push_back(tensorArgument(frame, item));
        return symbol.is == Symbol::Is::List ? Argument::list(std::move(items)) : Argument::tuple(std::move(items));
    }
    if (!symbol.asTensor) return argument(frame, symbol);
    return finish(frame, nullptr,
                  m_graph.callFunction(resolveCallable("torch.ops.aten.scalar_tensor.default"),
                                       {argument(frame, symbol)}, {{"dtype", Argument::dtype("torch.int64")}}));
}

Argument GraphRecorder::argument(const CallFrame& frame, const Symbol& given) {
    const Symbol& symbol = frame.mutables.current(given);
    switch (symbol.is) {
    case Symbol::Is::Value:
        if (symbol.enumMember()) throw Unsupported(Message("script.constant", {{"type", symbol.enumMember()->repr}}));
        return symbol.value;
    case Symbol::Is::Tensor: return attributeNode(frame, symbol.path);
    case Symbol::Is::Part: return itemNode(symbol);
    case Symbol::Is::List:
    case Symbol::Is::Tuple: {
        std::vector<Argument> items;
        for (const Symbol& item : *symbol.items) countStep(), items.push_back(argument(frame, item));
        return symbol.is == Symbol::Is::List ? Argument::list(std::move(items)) : Argument::tuple(std::move(items));
    }
    case Symbol::Is::Dict: {
        std::vector<std::pair<Argument, Argument>> entries;
        for (std::size_t i = 0; i + 1 < symbol.items->size(); i += 2)
            countStep(),
                entries.emplace_back(argument(frame, (*symbol.items)[i]), argument(frame, (*symbol.items)[i + 1]));
        return Argument::dict(std::move(entries));
    }
    case Symbol::Is::Object:
        if (!symbol.object->isTorchBind()) throw Unsupported(Message("script.unknown_object"));
        m_objects.emplace(symbol.object, symbol.path);
        return attributeNode(frame, symbol.path);
    default: throw Unsupported(Message("script.unknown_object"));
    }
}

Argument GraphRecorder::asInScript(const CallFrame& frame, const Argument& value) {
    if (const auto* dict = value.as<Dict>()) {
        std::vector<std::pair<Argument, Argument>> entries;
        for (const auto& [key, item] : dict->items) entries.emplace_back(key, asInScript(frame, item));
        return Argument::dict(std::move(entries));
    }
    if (const Sequence* sequence = value.asList() ? value.asList() : value.asTuple()) {
        std::vector<Argument> items;
        for (const Argument& item : sequence->items) items.push_back(asInScript(frame, item));
        return value.asList() ? Argument::list(std::move(items)) : Argument::tuple(std::move(items));
    }
    if (!value.isNode()) return value;
    const fx::Node& node = m_graph.node(value.node());
    const bool isTuple = node.op() == Op::CallMethod && (node.target() == "size" || node.target() == "stride") &&
                         node.args().size() == 1 && node.kwargs().empty();
    if (!isTuple && numberedType(m_graph, value).empty()) return value;
    const std::string name = isTuple ? "aten." + node.target() : "prim." + *node.args()[1].as<std::string>();
    const std::vector<Argument> args = {node.args()[0]};
    return finish(frame, nullptr, m_graph.callFunction(resolveCallable("torch.ops." + name + ".default"), args));
}

Symbol GraphRecorder::call(const CallFrame& frame, const Node& node, std::string_view function,
                           std::vector<Argument> args, Kwargs kwargs) {
    return Symbol::of(Argument(finish(
        frame, &node,
        m_graph.callFunction(resolveCallable(function), std::move(args), std::move(kwargs), frame.nameFor(node)))));
}

Symbol GraphRecorder::callMethod(const CallFrame& frame, const Node& node, std::string name, std::vector<Argument> args,
                                 Kwargs kwargs) {
    return Symbol::of(Argument(finish(
        frame, &node,
        m_graph.createNode(Op::CallMethod, std::move(name), std::move(args), std::move(kwargs), frame.nameFor(node)))));
}

void GraphRecorder::dropUnused(NodeId lastInput, const std::function<bool(const std::string& path)>& isPureModule) {
    for (NodeId id = m_graph.last(), before = kNoNode; id != kNoNode && id != lastInput; id = before) {
        before = m_graph.prev(id);
        const fx::Node& node = m_graph.node(id);
        const bool plain = node.op() == Op::GetAttr || node.op() == Op::CallMethod ||
                           (node.op() == Op::CallModule && isPureModule(node.target())) ||
                           (node.op() == Op::CallFunction && !isImpure(Module(), node));
        if (plain && node.users().empty()) m_graph.erase(id);
    }
}

} // namespace fx::script
