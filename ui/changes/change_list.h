// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/changes/version_difference.h"

#include <QAbstractTableModel>
#include <QTreeView>

namespace ui {

/// The nodes in which two versions differ, one per row, with the change, the name and the call. Rows are in code order;
/// nodes without a line come last.
class ChangeModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    /// The columns; `Columns` is their number.
    enum Column { What, Name, Target, Columns };
    using QAbstractTableModel::QAbstractTableModel;

    /// Shows another difference; null clears the model.
    void setDifference(std::shared_ptr<const VersionDifference> difference);
    /// The node of a row.
    fx::NodeId nodeAt(int row) const { return m_difference->nodes[static_cast<std::size_t>(row)]; }
    int rowCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() || !m_difference ? 0 : static_cast<int>(m_difference->nodes.size());
    }
    int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : Columns; }
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString textOf(int row, int column) const;

    std::shared_ptr<const VersionDifference> m_difference;
};

/// List of the changed nodes.
class ChangeList final : public QTreeView {
    Q_OBJECT
public:
    /// Creates an empty list.
    explicit ChangeList(QWidget* parent = nullptr);
    /// Shows another difference; null clears the list.
    void setDifference(std::shared_ptr<const VersionDifference> difference) {
        m_model->setDifference(std::move(difference));
    }
    ChangeModel* changes() const { return m_model; } ///< The model of the list.

Q_SIGNALS:
    /// Emitted when a node is clicked or reached with the keyboard.
    void chosen(fx::NodeId node);

private:
    ChangeModel* m_model;
};

} // namespace ui
