// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/preparation/fuse_modules.h"

#include "core/diag/error.h"
#include "core/module/copy_modules.h"
#include "core/module/module_editor.h"
#include "core/quant/preparation/fused_module.h"

#include <algorithm>
#include <unordered_map>

namespace fx::quant {
namespace {

/// A fusion at its place: what matched, nested as the pattern.
struct Fusion {
    const PatternConfig* config = nullptr;
    NodeId last = kNoNode;
    MatchedPart matched;
};

class Fusing {
public:
    Fusing(TracedModel& traced, const BackendConfig& backend, bool isQat)
        : m_traced(traced), m_backend(backend), m_isQat(isQat), m_heads(traced.model), m_paths(*traced.model.root),
          m_fusionOf(traced.model.graph.idLimit(), -1) {}

    void run() {
        findAll();
        if (!m_fusions.empty()) rebuild();
    }

private:
    const Graph& graph() const { return m_traced.model.graph; }

    /// torch.ao `apply_match`: nodes that are taken already are left out.
    void take(const Pattern& pattern, const Argument& value, std::int64_t number, MatchedPart& out) {
        if (!pattern.arguments.empty()) {
            MatchedPart inner;
            Pattern head = pattern;
            head.arguments.clear();
            take(head, value, number, inner);
            const auto& args = graph().node(value.node()).args();
            for (std::size_t i = 0; i < pattern.arguments.size() && i < args.size(); ++i)
                take(pattern.arguments[i], args[i], number, inner);
            out.parts.push_back(std::move(inner));
            return;
        }
        if (!value.isNode()) // PyTorch asks it for its name
            throw Error(ErrorKind::Refused, Message("quant.fusion_argument")).onNode(graph().node(m_at).name());
        if (m_fusionOf[index(value.node())] >= 0) return;
        out.parts.push_back({value, {}});
        if (pattern.kind != Pattern::Kind::Any) m_fusionOf[index(value.node())] = number;
    }

    void findAll() {
        for (NodeId id = graph().last(); id != kNoNode; id = graph().prev(id)) {
            if (m_fusionOf[index(id)] >= 0 || !graph().node(id).isCall()) continue;
            for (const std::uint32_t each : m_backend.fusions(m_heads.key(id))) {
                const PatternConfig& config = m_backend.patterns()[each];
                if (!matches(m_heads, id, config.pattern)) continue;
                MatchedPart matched;
                m_at = id;
                take(config.pattern, id, static_cast<std::int64_t>(m_fusions.size()), matched);
                m_fusions.push_back({&config, id, std::move(matched.parts.front())});
                break;
            }
        }
    }

    void rebuild() {
        Graph fused;
        std::vector<NodeId> env(graph().idLimit(), kNoNode);
        const auto mapped = [&](NodeId id) { return Argument(env[index(id)]); };
        GraphModule result = m_traced.model;
        {
            ModuleEditor editor(result);
            for (const Node& node : graph().nodes()) {
                const std::int64_t number = m_fusionOf[index(node.id())];
                if (number < 0) {
                    env[index(node.id())] = copy(fused, node, mapped);
                    continue;
                }
                const Fusion& fusion = m_fusions[static_cast<std::size_t>(number)];
                if (fusion.last != node.id()) continue;
                env[index(node.id())] = fuseAt(fused, fusion, editor, mapped);
            }
        }
        GraphModule from = result;
        result.graph = std::move(fused);
        copyModules(from, result);
        m_traced.model = std::move(result);
    }

    template<class Mapped> NodeId copy(Graph& fused, const Node& node, const Mapped& mapped) {
        const NodeId made = fused.createCopy(node, mapped, node.name());
        if (node.meta().wrapped) fused.setMeta(made, std::make_shared<const NodeMeta>(node.meta()));
        return made;
    }

    template<class Mapped>
    NodeId fuseAt(Graph& fused, const Fusion& fusion, ModuleEditor& editor, const Mapped& mapped) {
        const NodeId root =
            fusion.config->root.empty() ? fusion.matched.last() : fusion.matched.at(fusion.config->root);
        const Node& node = graph().node(root);
        if (node.op() != Op::CallModule)
            throw Error(ErrorKind::Refused, Message("quant.fusion_root")).onNode(node.name());
        const FusedModuleMaker maker(
            graph(), [&](NodeId id) { return m_paths.resolve(graph().node(id).target()).shared; }, m_isQat);
        editor.add(node.target(), maker.make(*fusion.config, fusion.matched, root));
        warnOfOtherCalls(fusion, node);
        noteLinearFolds(fusion);
        const NodeId made = copy(fused, node, mapped);
        std::vector<Argument> args = fused.node(made).args();
        for (const std::string& path : fusion.config->extraInputs) {
            const NodeId extra = fusion.matched.at(path);
            if (extra != kNoNode) args.push_back(mapped(extra));
        }
        fused.setArgs(made, std::move(args));
        return made;
    }

    /// torch.ao folds over the last dimension whatever the value, and BatchNorm1d is over the second.
    void noteLinearFolds(const Fusion& fusion) {
        for (const FusedForm::Part& each : m_isQat ? fusion.config->fusedForQat.parts : fusion.config->fused.parts) {
            const NodeId of = fusion.matched.at(each.layer),
                         after = each.norm.empty() ? kNoNode : fusion.matched.at(each.norm);
            if (of == kNoNode || after == kNoNode) continue;
            const Node &layer = graph().node(of), &norm = graph().node(after);
            const Module* made = m_paths.resolve(layer.target()).module;
            const Module* folded = m_paths.resolve(norm.target()).module;
            if (!made || !folded || made->className != "Linear" || folded->className != "BatchNorm1d") continue;
            const TensorPtr mean = folded->tensor("running_mean");
            if (mean && mean->elementCount() > 1) m_traced.linearFolds.push_back({layer.name(), norm.name()});
        }
    }

    /// torch.ao replaces the module, so that calls without the activation get it, too.
    void warnOfOtherCalls(const Fusion& fusion, const Node& root) {
        if (m_callsOf.empty())
            for (const Node& node : graph().nodes())
                if (node.op() == Op::CallModule) m_callsOf[node.target()].push_back(node.id());
        const std::vector<NodeId>& calls = m_callsOf[root.target()];
        const bool differ = std::any_of(calls.begin(), calls.end(), [&](NodeId call) {
            const std::int64_t number = m_fusionOf[index(call)];
            return number < 0 || m_fusions[static_cast<std::size_t>(number)].config != fusion.config;
        });
        if (differ)
            m_traced.warnings.push_back(
                {Message("quant.fused_calls", {{"module", root.target()}, {"count", calls.size()}}),
                 root.name(),
                 root.target(),
                 {}});
    }

    TracedModel& m_traced;
    const BackendConfig& m_backend;
    bool m_isQat;
    NodeHeads m_heads;
    PathResolver m_paths;
    std::vector<std::int64_t> m_fusionOf; ///< by NodeId; -1: none
    std::vector<Fusion> m_fusions;
    std::unordered_map<std::string, std::vector<NodeId>> m_callsOf; ///< by path; filled when it is needed
    NodeId m_at = kNoNode; ///< the last node of the fusion that is being recorded
};

} // namespace

void fuseTraced(TracedModel& traced, const BackendConfig& backend, bool isQat) { Fusing(traced, backend, isQat).run(); }

GraphModule fuse(const GraphModule& model, const BackendConfig& backend, bool isQat) {
    TracedModel traced = traceForQuantisation(model);
    fuseTraced(traced, backend, isQat);
    return std::move(traced.model);
}

} // namespace fx::quant
