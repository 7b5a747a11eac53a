// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/saving/draft_question.h"

#include "ui/document/node_facts.h"
#include "ui/widgets/readable_width.h"

#include <QMessageBox>
#include <QPushButton>

namespace ui {

DraftChoice askAboutDraft(QWidget* window, const QString& name, const QString& fault) {
    QMessageBox box(fault.isEmpty() ? QMessageBox::Question : QMessageBox::Warning, QMessageBox::tr("Unapplied Code"),
                    fault.isEmpty()
                        ? QMessageBox::tr("%1 has unapplied code. Apply it, then save?").arg(name)
                        : QMessageBox::tr("The code that was typed cannot be applied. Save %1 without it?").arg(name),
                    QMessageBox::Cancel, window);
    box.setTextFormat(Qt::PlainText);
    const QString about = QMessageBox::tr("The file contains the model. Code that is not applied is not saved.");
    box.setInformativeText(fault.isEmpty() ? about : fault + QStringLiteral("\n\n") + about);
    QPushButton* apply = box.addButton(QMessageBox::tr("Apply and Save"), QMessageBox::AcceptRole);
    apply->setEnabled(fault.isEmpty());
    apply->setToolTip(plainToolTip(fault));
    const auto* without = box.addButton(QMessageBox::tr("Save Without It"), QMessageBox::DestructiveRole);
    if (!fault.isEmpty()) box.setDefaultButton(QMessageBox::Cancel);
    setReadableWidth(box);
    box.exec();
    return box.clickedButton() == apply     ? DraftChoice::Apply
           : box.clickedButton() == without ? DraftChoice::Without
                                            : DraftChoice::Cancel;
}

} // namespace ui
