// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QLineEdit>

#include <functional>

namespace ui {

/// An in-place editor over a displayed value: Return and leaving it commit, Escape cancels. Deletes itself.
class InPlaceField final : public QLineEdit {
public:
    InPlaceField(const QRect& place, const QString& text, std::function<void(const QString&)> accepted,
                 QWidget* parent);
    /// Commits what is being typed over `parent`: before it shows something else.
    static void commitIn(const QWidget& parent);
    /// The same for what is being typed anywhere in a window: before it is saved or closed.
    static void commitAll(const QWidget& window);

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void focusOutEvent(QFocusEvent* event) override;

private:
    void commit();
    void leave();

    std::function<void(const QString&)> m_accepted;
};

} // namespace ui
