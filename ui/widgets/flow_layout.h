// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QLayout>
#include <QList>

namespace ui {

/// A row of widgets that wraps into further rows if it is too narrow. Its minimum width is that of its widest widget.
class FlowLayout final : public QLayout {
    Q_OBJECT
public:
    /// The use of the remaining width of a row. Empty leaves it at the end. Fill distributes it among the widgets, or
    /// among those that expand.
    enum class Rest { Empty, Fill };
    static constexpr int kBetween = 4;       ///< spacing in pixels between buttons, which have room around their texts
    static constexpr int kBetweenBoxes = 10; ///< spacing in pixels between a text and the next check box
    explicit FlowLayout(QWidget* parent = nullptr, Rest rest = Rest::Empty); ///< Creates an empty layout.
    ~FlowLayout() override;

    void addItem(QLayoutItem* item) override;
    int count() const override { return static_cast<int>(m_items.size()); }
    QLayoutItem* itemAt(int index) const override;
    QLayoutItem* takeAt(int index) override;
    Qt::Orientations expandingDirections() const override { return {}; }
    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    /// Returns the size of a single row.
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

/// Returns a widget with these widgets in a FlowLayout.
QWidget* flowOf(QWidget* parent, std::initializer_list<QWidget*> widgets,
                FlowLayout::Rest rest = FlowLayout::Rest::Empty, int spacing = FlowLayout::kBetween);

} // namespace ui
