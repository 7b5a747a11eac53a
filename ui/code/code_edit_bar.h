// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/code/code_editing.h"

#include <QFrame>

class QLabel;
class QPushButton;
class QToolButton;

namespace ui {

/// Bar below code that is being edited, with the effect of the change or its errors, and actions. Texts wrap.
class CodeEditBar final : public QFrame {
    Q_OBJECT
public:
    /// `editing` must outlive the bar.
    explicit CodeEditBar(CodeEditing* editing, QWidget* parent = nullptr);

Q_SIGNALS:
    /// Emitted when the user clicks the message, to show its position.
    void placeRequested();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void showState();

    CodeEditing* m_editing;
    QToolButton* m_icon;
    QLabel *m_message, *m_warning;
    QPushButton *m_stop, *m_merge, *m_revert, *m_apply;
};

} // namespace ui
