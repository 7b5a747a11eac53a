// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/partition/partition_run.h"

#include <QDialog>

class QLabel;
class QLineEdit;
class QListView;
class QPushButton;
class QSortFilterProxyModel;

namespace ui {

/// Dialog that asks for one of all partitions, found by its number or a node in it.
class MoveDialog final : public QDialog {
    Q_OBJECT
public:
    /// `without` is the partition that contains the nodes, or -1. `first` are the partitions to list first.
    MoveDialog(const fx::Graph& graph, const PartitionOutcome& outcome, int without, const std::vector<int>& first,
               QWidget* parent = nullptr);
    /// The chosen partition; -1 if the search finds no partition.
    int partition() const;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void find(const QString& text);
    void updateButton();

    QLineEdit* m_search;
    QListView* m_list;
    QSortFilterProxyModel* m_found;
    QPushButton* m_move;
    QLabel* m_none; ///< shown over an empty list
};

} // namespace ui
