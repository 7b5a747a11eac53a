// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QStyledItemDelegate>

namespace ui {

/// Paints a row of an outline like a table of contents: the name on the left, followed by a second word, a detail on
/// the right, both muted, and a stripe in the colour of the node kind if known.
class RowDelegate final : public QStyledItemDelegate {
    Q_OBJECT
public:
    /// The model's roles for each part; -1 if it has none.
    struct Roles {
        int second = -1, detail = -1, op = -1;
    };
    /// `parent` owns the delegate.
    RowDelegate(Roles roles, QObject* parent) : QStyledItemDelegate(parent), m_roles(roles) {}

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override;
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

private:
    Roles m_roles;
};

} // namespace ui
