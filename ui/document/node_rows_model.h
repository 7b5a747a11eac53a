// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/find_index.h"

#include <QAbstractTableModel>

#include <functional>
#include <optional>

namespace ui {

/// The filter and sort order of rows. An empty filter shows all nodes.
struct RowOrder {
    FindQuery filter; ///< empty: shows all nodes
    int column = -1;  ///< -1: graph order
    Qt::SortOrder order = Qt::AscendingOrder;
};

/// Rows of nodes by id: the common base of table and list. A row costs four bytes; cells are created when painted.
///
/// Sorting and filtering happen outside: `sort` emits a request, and the owner computes the rows (see `orderedRows`, on
/// another thread) and passes them to `setRows`.
class NodeRowsModel : public QAbstractTableModel {
    Q_OBJECT
public:
    /// Roles besides Qt's.
    enum Role { NodeIdRole = Qt::UserRole + 1, OpRole, DetailRole };

    /// Editable fields of a node.
    enum class Field { Name, Args, Kwargs };

    using QAbstractTableModel::QAbstractTableModel;

    /// Shows all nodes of `module` in graph order; null clears the model.
    void setModule(std::shared_ptr<const fx::GraphModule> module);
    /// Shows the same nodes with other metadata; keeps rows, order and filter.
    void setNotes(std::shared_ptr<const fx::GraphModule> module);
    /// Shows these nodes of the module in this order.
    void setRows(std::vector<fx::NodeId> rows);

    /// True while the model has all nodes in graph order and has not collected them yet.
    bool isWhole() const { return m_isWhole; }
    const std::vector<fx::NodeId>& rows() const { return known(), m_rows; } ///< The nodes of the rows.
    fx::NodeId nodeAt(int row) const { return known(), m_rows[static_cast<std::size_t>(row)]; } ///< The node of a row.
    /// Returns the row of a node, or -1 if it is filtered out. O(1).
    int rowOf(fx::NodeId node) const;

    int rowCount(const QModelIndex& parent = {}) const final;
    QVariant data(const QModelIndex& index, int role) const final;
    Qt::ItemFlags flags(const QModelIndex& index) const final;
    /// Changes nothing itself; emits `edited` for the owner of the document.
    bool setData(const QModelIndex& index, const QVariant& value, int role) final;
    /// Returns the editable field in a column, if any.
    virtual std::optional<Field> fieldOf(int column) const = 0;
    /// Emits `sortRequested`.
    void sort(int column, Qt::SortOrder order) final;
    /// Returns the function that computes the sort key of a column.
    virtual std::function<std::string(const fx::Node&)> sortKey(int column) const = 0;

Q_SIGNALS:
    /// Emitted when the user sorts by a column; -1: graph order.
    void sortRequested(int column, Qt::SortOrder order);
    /// Emitted when the user edits a field.
    void edited(fx::NodeId node, Field field, const QString& text);

protected:
    const fx::GraphModule* module() const { return m_module.get(); }

private:
    virtual QVariant cell(const fx::Node& node, int column, int role) const = 0;
    virtual void moduleChanged() {}
    /// Collects the rows of a whole graph on first use: a hidden view of a large model never does.
    void known() const {
        if (m_isWhole) collect();
    }
    void collect() const;
    void number() const;

    std::shared_ptr<const fx::GraphModule> m_module;
    mutable bool m_isWhole = false; ///< all nodes in graph order, not collected yet
    mutable std::vector<fx::NodeId> m_rows;
    mutable std::vector<std::int32_t> m_rowOf; ///< by node id
};

/// Compares naturally: "relu_2" before "relu_10". Digits compare as numbers, everything else by code point.
bool naturalLess(std::string_view a, std::string_view b);

/// Returns the rows for `order`: filtered by `index`, sorted stably by `key` (graph order if empty). Linear plus the
/// sort. Thread-safe; throws fx::Error{Cancelled} if stopped.
FindResult orderedRows(const fx::GraphModule& module, const FindIndex& index, const RowOrder& order,
                       const std::function<std::string(const fx::Node&)>& key, const fx::Progress& progress = {});

} // namespace ui
