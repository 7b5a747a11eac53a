// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QLineEdit>

#include <functional>

namespace ui {

/// In-place editor over a displayed value. Return and losing the focus commit, Escape cancels. It deletes itself.
class InPlaceField final : public QLineEdit {
public:
    /// Opens the editor at `place` in `parent` and calls `accepted` with the committed text.
    InPlaceField(const QRect& place, const QString& text, std::function<void(const QString&)> accepted,
                 QWidget* parent);
    /// Commits the open editors over `parent`. Call it before `parent` shows something else.
    static void commitIn(const QWidget& parent);
    /// Commits all open editors in a window. Call it before saving or closing.
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
