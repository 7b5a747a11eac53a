// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/wrapped_label.h"

#include <QResizeEvent>

namespace ui {

namespace {
constexpr int kLeastWidth = 60; ///< of a column of words
}

WrappedLabel::WrappedLabel(QWidget* parent, const QString& text) : QLabel(text, parent) { setWordWrap(true); }

QSize WrappedLabel::minimumSizeHint() const { return {kLeastWidth, std::max(0, heightForWidth(width()))}; }

/// In another width it has another height.
void WrappedLabel::resizeEvent(QResizeEvent* event) {
    QLabel::resizeEvent(event);
    if (event->oldSize().width() != event->size().width()) updateGeometry();
}

} // namespace ui
