// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QTableView>

namespace ui {

/// A table whose first column stays in place while the others scroll to the side, as in a spreadsheet. Rows have one
/// height. Set up the headers of this table; the column that stays follows them.
class FrozenTable final : public QTableView {
    Q_OBJECT
public:
    explicit FrozenTable(QWidget* parent = nullptr);
    void setModel(QAbstractItemModel* model) override;
    void scrollTo(const QModelIndex& index, ScrollHint hint = EnsureVisible) override;
    /// The view of the column that stays.
    QTableView* frozen() const { return m_frozen; }
    /// Takes the delegate, row height and alignment of titles that this table has by now.
    void adoptLook();

protected:
    void updateGeometries() override;

private:
    void place();

    QTableView* m_frozen;
};

} // namespace ui
