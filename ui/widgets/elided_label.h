// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QLabel>

namespace ui {

/// A line of plain text that takes what room there is, and ends in an ellipsis where that is too little.
class ElidedLabel final : public QLabel {
    Q_OBJECT
public:
    explicit ElidedLabel(QWidget* parent);
    /// What is painted.
    QString shown() const;

protected:
    void paintEvent(QPaintEvent* event) override;
};

} // namespace ui
