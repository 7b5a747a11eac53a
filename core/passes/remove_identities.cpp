// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/remove_identities.h"

#include "core/passes/module_uses.h"
#include "core/passes/sort_users.h"
#include "core/passes/value_facts.h"

#include <algorithm>
#include <array>

namespace fx {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kConversions = {{{"float", "torch.float32"},
                                                                                        {"double", "torch.float64"},
                                                                                        {"half", "torch.float16"},
                                                                                        {"bfloat16", "torch.bfloat16"},
                                                                                        {"long", "torch.int64"}}};

/// Judges the calls of one model.
class Identities {
public:
    explicit Identities(const PassRun& run) : m_run(run), m_paths(*run.model.root), m_facts(run.model) {}

    /// The value that a call gives back; kNoNode if it does more.
    NodeId valueOf(const Node& node) {
        if (!node.isCall() || node.args().empty() || !node.args()[0].isNode()) return kNoNode;
        const NodeId input = node.args()[0].node();
        if (node.op() == Op::CallModule)
            return isIdentityModule(node) && m_run.settings.flag("modules") ? input : kNoNode;
        const std::string name = canonicalName(node);
        const bool isIdentity = (name == "detach" || name == "alias") ? m_run.settings.flag("detach") && isOnly(node)
                                : name == "clone" ? m_run.settings.flag("clone") && isNeedlessClone(node, input)
                                : isDropout(name) ? m_run.settings.flag("dropout") && isIdle(node)
                                                  : m_run.settings.flag("dtypes") && isSameDtype(node, input, name);
        return isIdentity ? input : kNoNode;
    }

private:
    static bool isOnly(const Node& node) { return node.args().size() == 1 && node.kwargs().empty(); }

    bool isIdentityModule(const Node& node) {
        const Module* module = m_paths.resolve(node.target()).module;
        if (!module || !isOnly(node)) return false;
        if (module->qualifiedType() == "torch.nn.modules.linear.Identity") return true;
        return module->classModule == "torch.nn.modules.dropout" && !module->training;
    }

    static bool isDropout(std::string_view name) {
        return name == "dropout" || name == "dropout1d" || name == "dropout2d" || name == "dropout3d" ||
               name == "alpha_dropout" || name == "feature_alpha_dropout";
    }
    /// `training` is given as false; by default these functions of torch.nn.functional drop something.
    static bool isIdle(const Node& node) {
        const Argument* training = node.argument(2, "training");
        if (!training) training = node.argument(2, "train");
        return training && training->as<bool>() && !*training->as<bool>();
    }

    /// A copy with the strides of the value, which nobody writes to.
    bool isNeedlessClone(const Node& node, NodeId input) const {
        const Argument* format = node.argument(1, "memory_format");
        const auto* constant = format ? format->as<TorchConstant>() : nullptr;
        if (format && (!constant || constant->name != "torch.preserve_format")) return false;
        const Node& original = m_run.graph().node(input);
        const bool mayOverlap = original.isCall() && canonicalName(original).starts_with("expand");
        return !mayOverlap && m_facts.mayStandFor(input, node.id());
    }

    bool isSameDtype(const Node& node, NodeId input, std::string_view name) const {
        const std::string dtype = knownDtype(m_run.graph().node(input));
        if (dtype.empty()) return false;
        const auto conversion = std::find_if(kConversions.begin(), kConversions.end(),
                                             [&](const auto& each) { return each.first == name; });
        if (conversion != kConversions.end()) return isOnly(node) && conversion->second == dtype;
        if ((name != "to" && name != "type") || node.args().size() != 2 || !node.kwargs().empty()) return false;
        const auto* wanted = node.args()[1].as<TorchConstant>();
        return wanted && wanted->name == dtype;
    }

    const PassRun& m_run;
    PathResolver m_paths;
    ValueFacts m_facts;
};

bool removeIdentities(const PassRun& run) {
    Graph& graph = run.graph();
    const std::shared_ptr<const Module> root = run.model.root;
    std::set<std::string> removed;
    bool changed = false;
    {
        Identities identities(run);
        for (const NodeId id : graph.order()) {
            run.progress.check();
            const Node& node = graph.node(id);
            const NodeId value = identities.valueOf(node);
            if (value == kNoNode) continue;
            const std::string path = node.op() == Op::CallModule ? node.target() : std::string();
            const bool made = run.rewrite(id, [&] {
                graph.replaceAllUses(id, value);
                graph.erase(id);
                sortUsers(graph, value);
            });
            if (made && !path.empty()) removed.insert(path);
            changed |= made;
        }
    }
    removeUnusedModules(run.model, removed);
    return changed;
}

} // namespace

Pass removeIdentitiesPass() {
    return {"remove_identities",
            "removes calls that return their input: detach, Identity, dropout in eval mode, unnecessary clones",
            {{"detach", "detach and alias; gradients then pass through", "true"},
             {"modules", "nn.Identity, and dropout modules in eval mode", "true"},
             {"dropout", "functions of dropout with training=False", "true"},
             {"dtypes", "conversions to the dtype that the value has (known after shape_prop)", "true"},
             {"clone", "clones, unless something writes to them or they are returned in place of an input", "true"}},
            removeIdentities,
            {}};
}

} // namespace fx
