// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QLayout>
#include <QList>

namespace ui {

/// A row of widgets that wraps into further rows if it is too narrow: its minimum width is that of its widest widget.
class FlowLayout final : public QLayout {
    Q_OBJECT
public:
    /// Fill: the widgets of a row share the remaining width, or those of them that expand; otherwise it stays empty at
    /// the end.
    enum class Rest { Empty, Fill };
    static constexpr int kBetween = 4;       ///< px between buttons, which have room around their texts
    static constexpr int kBetweenBoxes = 10; ///< between a text and the next box to tick
    explicit FlowLayout(QWidget* parent = nullptr, Rest rest = Rest::Empty);
    ~FlowLayout() override;

    void addItem(QLayoutItem* item) override;
    int count() const override { return static_cast<int>(m_items.size()); }
    QLayoutItem* itemAt(int index) const override;
    QLayoutItem* takeAt(int index) override;
    Qt::Orientations expandingDirections() const override { return {}; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    /// One row.
    QSize sizeHint() const override;
    QSize minimumSize() const override;
    void setGeometry(const QRect& rect) override;

private:
    struct Row {
        QList<QLayoutItem*> items;
        int width = 0, height = 0;
    };
    QList<Row> rowsIn(int width) const;
    QList<int> sharesOf(const Row& row, int spare) const;

    QList<QLayoutItem*> m_items;
    Rest m_rest;
};

/// A widget with these widgets in a FlowLayout.
QWidget* flowOf(QWidget* parent, std::initializer_list<QWidget*> widgets,
                FlowLayout::Rest rest = FlowLayout::Rest::Empty, int spacing = FlowLayout::kBetween);

} // namespace ui
