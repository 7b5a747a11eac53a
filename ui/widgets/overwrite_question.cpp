// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/overwrite_question.h"

#include "ui/widgets/readable_width.h"

#include <QPushButton>

namespace ui {

OverwriteQuestion::OverwriteQuestion(const QString& name, QWidget* window)
    : OverwriteQuestion(name, tr("%1 has changed on disk. Overwrite these changes?").arg(name),
                        tr("Another program has written the file since it was opened or saved here."), window) {}

OverwriteQuestion::OverwriteQuestion(const QString& name, const QString& question, const QString& reason,
                                     QWidget* window)
    : QMessageBox(Warning, tr("Overwrite %1").arg(name), question, Cancel, window),
      m_overwrite(addButton(tr("Overwrite"), DestructiveRole)) {
    setInformativeText(reason);
    setTextFormat(Qt::PlainText);
    setDefaultButton(Cancel);
    setReadableWidth(*this);
}

} // namespace ui
