// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/ir/graph.h"

#include <vector>

namespace fx {

/// The values of a graph that are numbers or sizes instead of tensors, as far as its metadata, annotations and
/// functions say so: those that have no methods which write to them. Describes the graph at construction.
class NumberValues {
public:
    explicit NumberValues(const Graph& graph); ///< Linear.
    bool contains(NodeId id) const { return m_isNumber[index(id)]; }

private:
    bool gives(const Node& node) const;
    bool functionGives(const Node& node) const;

    std::vector<bool> m_isNumber; ///< by node id
};

} // namespace fx
