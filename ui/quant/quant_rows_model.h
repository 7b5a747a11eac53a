// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QAbstractTableModel>

#include <vector>

namespace ui {

/// A table of rows that are given as a whole: what the tabs of the Quantise panel show.
class QuantRowsModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    /// The role to sort by, and that of the row's number in what was given.
    enum Role { Sort = Qt::UserRole, Row };
    struct Cell {
        QString text;
        QVariant key = {}; ///< to sort by; the text if invalid
        QString tip = {};
        QColor color = {}; ///< background
    };
    explicit QuantRowsModel(QStringList columns, QObject* parent = nullptr);

    void setRows(std::vector<std::vector<Cell>> rows);
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
