// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/textpasses/computations.h"
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

/// What is recorded next draws from the generator of the program.
void Computations::sendState() {
    if (!m_program.root) m_program.root = std::make_shared<Module>();
    const std::string name = "s" + std::to_string(m_program.root->buffers.size());
    m_program.root->buffers.push_back({name, random->stateTensor()});
    const NodeId state = m_program.graph.createNode(Op::GetAttr, name);
    m_program.graph.callFunction(resolveCallable("torch.random.set_rng_state"), {state}, {});
}

void Computations::takeState(const ValueTree& state) {
    if (!state.tensor) throw Error(ErrorKind::Run, Message("passes.value_count"));
    random->setState(*state.tensor);
}

} // namespace fx
