// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/plan.h"

#include "core/base/visible_text.h"
#include "core/engine/call_learner.h"
#include "core/engine/calls.h"
#include "core/engine/machine.h"
#include "core/engine/modules/branch_watch.h"
#include "core/engine/modules/module_call.h"
#include "core/engine/operators/higher_order.h"
#include "core/engine/quant/observers.h"
#include "core/engine/quant/quantized_modules.h"
#include "core/engine/stepped_run.h"
#include "core/ir/print.h"
#include "core/module/script_object.h"
#include "core/torchscript/writing/script_quantised.h"

#include <c10/core/InferenceMode.h>

#include <atomic>

namespace fx::engine {

namespace {

std::atomic<const char*> g_currentNode{nullptr};

/// Puts back, however the run of a graph ends, the node in which it was started: none, or the one that calls the graph.
class CurrentNodeScope {
public:
    CurrentNodeScope() = default;
    ~CurrentNodeScope() { g_currentNode.store(m_outer, std::memory_order_relaxed); }
    CurrentNodeScope(const CurrentNodeScope&) = delete;
    CurrentNodeScope& operator=(const CurrentNodeScope&) = delete;

private:
    const char* const m_outer = g_currentNode.load(std::memory_order_relaxed);
};

thread_local bool t_recordsGradients = false;

bool isMutable(const Argument& argument) { return argument.asList() || argument.as<Dict>(); }

} // namespace

const char* currentNode() { return g_currentNode.load(std::memory_order_relaxed); }

Plan::Plan(const GraphModule& model, std::shared_ptr<TensorStore> tensors)
    : m_model(model), m_tensors(std::move(tensors)), m_paths(*model.root) {
    m_registerOf.resize(model.graph.idLimit());
    std::uint32_t next = 0;
    for (const Node& node : model.graph.nodes()) m_registerOf[index(node.id())] = next++;
    m_registers.resize(next);
    m_steps.reserve(next);
    ownStates();
    for (const Node& node : model.graph.nodes()) m_steps.push_back(plan(node));
    planFrees();
    const auto isFused = [](const PlannedStep& step) { return step.packed || step.norm; };
    if (std::ranges::any_of(m_steps, isFused)) m_memory = std::make_unique<KeptMemory>();
}
Plan::~Plan() = default;

/// The state of observers, which get_attr nodes see as it changes.
void Plan::ownStates() {
    for (const Node& node : m_model.graph.nodes()) {
        const Module* module = node.op() == Op::CallModule ? m_paths.resolve(node.target()).module : nullptr;
        if (module && observerForm(*module)) ownState(*module, *m_tensors);
    }
}

PlannedArgument Plan::planArgument(const Argument& argument) {
    PlannedArgument out;
    if (argument.isNode()) {
        out.kind = PlannedArgument::Kind::Register;
        out.place = m_registerOf[index(argument.node())];
    } else if (holdsNode(argument) || isMutable(argument)) {
        out.kind = PlannedArgument::Kind::Composite;
        out.composite = &argument;
    } else {
        out.constant = toValue(argument, [](NodeId) { return Value(); });
    }
    return out;
}

PlannedStep Plan::plan(const Node& node) {
    PlannedStep step;
    step.node = &node;
    step.result = m_registerOf[index(node.id())];
    for (const Argument& argument : node.args()) step.positional.push_back(planArgument(argument));
    for (const auto& [name, argument] : node.kwargs()) step.named.emplace_back(name, planArgument(argument));
    switch (node.op()) {
    case Op::Placeholder: {
        step.kind = PlannedStep::Kind::Input;
        for (const LiftedInput& lifted : m_model.lifted) {
            if (lifted.node != node.id() || lifted.kind == LiftedInput::Kind::UserInput) continue;
            if (lifted.kind ==
                LiftedInput::Kind::ConstantInput) { // a number that the export has fixed: taken and not used
                step.positional.emplace_back();
                continue;
            }
            step.kind = PlannedStep::Kind::Constant;
            if (!lifted.path.empty()) step.constant = attribute(lifted.path);
        }
        if (step.kind == PlannedStep::Kind::Input) {
            step.input = static_cast<std::int32_t>(m_inputs.size());
            m_inputs.push_back(node.id());
        }
        break;
    }
    case Op::GetAttr: planGetAttr(step); break;
    case Op::CallFunction:
        step.kind = node.callable() && node.callable()->kind == Callable::Kind::HigherOrderOp
                        ? PlannedStep::Kind::HigherOrder
                        : PlannedStep::Kind::Function;
        break;
    case Op::CallMethod: step.kind = PlannedStep::Kind::Method; break;
    case Op::CallModule: {
        step.kind = PlannedStep::Kind::Module;
        step.module = m_paths.resolve(node.target()).module;
        if (step.module && step.module->graphModule) {
            step.kind = PlannedStep::Kind::Graph;
            step.graph = std::make_unique<Plan>(*step.module->graphModule, m_tensors);
            step.packed = PackedLayer::of(*step.module, m_tensors);
            step.norm = NormKernel::of(*step.module, m_tensors);
        }
        break;
    }
    case Op::Output: step.kind = PlannedStep::Kind::Output; break;
    }
    return step;
}

void Plan::planGetAttr(PlannedStep& step) {
    step.kind = PlannedStep::Kind::Constant;
    try {
        step.constant = attribute(step.node->target());
    } catch (const fx::Error&) {
        step.kind = PlannedStep::Kind::Function; // told when it is run, and only if it is
    }
}

Value Plan::attribute(std::string_view path) {
    for (const auto& [name, graph] : m_model.subgraphs) {
        if (name != path) continue;
        Module holder;
        holder.graphModule = graph;
        return std::make_shared<const Module>(std::move(holder));
    }
    const PathTarget target = m_paths.resolve(path);
    if (target.kind == PathTarget::Kind::Module) {
        if (target.shared && isScriptObject(*target.shared)) return packedParams(*target.shared, *m_tensors);
        if (target.shared) return std::shared_ptr<const Module>(target.shared);
    } else if (target.kind == PathTarget::Kind::Attribute) {
        return toValue(*target.value, [](NodeId) { return Value(); });
    } else if (target.kind != PathTarget::Kind::Missing) {
        return m_tensors->value(target.tensor);
    } else if (target.holder && path.ends_with(target.missingAt) &&
               script::packedAttribute(*target.holder) == target.missingAt) {
        return packedParams(*target.holder, *m_tensors); // what a quantised layer packs for itself
    }
    throw runError(Message("engine.missing_attribute", {{"path", path}}));
}

void Plan::planFrees() {
    std::vector<bool> seen(m_registers.size());
    for (std::size_t i = m_steps.size(); i-- > 0;) {
        for (const NodeId input : m_steps[i].node->inputs()) {
            const std::uint32_t place = m_registerOf[index(input)];
            if (!seen[place]) m_steps[i].frees.push_back(place);
            seen[place] = true;
        }
        if (m_steps[i].node->users().empty() && m_steps[i].kind != PlannedStep::Kind::Output)
            m_steps[i].frees.push_back(m_steps[i].result);
    }
}

Value Plan::valueOf(const PlannedArgument& argument) const {
    switch (argument.kind) {
    case PlannedArgument::Kind::Constant: return argument.constant;
    case PlannedArgument::Kind::Register: return m_registers[argument.place];
    default: return toValue(*argument.composite, [this](NodeId id) { return m_registers[m_registerOf[index(id)]]; });
    }
}

Arguments Plan::argumentsOf(const PlannedStep& step) const {
    Arguments out;
    out.positional.reserve(step.positional.size());
    for (const PlannedArgument& argument : step.positional) out.positional.push_back(valueOf(argument));
    for (const auto& [name, argument] : step.named) out.named.emplace_back(name, valueOf(argument));
    return out;
}

Value Plan::inputValue(const PlannedStep& step, const RunInputs& inputs) const {
    const std::string& target = step.node->target();
    const auto place = static_cast<std::size_t>(step.input);
    if (target.starts_with("**")) {
        auto rest = std::make_shared<Mapping>();
        for (const auto& [name, value] : inputs.named) rest->items.emplace_back(name, value);
        return rest;
    }
    if (target.starts_with("*")) {
        const auto first =
            inputs.positional.begin() + static_cast<std::ptrdiff_t>(std::min(place, inputs.positional.size()));
        return Value::tuple(Values(first, inputs.positional.end()));
    }
    if (place < inputs.positional.size()) return inputs.positional[place];
    for (const auto& [name, value] : inputs.named)
        if (name == target || name == step.node->name()) return value;
    if (!step.positional.empty()) return valueOf(step.positional.front());
    throw runError(Message("engine.no_value", {{"name", target}}));
}

Value Plan::callGraph(const Value& graph, RunInputs inputs) {
    const Module* module = graph.module();
    if (!module || !module->graphModule)
        throw runError(Message("engine.higher_order_graph", {{"got", typeText(graph)}}));
    auto& plan = m_called[module->graphModule.get()];
    if (!plan) plan = std::make_unique<Plan>(*module->graphModule, m_tensors);
    return plan->run(inputs, {});
}

Value Plan::callValue(Arguments arguments) {
    const Module* module = arguments.positional.empty() ? nullptr : arguments.positional.front().module();
    if (!module) return callMethod("__call__", std::move(arguments));
    const Value called = arguments.positional.front();
    arguments.positional.erase(arguments.positional.begin());
    if (module->graphModule) return callGraph(called, {std::move(arguments.positional), std::move(arguments.named)});
    return callModule(*module, *m_tensors, arguments);
}

Value Plan::higherOrder(const PlannedStep& step, Arguments arguments) {
    const HigherOrderForm form = higherOrderForm(step.node->callable()->name);
    if (!form) throw runError(Message("engine.higher_order", {{"name", step.node->callable()->name}}));
    BranchWatch* const watch = BranchWatch::current();
    const std::string& name = step.node->callable()->name;
    if (watch && name == "cond" && !arguments.positional.empty())
        watch->took(step.node, 0, truthOf(arguments.positional.front()));
    if (watch && name == "while_loop") watch->took(step.node, 0, false); // it ends
    return form(
        [&](const Value& graph, Values operands) {
            const bool isBody = watch && name == "while_loop" && arguments.positional.size() > 1 &&
                                graph.module() == arguments.positional[1].module();
            if (isBody) watch->took(step.node, 0, true);
            return callGraph(graph, {std::move(operands), {}});
        },
        arguments);
}

Value Plan::executeSlow(PlannedStep& step) {
    const Node& node = *step.node;
    switch (step.kind) {
    case PlannedStep::Kind::Function:
        if (node.op() == Op::GetAttr) return attribute(node.target());
        return callFunction(node.target(), argumentsOf(step));
    case PlannedStep::Kind::Method:
        if (node.target() == "__call__") return callValue(argumentsOf(step));
        if (node.target() == "calculate_qparams") {
            const Arguments arguments = argumentsOf(step);
            if (const Module* module = arguments.positional.empty() ? nullptr : arguments.positional.front().module())
                return calculateQParams(*module, *m_tensors);
        }
        return callMethod(node.target(), argumentsOf(step));
    case PlannedStep::Kind::Module:
        if (!step.module)
            throw runError(Message("engine.missing_module", {{"path", node.target()}})).onModule(node.target());
        return callModule(*step.module, *m_tensors, argumentsOf(step));
    case PlannedStep::Kind::HigherOrder: return higherOrder(step, argumentsOf(step));
    case PlannedStep::Kind::Graph: return executeGraph(step);
    default: return valueOf(step.positional.at(0));
    }
}

Value Plan::executeGraph(PlannedStep& step) {
    Arguments arguments = argumentsOf(step);
    if (step.packed && arguments.named.empty() && !t_recordsGradients) {
        const auto other = static_cast<std::size_t>(step.packed->other());
        const bool mayWrite =
            !m_keepsValues && other < step.positional.size() &&
            step.positional[other].kind == PlannedArgument::Kind::Register &&
            std::find(step.frees.begin(), step.frees.end(), step.positional[other].place) != step.frees.end();
        if (auto value = step.packed->run(arguments.positional, mayWrite)) return *std::move(value);
    }
    if (step.norm && arguments.named.empty() && !t_recordsGradients)
        if (auto value = step.norm->run(arguments.positional)) return *std::move(value);
    return step.graph->run({std::move(arguments.positional), std::move(arguments.named)}, {});
}

bool Plan::canLearn(const PlannedStep& step) const {
    return step.learnable && (step.kind == PlannedStep::Kind::Function || step.kind == PlannedStep::Kind::Method ||
                              step.kind == PlannedStep::Kind::Module);
}

Value Plan::callLearned(const LearnedCall& call) const {
    std::vector<c10::IValue> stack;
    stack.reserve(std::max<std::size_t>(call.stack.size(), 4));
    stack.assign(call.stack.begin(), call.stack.end());
    for (const auto& [place, source] : call.dynamic) stack[place] = m_registers[source].tensor();
    runKernel(*call.kernel, stack);
    return resultOf(*call.kernel, stack, call.style);
}

Value Plan::execute(PlannedStep& step, const RunInputs& inputs) {
    if (step.kind == PlannedStep::Kind::Input) return inputValue(step, inputs);
    if (step.kind == PlannedStep::Kind::Constant) return step.constant;
    if (step.learned) {
        bool fits = true;
        for (const std::uint32_t place : step.learned->tensors) fits = fits && m_registers[place].isTensor();
        if (fits) return callLearned(*step.learned);
        step.learned.reset();
    }
    if (!canLearn(step)) return executeSlow(step);
    CallLearner learner(*this, step);
    Value result = executeSlow(step);
    learner.finish(result);
    return result;
}

void Plan::rethrow(const PlannedStep& step) const {
    const auto place = [&](fx::Error& error) {
        if (error.node.empty()) {
            error.node = step.node->name();
            error.source = visibleExcerpt(formatNode(m_model.graph, *step.node));
            if (step.module) error.modulePath = step.node->target();
        }
    };
    try {
        throw;
    } catch (fx::Error& error) {
        place(error);
        throw;
    } catch (const std::bad_alloc&) {
        fx::Error error = runError(Message("engine.no_memory"));
        place(error);
        throw error;
    } catch (const std::exception& caught) {
        fx::Error error = runError(torchFailure(caught));
        place(error);
        throw error;
    }
}

void Plan::tellFailure(const PlannedStep& step, const RunHooks& hooks) const {
    try {
        rethrow(step);
    } catch (const fx::Error& error) { hooks.failed(*step.node, error); }
}

bool Plan::dependsOnOneOf(const PlannedStep& step, const std::vector<bool>& failed) const {
    const auto& inputs = step.node->inputs();
    return std::any_of(inputs.begin(), inputs.end(), [&](NodeId id) { return failed[m_registerOf[index(id)]]; });
}

/// Marks as given what neither the output nor a wanted node needs once the given values are there.
/// Counts for the nodes that follow, though none uses it.
static bool switchesModes(const Node& node) {
    const Callable* const function = node.op() == Op::CallFunction ? node.callable().get() : nullptr;
    return function && (function->name == "torch._C._set_grad_enabled" ||
                        function->name == "torch.amp.autocast_mode._enter_autocast" ||
                        function->name == "torch.amp.autocast_mode._exit_autocast");
}

void Plan::skipUnneeded(std::vector<bool>& given, const std::vector<bool>& wanted) const {
    std::vector<bool> needed = wanted;
    for (std::size_t i = m_steps.size(); i-- > 0;) {
        const PlannedStep& step = m_steps[i];
        if (step.kind == PlannedStep::Kind::Output) needed[step.result] = true;
        if (given[step.result]) continue;
        if (switchesModes(*step.node)) needed[step.result] = true;
        given[step.result] = !needed[step.result];
        if (needed[step.result])
            for (const NodeId input : step.node->inputs()) needed[m_registerOf[index(input)]] = true;
    }
}

Value Plan::run(const RunInputs& inputs, const RunHooks& hooks, const std::vector<std::pair<NodeId, Value>>* known,
                const std::vector<NodeId>* keep, std::vector<Value>* kept) {
    // A graph within one that records gradients does so too.
    const bool outerRecords = std::exchange(t_recordsGradients, t_recordsGradients || hooks.gradients);
    const std::shared_ptr<void> restore(nullptr, [&](void*) { t_recordsGradients = outerRecords; });
    std::optional<c10::InferenceMode> inference;
    if (!t_recordsGradients) inference.emplace();
    const ModesScope untilTheEnd; // nodes may switch them
    std::optional<KeptMemory::Scope> memory;
    if (m_memory) memory.emplace(*m_memory);
    std::vector<bool> given(m_registers.size()), wanted(m_registers.size()),
        failed(hooks.failed ? m_registers.size() : 0);
    if (known)
        for (const auto& [id, value] : *known)
            m_registers[m_registerOf[index(id)]] = value, given[m_registerOf[index(id)]] = true;
    if (keep)
        for (const NodeId id : *keep) wanted[m_registerOf[index(id)]] = true;
    if (known) skipUnneeded(given, wanted);
    m_keepsValues = keep || hooks.failed;
    const CurrentNodeScope untilItEnds;
    Value output;
    for (PlannedStep& step : m_steps) {
        if (given[step.result]) continue;
        if (hooks.failed && (failed[step.result] = dependsOnOneOf(step, failed))) continue;
        g_currentNode.store(step.node->name().c_str(), std::memory_order_relaxed);
        try {
            if (hooks.before) hooks.before(*step.node);
            Value result = execute(step, inputs);
            if (hooks.after) hooks.after(*step.node, result);
            if (step.kind == PlannedStep::Kind::Output) output = result;
            m_registers[step.result] = std::move(result);
        } catch (...) {
            if (hooks.failed) {
                failed[step.result] = true;
                tellFailure(step, hooks);
                continue;
            }
            release();
            rethrow(step);
        }
        for (const std::uint32_t place : step.frees)
            if (!wanted[place]) m_registers[place] = Value();
    }
    if (keep)
        for (const NodeId id : *keep) kept->push_back(m_registers[m_registerOf[index(id)]]);
    release();
    return output;
}

const Node* Plan::runStep(std::size_t place, const RunInputs& inputs, std::optional<Modes>& modes, Value& result) {
    if (place >= m_steps.size()) return nullptr;
    const c10::InferenceMode inference;
    const ModesScope ofOthers; // within inference mode, which takes them back at its end
    if (modes) modes->apply();
    PlannedStep& step = m_steps[place];
    const CurrentNodeScope untilItEnds;
    g_currentNode.store(step.node->name().c_str(), std::memory_order_relaxed);
    try {
        result = execute(step, inputs);
    } catch (...) { rethrow(step); }
    modes = Modes::current();
    m_registers[step.result] = result;
    for (const std::uint32_t last : step.frees) m_registers[last] = Value();
    return step.node;
}

void Plan::release() { std::fill(m_registers.begin(), m_registers.end(), Value()); }

// ── SteppedRun ──

SteppedRun::SteppedRun(Interpreter& interpreter, RunInputs inputs)
    : m_plan(*interpreter.m_plan), m_inputs(std::move(inputs)) {}
SteppedRun::~SteppedRun() { m_plan.release(); }

const Node* SteppedRun::next() { return m_plan.runStep(m_place++, m_inputs, m_modes, m_value); }

// ── Interpreter ──

Interpreter::Interpreter(std::shared_ptr<const GraphModule> model, std::shared_ptr<TensorStore> tensors)
    : m_model(std::move(model)) {
    tensors->addModel(m_model);
    m_plan = std::make_unique<Plan>(*m_model, std::move(tensors));
}
Interpreter::~Interpreter() = default;
Interpreter::Interpreter(Interpreter&&) noexcept = default;

const std::vector<NodeId>& Interpreter::inputs() const { return m_plan->inputs(); }

Value Interpreter::run(const RunInputs& inputs, const RunHooks& hooks) { return m_plan->run(inputs, hooks); }

Value Interpreter::runFrom(const std::vector<std::pair<NodeId, Value>>& known, const RunInputs& inputs,
                           const std::vector<NodeId>& keep, std::vector<Value>& kept, const RunHooks& hooks) {
    return m_plan->run(inputs, hooks, &known, &keep, &kept);
}

} // namespace fx::engine
