// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/document/document.h"

#include <QFrame>

class QLabel;
class QPushButton;

namespace ui {

/// Bar with the number of nodes without a shape, because opening a file runs nothing of it, or with the reason why
/// their shapes could not be computed. Its button computes them, and cancels that while it runs. Hidden if no shape is
/// missing.
class ShapesBar final : public QFrame {
    Q_OBJECT
public:
    explicit ShapesBar(Document& document, QWidget* parent = nullptr); ///< `document` must outlive the bar.
    QString text() const;                                              ///< The text of the bar; empty while hidden.

private:
    void update();
    void click();
    const DocumentOperations::Operation* running() const;

    Document& m_document;
    QLabel* m_text;
    QPushButton* m_compute;
};

} // namespace ui
