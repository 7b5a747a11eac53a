// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/edit/erasure.h"

#include <QDialog>

class QCheckBox;
class QLabel;
class QPushButton;
class QVBoxLayout;

namespace ui {

/// Dialog that asks which node the users of erased nodes take instead, for each part with several candidates. It also
/// lists the nodes that become dead.
class EraseDialog final : public QDialog {
    Q_OBJECT
public:
    /// Takes the erasure by value and stores the user's choices in it.
    EraseDialog(Erasure erasure, QWidget* parent);

    /// Returns the steps of the accepted choices.
    fx::StepList steps() const;
    QString name() const; ///< The name of the change in the history.
    /// The check box for erasing the dead nodes as well; hidden if none exist.
    QCheckBox* alsoDead() const { return m_alsoDead; }
    QLabel* deadText() const { return m_dead; } ///< The names of the dead nodes.
    /// The button that erases the nodes and reconnects their users.
    QPushButton* eraseButton() const { return m_erase; }
    QPushButton* usersButton() const { return m_users; } ///< The button that erases all users, too.

private:
    void addPart(QVBoxLayout& column, std::size_t index);
    void showDead();

    Erasure m_erasure;
    std::optional<fx::StepList> m_withUsers;
    bool m_takesUsers = false;
    QLabel* m_dead;
    QCheckBox* m_alsoDead;
    QPushButton *m_erase, *m_users;
};

} // namespace ui
