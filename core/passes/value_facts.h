// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/call_semantics.h"
#include "core/module/graph_module.h"

#include <optional>
#include <unordered_set>

namespace fx {

/// The memory that a graph writes to and returns. Passes use it to decide whether one value can replace a copy of it.
///
/// The facts are those of the graph at construction; do not ask for nodes that were created later.
class ValueFacts {
public:
    /// O(nodes).
    explicit ValueFacts(const GraphModule& model);

    /// True if a node writes to the memory of the value.
    bool isWritten(NodeId id) const { return m_written.contains(m_memory[index(id)]); }
    /// True if the caller or the model owns the memory of the value: an input, a parameter, a buffer.
    bool isForeign(NodeId id) const { return m_foreign.contains(m_memory[index(id)]); }
    /// True if the graph returns memory of the value to the caller.
    bool isReturned(NodeId id) const { return m_returned.contains(m_memory[index(id)]); }
    /// True if `original` can replace `copy`: no node writes to either, and the caller does not receive memory of an
    /// input or of the model in place of a copy.
    bool mayStandFor(NodeId original, NodeId copy) const {
        return !isWritten(original) && !isWritten(copy) && !(isForeign(original) && isReturned(copy));
    }

private:
    std::vector<NodeId> m_memory; ///< by node id
    std::unordered_set<NodeId> m_written, m_foreign, m_returned;
};

/// Returns the dtype of a value ("torch.float32") from the graph's metadata; empty if unknown.
std::string knownDtype(const Node& node);
/// Returns the sizes if all are integers.
std::optional<std::vector<std::int64_t>> integerSizes(const ValueInfo& info);
/// Returns the sizes of a value if they are known integers.
std::optional<std::vector<std::int64_t>> knownSizes(const Node& node);
/// Returns the strides of a value if they are known integers.
std::optional<std::vector<std::int64_t>> knownStrides(const Node& node);

/// Returns the integers of a call from index `place` on, given one by one, as one sequence (`x.view(2, -1)`,
/// `torch.reshape(x, (2, -1))`) or by name; nullopt if any is not an integer.
std::optional<std::vector<std::int64_t>> givenIntegers(const Node& node, std::size_t place, std::string_view name);

} // namespace fx
