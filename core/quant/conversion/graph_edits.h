// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/graph.h"

#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace fx::quant {

/// torch.fx `user.replace_input_with(before, after)`.
void replaceInput(Graph& graph, NodeId user, NodeId before, NodeId after);
/// torch.fx `call_function(target)` before or after a node.
NodeId callBefore(Graph& graph, NodeId before, std::string_view target, std::vector<Argument> args, Kwargs kwargs = {});
NodeId callAfter(Graph& graph, NodeId after, std::string_view target, std::vector<Argument> args, Kwargs kwargs = {});

bool isCallOf(const Node& node, std::string_view function);
bool isMethodCall(const Node& node, std::string_view method);
/// The node that an argument is and that is a call of the method `dequantize`, or kNoNode.
NodeId dequantizeOf(const Graph& graph, const Argument& argument);

/// Names of new attributes of a root: `prefix` with dots as underscores and the first number that is free, as torch.ao
/// `get_new_attr_name_with_prefix`.
class NewNames {
public:
    void take(std::string name) { m_taken.insert(std::move(name)); }
    std::string make(std::string prefix);

private:
    std::unordered_set<std::string> m_taken;
    std::unordered_map<std::string, std::size_t> m_next; ///< by prefix
};

} // namespace fx::quant
