// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/partition/stages/stage_plan.h"

#include <QAbstractTableModel>

namespace ui {

/// The stages of a plan: their calls, their time, and the values that they send to the next stage.
class StageTableModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    /// The columns; `kColumns` is their number.
    enum Column { Name, Calls, Time, Sends, kColumns };
    using QAbstractTableModel::QAbstractTableModel;

    /// Shows the stages of a plan, which may be null. Resets rows only if their number changes, so that the selection
    /// stays while cuts move.
    void setStages(const StagePlan* plan, const fx::StageLine::Cuts& cuts);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : kColumns; }
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Row {
        QString calls, time, sends, crossing;
    };
    std::vector<Row> m_rows;
    std::size_t m_largest = 0;
};

} // namespace ui
