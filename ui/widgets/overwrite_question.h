// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QMessageBox>

namespace ui {

/// Asks whether to overwrite a file that another program has written since it was opened or saved here.
class OverwriteQuestion final : public QMessageBox {
public:
    OverwriteQuestion(const QString& name, QWidget* window);
    /// The answer; Cancel is the default.
    bool isYes() const { return clickedButton() == m_overwrite; }

private:
    const QAbstractButton* m_overwrite;
};

} // namespace ui
