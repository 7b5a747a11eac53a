// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/in_place_field.h"

#include <QKeyEvent>

#include <utility>

namespace ui {

namespace {
constexpr int kLeastWidth = 120, kLeastHeight = 26;
}

InPlaceField::InPlaceField(const QRect& place, const QString& text, std::function<void(const QString&)> accepted,
                           QWidget* parent)
    : QLineEdit(text, parent), m_accepted(std::move(accepted)) {
    QRect area(place);
    area.setWidth(std::max(place.width(), kLeastWidth));
    area.setHeight(std::max(place.height(), kLeastHeight));
    area.moveTop(place.center().y() - area.height() / 2);
    area.moveRight(std::min(area.right(), parent->width() - 2));
    setGeometry(area);
    selectAll();
    show();
    setFocus(Qt::OtherFocusReason);
}

void InPlaceField::keyPressEvent(QKeyEvent* event) {
    const bool accepts = event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter;
    if (!accepts && event->key() != Qt::Key_Escape) return QLineEdit::keyPressEvent(event);
    accepts ? commit() : leave();
}

void InPlaceField::commit() {
    const auto accepted = std::exchange(m_accepted, {});
    const QString typed = text();
    leave();
    if (accepted) accepted(typed);
}

void InPlaceField::commitIn(const QWidget& parent) {
    for (QLineEdit* each : parent.findChildren<QLineEdit*>(QString(), Qt::FindDirectChildrenOnly))
        if (auto* field = dynamic_cast<InPlaceField*>(each)) field->commit();
}

void InPlaceField::commitAll(const QWidget& window) {
    for (QLineEdit* each : window.findChildren<QLineEdit*>())
        if (auto* field = dynamic_cast<InPlaceField*>(each)) field->commit();
}

void InPlaceField::focusOutEvent(QFocusEvent* event) {
    QLineEdit::focusOutEvent(event);
    const bool comesBack = event->reason() == Qt::PopupFocusReason || event->reason() == Qt::ActiveWindowFocusReason;
    if (comesBack) return;
    window()->isVisible() ? commit() : leave(); // one that closes has asked what is to be saved
}

void InPlaceField::leave() {
    m_accepted = {};
    if (hasFocus()) parentWidget()->setFocus();
    hide();
    deleteLater();
}

} // namespace ui
