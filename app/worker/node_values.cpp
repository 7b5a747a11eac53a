// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/worker/node_values.h"

#include "app/worker/model_inputs.h"
#include "core/engine/machine.h"
#include "core/engine/stepped_run.h"
#include "core/engine/verify/compare.h"
#include "core/engine/view_value.h"

#include <algorithm>
#include <chrono>
#include <map>

namespace app {
namespace {

using fx::engine::Interpreter;
using fx::engine::RunInputs;
using fx::engine::TensorStore;
using fx::engine::Value;

constexpr std::size_t kMostParts = 1000;

/// A value taken apart, and what was found out about its parts.
struct Parts {
    std::vector<std::pair<std::string, Value>> values;
    std::map<std::size_t, fx::TensorStatistics> statistics;

    Parts() = default;
    explicit Parts(const Value& whole) {
        fx::engine::pairLeaves(
            whole, whole,
            [this](const std::string& path, const Value& value, const Value&) {
                if (values.size() < kMostParts) values.emplace_back(path, value);
            },
            [](const std::string&, const fx::Message&) {});
        if (values.empty()) values.emplace_back("", whole);
    }
};

/// The node that was looked at last: another part or slice of it needs no run.
struct Looked {
    std::string key; ///< of what was run; empty: nothing that may be used again
    Parts value, original;
    bool hasOriginal = false;
    std::map<std::size_t, fx::ValueDifference> differences;
    std::vector<std::string> inputs;
    std::string noOriginal;
    double millis = 0;
};

const fx::Node& nodeOf(const fx::GraphModule& model, const std::string& name) {
    const fx::NodeId id = model.graph.find(name);
    if (id == fx::kNoNode) throw fx::Error(fx::ErrorKind::Usage, fx::Message("worker.unknown_node", {{"name", name}}));
    return model.graph.node(id);
}

/// What the node gives, taken before anything later can write over it.
Value valueAt(Interpreter& interpreter, const std::string& name, RunInputs inputs, const Context& context) {
    const fx::Node& wanted = nodeOf(interpreter.model(), name);
    fx::engine::SteppedRun run(interpreter, std::move(inputs));
    const auto all = static_cast<double>(interpreter.model().graph.size());
    for (double done = 0; const fx::Node* node = run.next(); ++done) {
        if (node->id() == wanted.id()) return run.value();
        context.checkAt(*node);
        context.progress.report("running " + node->name(), done / all);
    }
    throw fx::Error(fx::ErrorKind::Run, fx::Message("worker.node_not_run", {{"name", name}})).onNode(name);
}

/// Models in files, and inputs that are given as values, may be others next time.
std::string keyOf(const fx::remote::ValuesRequest& request) {
    const bool given =
        request.run.inputs || std::any_of(request.run.random.begin(), request.run.random.end(),
                                          [](const fx::InputSpec& input) { return input.given.has_value(); });
    if (given || request.run.model.handle == 0 || (request.original && request.original->handle == 0)) return {};
    const std::uint64_t original = request.original ? request.original->handle : 0;
    return fx::remote::toFrame(request.run, 0, true).json + std::to_string(request.run.model.handle) + ' ' +
           std::to_string(original) + ' ' + request.node;
}

/// That the original cannot be run, or has no such node, hides nothing of the model itself.
void runOriginal(Interpreter& original, const std::string& name, RunInputs inputs, Looked& out,
                 const Context& context) {
    if (original.model().graph.find(name) == fx::kNoNode) {
        out.noOriginal = "the original has no node of this name";
        return;
    }
    try {
        out.original = Parts(valueAt(original, name, std::move(inputs), context));
        out.hasOriginal = true;
    } catch (const fx::Error& error) {
        if (error.kind() == fx::ErrorKind::Cancelled) throw;
        out.noOriginal = "the original cannot be run: " + std::string(error.what());
    }
}

Looked look(const fx::remote::ValuesRequest& request, const Context& context) {
    const auto model = context.models.get(request.run.model),
               original = request.original ? context.models.get(*request.original) : nullptr;
    nodeOf(*model, request.node);
    const auto tensors = std::make_shared<TensorStore>(), originals = std::make_shared<TensorStore>();
    Interpreter interpreter(model, tensors);
    Looked out;
    const auto start = std::chrono::steady_clock::now();
    if (!original) {
        ModelInputs inputs = makeInputs(*model, interpreter.inputs(), request.run, *tensors);
        out.inputs = std::move(inputs.told);
        out.value = Parts(valueAt(interpreter, request.node, std::move(inputs.values), context));
    } else {
        Interpreter other(original, originals);
        ModelInputs inputs = makeInputs(*original, other.inputs(), request.run, *originals);
        out.inputs = std::move(inputs.told);
        const auto names = inputNames(other, false);
        RunInputs mine = forOther(inputs.values, names, inputNames(interpreter, false));
        out.value = Parts(valueAt(interpreter, request.node, std::move(mine), context));
        runOriginal(other, request.node, std::move(inputs.values), out, context);
    }
    out.millis = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    out.key = keyOf(request);
    return out;
}

fx::ValueView viewOf(Parts& parts, std::size_t part, const fx::ValueSlice& slice, const Context& context) {
    const Value& value = parts.values[part].second;
    fx::ValueView view = fx::engine::viewOf(value, slice);
    if (!view.isTensor()) return view;
    auto known = parts.statistics.find(part);
    if (known == parts.statistics.end())
        known = parts.statistics.emplace(part, fx::engine::statisticsOf(value.tensor(), context.progress)).first;
    view.statistics = known->second;
    return view;
}

void compare(Looked& looked, std::size_t part, fx::NodeValues& out, const Context& context) {
    const std::string& path = out.parts[part];
    const auto& others = looked.original.values;
    const auto other = std::find_if(others.begin(), others.end(), [&](const auto& each) { return each.first == path; });
    if (other == others.end()) {
        out.noOriginal = "the value of the original has no such part";
        return;
    }
    const auto place = static_cast<std::size_t>(other - others.begin());
    out.original = viewOf(looked.original, place, out.value.slice, context);
    auto known = looked.differences.find(part);
    if (known == looked.differences.end())
        known = looked.differences
                    .emplace(part, fx::engine::compareLeaves(other->second, looked.value.values[part].second, {}))
                    .first;
    out.difference = known->second;
}

} // namespace

fx::NodeValues nodeValues(const fx::remote::ValuesRequest& request, const Context& context) {
    static Looked looked; // one thread serves
    fx::engine::setThreads(request.run.threads);
    const std::string key = keyOf(request);
    fx::NodeValues out;
    try {
        if (key.empty() || key != looked.key) {
            looked = {};
            looked = look(request, context);
            out.millis = looked.millis;
        }
        for (const auto& [path, value] : looked.value.values) out.parts.push_back(path);
        out.part = std::clamp<std::int64_t>(request.part, 0, std::ssize(out.parts) - 1);
        out.inputs = looked.inputs, out.noOriginal = looked.noOriginal;
        const auto part = static_cast<std::size_t>(out.part);
        out.value = viewOf(looked.value, part, request.slice, context);
        if (looked.hasOriginal) compare(looked, part, out, context);
    } catch (const fx::remote::MissingModels&) {
        throw; // not a failure: the client sends them
    } catch (const fx::Error& error) {
        if (!error.node.empty() || error.kind() != fx::ErrorKind::Run) throw;
        throw fx::Error(error).onNode(request.node);
    }
    return out;
}

} // namespace app
