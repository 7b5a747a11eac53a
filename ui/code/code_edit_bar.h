// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/code/code_editing.h"

#include <QFrame>

class QLabel;
class QPushButton;
class QToolButton;

namespace ui {

/// The bar below code that is being edited: the effect of the change or its errors, and actions.
class CodeEditBar final : public QFrame {
    Q_OBJECT
public:
    explicit CodeEditBar(CodeEditing* editing, QWidget* parent = nullptr);

Q_SIGNALS:
    /// The message was clicked: show its position.
    void placeRequested();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void showState();
    void elide();

    CodeEditing* m_editing;
    QToolButton* m_message;
    QLabel* m_warning;
    QPushButton *m_stop, *m_merge, *m_revert, *m_apply;
    QString m_text;
};

} // namespace ui
