// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/saving/draft_question.h"

#include <QMessageBox>
#include <QPushButton>

namespace ui {

DraftChoice askAboutDraft(QWidget* window, const QString& name) {
    QMessageBox box(QMessageBox::Question, QMessageBox::tr("Unapplied Code"),
                    QMessageBox::tr("Apply the code that was typed before saving %1?").arg(name), QMessageBox::Cancel,
                    window);
    box.setTextFormat(Qt::PlainText);
    box.setInformativeText(QMessageBox::tr("The file contains the model. Code that is not applied is not saved."));
    const auto* apply = box.addButton(QMessageBox::tr("Apply and Save"), QMessageBox::AcceptRole);
    const auto* without = box.addButton(QMessageBox::tr("Save Without It"), QMessageBox::DestructiveRole);
    box.exec();
    return box.clickedButton() == apply     ? DraftChoice::Apply
           : box.clickedButton() == without ? DraftChoice::Without
                                            : DraftChoice::Cancel;
}

} // namespace ui
