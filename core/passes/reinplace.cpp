// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/reinplace.h"

#include "core/passes/inplace_forms.h"
#include "core/passes/sort_users.h"
#include "core/passes/value_facts.h"
#include "core/shapes/annotate.h"
#include "core/trace/callables.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <unordered_map>

namespace fx {
namespace {

/// `torch._debug_has_internal_overlap(tensor) == 1`.
bool overlapsItself(const Node& node) {
    const auto sizes = knownSizes(node), strides = knownStrides(node);
    if (!sizes || !strides) return true;
    for (std::size_t i = 0; i < sizes->size(); ++i)
        if ((*strides)[i] == 0 && (*sizes)[i] > 1) return true;
    return false;
}

std::int64_t elements(const std::vector<std::int64_t>& sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

/// Values by the memory that they lie in; memories become one when an operator is made to write in place.
class Memory {
public:
    explicit Memory(const GraphModule& model) {
        m_of = CallSemantics(*model.root).memoryOf(model.graph);
        for (const Node& node : model.graph.nodes()) {
            m_values[m_of[index(node.id())]].push_back(node.id());
            if (node.op() == Op::Placeholder || node.op() == Op::GetAttr) m_foreign.insert(m_of[index(node.id())]);
        }
    }
    bool isForeign(NodeId id) const { return m_foreign.contains(of(id)); }
    bool areSame(NodeId a, NodeId b) const { return of(a) == of(b); }
    const std::vector<NodeId>& aliases(NodeId id) const { return m_values.at(of(id)); }
    void join(NodeId a, NodeId b) {
        NodeId into = of(a), from = of(b);
        if (into == from) return;
        if (m_values[into].size() < m_values[from].size()) std::swap(into, from);
        for (const NodeId value : m_values[from]) m_of[index(value)] = into, m_values[into].push_back(value);
        if (m_foreign.contains(from)) m_foreign.insert(into);
        m_values.erase(from);
    }

private:
    NodeId of(NodeId id) const { return m_of[index(id)]; }
    std::vector<NodeId> m_of;
    std::unordered_map<NodeId, std::vector<NodeId>> m_values;
    std::set<NodeId> m_foreign;
};

class Reinplacing {
public:
    explicit Reinplacing(const PassRun& run) : m_run(run), m_graph(run.graph()), m_memory(run.model) {}

    bool all() {
        const std::size_t known = m_graph.idLimit();
        bool changed = false;
        for (const NodeId id : m_graph.order()) {
            m_run.progress.check();
            m_isNew = [known](NodeId each) { return index(each) >= known; };
            if (mayWrite(m_graph.node(id))) changed |= writeInPlace(id);
        }
        // Users of a view_scatter call name what it wrote to; those that were passed over in between go last.
        std::vector<NodeId> gone(m_gone.begin(), m_gone.end());
        std::sort(gone.begin(), gone.end(), [&](NodeId a, NodeId b) { return m_graph.isBefore(b, a); });
        for (const NodeId id : gone) m_graph.erase(id);
        return changed;
    }

private:
    /// Steps 1a to 1c of torch.fx: what can be told from the call itself.
    bool mayWrite(const Node& node) const {
        if (node.op() != Op::CallFunction || !takesTensorFirst(node) || m_gone.contains(node.id())) return false;
        const NodeId self = node.args()[0].node();
        const Node& written = m_graph.node(self);
        const auto sizes = knownSizes(written), result = knownSizes(node);
        const bool isOnePiece = sizes && result; // a tuple of results has as many leaves as nothing else
        if (isOnePiece &&
            (elements(*sizes) != elements(*result) || knownDtype(written) != knownDtype(node) ||
             overlapsItself(written)) &&
            node.target() != "torch.ops.aten.resize.default")
            return false;
        return isOnePiece && !m_memory.isForeign(self) &&
               std::count(node.args().begin(), node.args().end(), Argument(self)) == 1;
    }

    /// What reads the memory of the argument after the call, views of it aside.
    std::vector<NodeId> laterUses(NodeId self, NodeId call) const {
        std::set<NodeId> uses;
        for (const NodeId alias : m_memory.aliases(self)) {
            if (m_graph.node(alias).erased()) continue;
            for (const NodeId user : m_graph.node(alias).users()) {
                if (m_isNew(user) || !m_graph.isBefore(call, user)) continue;
                const Node& node = m_graph.node(user);
                const bool isOverload = node.callable() && node.callable()->kind == Callable::Kind::OpOverload;
                if (m_memory.areSame(alias, user) && (isOverload || node.target() == "_operator.getitem")) continue;
                uses.insert(user);
            }
        }
        std::vector<NodeId> out(uses.begin(), uses.end());
        std::sort(out.begin(), out.end(), [&](NodeId a, NodeId b) { return m_graph.isBefore(a, b); });
        return out;
    }

    /// The call undoes a view of the memory: what it would write is there already.
    bool undoesView(const Node& scatter, NodeId self) const {
        const std::string_view view = viewUndoneBy(scatter);
        if (view.empty() || scatter.args().size() < 2 || !scatter.args()[0].isNode()) return false;
        const Node& base = m_graph.node(scatter.args()[0].node());
        const auto wanted = argumentTexts(scatter, 2);
        return std::any_of(m_memory.aliases(self).begin(), m_memory.aliases(self).end(), [&](NodeId alias) {
            const Node& node = m_graph.node(alias);
            if (node.erased() || node.target() != view || !node.args()[0].isNode()) return false;
            const Node& viewed = m_graph.node(node.args()[0].node());
            return argumentTexts(node, 1) == wanted && knownSizes(viewed) == knownSizes(base) &&
                   knownStrides(viewed) == knownStrides(base);
        });
    }

    bool writeInPlace(NodeId id) {
        const NodeId self = m_graph.node(id).args()[0].node();
        const std::vector<NodeId> uses = laterUses(self, id);
        if (!std::all_of(uses.begin(), uses.end(), [&](NodeId use) { return undoesView(m_graph.node(use), self); }))
            return false;
        const bool isScatter = !viewUndoneBy(m_graph.node(id)).empty();
        const std::string form = isScatter ? std::string() : inplaceForm(m_graph.node(id));
        if (!isScatter && form.empty()) return false;
        return m_run.rewrite(id, [&] {
            if (isScatter) copyIntoView(id);
            else m_graph.setCallable(id, resolveCallable(form));
            m_memory.join(self, id);
            m_gone.insert(uses.begin(), uses.end());
            useArgument(id, id);
            for (const NodeId use : uses) useArgument(use, id);
        });
    }

    /// base = select_scatter(base, part, …) becomes select(base, …).copy_(part).
    void copyIntoView(NodeId id) {
        const Node& node = m_graph.node(id);
        std::vector<Argument> args = node.args();
        const Argument part = args[1];
        args.erase(args.begin() + 1);
        const Kwargs kwargs = node.kwargs();
        m_graph.setInsertPoint({InsertPoint::Side::Before, id});
        const NodeId view = m_graph.callFunction(resolveCallable(viewUndoneBy(node)), std::move(args), kwargs);
        m_graph.callFunction(resolveCallable("torch.ops.aten.copy_.default"), {view, part});
        m_graph.setInsertPoint({});
        m_gone.insert(id);
    }

    /// Later users of a value take what it wrote to.
    void useArgument(NodeId old, NodeId call) {
        const NodeId written = m_graph.node(old).args()[0].node();
        m_graph.replaceAllUses(old, written,
                               [&](NodeId user) { return m_isNew(user) || !m_graph.isBefore(call, user); });
        m_memory.join(old, written);
        sortUsers(m_graph, written);
    }

    const PassRun& m_run;
    Graph& m_graph;
    Memory m_memory;
    std::set<NodeId> m_gone;
    std::function<bool(NodeId)> m_isNew;
};

bool reinplace(const PassRun& run) {
    bool isKnown = true;
    for (const Node& node : run.graph().nodes()) isKnown = isKnown && !(node.callable() && node.meta().values.empty());
    if (run.engine && !isKnown) noteShapes(run.graph(), run.engine->shapes(run.model));
    return Reinplacing(run).all();
}

} // namespace

Pass reinplacePass() {
    return {"reinplace",
            "makes operators of a functional ATen graph write in place where nothing needs the old value",
            {},
            reinplace,
            {}};
}

} // namespace fx
