// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/lockstep_run.h"

#include "core/engine/draw.h"
#include "core/engine/machine.h"
#include "core/engine/verify/compare.h"
#include "core/engine/verify/layer.h"
#include "core/torchscript/torchscript.h"

#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <chrono>

namespace fx::engine {
namespace {

using Clock = std::chrono::steady_clock;

bool callsFile(const Node& node, const GraphModule& model) {
    const Module* module = calledModule(node, model);
    return module && script::isScriptFile(*module);
}

/// By name, or by what it does.
bool isSameNode(const Node& a, const GraphModule& modelA, const Node& b, const GraphModule& modelB) {
    if (a.name() == b.name() || (a.op() == b.op() && a.target() == b.target())) return true;
    const Module *moduleA = calledModule(a, modelA), *moduleB = calledModule(b, modelB);
    return moduleA && moduleB && moduleA->qualifiedType() == moduleB->qualifiedType();
}

} // namespace

bool isUserInput(const GraphModule& model, const Node& node) {
    if (node.op() != Op::Placeholder) return false;
    const auto lifted = std::find_if(model.lifted.begin(), model.lifted.end(),
                                     [&](const LiftedInput& one) { return one.node == node.id(); });
    return lifted == model.lifted.end() || lifted->kind == LiftedInput::Kind::UserInput;
}

std::vector<std::pair<std::string, const Value*>> namedInputs(const GraphModule& model, const RunInputs& inputs) {
    std::vector<std::pair<std::string, const Value*>> out;
    for (const Node& node : model.graph.nodes()) {
        if (!isUserInput(model, node)) continue;
        const std::size_t place = out.size();
        const Value* value = place < inputs.positional.size() ? &inputs.positional[place] : nullptr;
        for (const auto& [name, given] : inputs.named)
            if (!value && (name == node.target() || name == node.name())) value = &given;
        out.emplace_back(node.target(), value);
    }
    return out;
}

double mostOfRounding(const ValueDifference& difference) {
    constexpr double kRounding = 100, kMost = 0.1;
    const double quantized = difference.dtype.starts_with("torch.q") ? 0.02 : 0; // one step more or less
    return std::max(quantized, std::min(kMost, kRounding * difference.tolerance.rtol));
}

bool isGross(const ValueDifference& difference) { return difference.relativeToScale() > mostOfRounding(difference); }

// ── NodeTable ──

NodeTable::NodeTable(const GraphModule& a, const GraphModule& b, const ChangedPart& part)
    : m_a(a), m_b(b), m_counterpart(a.graph.idLimit(), kNoNode), m_ofB(b.graph.idLimit(), kNoNode),
      m_differences(a.graph.idLimit()), m_compared(a.graph.idLimit()) {
    for (const Node& node : a.graph.nodes()) {
        const NodeId other = part.counterpart(node.id());
        if (other == kNoNode || node.op() == Op::Output || isUserInput(a, node)) continue;
        if (callsFile(node, a) != callsFile(b.graph.node(other), b)) continue; // a whole file is no node of its graph
        m_counterpart[index(node.id())] = other;
        m_ofB[index(other)] = node.id();
    }
}

void NodeTable::note(NodeId a, ValueDifference difference) {
    m_compared[index(a)] = true;
    if (!difference.equal) m_differences[index(a)] = std::make_unique<ValueDifference>(std::move(difference));
}

void NodeTable::forgetMisplaced() {
    for (const Node& node : m_a.graph.nodes()) {
        const NodeId other = counterpart(node.id());
        if (!m_compared[index(node.id())] || agrees(node.id()) || isSameNode(node, m_a, m_b.graph.node(other), m_b))
            continue;
        if (!usersAgree(m_a.graph, node.id(), false) || !usersAgree(m_b.graph, other, true)) continue;
        m_compared[index(node.id())] = false;
        m_differences[index(node.id())] = nullptr;
    }
}

bool NodeTable::agrees(NodeId a) const {
    const ValueDifference* difference = differenceOf(a);
    return m_compared[index(a)] && (!difference || !isGross(*difference));
}

std::optional<NodeDifference> NodeTable::first(bool outputsClose, bool believed) const {
    const std::vector<bool> lasting = lastingNodes(!outputsClose);
    for (const Node& node : m_a.graph.nodes()) {
        const ValueDifference* difference = differenceOf(node.id());
        if (!difference || difference->close || (!outputsClose && !lasting[index(node.id())])) continue;
        const bool passing = outputsClose && believed && usersAgree(m_a.graph, node.id(), false) &&
                             usersAgree(m_b.graph, counterpart(node.id()), true);
        return NodeDifference{node.name(), *difference, passing, {}};
    }
    return std::nullopt;
}

/// Whether what uses a node agrees; users that are not compared are passed through. A user that returns counts as
/// agreeing, since the outputs do.
bool NodeTable::usersAgree(const Graph& graph, NodeId node, bool inB) const {
    std::vector<bool> seen(graph.idLimit());
    for (std::vector<NodeId> open{node}; !open.empty();) {
        const NodeId id = open.back();
        open.pop_back();
        for (const NodeId user : graph.node(id).users()) {
            if (seen[index(user)]) continue;
            seen[index(user)] = true;
            const NodeId ofA = !inB ? user : m_ofB[index(user)];
            const bool compared = ofA != kNoNode && m_compared[index(ofA)];
            if (compared && !agrees(ofA)) return false;
            if (!compared) open.push_back(user);
        }
    }
    return true;
}

void NodeTable::report(VerifyReport& report) const {
    report.nodesCompared = report.nodesDiffering = 0;
    report.nodeErrors.clear();
    for (const Node& node : m_a.graph.nodes()) {
        if (!m_compared[index(node.id())]) continue;
        const ValueDifference* difference = differenceOf(node.id());
        ++report.nodesCompared;
        NodeError error{node.name()};
        if (difference) {
            report.nodesDiffering += !difference->close;
            error = {node.name(),       difference->maxAbs, difference->relativeToScale(),
                     difference->count, difference->beyond, difference->comparable(),
                     difference->reason};
        }
        if (const NodeId other = counterpart(node.id()); other != kNoNode)
            if (const std::string& name = m_b.graph.node(other).name(); name != node.name()) error.nameInB = name;
        report.nodeErrors.push_back(std::move(error));
    }
}

/// Nodes from which a chain of differing nodes leads to the output; nodes that B does not have are passed through.
std::vector<bool> NodeTable::lastingNodes(bool outputDiffers) const {
    std::vector<bool> lasting(m_a.graph.idLimit());
    for (NodeId id = m_a.graph.last(); id != kNoNode; id = m_a.graph.prev(id)) {
        const Node& node = m_a.graph.node(id);
        if (node.op() == Op::Output) {
            lasting[index(id)] = outputDiffers;
            continue;
        }
        const ValueDifference* difference = differenceOf(id);
        if (counterpart(id) != kNoNode && (!difference || difference->close)) continue;
        for (const NodeId user : node.users())
            if (lasting[index(user)]) lasting[index(id)] = true;
    }
    return lasting;
}

// ── LockstepRun ──

/// A run with a random generator of its own: its state is put in before each node and taken out after it.
class LockstepRun::Runner {
public:
    Runner(Side which, const VerifySide& side, const at::Tensor& generatorState)
        : m_which(which), m_side(side), m_state(generatorState), m_interpreter(side.model, side.tensors),
          m_run(m_interpreter, side.inputs) {}

    /// The next node, null behind the last.
    const Node* next(at::Generator& generator, const VerifyOptions& options, const Runner*& active) {
        if (active != this) { // the other one has drawn from it meanwhile
            if (active) const_cast<Runner*>(active)->m_state = generator.get_state();
            generator.set_state(m_state);
            active = this;
        }
        const auto start = Clock::now();
        try {
            const Node* node = m_run.next();
            m_millis += std::chrono::duration<double, std::milli>(Clock::now() - start).count();
            if (node && options.atNode) options.atNode(*node);
            if (node && m_run.value().isTensor() && m_run.value().tensor().is_mkldnn()) m_inMkldnn.insert(node->id());
            if (node && node->op() == Op::Output) m_output = m_run.value();
            return node;
        } catch (Error& error) {
            if (error.kind() == ErrorKind::Run) error.of(m_which).node = m_side.callOf(error.node);
            throw;
        }
    }
    const Value& value() const { return m_run.value(); }
    Value output() const { return m_side.finish ? m_side.finish(m_output) : m_output; }
    double millis() const { return m_millis; }
    const std::unordered_set<NodeId>& inMkldnn() const { return m_inMkldnn; }
    Interpreter& interpreter() { return m_interpreter; }

private:
    Side m_which;
    const VerifySide& m_side;
    at::Tensor m_state;
    Interpreter m_interpreter;
    SteppedRun m_run;
    Value m_output;
    double m_millis = 0;
    std::unordered_set<NodeId> m_inMkldnn;
};

LockstepRun::LockstepRun(const VerifySide& a, const VerifySide& b, const VerifyOptions& options,
                         const ChangedPart& part)
    : m_options(options), m_generator(at::detail::getDefaultCPUGenerator()), m_table(*a.model, *b.model, part),
      m_a(std::make_unique<Runner>(Side::A, a, m_generator.get_state())),
      m_b(std::make_unique<Runner>(Side::B, b, m_generator.get_state())), m_isWanted(b.model->graph.idLimit()) {
    for (const Node& node : a.model->graph.nodes())
        if (m_table.counterpart(node.id()) != kNoNode) m_isWanted[index(m_table.counterpart(node.id()))] = true;
}
LockstepRun::~LockstepRun() = default;

void LockstepRun::run(const Watch& watch, const Watch& watchB) {
    m_watchB = watchB;
    try {
        runBoth(watch);
    } catch (Error& error) {
        if (error.side == Side::B) { // where A fails too, the inputs are wrong: then its error says more
            while (m_a->next(m_generator, m_options, m_active)) {}
            error.hinting(Message("verify.only_b_stops").text());
        }
        throw;
    }
}

void LockstepRun::runBoth(const Watch& watch) {
    while (const Node* node = m_a->next(m_generator, m_options, m_active)) {
        if (watch) watch(*node, m_a->value());
        const NodeId other = m_table.counterpart(node->id());
        if (other == kNoNode) continue;
        m_table.note(node->id(), difference(*node, valueOfB(other)));
        m_waiting.erase(other);
    }
    while (nextOfB()) {}
}

/// Comparing needs memory of its own.
ValueDifference LockstepRun::difference(const Node& node, const Value& valueOfB) {
    try {
        return compareValues(m_a->value(), valueOfB, m_options.tolerances, false);
    } catch (const Error&) { throw; } catch (const std::bad_alloc&) {
        throw runError(Message("engine.no_memory")).onNode(node.name());
    } catch (const std::exception& caught) { throw runError(torchFailure(caught)).onNode(node.name()); }
}

const Node* LockstepRun::nextOfB() {
    const Node* node = m_b->next(m_generator, m_options, m_active);
    if (node && m_watchB) m_watchB(*node, m_b->value());
    return node;
}

Value LockstepRun::outputA() const { return m_a->output(); }
Value LockstepRun::outputB() const { return m_b->output(); }
const std::unordered_set<NodeId>& LockstepRun::inMkldnn(bool inB) const { return (inB ? m_b : m_a)->inMkldnn(); }
Interpreter& LockstepRun::interpreterA() { return m_a->interpreter(); }
Interpreter& LockstepRun::interpreterB() { return m_b->interpreter(); }
double LockstepRun::millisA() const { return m_a->millis(); }
double LockstepRun::millisB() const { return m_b->millis(); }

/// Runs B until it has the value. What it makes before and A has not reached waits as a copy, since B may change it in
/// place.
const Value& LockstepRun::valueOfB(NodeId wanted) {
    if (const auto waiting = m_waiting.find(wanted); waiting != m_waiting.end()) return waiting->second;
    while (const Node* node = nextOfB()) {
        if (node->id() == wanted) return m_b->value();
        if (m_isWanted[index(node->id())]) m_waiting.emplace(node->id(), copyOf(m_b->value()));
    }
    return m_nothing; // not reached: every node of B is run once
}

} // namespace fx::engine
