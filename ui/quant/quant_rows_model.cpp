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

/// Titles stand as what is below them: numbers on the right.
QVariant QuantRowsModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal || section < 0 || section >= m_columns.size()) return {};
    if (role == Qt::DisplayRole) return m_columns[section];
    if (role != Qt::TextAlignmentRole) return {};
    const bool isNumber = !m_rows.empty() && m_rows.front()[static_cast<std::size_t>(section)].key.isValid();
    return QVariant((isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
}

} // namespace ui
