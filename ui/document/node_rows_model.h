// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/find_index.h"

#include <QAbstractTableModel>

#include <functional>
#include <optional>

namespace ui {

/// The filter and sort order of rows. An empty filter shows all nodes.
struct RowOrder {
    FindQuery filter;
    int column = -1; ///< -1 for graph order
    Qt::SortOrder order = Qt::AscendingOrder;
};

/// Rows of nodes by id: the common part of table and list. Every row costs four bytes; cells are created when painted.
///
/// Sorting and filtering happen outside: `sort` announces the request, and the owner computes the rows (see
/// `orderedRows`, on another thread) and passes them to `setRows`.
class NodeRowsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Role { NodeIdRole = Qt::UserRole + 1, OpRole, DetailRole };

    /// Editable fields of a node.
    enum class Field { Name, Args, Kwargs };

    using QAbstractTableModel::QAbstractTableModel;

    /// Shows all nodes of `module` in graph order; null for none.
    void setModule(std::shared_ptr<const fx::GraphModule> module);
    /// The same nodes with other metadata: rows, order and filter stay.
    void setNotes(std::shared_ptr<const fx::GraphModule> module);
    /// Shows these nodes in this order; all belong to the module.
    void setRows(std::vector<fx::NodeId> rows);

    /// All nodes in graph order, which nobody has looked at yet.
    bool isWhole() const { return m_isWhole; }
    const std::vector<fx::NodeId>& rows() const { return known(), m_rows; }
    fx::NodeId nodeAt(int row) const { return known(), m_rows[static_cast<std::size_t>(row)]; }
    /// The row of a node, or -1 if it is filtered out. O(1).
    int rowOf(fx::NodeId node) const;

    int rowCount(const QModelIndex& parent = {}) const final;
    QVariant data(const QModelIndex& index, int role) const final;
    Qt::ItemFlags flags(const QModelIndex& index) const final;
    /// Changes nothing itself; emits `edited` for the owner of the document.
    bool setData(const QModelIndex& index, const QVariant& value, int role) final;
    virtual std::optional<Field> fieldOf(int column) const = 0;
    void sort(int column, Qt::SortOrder order) final;
    /// The sort key of a column.
    virtual std::function<std::string(const fx::Node&)> sortKey(int column) const = 0;

Q_SIGNALS:
    void sortRequested(int column, Qt::SortOrder order);
    void edited(fx::NodeId node, Field field, const QString& text);

protected:
    const fx::GraphModule* module() const { return m_module.get(); }

private:
    virtual QVariant cell(const fx::Node& node, int column, int role) const = 0;
    virtual void moduleChanged() {}
    /// Collects the rows of a whole graph when they are first asked for: a hidden view of a large model never does.
    void known() const {
        if (m_isWhole) collect();
    }
    void collect() const;
    void number() const;

    std::shared_ptr<const fx::GraphModule> m_module;
    mutable bool m_isWhole = false; ///< all nodes of the module in graph order, not collected yet
    mutable std::vector<fx::NodeId> m_rows;
    mutable std::vector<std::int32_t> m_rowOf; ///< by node id
};

/// "relu_2" before "relu_10": digits compare as numbers, everything else by code point.
bool naturalLess(std::string_view a, std::string_view b);

/// The rows for `order`: filtered by `index`, sorted stably by `key` (graph order if none). Linear plus the
/// sort. For any thread; throws fx::Error{Cancelled} when stopped.
FindResult orderedRows(const fx::GraphModule& module, const FindIndex& index, const RowOrder& order,
                       const std::function<std::string(const fx::Node&)>& key, const fx::Progress& progress = {});

} // namespace ui
