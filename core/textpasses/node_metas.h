// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/value_info.h"
#include "core/python/python_interpreter.h"

#include <unordered_map>
#include <vector>

namespace fx::python {

struct GraphObject;
struct NodeObject;

/// The `meta` of torch.fx nodes as Python dicts. Those of the model are read from the graph on first use, with tensors
/// without values and symbolic numbers as `val`.
class NodeMetas {
public:
    explicit NodeMetas(Interpreter& in) : m_in(in) {} ///< `in` must outlive this object.

    Dict* of(NodeObject& node);    ///< Returns the `meta` of a node.
    void keep(GraphObject& graph); ///< Writes the entries that files can hold back to the nodes.

private:
    Value tensorOf(const ValueInfo& info);
    std::vector<ValueInfo> infosIn(const Value& value) const;

    Interpreter& m_in;
    std::unordered_map<const Object*, ValueInfo> m_infos; ///< of tensors and numbers that `tensorOf` returned
};

} // namespace fx::python
