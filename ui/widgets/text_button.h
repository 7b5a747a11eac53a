// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QToolButton>

namespace ui {

/// Returns a small button with a text, and a tooltip that also names it for screen readers.
inline QToolButton* textButton(const QString& text, const QString& tip, QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setText(text);
    button->setToolTip(tip);
    button->setAccessibleName(tip);
    return button;
}

} // namespace ui
