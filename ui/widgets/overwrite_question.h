// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QMessageBox>

namespace ui {

/// Message box that asks whether to overwrite a file.
class OverwriteQuestion final : public QMessageBox {
public:
    /// Asks about a file that another program has written since it was opened or saved here.
    OverwriteQuestion(const QString& name, QWidget* window);
    /// Asks `question` and shows `reason` below it.
    OverwriteQuestion(const QString& name, const QString& question, const QString& reason, QWidget* window);
    /// The answer; Cancel is the default.
    bool isYes() const { return clickedButton() == m_overwrite; }

private:
    const QAbstractButton* m_overwrite;
};

} // namespace ui
