// SPDX-License-Identifier: GPL-3.0-or-later
// Tracers that read values trace through the GraphModules that the code calls: what their graph does, node by node,
// as their code would.
#include "core/module/graph_module.h"
#include "core/ops/python_functions.h"
#include "core/trace/tracer.h"

#include <unordered_map>

namespace fx::trace {
namespace {

using Known = std::unordered_map<NodeId, Value>;

/// The value of an argument of a node, with what the nodes in it gave.
Value valueOf(const Argument& argument, const Known& known) {
    if (argument.isNode()) return known.at(argument.node());
    const auto all = [&](const auto& items) {
        Values out;
        for (const Argument& item : items) out.push_back(valueOf(item, known));
        return out;
    };
    if (const auto* sequence = argument.as<Sequence>(); sequence && sequence->kind != Sequence::Kind::NamedTuple)
        return sequence->kind == Sequence::Kind::List ? listOf(all(sequence->items)) : tupleOf(all(sequence->items));
    if (const auto* dict = argument.as<Dict>()) {
        ValueDict out;
        for (const auto& [key, item] : dict->items) out.items.emplace_back(valueOf(key, known), valueOf(item, known));
        return box(std::move(out));
    }
    if (const auto* slice = argument.as<Slice>())
        return box(ValueSlice{valueOf(slice->start, known), valueOf(slice->stop, known), valueOf(slice->step, known)});
    return fromArgument(argument);
}

/// What the caller gives for a placeholder, which is the `place`th.
Value given(const Node& node, std::size_t place, const Values& args, const KeywordValues& kwargs) {
    if (node.target().starts_with('*'))
        throw CannotFollow(Message("trace.module_not_followed", {{"module", node.target()}}));
    if (place < args.size()) return args[place];
    for (const auto& [name, value] : kwargs)
        if (name == node.target()) return value;
    if (!node.args().empty()) return valueOf(node.args()[0], {});
    throw PythonError("TypeError: GraphModuleImpl.forward() missing 1 required positional argument: '" + node.target() +
                      "'");
}

} // namespace

Value Tracer::callModule(const ModuleValue& module, const Values& args, const KeywordValues& kwargs) {
    const auto* path = m_modules.modulePath(module.module);
    if (!path) throw PythonError("NameError: module is not installed as a submodule");
    if (!m_class.readsValues || m_mode != Mode::AsPython) return recordModule(*path, args, kwargs);
    if (!module.module->graphModule || m_inlined >= kMaxInlined)
        throw CannotFollow(Message("trace.module_not_followed", {{"module", "self." + *path}}));
    ++m_inlined;
    Value result = runGraph(module.module->graphModule->graph, module, args, kwargs);
    --m_inlined;
    return result;
}

Value Tracer::runGraph(const Graph& graph, const ModuleValue& self, const Values& args, const KeywordValues& kwargs) {
    Known known;
    std::size_t place = 0;
    for (const Node& node : graph.nodes()) {
        Values operands;
        KeywordValues words;
        if (node.op() != Op::Placeholder) {
            for (const Argument& argument : node.args()) operands.push_back(valueOf(argument, known));
            for (const auto& [key, argument] : node.kwargs()) words.emplace_back(key, valueOf(argument, known));
        }
        const auto member = [&] {
            Value value{self};
            for (std::size_t start = 0; start <= node.target().size();) {
                const std::size_t end = std::min(node.target().find('.', start), node.target().size());
                value = attribute(value, std::string_view(node.target()).substr(start, end - start));
                start = end + 1;
            }
            return value;
        };
        switch (node.op()) {
        case Op::Placeholder: known[node.id()] = given(node, place++, args, kwargs); break;
        case Op::GetAttr: known[node.id()] = member(); break;
        case Op::CallModule: known[node.id()] = call(member(), std::move(operands), std::move(words)); break;
        case Op::CallMethod: {
            const Value method = attribute(operands.at(0), node.target());
            operands.erase(operands.begin());
            known[node.id()] = call(method, std::move(operands), std::move(words));
            break;
        }
        case Op::CallFunction:
            known[node.id()] =
                call(box(FunctionValue{node.callable()->qualifiedName, node.callable(),
                                       ops::findFunction(node.callable()->qualifiedName), node.meta().wrapped}),
                     std::move(operands), std::move(words));
            break;
        case Op::Output: return operands.empty() ? none() : operands[0];
        }
    }
    return none();
}

} // namespace fx::trace
