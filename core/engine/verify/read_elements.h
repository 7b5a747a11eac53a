// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/diff/changed_part.h"
#include "core/engine/verify/verify.h"

namespace fx::engine {

/// Records which elements of differing tensors the runs of a model read: the first rows of a table of positions, the
/// given words, the offsets that a length needs. Agreeing outputs are no evidence for elements that no run reads.
///
///     w ─ cos ─ getitem[:n] ─ add        the flat indices of the elements of `w` pass through the calls that
///                                        select elements or are pointwise; those that arrive at `add` are read
///
/// If another call uses a tensor as a whole, all its elements count as read. Elements that cannot be followed count as
/// unread.
class ReadElements {
public:
    /// Collects the tensors that differ between A and B. `a` must outlive this.
    ReadElements(const VerifySide& a, const VerifySide& b, const ChangedPart& part);

    /// Records the value of a node in a run of A.
    void note(const Node& node, const Value& value);
    /// Marks the elements that the run of A has read. Call it after each run.
    void endRun();
    /// Returns the paths of tensors with differing elements that no run has read.
    std::vector<std::string> unread() const;
    /// Returns the number of differing elements that no run has read.
    std::int64_t unreadCount() const;
    /// Returns lengths of inputs that may read more of these elements, the largest first.
    std::vector<std::int64_t> lengths() const;
    /// The meaning of integers in inputs: rows of a table, or indices into the flat tensor.
    enum class By : std::uint8_t { Rows, Places };
    /// Returns integers that may read these elements as inputs; sorted, at most 4,096.
    std::vector<std::int64_t> indices(By by) const;

private:
    struct Table {
        NodeId root = kNoNode;
        std::string path;
        bool isModule = false;     ///< `root` calls an embedding, which looks up rows
        std::int64_t rows = 0;     ///< the size of its first dimension
        at::Tensor numbers;        ///< the flat index of each element, in the tensor's shape
        at::Tensor unread;         ///< by flat index: the element differs and no run has read it
        std::vector<NodeId> chain; ///< calls that select from it, in order
        std::vector<NodeId> ends;  ///< nodes of the chain that other calls use
    };
    void addTensor(const Node& a, const Node& b, const VerifySide& sideB);
    bool follow(Table& table) const;
    bool selects(const Node& node, NodeId from) const;
    void read(Table& table);
    Value runOn(const Node& node, const std::function<Value(NodeId)>& valueOf) const;

    const VerifySide& m_a;
    std::vector<Table> m_tables;
    std::vector<bool> m_isWanted; ///< by node id: its value selects elements
    std::vector<Value> m_values;  ///< by node id: these values in the current run
};

} // namespace fx::engine
