// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/changes/version_difference.h"

#include <QAbstractTableModel>
#include <QTreeView>

namespace ui {

/// The nodes in which two versions differ, a row each: what became of it, its name, what it calls. In the order of the
/// code; nodes that have no line of their own come last.
class ChangeModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { What, Name, Target, Columns };
    using QAbstractTableModel::QAbstractTableModel;

    /// Null: none.
    void setDifference(std::shared_ptr<const VersionDifference> difference);
    fx::NodeId nodeAt(int row) const { return m_nodes[static_cast<std::size_t>(row)]; }
    int rowCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(m_nodes.size());
    }
    int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : Columns; }
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString textOf(int row, int column) const;

    std::shared_ptr<const VersionDifference> m_difference;
    std::vector<fx::NodeId> m_nodes;
};

/// Shows them; the one that is clicked, or gone to with the keyboard, is `chosen`.
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
