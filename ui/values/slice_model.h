// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/remote/value_view.h"

#include <QAbstractTableModel>

namespace ui {

/// The slice of a node's value as a table: its own numbers, those of the original, or their difference.
class SliceModel final : public QAbstractTableModel {
    Q_OBJECT
public:
    /// The numbers to show.
    enum class Show { Value, Original, Difference };
    using QAbstractTableModel::QAbstractTableModel;

    /// Shows other values. Shows the value alone if they cannot be compared.
    void setValues(fx::NodeValues values);
    void setShow(Show show);             ///< Selects the numbers to show; Value if they cannot be compared.
    Show show() const { return m_show; } ///< The numbers that are shown.
    /// True if the original has the same slice, so that all three can be shown.
    bool canCompare() const;
    /// Formats a block of cells in full precision, separated by tabs and newlines. Bounds are inclusive.
    QString text(int top, int left, int bottom, int right) const;

    int rowCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(m_values.value.rows);
    }
    int columnCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : static_cast<int>(m_values.value.columns);
    }
    QVariant data(const QModelIndex& index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    double number(int row, int column) const;

    fx::NodeValues m_values;
    Show m_show = Show::Value;
};

} // namespace ui
