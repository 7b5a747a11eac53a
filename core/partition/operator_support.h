// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diag/message.h"
#include "core/module/graph_module.h"

#include <map>

namespace fx {

/// Decides which nodes a back end can run (torch.fx OperatorSupportBase).
class OperatorSupportBase {
public:
    virtual ~OperatorSupportBase() = default;
    /// True if the back end can run `node`. `root` is the root of call_module and get_attr targets.
    virtual bool isNodeSupported(const Module& root, const Node& node) const = 0;
    /// Returns the rule that rejects an unsupported node, or an empty message.
    virtual Message refusal(const Module& root, const Node& node) const;
};
using OperatorSupportPtr = std::shared_ptr<const OperatorSupportBase>;

/// Wraps a function as support; `about` is its rejection text. Mirrors torch.fx's `create_op_support`.
OperatorSupportPtr createOpSupport(std::function<bool(const Module& root, const Node& node)> isNodeSupported,
                                   Message about = {});
/// Supports a node if all members do. Mirrors torch.fx's `chain`.
OperatorSupportPtr chain(std::vector<OperatorSupportPtr> all);

/// A table of operators and the dtypes that they accept. Mirrors torch.fx's OperatorSupport.
///
/// Supports placeholder, get_attr and output nodes. Keys are the results of `nodeTarget`: the qualified name of a
/// function, the name of a method, the qualified type of a module.
class OperatorSupport final : public OperatorSupportBase {
public:
    /// Dtypes ("torch.float32") for each positional argument and for keyword arguments; an empty list is not checked.
    struct Dtypes {
        std::vector<std::vector<std::string>> args;             ///< by argument index
        std::map<std::string, std::vector<std::string>> kwargs; ///< by argument name
    };
    /// Without Dtypes, any dtype is accepted. `graph` contains the queried nodes and must outlive this object.
    using Table = std::map<std::string, std::optional<Dtypes>, std::less<>>;
    OperatorSupport(const Graph& graph, Table table) : m_graph(graph), m_table(std::move(table)) {}

    bool isNodeSupported(const Module& root, const Node& node) const override;
    Message refusal(const Module& root, const Node& node) const override;

private:
    bool isOneOf(const Argument& argument, const std::vector<std::string>& dtypes) const;
    const Graph& m_graph;
    Table m_table;
};

/// Returns the qualified function name, method name, or qualified module type of a call. Mirrors torch.fx's
/// `get_node_target`.
std::string nodeTarget(const Module& root, const Node& node);
/// Returns the dtype of a node's value ("torch.float32") from its metadata, or an empty string.
std::string_view knownDtype(const Node& node);

} // namespace fx
