// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/fill_delegate.h"

#include <QPainter>

namespace ui {

void FillDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const QVariant fill = index.data(Qt::BackgroundRole);
    if (fill.isValid()) painter->fillRect(option.rect, fill.value<QBrush>());
    QStyledItemDelegate::paint(painter, option, index);
}

/// The colour under the pointer would cover the fill, which the text is readable on.
void FillDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
    QStyledItemDelegate::initStyleOption(option, index);
    if (index.data(Qt::BackgroundRole).isValid()) option->state &= ~QStyle::State_MouseOver;
}

} // namespace ui
