// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QLabel>

namespace ui {

/// A line of plain text that uses the available width and ends in an ellipsis if that is too small.
class ElidedLabel final : public QLabel {
    Q_OBJECT
public:
    explicit ElidedLabel(QWidget* parent); ///< Creates an empty label.
    /// Returns the painted text.
    QString shown() const;

protected:
    void paintEvent(QPaintEvent* event) override;
};

} // namespace ui
