// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/verify/verify.h"

#include "core/engine/draw.h"
#include "core/engine/stepped_run.h"
#include "core/engine/verify/compare.h"

#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <unordered_map>

namespace fx::engine {
namespace {

using Clock = std::chrono::steady_clock;

/// A run with a random generator of its own: its state is put in before each node and taken out after it.
class Side {
public:
    Side(const char* name, const VerifySide& side, const at::Tensor& generatorState)
        : m_name(name), m_side(side), m_state(generatorState), m_interpreter(side.model, side.tensors),
          m_run(m_interpreter, side.inputs) {}

    /// The next node, null behind the last.
    const Node* next(at::Generator& generator, const VerifyOptions& options, const Side*& active) {
        if (active != this) { // the other one has drawn from it meanwhile
            if (active) const_cast<Side*>(active)->m_state = generator.get_state();
            generator.set_state(m_state);
            active = this;
        }
        const auto start = Clock::now();
        try {
            const Node* node = m_run.next();
            m_millis += std::chrono::duration<double, std::milli>(Clock::now() - start).count();
            if (node && options.afterNode) options.afterNode(*node);
            if (node && node->op() == Op::Output) m_output = m_run.value();
            return node;
        } catch (Error& error) {
            if (error.kind() == ErrorKind::Run) error.at(std::string("model ") + m_name);
            throw;
        }
    }
    const Value& value() const { return m_run.value(); }
    Value output() const { return m_side.finish ? m_side.finish(m_output) : m_output; }
    double millis() const { return m_millis; }

private:
    const char* m_name;
    const VerifySide& m_side;
    at::Tensor m_state;
    Interpreter m_interpreter;
    SteppedRun m_run;
    Value m_output;
    double m_millis = 0;
};

/// All leaves of a node's value as one difference: the largest errors, and the first reason.
ValueDifference compareValues(const Value& a, const Value& b, const Tolerances& tolerances) {
    ValueDifference all;
    bool first = true;
    pairLeaves(
        a, b,
        [&](const std::string& path, const Value& left, const Value& right) {
            ValueDifference one = compareLeaves(left, right, tolerances);
            if (!one.reason.empty() && !path.empty()) one.reason = path + ": " + one.reason;
            const bool worse = first || one.maxAbs > all.maxAbs || (all.reason.empty() && !one.reason.empty());
            const bool equal = all.equal && one.equal, close = all.close && one.close;
            const std::int64_t beyond = all.beyond + one.beyond;
            const double relative = std::max(all.maxRel, one.maxRel);
            if (worse) all = std::move(one);
            all.equal = equal, all.close = close, all.beyond = beyond, all.maxRel = relative;
            first = false;
        },
        [&](const std::string& path, const std::string& why) {
            all.equal = all.close = first = false;
            if (all.reason.empty()) all.reason = (path.empty() ? "" : path + ": ") + why;
        });
    return all;
}

/// What became of the nodes that both models have.
class NodeTable {
public:
    NodeTable(const GraphModule& a, const GraphModule& b)
        : m_a(a), m_counterpart(a.graph.idLimit(), kNoNode), m_differences(a.graph.idLimit()) {
        for (const Node& node : a.graph.nodes()) {
            const NodeId other = b.graph.find(node.name());
            const bool counts = other != kNoNode && node.op() != Op::Output && !isUserInput(a, node);
            if (counts && comparable(node, b.graph.node(other), a, b)) m_counterpart[index(node.id())] = other;
        }
    }
    NodeId counterpart(NodeId a) const { return m_counterpart[index(a)]; }

    void note(NodeId a, ValueDifference difference) {
        if (!difference.equal) m_differences[index(a)] = std::make_unique<ValueDifference>(std::move(difference));
    }
    const ValueDifference* differenceOf(NodeId a) const { return m_differences[index(a)].get(); }

    /// The first node in the order of A that differs: in any bit, or beyond the tolerance and for good.
    std::optional<NodeDifference> first(bool outputsClose) const {
        const std::vector<bool> lasting = lastingNodes(!outputsClose);
        for (const Node& node : m_a.graph.nodes()) {
            const ValueDifference* difference = differenceOf(node.id());
            if (difference && (outputsClose || (!difference->close && lasting[index(node.id())])))
                return NodeDifference{node.name(), *difference, !difference->close && !lasting[index(node.id())], {}};
        }
        return std::nullopt;
    }

private:
    static bool isUserInput(const GraphModule& model, const Node& node) {
        if (node.op() != Op::Placeholder) return false;
        const auto lifted = std::find_if(model.lifted.begin(), model.lifted.end(),
                                         [&](const LiftedInput& one) { return one.node == node.id(); });
        return lifted == model.lifted.end() || lifted->kind == LiftedInput::Kind::UserInput;
    }

    /// Nodes from which a chain of differing nodes leads to the output; nodes that B does not have are passed through.
    std::vector<bool> lastingNodes(bool outputDiffers) const {
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

    const GraphModule& m_a;
    std::vector<NodeId> m_counterpart;                           ///< by node id of A
    std::vector<std::unique_ptr<ValueDifference>> m_differences; ///< null: equal or not compared
};

/// Two runs that take turns.
class Race {
public:
    Race(const VerifySide& a, const VerifySide& b, const VerifyOptions& options)
        : m_options(options), m_generator(at::detail::getDefaultCPUGenerator()), m_table(*a.model, *b.model),
          m_a("A", a, m_generator.get_state()), m_b("B", b, m_generator.get_state()),
          m_isWanted(b.model->graph.idLimit()) {
        for (const Node& node : a.model->graph.nodes())
            if (m_table.counterpart(node.id()) != kNoNode) m_isWanted[index(m_table.counterpart(node.id()))] = true;
    }

    void run(VerifyReport& report) {
        while (const Node* node = m_a.next(m_generator, m_options, m_active)) {
            const NodeId other = m_table.counterpart(node->id());
            if (other == kNoNode) continue;
            ValueDifference difference = compareValues(m_a.value(), valueOfB(other), m_options.tolerances);
            m_waiting.erase(other);
            ++report.nodesCompared;
            report.nodesDiffering += !difference.close;
            m_table.note(node->id(), std::move(difference));
        }
        while (m_b.next(m_generator, m_options, m_active)) {}
        report.millisA = m_a.millis(), report.millisB = m_b.millis();
    }
    Value outputA() const { return m_a.output(); }
    Value outputB() const { return m_b.output(); }
    const NodeTable& table() const { return m_table; }

private:
    /// Runs B until it has the value. What it makes before and A has not reached waits as a copy, since B may change it
    /// in place.
    const Value& valueOfB(NodeId wanted) {
        if (const auto waiting = m_waiting.find(wanted); waiting != m_waiting.end()) return waiting->second;
        while (const Node* node = m_b.next(m_generator, m_options, m_active)) {
            if (node->id() == wanted) return m_b.value();
            if (m_isWanted[index(node->id())]) m_waiting.emplace(node->id(), copyOf(m_b.value()));
        }
        return m_nothing; // not reached: every node of B is run once
    }

    const VerifyOptions& m_options;
    at::Generator m_generator;
    NodeTable m_table;
    Side m_a, m_b;
    const Side* m_active = nullptr;
    std::vector<bool> m_isWanted;                ///< by node id of B
    std::unordered_map<NodeId, Value> m_waiting; ///< by node of B
    const Value m_nothing;
};

void compareOutputs(const Value& a, const Value& b, const Tolerances& tolerances, VerifyReport& report) {
    bool equal = true, close = true;
    const auto notComparable = [&](const std::string& path, const std::string& why) {
        if (report.reason.empty()) report.reason = (path.empty() ? "the output: " : "output " + path + ": ") + why;
    };
    pairLeaves(
        a, b,
        [&](const std::string& path, const Value& left, const Value& right) {
            ValueDifference difference = compareLeaves(left, right, tolerances);
            if (!difference.reason.empty()) notComparable(path, difference.reason);
            equal = equal && difference.equal, close = close && difference.close;
            report.outputs.push_back({path, std::move(difference)});
        },
        notComparable);
    report.verdict = !report.reason.empty() ? Verdict::NotComparable
                     : equal                ? Verdict::Equal
                     : close                ? Verdict::Close
                                            : Verdict::Differs;
}

} // namespace

VerifyReport verify(const VerifySide& a, const VerifySide& b, const VerifyOptions& options) {
    VerifyReport report;
    Race race(a, b, options);
    race.run(report);
    compareOutputs(race.outputA(), race.outputB(), options.tolerances, report);
    report.first = race.table().first(report.verdict == Verdict::Equal || report.verdict == Verdict::Close);
    if (report.first) {
        const Node& node = a.model->graph.node(a.model->graph.find(report.first->node));
        report.first->why = differenceAt(node, b.model->graph.node(race.table().counterpart(node.id())), a, b);
    }
    report.remarks = likelyCauses(report, a, b);
    if (!report.first && report.verdict >= Verdict::Differs) { // what differs is not comparable
        const Graph &graphA = a.model->graph, &graphB = b.model->graph;
        const NodeId outputA = graphA.outputNode(), outputB = graphB.outputNode();
        const std::string why = outputA == kNoNode || outputB == kNoNode
                                    ? std::string()
                                    : differenceAt(graphA.node(outputA), graphB.node(outputB), a, b);
        if (!why.empty()) report.remarks.push_back(why);
    }
    return report;
}

} // namespace fx::engine
