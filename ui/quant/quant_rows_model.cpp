// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/quant/quant_rows_model.h"

#include "ui/document/node_facts.h"
#include "ui/widgets/theme.h"

#include <QColor>

namespace ui {

QuantRowsModel::QuantRowsModel(QStringList columns, QObject* parent)
    : QAbstractTableModel(parent), m_columns(std::move(columns)) {}

void QuantRowsModel::setRows(std::vector<std::vector<Cell>> rows) {
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

QVariant QuantRowsModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Cell& cell = m_rows[static_cast<std::size_t>(index.row())][static_cast<std::size_t>(index.column())];
    switch (role) {
    case Qt::DisplayRole: return elided(cell.text.toStdString());
    case Qt::ToolTipRole: return plainToolTip(cell.tip.isEmpty() ? cell.text : cell.tip);
    case Qt::BackgroundRole: return cell.color.isValid() ? QVariant(cell.color) : QVariant();
    case Qt::ForegroundRole: return cell.color.isValid() ? QVariant(readableOn(cell.color, theme().text)) : QVariant();
    case Qt::TextAlignmentRole:
        return cell.key.isValid() ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant(Qt::AlignVCenter);
    case Sort: return cell.key.isValid() ? cell.key : QVariant(cell.text);
    case Row: return index.row();
    default: return {};
    }
}

QVariant QuantRowsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole || section >= m_columns.size()) return {};
    return m_columns[section];
}

} // namespace ui
