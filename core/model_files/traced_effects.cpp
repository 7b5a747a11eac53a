// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/model_files/traced_effects.h"

#include "core/base/one_of.h"
#include "core/model_files/fixed_values.h"
#include "core/module/call_semantics.h"
#include "core/ops/python_operators.h"
#include "core/partition/operator_support.h"
#include "core/passes/inplace_forms.h"

#include <algorithm>
#include <array>

namespace fx {
namespace {

/// Functions that a proxy answers at once, as the object that it is.
constexpr std::string_view kOfObjects[] = {"_operator.is_",    "_operator.is_not", "builtins.callable",
                                           "builtins.hasattr", "builtins.id",      "builtins.isinstance",
                                           "builtins.type",    "torch.is_storage", "torch.is_tensor"};
/// Effects beside those that CallSemantics knows, which torch.fx's dead code elimination does not keep.
constexpr std::string_view kWithEffect[] = {"builtins.print", "torch.manual_seed", "torch.random.manual_seed"};

/// Kinds of dtypes in the order of type promotion, and within a kind by size.
int rankOf(std::string_view dtype) {
    static constexpr std::array kRanks = {"torch.bool",      "torch.uint8",   "torch.int8",      "torch.int16",
                                          "torch.int32",     "torch.int64",   "torch.bfloat16",  "torch.float16",
                                          "torch.float32",   "torch.float64", "torch.complex32", "torch.complex64",
                                          "torch.complex128"};
    const auto found = std::find(kRanks.begin(), kRanks.end(), dtype);
    return found == kRanks.end() ? -1 : static_cast<int>(found - kRanks.begin());
}

class Effects {
public:
    explicit Effects(const GraphModule& model)
        : m_graph(model.graph), m_semantics(*model.root), m_memory(m_semantics.memoryOf(m_graph)), m_fixed(model),
          m_lastUser(m_graph.idLimit(), kNoNode) {}

    std::vector<Foreseen> find() {
        for (const Node& node : m_graph.nodes())
            for (const NodeId input : node.inputs()) m_lastUser[index(input)] = node.id();
        std::unordered_map<NodeId, std::vector<NodeId>> ofMemory; // the two values that are read longest
        for (const Node& node : m_graph.nodes()) {
            m_fixed.add(node);
            look(node, ofMemory[m_memory[index(node.id())]]);
            enter(node.id(), ofMemory[m_memory[index(node.id())]]);
        }
        if (!m_drawn.empty()) {
            const std::size_t count = m_drawn.size();
            m_found.push_back(
                {Foreseen::Kind::Changed, Message("foresee.random_frozen", {{"count", count}}), std::move(m_drawn)});
        }
        return std::move(m_found);
    }

private:
    void enter(NodeId id, std::vector<NodeId>& longest) const {
        if (m_lastUser[index(id)] == kNoNode) return;
        longest.push_back(id);
        std::sort(longest.begin(), longest.end(),
                  [&](NodeId a, NodeId b) { return m_graph.isBefore(m_lastUser[index(b)], m_lastUser[index(a)]); });
        if (longest.size() > 2) longest.pop_back();
    }

    void look(const Node& node, const std::vector<NodeId>& longest) {
        const std::string_view plain = augmentedOperator(node);
        const NodeId first = plain.empty() || !node.args()[0].isNode() ? kNoNode : node.args()[0].node();
        if (first != kNoNode && !m_fixed.contains(first)) return augmented(node, plain, first, longest);
        if (m_fixed.contains(node.id())) return onLoading(node);
        for (const NodeId value : m_semantics.written(node)) {
            const Node& made = m_graph.node(m_memory[index(value)]);
            if (made.isCall() && m_fixed.contains(made.id()))
                return add(node, Message("foresee.constant_kept", {{"node", node.name()}, {"value", made.name()}}));
        }
        const bool isOfItself =
            node.args().size() == 2 && node.args()[0] == node.args()[1]; // `x is x`, also of proxies
        if (node.op() == Op::CallFunction && isOneOf(node.target(), kOfObjects) && !isOfItself)
            add(node, Message("foresee.decided_once", {{"node", node.name()}, {"function", node.target()}}));
    }

    /// `x += y` on a proxy. In the code, `x` is the result from then on.
    void augmented(const Node& node, std::string_view plain, NodeId first, const std::vector<NodeId>& longest) {
        const Node& value = m_graph.node(first);
        const std::string sign(ops::operatorSign(plain));
        const MessageArgument name("value", value.name()), written("sign", sign + "="), read("plain", sign);
        const MessageArgument method("method", std::string(ops::inPlaceMethod(plain)));
        if (std::string kept = keeper(node, first, longest); !kept.empty())
            return add(node, Message("foresee.write_lost", {name, written, read, method, {"kept", std::move(kept)}}));
        const Node* other = node.args()[1].isNode() ? &m_graph.node(node.args()[1].node()) : nullptr;
        const std::string_view before = knownDtype(value), after = other ? knownDtype(*other) : std::string_view();
        if (before.empty() || rankOf(after) <= rankOf(before)) return;
        add(node,
            Message("foresee.dtype_kept",
                    {name, written, read, method, {"before", std::string(before)}, {"other", std::string(after)}}));
    }

    /// What shows that the memory was not written to; empty: nothing does.
    std::string keeper(const Node& node, NodeId first, const std::vector<NodeId>& longest) const {
        const Node& owner = m_graph.node(m_memory[index(first)]);
        if (owner.op() == Op::Placeholder) return "the input '" + owner.target() + "'";
        if (owner.op() == Op::GetAttr) return "'" + owner.target() + "'";
        for (const NodeId value : longest)
            if (value != first && m_graph.isBefore(node.id(), m_lastUser[index(value)]))
                return m_graph.node(value).name() + ", which " + m_graph.node(m_lastUser[index(value)]).name() +
                       " reads,";
        return {};
    }

    void onLoading(const Node& node) {
        if (!node.isCall()) return;
        if (m_semantics.isRandom(node)) return m_drawn.push_back(node.name());
        for (const NodeId value : m_semantics.written(node))
            if (const Node& owner = m_graph.node(m_memory[index(value)]); owner.op() == Op::GetAttr)
                return add(node, Message("foresee.updated_once", {{"node", node.name()}, {"path", owner.target()}}));
        const bool isCheck = node.target().find("assert") != std::string::npos;
        if ((m_semantics.hasEffect(node) && !isCheck) || isOneOf(node.target(), kWithEffect))
            add(node, Message("foresee.runs_once", {{"node", node.name()}, {"function", node.target()}}));
    }

    void add(const Node& node, Message what) {
        m_found.push_back({Foreseen::Kind::Changed, std::move(what), {node.name()}});
    }

    const Graph& m_graph;
    CallSemantics m_semantics;
    std::vector<NodeId> m_memory;
    FixedValues m_fixed;
    std::vector<NodeId> m_lastUser;   ///< by node id
    std::vector<std::string> m_drawn; ///< nodes that draw random numbers while the file loads
    std::vector<Foreseen> m_found;
};

} // namespace

std::vector<Foreseen> tracedEffects(const GraphModule& model) { return Effects(model).find(); }

} // namespace fx
