// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/retrace_pass.h"

#include "core/base/glob.h"
#include "core/ir/print.h"
#include "core/passes/module_uses.h"
#include "core/python/execution/missing_names.h"
#include "core/python/tracing/graph_code.h"
#include "core/python/tracing/trace_forward.h"

#include <algorithm>

namespace fx {
namespace {
using namespace python;

/// Which modules are traced through: by type, with or without its Python module, or by path.
class LeafChoice {
public:
    explicit LeafChoice(const PassSettings& settings)
        : m_inlined(settings.texts("inline")), m_kept(settings.texts("keep")) {}

    bool isLeaf(Interpreter& in, const Instance& module, const std::string& path) const {
        const auto isNamed = [&](const std::string& pattern) {
            const Module& each = *module.module;
            return globMatches(pattern, path) || globMatches(pattern, each.className) ||
                   globMatches(pattern, each.qualifiedType()) || pattern == "torch.nn." + each.className;
        };
        if (std::any_of(m_kept.begin(), m_kept.end(), isNamed)) return true;
        return std::none_of(m_inlined.begin(), m_inlined.end(), isNamed) && in.modules().isLeaf(module);
    }

private:
    std::vector<std::string> m_inlined, m_kept;
};

/// Where a node was made and what it gives is known if the same node stood in the old graph.
void keepMeta(const Graph& before, Graph& after) {
    for (const NodeId id : after.order()) {
        const Node& node = after.node(id);
        const NodeId old = before.find(node.name());
        if (old == kNoNode) continue;
        const Node& same = before.node(old);
        const bool wrapped = node.meta().wrapped;
        if (same.op() != node.op() || same.target() != node.target() || same.meta().wrapped != wrapped) continue;
        after.setMeta(id, std::make_shared<const NodeMeta>(same.meta()));
    }
}

std::set<std::string> calledModules(const Graph& graph) {
    std::set<std::string> paths;
    for (const Node& node : graph.nodes())
        if (node.op() == Op::CallModule) paths.insert(node.target());
    return paths;
}

Graph traced(const PassRun& run) {
    const LeafChoice choice(run.settings);
    Sources sources("graph_module/forward.py", "", {});
    TorchGenerator random(0, NewWeights::ShapesOnly, run.progress);
    Interpreter in(sources, random, run.progress);
    Graph graph;
    trace::ModuleIndex index(*run.model.root);
    trace::Tracer tracer(graph, index, trace::Tracer::Mode::AsPython);
    in.recordWith(tracer, false);
    TracerHooks hooks;
    hooks.isLeafModule = [&](Instance& module, const std::string& path) { return choice.isLeaf(in, module, path); };
    in.hooks = &hooks;
    PytreeForm form;
    try {
        Instance* module = graphModules(in, run.model.root, run.graph());
        in.recordWith(tracer, true);
        traceForward(in, module, {}, form);
    } catch (const Raised& raised) {
        throw Error(ErrorKind::Refused, messageOf(in, raised)).onModule(in.stack().failedModule.path);
    } catch (const trace::Stop& stop) {
        throw Error(ErrorKind::Refused, stop.message()).onModule(in.stack().failedModule.path);
    }
    run.warnings.insert(run.warnings.end(), tracer.warnings.begin(), tracer.warnings.end());
    return graph;
}

bool traceAgain(const PassRun& run) {
    if (!run.model.lifted.empty()) throw Error(ErrorKind::Refused, Message("passes.retrace_exported"));
    const std::shared_ptr<Module> before = run.model.root;
    run.model.root = std::make_shared<Module>(*before); // to which tracing may add constants
    Graph made;
    try {
        made = traced(run);
    } catch (...) {
        run.model.root = before;
        throw;
    }
    keepMeta(run.graph(), made);
    const std::set<std::string> called = calledModules(run.graph());
    const bool isSame = graphText(made) == graphText(run.graph());
    const bool isMade = !isSame && run.rewrite(run.graph().first(), [&] {
        run.graph() = std::move(made);
        removeUnusedModules(run.model, called);
    });
    if (!isMade) run.model.root = before;
    return isMade;
}

} // namespace

Pass retracePass() {
    return {"retrace",
            "traces the model again; chosen modules are traced through or kept",
            {{"inline", "modules to trace through besides GraphModules and Sequentials, by path or type; * is allowed",
              "[]"},
             {"keep", "modules that stay calls, by path or type; * is allowed", "[]"}},
            traceAgain,
            {}};
}

} // namespace fx
