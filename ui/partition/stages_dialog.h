// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "core/partition/split.h"

#include <QDialog>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace ui {

/// The dialog for exporting stages: their number, what to balance, and the folder.
class StagesDialog final : public QDialog {
    Q_OBJECT
public:
    /// `noTimes`: why nodes cannot be timed, or empty. `hasParameters`: balancing by parameters is possible. `folder`:
    /// the last folder.
    StagesDialog(int calls, bool hasParameters, const QString& noTimes, const QString& folder,
                 QWidget* parent = nullptr);

    int count() const;
    fx::StageBalance balance() const;
    QString folder() const;

private:
    void browse();
    void update();

    QSpinBox* m_count;
    QComboBox* m_balance;
    QLineEdit* m_folder;
    QLabel* m_note;
    QPushButton* m_export;
};

} // namespace ui
