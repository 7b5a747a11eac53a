// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timing/share_delegate.h"

#include "ui/timing/node_times_model.h"
#include "ui/widgets/theme.h"

#include <QPainter>

namespace ui {

void ShareDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QStyledItemDelegate::paint(painter, option, index);
    const QVariant share = index.data(kBarRole);
    if (!share.isValid()) return;
    constexpr int kNumber = 72; // the bar ends where the number begins
    const QRectF room = QRectF(option.rect).adjusted(6, 6, -kNumber, -6);
    if (room.width() <= 4) return;
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(Qt::NoPen);
    painter->setBrush(theme().accent);
    painter->drawRoundedRect(
        QRectF(room.left(), room.top(), std::max(1.5, room.width() * share.toDouble()), room.height()), 2, 2);
    painter->restore();
}

} // namespace ui
