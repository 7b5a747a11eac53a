// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QStyledItemDelegate>

namespace ui {

/// Data roles of the pill at the right end of a row: its text (empty: no pill) and its PillKind.
inline constexpr int kPillTextRole = Qt::UserRole + 100, kPillKindRole = Qt::UserRole + 101;
/// The colours of a pill.
enum class PillKind { Neutral, Ok, Warning, Error };

/// Paints a list row with a word in a coloured pill at its right end; elides the text before it.
class PillDelegate final : public QStyledItemDelegate {
    Q_OBJECT
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    /// Returns the rectangle of the pill in the row of `option`; empty if there is no pill.
    static QRect pillRect(const QStyleOptionViewItem& option, const QModelIndex& index);
};

} // namespace ui
