// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QLineEdit>

#include <functional>

namespace ui {

/// A line of text over the place where a value stands, to change it there: Return hands it over, Escape and a click
/// elsewhere give it up. Goes by itself.
class InPlaceField final : public QLineEdit {
public:
    InPlaceField(const QRect& place, const QString& text, std::function<void(const QString&)> accepted,
                 QWidget* parent);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void leave();

    std::function<void(const QString&)> m_accepted;
};

} // namespace ui
