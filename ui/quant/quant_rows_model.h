// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractTableModel>

#include <vector>

namespace ui {

/// A table of rows that are replaced as a whole: the tabs of the Quantise panel.
class QuantRowsModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    /// Sort: the role to sort by. Row: the index of the row in `setRows`.
    enum Role { Sort = Qt::UserRole, Row };
    /// The content of a cell.
    struct Cell {
        QString text;      ///< the displayed text
        QVariant key = {}; ///< to sort by; invalid: the text
        QString tip = {};  ///< tooltip
        QColor color = {}; ///< background
    };
    /// Creates an empty table with these column titles.
    explicit QuantRowsModel(QStringList columns, QObject* parent = nullptr);

    void setRows(std::vector<std::vector<Cell>> rows); ///< Replaces all rows.
    int rowCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
    }
    int columnCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(m_columns.size());
    }
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QStringList m_columns;
    std::vector<std::vector<Cell>> m_rows;
};

} // namespace ui
