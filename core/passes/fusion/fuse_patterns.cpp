// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/fusion/fuse_patterns.h"

#include "core/base/listed.h"
#include "core/match/rewriter.h"
#include "core/module/call_semantics.h"
#include "core/passes/fusion/fused_call.h"
#include "core/passes/fusion/pattern_checks.h"
#include "core/passes/module_uses.h"
#include "core/python/tracing/trace_definition.h"

#include <algorithm>

namespace fx {
namespace {

/// A pattern of the library, traced.
struct Traced {
    const LibraryPattern& library;
    GraphModule pattern, replacement, aten;
    Relaxations relaxations;
};

/// The functions of all patterns as one source, each with a name of its own.
std::string librarySource() {
    std::string text;
    int count = 0;
    for (const LibraryPattern& each : patternLibrary())
        for (const std::string* function : {&each.source, &each.replacement, &each.aten})
            text += "def f" + std::to_string(count++) + function->substr(function->find('('));
    return text;
}

const std::vector<Traced>& tracedLibrary() {
    static const std::vector<Traced> kTraced = [] {
        std::vector<GraphModule> functions = traceFunctions(librarySource());
        auto next = functions.begin();
        std::vector<Traced> out;
        for (const LibraryPattern& each : patternLibrary()) {
            Traced traced{each, std::move(*next++), std::move(*next++), std::move(*next++), {}};
            traced.relaxations.commutative = true;
            for (const Node& node : traced.pattern.graph.nodes()) {
                if (!node.isCall()) continue;
                traced.relaxations.targets[node.id()] = spellingsOf(node);
                const std::string name = canonicalName(node);
                if (name != "add" && name != "mul") // which have no other arguments, and may be turned around
                    traced.relaxations.arguments[node.id()] = {"*"};
            }
            out.push_back(std::move(traced));
        }
        return out;
    }();
    return kTraced;
}

bool isAten(const GraphModule& model) {
    if (!model.lifted.empty()) return true;
    for (const Node& node : model.graph.nodes())
        if (node.op() == Op::CallFunction && node.target().starts_with("torch.ops.aten.")) return true;
    return false;
}

/// Replaces the matches of one pattern.
class Fusion {
public:
    Fusion(const PassRun& run, const Traced& traced, bool aten) : m_run(run), m_traced(traced), m_aten(aten) {}

    bool all(std::set<std::string>& modules) {
        std::optional<PatternChecks> checks; // made for the first match
        RewriteOptions options;
        options.relaxations = m_traced.relaxations;
        options.filters = {[&](const InternalMatch& match, const GraphModule&, const GraphModule&) {
            if (!checks) checks.emplace(m_run.model, m_traced.library, m_traced.pattern.graph);
            return checks->accept(match, m_aten);
        }};
        options.mayReplace = [&](const InternalMatch& match) { return begin(match, modules); };
        options.afterReplacing = [&](const ReplacedPattern& replaced) { end(replaced); };
        return !replacePattern(m_run.model, m_traced.pattern, m_aten ? m_traced.aten : m_traced.replacement, options,
                               m_run.progress)
                    .empty();
    }

private:
    bool begin(const InternalMatch& match, std::set<std::string>& modules) {
        const Graph& graph = m_run.graph();
        const NodeId result = match.returningNodes[0].value.node();
        if (m_run.watch && !m_run.watch->begin(result, m_run.model)) return false;
        m_values = graph.node(result).meta().values;
        for (const auto& [id, bound] : match.nodesMap)
            if (bound.value.isNode() && graph.node(bound.value.node()).op() == Op::CallModule)
                modules.insert(graph.node(bound.value.node()).target());
        return true;
    }

    void end(const ReplacedPattern& replaced) {
        tidyFusedCall(m_run.model, replaced.replacements, m_values);
        if (m_run.watch) m_run.watch->end(m_run.model);
    }

    const PassRun& m_run;
    const Traced& m_traced;
    const bool m_aten;
    std::vector<ValueInfo> m_values; ///< of the match that is being replaced
};

bool fusePatterns(const PassRun& run) {
    const std::vector<std::string> wanted = run.settings.texts("operators"), known = libraryNames();
    for (const std::string& name : wanted)
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            const std::string listed = joined(known);
            throw Error(ErrorKind::Refused, Message("passes.unknown_operator", {{"name", name}, {"known", listed}}));
        }
    const bool aten = isAten(run.model);
    std::set<std::string> modules;
    bool changed = false;
    for (const Traced& traced : tracedLibrary()) {
        run.progress.check();
        if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), traced.library.name) == wanted.end()) continue;
        changed |= Fusion(run, traced, aten).all(modules);
    }
    removeUnusedModules(run.model, modules);
    return changed;
}

} // namespace

Pass fusePatternsPass() {
    return {
        "fuse_patterns",
        "replaces decomposed attention, normalisation and activations by one operator each",
        {{"operators",
          "operators to look for: scaled_dot_product_attention, layer_norm, rms_norm, gelu, hardswish, hardsigmoid, "
          "mish, silu; all if empty",
          "[]"}},
        fusePatterns,
        {}};
}

} // namespace fx
