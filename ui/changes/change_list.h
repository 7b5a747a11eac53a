// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/changes/version_difference.h"

#include <QAbstractTableModel>
#include <QTreeView>

namespace ui {

/// The nodes in which two versions differ, one per row: the change, the name and the call. In code order; nodes without
/// a line come last.
class ChangeModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { What, Name, Target, Columns };
    using QAbstractTableModel::QAbstractTableModel;

    /// Null for none.
    void setDifference(std::shared_ptr<const VersionDifference> difference);
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

/// Shows the nodes; emits `chosen` for the one that is clicked or reached with the keyboard.
class ChangeList final : public QTreeView {
    Q_OBJECT
public:
    explicit ChangeList(QWidget* parent = nullptr);
    void setDifference(std::shared_ptr<const VersionDifference> difference) {
        m_model->setDifference(std::move(difference));
    }
    ChangeModel* changes() const { return m_model; }

Q_SIGNALS:
    void chosen(fx::NodeId node);

private:
    ChangeModel* m_model;
};

} // namespace ui
