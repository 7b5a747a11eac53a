// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/graph_module.h"

#include <map>

namespace fx {

/// Decides which nodes a back end can run (torch.fx OperatorSupportBase).
class OperatorSupportBase {
public:
    virtual ~OperatorSupportBase() = default;
    /// `root`: the root of call_module and get_attr targets.
    virtual bool isNodeSupported(const Module& root, const Node& node) const = 0;
    /// The rule that rejects an unsupported node, in words, or empty.
    virtual std::string refusal(const Module& root, const Node& node) const;
};
using OperatorSupportPtr = std::shared_ptr<const OperatorSupportBase>;

/// torch.fx `create_op_support`: a function as support. `about` is its rejection text.
OperatorSupportPtr createOpSupport(std::function<bool(const Module& root, const Node& node)> isNodeSupported,
                                   std::string about = {});
/// torch.fx `chain`: supported if all support it.
OperatorSupportPtr chain(std::vector<OperatorSupportPtr> all);
/// torch.fx `any_chain`: supported if one of them supports it.
OperatorSupportPtr anyChain(std::vector<OperatorSupportPtr> any);
/// torch.fx `OpSupports.decline_if_input_dtype`; an unknown dtype is not declined.
OperatorSupportPtr declineIfInputDtype(const Graph& graph, std::string dtype);
/// torch.fx `OpSupports.decline_if_node_in_names`.
OperatorSupportPtr declineIfNodeInNames(std::vector<std::string> names);

/// torch.fx OperatorSupport: a table of operators and the dtypes that they accept.
///
/// Placeholders, get_attr and output are supported. A key is what `get_node_target` gives: the qualified name of a
/// function, the name of a method, the qualified type of a module.
class OperatorSupport final : public OperatorSupportBase {
public:
    /// Dtypes ("torch.float32") for each positional argument and for keyword arguments; an empty list is not checked.
    struct Dtypes {
        std::vector<std::vector<std::string>> args;
        std::map<std::string, std::vector<std::string>> kwargs;
    };
    /// Without Dtypes, any dtype is accepted. `graph` contains the queried nodes and must outlive this object.
    using Table = std::map<std::string, std::optional<Dtypes>, std::less<>>;
    OperatorSupport(const Graph& graph, Table table) : m_graph(graph), m_table(std::move(table)) {}

    bool isNodeSupported(const Module& root, const Node& node) const override;
    std::string refusal(const Module& root, const Node& node) const override;

private:
    bool isOneOf(const Argument& argument, const std::vector<std::string>& dtypes) const;
    const Graph& m_graph;
    Table m_table;
};

/// torch.fx `get_node_target` of a call: qualified function name, method name, or qualified module type.
std::string nodeTarget(const Module& root, const Node& node);
/// The dtype of the value of a node ("torch.float32") from its metadata, or empty.
std::string_view knownDtype(const Node& node);

} // namespace fx
