// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/flow_layout.h"

#include <QWidget>

#include <algorithm>

namespace ui {

FlowLayout::FlowLayout(QWidget* parent, Rest rest) : QLayout(parent), m_rest(rest) {
    setContentsMargins(0, 0, 0, 0);
    setSpacing(kBetween);
}

FlowLayout::~FlowLayout() { qDeleteAll(m_items); }

void FlowLayout::addItem(QLayoutItem* item) {
    m_items << item;
    invalidate();
}

QLayoutItem* FlowLayout::itemAt(int index) const { return m_items.value(index); }
QLayoutItem* FlowLayout::takeAt(int index) {
    return index >= 0 && index < m_items.size() ? m_items.takeAt(index) : nullptr;
}

QList<FlowLayout::Row> FlowLayout::rowsIn(int width) const {
    QList<Row> rows;
    for (QLayoutItem* item : m_items) {
        if (item->isEmpty()) continue;
        const QSize wanted = item->sizeHint();
        if (rows.isEmpty() || rows.back().width + spacing() + wanted.width() > width) rows << Row{};
        Row& row = rows.back();
        row.width += wanted.width() + (row.items.isEmpty() ? 0 : spacing());
        row.height = std::max(row.height, wanted.height());
        row.items << item;
    }
    return rows;
}

int FlowLayout::heightForWidth(int width) const {
    const QMargins around = contentsMargins();
    int height = around.top() + around.bottom();
    const QList<Row> rows = rowsIn(width - around.left() - around.right());
    for (const Row& row : rows) height += row.height;
    return height + spacing() * std::max(0, static_cast<int>(rows.size()) - 1);
}

QSize FlowLayout::sizeHint() const {
    const QMargins around = contentsMargins();
    QSize all(around.left() + around.right(), around.top() + around.bottom());
    for (const Row& row : rowsIn(QLAYOUTSIZE_MAX)) all += QSize(row.width, row.height);
    return all;
}

QSize FlowLayout::minimumSize() const {
    const QMargins around = contentsMargins();
    QSize widest;
    for (const QLayoutItem* item : m_items)
        if (!item->isEmpty()) widest = widest.expandedTo(item->minimumSize());
    return widest + QSize(around.left() + around.right(), around.top() + around.bottom());
}

/// What each widget of a row gets of the width that is left: those that expand, or else all, share it.
QList<int> FlowLayout::sharesOf(const Row& row, int spare) const {
    const auto expands = [](const QLayoutItem* item) { return bool(item->expandingDirections() & Qt::Horizontal); };
    const auto expanding = std::count_if(row.items.begin(), row.items.end(), expands);
    const int takers = static_cast<int>(expanding > 0 ? expanding : row.items.size());
    QList<int> shares;
    int taken = 0;
    for (const QLayoutItem* item : row.items) {
        const bool takes = expanding == 0 || expands(item);
        shares << (takes ? spare * (taken + 1) / takers - spare * taken / takers : 0);
        taken += takes ? 1 : 0;
    }
    return shares;
}

void FlowLayout::setGeometry(const QRect& rect) {
    QLayout::setGeometry(rect);
    // Splitters, unlike boxes, do not ask what height goes with a width.
    if (QWidget* widget = parentWidget(); widget->layout() == this)
        if (const int height = heightForWidth(rect.width()); widget->minimumHeight() != height)
            widget->setMinimumHeight(height);
    const QRect inside = rect.marginsRemoved(contentsMargins());
    int y = inside.top();
    for (const Row& row : rowsIn(inside.width())) {
        const int spare = m_rest == Rest::Fill ? std::max(0, inside.width() - row.width) : 0;
        const QList<int> shares = sharesOf(row, spare);
        int x = inside.left();
        for (qsizetype i = 0; i < row.items.size(); ++i) {
            const QSize wanted = row.items[i]->sizeHint();
            const int width = std::min(wanted.width() + shares[i], inside.width());
            row.items[i]->setGeometry({x, y + (row.height - wanted.height()) / 2, width, wanted.height()});
            x += width + spacing();
        }
        y += row.height + spacing();
    }
}

QWidget* flowOf(QWidget* parent, std::initializer_list<QWidget*> widgets, FlowLayout::Rest rest, int spacing) {
    auto* bar = new QWidget(parent);
    auto* layout = new FlowLayout(bar, rest);
    layout->setSpacing(spacing);
    for (QWidget* widget : widgets) layout->addWidget(widget);
    return bar;
}

} // namespace ui
