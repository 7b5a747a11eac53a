// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/module/call_semantics.h"
#include "core/module/graph_module.h"

#include <optional>
#include <unordered_set>

namespace fx {

/// Which memory a graph writes to and gives away: what a pass must know that lets one value stand for a copy of it.
class ValueFacts {
public:
    explicit ValueFacts(const GraphModule& model);

    /// Some node writes to the memory of the value.
    bool isWritten(NodeId id) const { return m_written.contains(m_memory[index(id)]); }
    /// The value lies in memory that the caller or the model holds: an input, a parameter, a buffer.
    bool isForeign(NodeId id) const { return m_foreign.contains(m_memory[index(id)]); }
    /// The value's memory is given back to the caller.
    bool isReturned(NodeId id) const { return m_returned.contains(m_memory[index(id)]); }
    /// One value may be given for a copy of another: nobody writes to either, and the caller gets no memory of its own
    /// inputs or of the model for a copy.
    bool mayStandFor(NodeId original, NodeId copy) const {
        return !isWritten(original) && !isWritten(copy) && !(isForeign(original) && isReturned(copy));
    }

private:
    std::vector<NodeId> m_memory; ///< by node id
    std::unordered_set<NodeId> m_written, m_foreign, m_returned;
};

/// The dtype of a value ("torch.float32") as the graph's metadata has it; empty if it is unknown.
std::string knownDtype(const Node& node);
/// The sizes if all are integers.
std::optional<std::vector<std::int64_t>> integerSizes(const ValueInfo& info);
/// The sizes of a value if they are known and all integers.
std::optional<std::vector<std::int64_t>> knownSizes(const Node& node);
/// The strides likewise.
std::optional<std::vector<std::int64_t>> knownStrides(const Node& node);

/// An argument of a call by place or name; null if it is not given.
const Argument* givenArgument(const Node& node, std::size_t place, std::string_view name);
/// The integers from `place` on, of a call that takes them one by one or as one sequence (`x.view(2, -1)`,
/// `torch.reshape(x, (2, -1))`), or by name; nullopt if they are not all integers.
std::optional<std::vector<std::int64_t>> givenIntegers(const Node& node, std::size_t place, std::string_view name);

} // namespace fx
