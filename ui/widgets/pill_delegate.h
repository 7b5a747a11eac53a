// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QStyledItemDelegate>

namespace ui {

/// What a pill at the right end of a row says, and which of `PillKind` colours it has; no text: no pill.
inline constexpr int kPillTextRole = Qt::UserRole + 100, kPillKindRole = Qt::UserRole + 101;
enum class PillKind { Neutral, Ok, Warning, Error };

/// A row of a list with a word in a coloured pill at its right end; the text before it is elided.
class PillDelegate final : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    /// Where the pill of a row of that rectangle is; empty: there is none.
    static QRect pillRect(const QStyleOptionViewItem& option, const QModelIndex& index);
};

} // namespace ui
