// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/pill_delegate.h"

#include "ui/widgets/theme.h"

#include <QApplication>
#include <QPainter>

namespace ui {

namespace {
constexpr int kInset = 8, kHeight = 18;

QFont pillFont(const QStyleOptionViewItem& option) {
    QFont font = semiboldFont();
    font.setPixelSize(std::max(11, QFontInfo(option.font).pixelSize() - 1));
    return font;
}

Theme::Role roleOf(PillKind kind) {
    switch (kind) {
    case PillKind::Ok: return theme().ok;
    case PillKind::Warning: return theme().warning;
    case PillKind::Error: return theme().error;
    case PillKind::Neutral: break;
    }
    return {theme().field, theme().muted};
}
} // namespace

QRect PillDelegate::pillRect(const QStyleOptionViewItem& option, const QModelIndex& index) {
    const QString text = index.data(kPillTextRole).toString();
    if (text.isEmpty()) return {};
    const int width = QFontMetrics(pillFont(option)).horizontalAdvance(text) + 2 * kInset;
    const QRect& row = option.rect;
    return {row.right() - width - 6, row.center().y() - kHeight / 2 + 1, width, kHeight};
}

void PillDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QStyleOptionViewItem row = option;
    const QRect pill = pillRect(option, index);
    if (pill.isEmpty()) return QStyledItemDelegate::paint(painter, row, index);
    // The row's own background under all of it, its text only up to the pill.
    initStyleOption(&row, index);
    const QString whole = row.text;
    row.text = row.fontMetrics.elidedText(whole, Qt::ElideRight, pill.left() - row.rect.left() - 2 * kInset);
    const QWidget* widget = option.widget;
    (widget ? widget->style() : QApplication::style())->drawControl(QStyle::CE_ItemViewItem, &row, painter, widget);
    const Theme::Role role = roleOf(static_cast<PillKind>(index.data(kPillKindRole).toInt()));
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    painter->setBrush(role.fill);
    painter->drawRoundedRect(pill, kHeight / 2.0, kHeight / 2.0);
    painter->setPen(role.line);
    painter->setFont(pillFont(option));
    painter->drawText(pill, Qt::AlignCenter, index.data(kPillTextRole).toString());
    painter->restore();
}

} // namespace ui
