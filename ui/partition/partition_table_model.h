// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/remote/partition_times.h"
#include "ui/partition/partition_run.h"

#include <QAbstractTableModel>
#include <QPixmap>

namespace ui {

/// The partitions of an outcome: their size and the values that cross their borders. A swatch in each row serves as the
/// legend of the canvas.
class PartitionTableModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    /// The columns; `kColumns` is their number.
    enum Column { Name, Nodes, Inputs, Outputs, BytesIn, BytesOut, Time, kColumns };
    static constexpr int SortRole = Qt::UserRole; ///< the role to sort by
    using QAbstractTableModel::QAbstractTableModel;

    /// Replaces all rows and drops the times.
    void setOutcome(std::shared_ptr<const PartitionOutcome> outcome);
    /// Sets the times of the partitions; nullopt if not measured. A new outcome drops them.
    void setTimes(std::optional<fx::remote::PartitionTimes> times);
    /// The times; nullopt if not measured.
    const std::optional<fx::remote::PartitionTimes>& times() const { return m_times; }
    /// Sets the same partitions with new byte counts. `guessed` are the guessed inputs, or empty.
    void setBytes(std::shared_ptr<const PartitionOutcome> outcome, const QString& guessed);
    /// True if the sizes of some values are known.
    bool knowsBytes() const;

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override { return parent.isValid() ? 0 : kColumns; }
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
    // Rows and the selection of the canvas can be dropped onto a row.
    Qt::ItemFlags flags(const QModelIndex& index) const override;
    Qt::DropActions supportedDropActions() const override { return Qt::MoveAction; }
    QStringList mimeTypes() const override;
    QMimeData* mimeData(const QModelIndexList& indexes) const override;
    bool canDropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                         const QModelIndex& parent) const override;
    bool dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                      const QModelIndex& parent) override;
    static const QString kRows, kSelection; ///< MIME types: rows of this table, the selection of the canvas

Q_SIGNALS:
    void joined(const std::vector<int>& rows, int to); ///< Emitted when rows were dropped onto row `to`.
    void selectionDropped(int to); ///< Emitted when the selection of the canvas was dropped onto row `to`.

private:
    QString timeText(std::size_t partition) const;

    std::shared_ptr<const PartitionOutcome> m_outcome;
    std::optional<fx::remote::PartitionTimes> m_times;
    QString m_guessed;
};

/// Returns the colour of a partition.
QColor partitionColor(std::size_t partition);
/// Returns the hatching (0..7) that distinguishes a partition from the next one with the same colour.
int partitionHatch(std::size_t partition);
/// Returns colour and hatching in a box, for lists.
QPixmap partitionSwatch(std::size_t partition);

} // namespace ui
