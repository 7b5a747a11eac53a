// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/remote/partition_times.h"
#include "ui/partition/partition_run.h"

#include <QWidget>

class QLabel;
class QSortFilterProxyModel;
class QTableView;

namespace ui {

class PartitionTableModel;

/// The table of partitions: nodes, values and bytes that cross their borders, and times with their meaning in words.
/// Rows can be dragged onto each other.
class PartitionTableView final : public QWidget {
    Q_OBJECT
public:
    explicit PartitionTableView(QWidget* parent); ///< Creates an empty table.

    /// Replaces all rows and drops the times.
    void setOutcome(std::shared_ptr<const PartitionOutcome> outcome);
    /// Sets the same partitions with new byte counts. `guessed` are the guessed inputs, or empty.
    void setBytes(std::shared_ptr<const PartitionOutcome> outcome, const QString& guessed);
    /// Shows the times of the partitions; if null, the `note` on timing, which may be empty.
    void setTimes(const fx::remote::PartitionTimes* times, const QString& note);

Q_SIGNALS:
    void chosen(const std::vector<int>& partitions); ///< Emitted when the user selects partitions.
    /// Emitted when the user asks for the menu of a partition, at a position on the screen.
    void menuRequested(int partition, const QPoint& position);
    void joined(const std::vector<int>& partitions, int into); ///< Emitted when partitions were dropped onto another.
    void selectionDropped(int into); ///< Emitted when the selection of the canvas was dropped onto a partition.

private:
    void fitColumns();

    PartitionTableModel* m_model;
    QSortFilterProxyModel* m_sorted;
    QTableView* m_table;
    QLabel* m_times;
    bool m_resetting = false; ///< rows vanish, which is no choice of the user
};

} // namespace ui
