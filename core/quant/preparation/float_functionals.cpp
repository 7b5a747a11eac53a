// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/quant/preparation/float_functionals.h"

#include "core/base/joined_path.h"
#include "core/diag/error.h"
#include "core/module/module_editor.h"
#include "core/python/tracing/source_scopes.h"
#include "core/quant/module_values.h"

#include <algorithm>

namespace fx::quant {
namespace {

constexpr std::string_view kFloatFunctional = "torch.ao.nn.quantized.modules.functional_modules.FloatFunctional";
constexpr std::string_view kFxFloatFunctional = "torch.ao.nn.quantized.modules.functional_modules.FXFloatFunctional";

class Swap {
public:
    Swap(TracedModel& traced, const SourceScopes* known) : m_traced(traced), m_known(known) {}

    void run(bool isTraced) {
        std::vector<std::string> holders;
        forEachModule(*m_traced.model.root, [&](const std::string& path, const Module& module) {
            if (hasFloatFunctional(module)) holders.push_back(path);
        });
        if (holders.empty()) return;
        if (!isTraced && m_known && m_known->ownMember) refuse(m_known->ownMember->type, m_known->ownMember->name);
        dropIdentities();
        ModuleEditor editor(m_traced.model);
        for (const std::string& path : holders) {
            std::vector<Module::Child>& children = editor.writable(path)->children;
            // PyTorch deletes and adds them: they stand last.
            const auto swapped =
                std::stable_partition(children.begin(), children.end(), [&](const Module::Child& each) {
                    return !each.module || !isFloatFunctional(*each.module);
                });
            for (auto child = swapped; child != children.end(); ++child)
                child->module = emptyModule(kFxFloatFunctional);
        }
    }

private:
    bool isFloatFunctional(const Module& module) const {
        const std::string type = module.qualifiedType();
        if (type == kFloatFunctional) return true;
        return m_known && std::find(m_known->floatFunctionals.begin(), m_known->floatFunctionals.end(), type) !=
                              m_known->floatFunctionals.end();
    }

    bool hasFloatFunctional(const Module& module) const {
        return std::any_of(module.children.begin(), module.children.end(),
                           [&](const Module::Child& each) { return each.module && isFloatFunctional(*each.module); });
    }

    /// The swapped module calls no Identity, and has no other member either.
    void dropIdentities() {
        Graph& graph = m_traced.model.graph;
        PathResolver paths(*m_traced.model.root);
        for (const NodeId id : graph.order()) {
            const Node& node = graph.node(id);
            if (node.op() != Op::CallModule && node.op() != Op::GetAttr) continue;
            const Module* holder = paths.resolve(parentPath(node.target())).module;
            if (!holder || !isFloatFunctional(*holder)) continue;
            const bool isIdentity = node.op() == Op::CallModule && node.target().ends_with(".activation_post_process");
            if (!isIdentity || node.args().empty() || !node.args()[0].isNode())
                refuse(holder->qualifiedType(), node.target().substr(node.target().rfind('.') + 1));
            const NodeId result = node.args()[0].node();
            m_traced.scopes.erase(node.name());
            graph.replaceAllUses(id, result);
            graph.erase(id);
        }
    }

    [[noreturn]] static void refuse(const std::string& type, const std::string& member) {
        throw Error(ErrorKind::Refused, Message("quant.float_functional", {{"type", type}, {"member", member}}));
    }

    TracedModel& m_traced;
    const SourceScopes* m_known;
};

} // namespace

void swapFloatFunctionals(TracedModel& traced, const SourceScopes* known, bool isTraced) {
    if (!known || !known->hasSwapped) Swap(traced, known).run(isTraced);
}

} // namespace fx::quant
