// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/confirm_discard.h"

#include "ui/widgets/readable_width.h"

#include <QCoreApplication>
#include <QMessageBox>

namespace ui {

bool confirmDiscard(QWidget* parent, const QString& question, const QString& about) {
    QMessageBox box(QMessageBox::Question, QCoreApplication::translate("ui::ConfirmDiscard", "Discard Edits"), question,
                    QMessageBox::Discard | QMessageBox::Cancel, parent);
    box.setTextFormat(Qt::PlainText);
    box.setInformativeText(about);
    setReadableWidth(box);
    box.setDefaultButton(QMessageBox::Cancel); // what cannot be brought back is not what Return does
    return box.exec() == QMessageBox::Discard;
}

} // namespace ui
