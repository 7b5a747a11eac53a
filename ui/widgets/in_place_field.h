// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QLineEdit>

#include <functional>

namespace ui {

/// An in-place editor over a displayed value: Return commits, Escape or a click elsewhere cancels. Deletes itself.
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
