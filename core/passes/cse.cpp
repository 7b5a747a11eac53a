// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/passes/cse.h"

#include "core/ir/print.h"
#include "core/match/python_equality.h"
#include "core/module/call_semantics.h"
#include "core/module/purity.h"
#include "core/passes/sort_users.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

namespace fx {
namespace {

/// What torch.fx calls a node's token: containers by their kind, leaves as Python compares them.
bool sameValue(const Argument& a, const Argument& b);

bool sameItems(const std::vector<Argument>& a, const std::vector<Argument>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), sameValue);
}

bool sameValue(const Argument& a, const Argument& b) { // as deep as values nest
    const auto *list = a.as<Sequence>(), *otherList = b.as<Sequence>();
    if (list || otherList)
        return list && otherList && list->kind == otherList->kind &&
               (!list->type || (otherList->type && *list->type == *otherList->type)) &&
               sameItems(list->items, otherList->items);
    const auto *dict = a.as<Dict>(), *otherDict = b.as<Dict>();
    if (dict || otherDict)
        return dict && otherDict &&
               std::equal(dict->items.begin(), dict->items.end(), otherDict->items.begin(), otherDict->items.end(),
                          [](const auto& x, const auto& y) {
                              return pythonEquals(x.first, y.first) && sameValue(x.second, y.second);
                          });
    return pythonEquals(a, b) || a == b; // nan is the same object everywhere
}

bool sameToken(const Node& a, const Node& b) {
    return a.op() == b.op() && a.target() == b.target() && sameItems(a.args(), b.args()) &&
           std::equal(a.kwargs().begin(), a.kwargs().end(), b.kwargs().begin(), b.kwargs().end(),
                      [](const auto& x, const auto& y) { return x.first == y.first && sameValue(x.second, y.second); });
}

/// Python's hash of the flattened arguments, as text that is equal where the hashes are. Containers do not show in it,
/// and -1 has the hash of -2: of nodes whose hashes are equal but tokens are not, torch.fx remembers the first alone.
void appendHash(std::string& out, const Graph& graph, const Argument& value) {
    if (const auto* sequence = value.as<Sequence>()) {
        for (const Argument& item : sequence->items) appendHash(out, graph, item);
        return;
    }
    if (const auto* dict = value.as<Dict>()) {
        for (const auto& [key, item] : dict->items) appendHash(out, graph, item);
        return;
    }
    const auto* whole = value.as<std::int64_t>();
    const auto* flag = value.as<bool>();
    const auto* real = value.as<double>();
    constexpr double kExact = 1LL << 53;
    if (whole || flag || (real && std::abs(*real) < kExact && *real == std::trunc(*real))) {
        const std::int64_t number = whole ? *whole : flag ? *flag : static_cast<std::int64_t>(*real);
        out += std::to_string(number == -1 ? -2 : number);
    } else if (value.isNode()) {
        out += '%' + std::to_string(index(value.node()));
    } else {
        appendRepr(out, graph, value);
    }
    out += ',';
}

std::string hashOf(const Graph& graph, const Node& node) {
    std::string out = node.target() + '(';
    for (const Argument& argument : node.args()) appendHash(out, graph, argument);
    out += '|';
    for (const auto& [key, argument] : node.kwargs()) appendHash(out, graph, argument);
    return out;
}

/// What torch.fx leaves to the caller: which nodes a graph that is not functional must keep.
class Effects {
public:
    explicit Effects(const GraphModule& model)
        : m_model(model), m_semantics(*model.root), m_memory(m_semantics.memoryOf(model.graph)) {
        for (const Node& node : model.graph.nodes())
            for (const NodeId value : m_semantics.written(node)) m_written.insert(m_memory[index(value)]);
    }

    /// Changes what nodes after it read, so that what was computed before may differ when it is computed again.
    bool writes(const Node& node) const {
        return !m_semantics.written(node).empty() || (node.op() == Op::CallModule && isUnknown(node));
    }
    /// Does more, or gives something else, when it runs twice.
    bool mustStay(const Node& node) const {
        return m_semantics.isRandom(node) || m_semantics.hasEffect(node) || isImpure(*m_model.root, node);
    }
    /// Whether one of the two is written to and not the other: they are two tensors then, equal for a while.
    bool partLater(NodeId a, NodeId b) const {
        const NodeId memory = m_memory[index(a)], other = m_memory[index(b)];
        return memory != other && (m_written.contains(memory) || m_written.contains(other));
    }

private:
    /// Modules that are none of torch.nn both draw numbers and have effects, for all that is known.
    bool isUnknown(const Node& node) const { return m_semantics.isRandom(node) && m_semantics.hasEffect(node); }

    const GraphModule& m_model;
    CallSemantics m_semantics;
    std::vector<NodeId> m_memory; ///< by node id
    std::unordered_set<NodeId> m_written;
};

std::string packetOf(const std::string& target) {
    const bool isOperator = target.starts_with("torch.ops.") && std::count(target.begin(), target.end(), '.') > 3;
    return isOperator ? target.substr(0, target.rfind('.')) : target;
}

bool mergeEqualCalls(const PassRun& run) {
    const bool safe = run.settings.flag("safe");
    std::unordered_set<std::string> banned;
    for (const std::string& name : run.settings.texts("banned"))
        banned.insert(name.starts_with("aten.") ? "torch.ops." + name : name);
    Graph& graph = run.graph();
    Effects effects(run.model);
    std::unordered_map<std::string, NodeId> first;
    bool changed = false;
    for (const NodeId id : graph.order()) {
        const Node& node = graph.node(id);
        if (!node.isCall() || banned.contains(packetOf(node.target()))) continue;
        if (safe && effects.writes(node)) {
            first.clear(); // what is read after it is not what was read before
            continue;
        }
        if (safe && effects.mustStay(node)) continue;
        const auto [entry, fresh] = first.emplace(hashOf(graph, node), id);
        if (fresh || !sameToken(graph.node(entry->second), node)) continue;
        const NodeId kept = entry->second;
        if (safe && effects.partLater(kept, id)) continue;
        const bool hasUsers = !node.users().empty();
        changed |= run.rewrite(id, [&] {
            graph.replaceAllUses(id, kept);
            graph.erase(id);
            if (hasUsers) sortUsers(graph, kept);
        });
    }
    return changed;
}

} // namespace

Pass csePass() {
    return {
        "cse",
        "merges nodes that compute the same from the same inputs",
        {{"safe", "skip nodes that draw random numbers or have effects; false: exactly as torch.fx's CSEPass", "true"},
         {"banned", "operators to skip, e.g. \"aten.add\" or \"torch.relu\"", "[]"}},
        mergeEqualCalls,
        {}};
}

} // namespace fx
