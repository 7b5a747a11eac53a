// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/engine/timing/node_times.h"

#include "core/engine/draw.h"
#include "core/engine/shapes/shapes.h"
#include "core/engine/timing/verbose_capture.h"
#include "core/shapes/cost.h"
#include "core/timing/statistics.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <numeric>

namespace fx::engine {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t kFewestRuns = 24, kMostRuns = 300;

double msSince(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

RunInputs copiesOf(RunInputs inputs) {
    for (Value& each : inputs.positional) each = copyOf(each);
    for (auto& [name, each] : inputs.named) each = copyOf(each);
    return inputs;
}

/// Places of the fastest third of the runs by whole time.
std::vector<std::size_t> fastest(const std::vector<double>& wholes) {
    std::vector<std::size_t> order(wholes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return wholes[a] < wholes[b]; });
    order.resize((order.size() + 2) / 3);
    return order;
}

double meanOver(const std::vector<double>& values, const std::vector<std::size_t>& places) {
    double sum = 0;
    for (const std::size_t place : places) sum += values[place];
    return sum / static_cast<double>(places.size());
}

class NodeTimer {
public:
    NodeTimer(Interpreter& interpreter, const RunInputs& inputs)
        : m_interpreter(interpreter), m_inputs(inputs), m_starts(interpreter.model().graph.size() + 1) {
        m_times.resize(interpreter.model().graph.size());
    }

    void plainRun() {
        const RunInputs inputs = copiesOf(m_inputs);
        const auto start = Clock::now();
        m_interpreter.run(inputs);
        m_plain.push_back(msSince(start));
    }

    void timedRun() {
        const RunInputs inputs = copiesOf(m_inputs);
        std::size_t next = 0;
        const auto start = Clock::now();
        m_interpreter.run(inputs, {[&](const Node&) { m_starts[next++] = Clock::now(); }, {}});
        m_starts[next] = Clock::now();
        for (std::size_t i = 0; i < next; ++i)
            m_times[i].push_back(
                std::chrono::duration<double, std::milli>(m_starts[i + 1] - (i == 0 ? start : m_starts[i])).count());
        m_timed.push_back(std::chrono::duration<double, std::milli>(m_starts[next] - start).count());
    }

    std::size_t runs() const { return m_timed.size(); }

    timing::NodeReport report() const {
        timing::NodeReport out;
        const auto kept = fastest(m_timed);
        out.wholeMs = meanOver(m_plain, fastest(m_plain));
        out.runs = m_timed.size();
        std::size_t place = 0;
        const GraphModule& model = m_interpreter.model();
        PathResolver paths(*model.root);
        for (const Node& node : model.graph.nodes()) {
            timing::NodeTiming each;
            each.name = node.name(), each.op = opName(node.op()), each.target = node.target();
            if (node.op() == Op::CallModule)
                if (const PathTarget target = paths.resolve(node.target()); target.module)
                    each.target = target.module->qualifiedType();
            each.ms = meanOver(m_times[place], kept);
            each.iqrMs = timing::quantile(m_times[place], 0.75) - timing::quantile(m_times[place], 0.25);
            out.sumMs += each.ms;
            ++place;
            out.nodes.push_back(std::move(each));
        }
        for (timing::NodeTiming& each : out.nodes) each.share = each.ms / std::max(out.sumMs, 1e-12);
        return out;
    }

private:
    Interpreter& m_interpreter;
    const RunInputs& m_inputs;
    std::vector<Clock::time_point> m_starts;
    std::vector<std::vector<double>> m_times; ///< by place in the graph, then by run
    std::vector<double> m_plain, m_timed;
};

std::string formatName(const Value& value) {
    if (!value.isTensor() || value.tensor().layout() != at::kStrided) return {};
    if (value.tensor().is_contiguous()) return "contiguous";
    if (value.tensor().is_contiguous(at::MemoryFormat::ChannelsLast)) return "channels_last";
    return value.tensor().is_contiguous(at::MemoryFormat::ChannelsLast3d) ? "channels_last_3d" : "";
}

void addInfos(std::vector<ValueInfo>& out, const Value& value) {
    if (value.isTensor()) out.push_back(infoOf(value.tensor()));
    if (const Items* items = value.items())
        for (const Value& each : items->items) addInfos(out, each);
}

/// What nodes compute and move, from the shapes of a run.
class Costs {
public:
    Costs() { m_shapes.ran = true; }
    void see(const Node& node, const Value& result) {
        addInfos(m_shapes.nodes.emplace_back(node.name(), std::vector<ValueInfo>()).second, result);
    }
    void tell(timing::NodeReport& report, const GraphModule& model) const {
        CostModel costs(model, m_shapes);
        std::size_t place = 0;
        for (const Node& node : model.graph.nodes()) {
            const NodeCost cost = costs.of(node);
            timing::NodeTiming& each = report.nodes[place++];
            if (cost.kind != NodeCost::Kind::Unknown) each.flops = cost.flops, each.bytes = cost.bytes();
        }
    }

private:
    NodeShapes m_shapes;
};

/// Runs the model once with oneDNN telling what it does.
void observe(timing::NodeReport& report, Interpreter& interpreter, const RunInputs& inputs) {
    Costs costs;
    std::size_t place = 0;
    oneDnnDescription(); // its first lines are no node's
    VerboseCapture capture;
    const auto after = [&](const Node& node, const Value& result) {
        timing::NodeTiming& each = report.nodes[place++];
        each.primitives = capture.take().primitives;
        each.reorders =
            static_cast<std::size_t>(std::count_if(each.primitives.begin(), each.primitives.end(),
                                                   [](const auto& primitive) { return primitive.isReorder(); }));
        report.reorders += each.reorders;
        costs.see(node, result);
        each.memoryFormat = formatName(result);
    };
    interpreter.run(copiesOf(inputs), {{}, after});
    costs.tell(report, interpreter.model());
}

void addTypes(timing::NodeReport& report) {
    std::map<std::string, timing::TypeTotal> types;
    for (const timing::NodeTiming& each : report.nodes) {
        if (!each.op.starts_with("call_")) continue;
        timing::TypeTotal& total = types[each.op == "call_method" ? "Tensor." + each.target : each.target];
        ++total.count, total.ms += each.ms, total.share += each.share, total.flops += each.flops.value_or(0);
    }
    for (auto& [target, total] : types) {
        total.target = target;
        report.types.push_back(total);
    }
    std::stable_sort(report.types.begin(), report.types.end(),
                     [](const auto& a, const auto& b) { return a.ms > b.ms; });
}

} // namespace

timing::Subject subjectOf(Interpreter& interpreter, RunInputs inputs) {
    return [&interpreter, inputs = std::move(inputs)](std::size_t runs) {
        const RunInputs copies = copiesOf(inputs);
        const auto start = Clock::now();
        for (std::size_t i = 0; i < runs; ++i) interpreter.run(copies);
        return msSince(start);
    };
}

timing::NodeReport timeNodes(Interpreter& interpreter, const RunInputs& inputs, double seconds,
                             const Progress& progress, double begin, double end) {
    NodeTimer timer(interpreter, inputs);
    const auto start = Clock::now();
    while (timer.runs() < kFewestRuns || (timer.runs() < kMostRuns && msSince(start) < seconds * 1000)) {
        progress.check();
        progress.report("timing nodes", begin + (end - begin) * std::min(0.99, msSince(start) / (seconds * 1000)));
        if (timer.runs() % 2 == 0) timer.plainRun(), timer.timedRun();
        else timer.timedRun(), timer.plainRun();
        if (timer.runs() >= 3 && msSince(start) > 3000 * seconds)
            break; // a model that runs for long is not run so often
    }
    timing::NodeReport report = timer.report();
    progress.check();
    observe(report, interpreter, inputs);
    addTypes(report);
    return report;
}

} // namespace fx::engine
