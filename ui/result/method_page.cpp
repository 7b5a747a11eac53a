// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/result/method_page.h"

#include <QCoreApplication>
#include <QDialog>
#include <QDialogButtonBox>
#include <QFile>
#include <QTextBrowser>
#include <QVBoxLayout>

namespace ui {

QString methodText() {
    QFile file(QStringLiteral(":/lancet/docs/verify.md"));
    return file.open(QIODevice::ReadOnly) ? QString::fromUtf8(file.readAll()) : QString();
}

void showMethod(QWidget* parent) {
    const QString name = QStringLiteral("methodPage");
    if (auto* open = parent->findChild<QDialog*>(name)) return open->raise();
    auto* dialog = new QDialog(parent);
    dialog->setObjectName(name);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(QCoreApplication::translate("ui::ResultCard", "How Lancet Decides"));
    dialog->resize(720, 640);
    auto* text = new QTextBrowser(dialog);
    text->setMarkdown(methodText());
    text->setAccessibleName(dialog->windowTitle());
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
    QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
    auto* column = new QVBoxLayout(dialog);
    column->addWidget(text);
    column->addWidget(buttons);
    dialog->show();
}

} // namespace ui
