// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/timing/timing_result.h"

#include <QAbstractTableModel>
#include <QHash>

namespace ui {

/// The role for the length of the bar in a cell, 0..1.
constexpr int kBarRole = Qt::UserRole + 1;
/// The role to sort by.
constexpr int kSortRole = Qt::UserRole;

/// The time and kernels of each node, in graph order; a proxy sorts them. Times with a large spread have a "~".
class NodeTimesModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    /// The columns; `kColumns` is their number.
    enum Column {
        Name,
        Time,
        Share,
        Before,
        Difference,
        Target,
        Flops,
        Bytes,
        Ceiling,
        Ran,
        Format,
        Reorders,
        kColumns
    };
    using QAbstractTableModel::QAbstractTableModel;

    /// Replaces all rows. `before` is the report of the original for the column "Original"; may be null.
    void setReport(const fx::timing::NodeReport* report, const fx::timing::NodeReport* before);
    /// The row of a node; -1 if it was not timed.
    int rowOf(const QString& name) const { return m_rows.value(name, -1); }
    /// The name of the node in a row.
    const std::string& nameAt(int row) const { return m_nodes[static_cast<std::size_t>(row)].name; }

    int rowCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(m_nodes.size());
    }
    int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : kColumns; }
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString textAt(std::size_t row, int column) const;
    QVariant keyAt(std::size_t row, int column) const;
    QString timeTip(std::size_t row) const;

    std::vector<fx::timing::NodeTiming> m_nodes;
    QHash<QString, int> m_rows;
    std::vector<double> m_before; ///< -1: the original has no such node
    bool m_compares = false;      ///< there is a report of the original
    double m_most = 0;
};

/// The total time by type of node.
class TypeTimesModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    /// The columns; `kColumns` is their number.
    enum Column { Target, Time, Share, Count, Flops, kColumns };
    using QAbstractTableModel::QAbstractTableModel;

    void setReport(const fx::timing::NodeReport* report); ///< Replaces all rows.
    /// The type of a row.
    const std::string& targetAt(int row) const { return m_types[static_cast<std::size_t>(row)].target; }

    int rowCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(m_types.size());
    }
    int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : kColumns; }
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<fx::timing::TypeTotal> m_types;
};

} // namespace ui
