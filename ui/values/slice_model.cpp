// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/values/slice_model.h"

#include "ui/values/values_text.h"
#include "ui/widgets/theme.h"

#include <QLocale>

#include <cmath>

namespace ui {

void SliceModel::setValues(fx::NodeValues values) {
    beginResetModel();
    m_values = std::move(values);
    if (!canCompare()) m_show = Show::Value;
    endResetModel();
}

void SliceModel::setShow(Show show) {
    m_show = canCompare() ? show : Show::Value;
    if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

bool SliceModel::canCompare() const {
    return m_values.original && m_values.original->sizes == m_values.value.sizes &&
           m_values.original->cells.size() == m_values.value.cells.size();
}

double SliceModel::number(int row, int column) const {
    const auto place = static_cast<std::size_t>(row * m_values.value.columns + column);
    const double own = m_values.value.cells[place];
    if (m_show == Show::Value) return own;
    const double other = m_values.original->cells[place];
    return m_show == Show::Original ? other : own == other ? 0 : own - other; // of two infinities too
}

QVariant SliceModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const double value = number(index.row(), index.column());
    switch (role) {
    case Qt::DisplayRole: return numberText(value);
    case Qt::ToolTipRole:
        return placeText(m_values.value, index.row(), index.column()) + QStringLiteral(" = ") +
               QString::number(value, 'g', QLocale::FloatingPointShortest);
    case Qt::AccessibleTextRole:
        return placeText(m_values.value, index.row(), index.column()) + u' ' + numberText(value);
    case Qt::TextAlignmentRole: return int(Qt::AlignRight | Qt::AlignVCenter);
    case Qt::FontRole: return monoFont();
    default: break;
    }
    // What is wrong with a number is said by its text; the colour only helps to find it.
    const bool changed = m_show == Show::Difference && value != 0;
    if (role == Qt::BackgroundRole && !std::isfinite(value)) return theme().error.fill;
    if (role == Qt::BackgroundRole && changed) return theme().warning.fill;
    if (role == Qt::ForegroundRole && m_show == Show::Difference && value == 0) return theme().muted;
    return {};
}

QVariant SliceModel::headerData(int section, Qt::Orientation orientation, int role) const {
    const fx::ValueSlice& slice = m_values.value.slice;
    if (role == Qt::DisplayRole)
        return QString::number((orientation == Qt::Vertical ? slice.row : slice.column) + section);
    return {};
}

QString SliceModel::text(int top, int left, int bottom, int right) const {
    QStringList lines;
    for (int row = top; row <= bottom; ++row) {
        QStringList cells;
        for (int column = left; column <= right; ++column)
            cells << QString::number(number(row, column), 'g', QLocale::FloatingPointShortest);
        lines << cells.join(u'\t');
    }
    return lines.join(u'\n');
}

} // namespace ui
