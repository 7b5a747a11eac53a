// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/edit/erasure.h"

#include <QDialog>

class QCheckBox;
class QLabel;
class QPushButton;
class QVBoxLayout;

namespace ui {

/// Asks what the users of erased nodes get instead, for each part that leaves a choice, and shows what nothing uses
/// after that.
class EraseDialog final : public QDialog {
    Q_OBJECT
public:
    EraseDialog(Erasure erasure, QWidget* parent);

    /// What was chosen, when accepted.
    QByteArray steps() const;
    QString name() const; ///< for the history
    /// The check box for what nothing uses; hidden when that is nothing.
    QCheckBox* alsoDead() const { return m_alsoDead; }
    QLabel* deadText() const { return m_dead; }
    QPushButton* eraseButton() const { return m_erase; }
    QPushButton* usersButton() const { return m_users; }

private:
    void addPart(QVBoxLayout& column, std::size_t index);
    void showDead();

    Erasure m_erasure;
    std::optional<QByteArray> m_withUsers;
    bool m_takesUsers = false;
    QLabel* m_dead;
    QCheckBox* m_alsoDead;
    QPushButton *m_erase, *m_users;
};

} // namespace ui
