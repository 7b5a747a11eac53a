// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/textpasses/computations.h"
#include "core/textpasses/program_part.h"
#include "core/trace/callables.h"

namespace fx {

using trace::ConstantCall;
using trace::TensorValue;

/// Random numbers are drawn at once, from the generator of the program.
trace::Value Computations::drawn(const ConstantCall& call, bool writes, const std::function<trace::Value()>& guess) {
    if (m_peeks) {
        const trace::Value known = writes ? trace::none() : guess();
        const auto* tensor = known.as<TensorValue>();
        if (!tensor || !tensor->shapeKnown) throw python::ValuesNeeded();
        return {TensorValue{TorchGenerator::undrawn(*tensor->tensor), true}};
    }
    if (writes) noteWrite(call);
    if (isTried()) (void)tried(call); // throws what the `try` is to see
    if (!m_views.empty() && (writes || trace::effectOf(call).givesFresh)) {
        const ValueTree values = drawnApart(call, writes);
        if (!writes) return taken(values);
        write(call.operands[0], values.tensor);
        return call.operands[0];
    }
    sendState();
    const NodeId node = record(call);
    const NodeId state = m_program.graph.callFunction(resolveCallable("torch.random.get_rng_state"), {}, {});
    if (writes) {
        takeState(run(state));
        return call.operands[0];
    }
    static const CallablePtr makeTuple = resolveCallable("builtins.tuple");
    const ValueTree both = run(m_program.graph.callFunction(makeTuple, {Argument::tuple({node, state})}));
    takeState(both.items.at(1));
    return taken(both.items.at(0));
}

/// The result, or what is written, without an end to the program, whose views would then be copies.
ValueTree Computations::drawnApart(const ConstantCall& call, bool writes) {
    const Graph before = m_program.graph;
    const std::size_t leaves = m_leaves.size();
    const NodeId sent = sendState(), node = record(call);
    Graph& graph = m_program.graph;
    const NodeId state = graph.callFunction(resolveCallable("torch.random.get_rng_state"), {}, {});
    const NodeId wanted = writes ? graph.createNode(Op::CallMethod, "clone", {node}) : node;
    std::unordered_set<NodeId> sources = sourcesOf(m_program, wanted);
    sources.insert({sent, state});
    for (const NodeId input : graph.node(sent).inputs()) sources.insert(input);
    const std::vector<ValueTree> values = valuesOf(partOf(m_program, sources), {wanted, state});
    undo(before, leaves);
    m_program.root->buffers.pop_back(); // the state
    takeState(values.at(1));
    return values.at(0);
}

/// Records `target.copy_(values)`.
void Computations::write(const trace::Value& target, const TensorPtr& values) {
    if (!values) throw Error(ErrorKind::Run, Message("passes.value_count"));
    const trace::Values operands{target, {TensorValue{std::make_shared<TensorRef>(*values), true}}};
    record({"copy_", nullptr, operands, {}});
}

/// What is recorded next draws from the generator of the program.
NodeId Computations::sendState() {
    if (!m_program.root) m_program.root = std::make_shared<Module>();
    const std::string name = "s" + std::to_string(m_program.root->buffers.size());
    m_program.root->buffers.push_back({name, random->stateTensor()});
    const NodeId state = m_program.graph.createNode(Op::GetAttr, name);
    return m_program.graph.callFunction(resolveCallable("torch.random.set_rng_state"), {state}, {});
}

void Computations::takeState(const ValueTree& state) {
    if (!state.tensor) throw Error(ErrorKind::Run, Message("passes.value_count"));
    random->setState(*state.tensor);
}

} // namespace fx
