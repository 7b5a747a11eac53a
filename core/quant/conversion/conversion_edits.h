// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/graph.h"

#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace fx::quant {

/// Inserts torch.fx `call_function(target)` before a node.
NodeId callBefore(Graph& graph, NodeId before, std::string_view target, std::vector<Argument> args, Kwargs kwargs = {});
/// Inserts torch.fx `call_function(target)` after a node.
NodeId callAfter(Graph& graph, NodeId after, std::string_view target, std::vector<Argument> args, Kwargs kwargs = {});

/// True for a call_function of `function`.
bool isCallOf(const Node& node, std::string_view function);
/// True for a call_method of `method`.
bool isMethodCall(const Node& node, std::string_view method);
/// Returns the node that `argument` refers to if it calls the method `dequantize`, else kNoNode.
NodeId dequantizeOf(const Graph& graph, const Argument& argument);

/// Generates attribute names of a root: `prefix` with underscores for dots, and the first free number. Mirrors
/// torch.ao's `get_new_attr_name_with_prefix`.
class NewNames {
public:
    /// Marks an existing name as used.
    void take(std::string name) { m_taken.insert(std::move(name)); }
    /// Returns a new name and marks it as used.
    std::string make(std::string prefix);

private:
    std::unordered_set<std::string> m_taken;
    std::unordered_map<std::string, std::size_t> m_next; ///< by prefix
};

} // namespace fx::quant
