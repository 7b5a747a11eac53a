// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/partition/partition_run.h"

#include <QAbstractTableModel>

namespace ui {

/// The partitions of an outcome: their size and what crosses their borders. A swatch in each row is the legend of the canvas.
class PartitionTableModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    enum Column { Name, Nodes, Inputs, Outputs, BytesIn, BytesOut, kColumns };
    static constexpr int SortRole = Qt::UserRole;
    using QAbstractTableModel::QAbstractTableModel;

    void setOutcome(std::shared_ptr<const PartitionOutcome> outcome);
    /// Whether sizes of some values are known.
    bool knowsBytes() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : kColumns; }
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::shared_ptr<const PartitionOutcome> m_outcome;
};

/// The colour of a partition, and the hatching (0..7) that tells it from the next one of that colour.
QColor partitionColor(std::size_t partition);
int partitionHatch(std::size_t partition);

} // namespace ui
