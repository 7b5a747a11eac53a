// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QTableView>

namespace ui {

/// A table whose first column stays in place while the others scroll horizontally, as in a spreadsheet. All rows have
/// the same height. Set up the headers of this table; the frozen column follows them.
class FrozenTable final : public QTableView {
    Q_OBJECT
public:
    explicit FrozenTable(QWidget* parent = nullptr); ///< Creates a table without a model.
    void setModel(QAbstractItemModel* model) override;
    void scrollTo(const QModelIndex& index, ScrollHint hint = EnsureVisible) override;
    /// The view of the frozen column.
    QTableView* frozen() const { return m_frozen; }
    /// Copies delegate, row height and title alignment of this table to the frozen column.
    void adoptLook();

protected:
    void updateGeometries() override;

private:
    void place();

    QTableView* m_frozen;
};

} // namespace ui
