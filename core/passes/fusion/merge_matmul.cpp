// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/fusion/merge_matmul.h"

#include "core/passes/legalize.h"
#include "core/passes/value_sizes.h"
#include "core/trace/callables.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace fx {
namespace {

using Sizes = std::vector<std::int64_t>;

constexpr int kSearchDepth = 6; ///< of torch.fx `may_depend_on`

/// torch.fx `are_nodes_independent`: none is above another one. What lies deeper than the search counts as dependent.
bool areIndependent(const Graph& graph, const std::vector<NodeId>& nodes) {
    const std::unordered_set<NodeId> all(nodes.begin(), nodes.end());
    for (const NodeId id : nodes) {
        std::vector<NodeId> level{id};
        for (int depth = 0; !level.empty(); ++depth) {
            std::unordered_set<NodeId> above;
            for (const NodeId each : level)
                for (const NodeId input : graph.node(each).inputs()) above.insert(input);
            if (depth == kSearchDepth && !above.empty()) return false;
            if (std::any_of(above.begin(), above.end(), [&](NodeId each) { return all.contains(each); })) return false;
            level.assign(above.begin(), above.end());
        }
    }
    return true;
}

class Merging {
public:
    explicit Merging(const PassRun& run) : m_run(run), m_graph(run.graph()), m_isSafe(run.settings.flag("safe")) {}

    bool all() {
        std::vector<std::vector<NodeId>> byRight;
        std::unordered_map<std::string, std::size_t> places;
        for (const Node& node : m_graph.nodes()) {
            if (node.op() != Op::CallFunction || node.target() != "torch.matmul" || !isProduct(node)) continue;
            const Node& right = m_graph.node(node.args()[1].node());
            const std::string key = right.op() == Op::GetAttr ? "@" + right.target() : right.name();
            const auto [place, isNew] = places.emplace(key, byRight.size());
            if (isNew) byRight.emplace_back();
            byRight[place->second].push_back(node.id());
        }
        bool changed = false;
        for (const std::vector<NodeId>& products : byRight) {
            m_run.progress.check();
            if (products.size() < 2 || !areIndependent(m_graph, products) || !mayMerge(products)) continue;
            changed |= m_run.rewrite(products[0], [&] { merge(products); });
        }
        return changed;
    }

private:
    static bool isProduct(const Node& node) {
        return node.args().size() == 2 && node.kwargs().empty() && node.args()[0].isNode() && node.args()[1].isNode();
    }

    /// What stands on the left can be put one below the other: the same sizes but the first, and a matrix on the right.
    bool mayMerge(const std::vector<NodeId>& products) {
        if (!m_isSafe) return true;
        std::optional<Sizes> first;
        for (const NodeId id : products) {
            const auto left = m_sizes.of(m_graph.node(m_graph.node(id).args()[0].node())),
                       right = m_sizes.of(m_graph.node(m_graph.node(id).args()[1].node()));
            if (!left || !right) {
                m_run.warnings.push_back({Message("passes.unknown_shapes"), m_graph.node(id).name(), {}, {}});
                return false;
            }
            if (right->size() != 2 || left->size() < 2) return false;
            if (!first) first = left;
            else if (left->size() != first->size() || !std::equal(left->begin() + 1, left->end(), first->begin() + 1))
                return false;
        }
        return true;
    }

    /// A get_attr node of its own, as in torch.fx, for what is named by one.
    Argument named(const Argument& value) {
        const Node& node = m_graph.node(value.node());
        return node.op() == Op::GetAttr ? Argument(m_graph.createNode(Op::GetAttr, node.target())) : value;
    }

    void merge(const std::vector<NodeId>& products) {
        m_graph.setInsertPoint({});
        std::vector<Argument> left;
        for (const NodeId id : products) left.push_back(named(m_graph.node(id).args()[0]));
        const Argument right = named(m_graph.node(products[0]).args()[1]);
        const NodeId stacked = m_graph.callFunction(resolveCallable("torch.cat"), {Argument::list(left)});
        const NodeId product = m_graph.callFunction(resolveCallable("torch.matmul"), {stacked, right});
        const NodeId split =
            m_graph.callFunction(resolveCallable("torch.functional.split"), {product, Argument::list(left)});
        std::vector<NodeId> items;
        for (std::size_t i = 0; i < products.size(); ++i)
            items.push_back(
                m_graph.callFunction(resolveCallable("operator.getitem"), {split, static_cast<std::int64_t>(i)}));
        for (std::size_t i = 0; i < products.size(); ++i) {
            m_graph.setMeta(items[i], std::make_shared<const NodeMeta>(m_graph.node(products[i]).meta()));
            m_graph.replaceAllUses(products[i], items[i]);
            m_graph.erase(products[i]);
        }
        if (!legalizeGraph(m_graph)) throw Error(ErrorKind::Refused, Message("passes.merge_cycle"));
        writeSizes(split);
    }

    /// torch.split takes sizes, not the tensors that have them.
    void writeSizes(NodeId split) {
        const std::vector<Argument> args = m_graph.node(split).args();
        m_graph.setInsertPoint({InsertPoint::Side::Before, split});
        std::vector<Argument> sizes;
        for (const Argument& tensor : args[1].as<Sequence>()->items) {
            const NodeId shape = m_graph.callFunction(resolveCallable("getattr"), {tensor, "shape"});
            sizes.emplace_back(m_graph.callFunction(resolveCallable("operator.getitem"), {shape, 0}));
        }
        m_graph.setInsertPoint({});
        m_graph.setArgs(split, {args[0], Argument::list(sizes)});
    }

    const PassRun& m_run;
    Graph& m_graph;
    const bool m_isSafe;
    ValueSizes m_sizes{m_run};
};

bool mergeMatmuls(const PassRun& run) { return Merging(run).all(); }

} // namespace

Pass mergeMatmulPass() {
    return {"merge_matmul",
            "joins products with the same right matrix into one",
            {{"safe",
              "merge only where the shapes allow it, and let the worker compute unknown shapes; false: as torch.fx, "
              "whatever the shapes",
              "true"}},
            mergeMatmuls,
            {}};
}

} // namespace fx
