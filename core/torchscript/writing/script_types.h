// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/module.h"

#include <functional>
#include <string>
#include <unordered_map>

namespace fx::script {

/// The annotations of a graph's values in a script, from operators, functions and numbers: "Tensor", "List[int]". Each
/// is found once; asking in the order of the graph keeps the recursion shallow.
class ValueTypes {
public:
    /// Returns the type of an input, an attribute, or the result of a module.
    using Known = std::function<std::string(const fx::Node& node)>;
    /// Keeps a reference to the graph.
    ValueTypes(const Graph& graph, Known known) : m_graph(graph), m_known(std::move(known)) {}

    /// Returns the annotation of a value; "Tensor" if it is unknown.
    std::string of(const Argument& value);

private:
    std::string ofNode(const fx::Node& node);
    std::string ofCall(const fx::Node& node, const std::string& name);
    std::string ofItem(const fx::Node& node);
    std::string ofArithmetic(const fx::Node& node, std::string_view name);

    const Graph& m_graph;
    Known m_known;
    std::unordered_map<NodeId, std::string> m_types;
};

/// Returns the annotation of an input: its own, or that of its default. Throws Error{Refused} for defaults without
/// one.
std::string typeOfInput(const fx::Node& node);

/// Returns the annotation of the result of a module that is not a GraphModule.
std::string typeOfResult(const Module& module);

} // namespace fx::script
