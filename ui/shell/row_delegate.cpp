// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/row_delegate.h"

#include "ui/widgets/theme.h"

#include <QApplication>
#include <QPainter>

namespace ui {

void RowDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    const Theme& colors = theme();
    const bool selected = option.state & QStyle::State_Selected;
    if (selected) painter->fillRect(option.rect, colors.accentBackground);
    else if (option.state & QStyle::State_MouseOver) painter->fillRect(option.rect, colors.hover);

    QRect area = option.rect.adjusted(4, 0, -8, 0);
    const QVariant op = m_roles.op < 0 ? QVariant() : index.data(m_roles.op);
    if (op.isValid()) {
        const Theme::Role& role = colors.op(static_cast<fx::Op>(op.toInt()));
        painter->fillRect(QRect(area.left() + 2, area.top() + 6, 3, area.height() - 12), role.line);
        area.adjust(10, 0, 0, 0);
    }
    painter->setFont(option.font);
    const QFontMetrics& metrics = option.fontMetrics;
    const QString name = index.data(Qt::DisplayRole).toString();
    const QString second = m_roles.second < 0 ? QString() : index.data(m_roles.second).toString();
    const QString detail = m_roles.detail < 0 ? QString() : index.data(m_roles.detail).toString();
    const int nameWidth = std::min(area.width(), metrics.horizontalAdvance(name));

    const bool usable = option.state & QStyle::State_Enabled; // or an action that cannot be done now
    painter->setPen(!usable ? colors.muted : selected ? colors.accent : colors.text);
    painter->drawText(area, Qt::AlignVCenter | Qt::AlignLeft, metrics.elidedText(name, Qt::ElideMiddle, area.width()));
    area.setLeft(area.left() + nameWidth + 10);
    if (area.width() < 20) return;
    painter->setPen(selected ? colors.accent : colors.muted);
    QFont small = option.font;
    small.setPixelSize(std::max(11, QFontInfo(option.font).pixelSize() - 1));
    if (!second.isEmpty()) { // a number on the right is not cut for it
        const int kept = std::min(QFontMetrics(small).horizontalAdvance(detail) + 10, area.width() / 2);
        const QString text = metrics.elidedText(second, Qt::ElideRight, area.width() - kept);
        painter->drawText(area, Qt::AlignVCenter | Qt::AlignLeft, text);
        area.setLeft(area.left() + metrics.horizontalAdvance(text) + 10);
        if (area.width() < 20) return;
    }
    constexpr int kLeastCut = 44; // of a text that is cut: "E…" tells nothing
    const QFontMetrics smallMetrics(small);
    if (area.width() < kLeastCut && smallMetrics.horizontalAdvance(detail) > area.width()) return;
    painter->setFont(small);
    painter->drawText(area, Qt::AlignVCenter | Qt::AlignRight,
                      smallMetrics.elidedText(detail, Qt::ElideRight, area.width()));
}

QSize RowDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const {
    return {120, std::max(25, option.fontMetrics.height() + 8)};
}

} // namespace ui
