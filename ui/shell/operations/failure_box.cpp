// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/operations/failure_box.h"

#include "ui/widgets/readable_width.h"

#include <QMessageBox>
#include <QPointer>

namespace ui {

namespace {

QMessageBox* makeBox(QWidget* window, const QString& failure, const fx::Error& error) {
    QString why = QString::fromUtf8(error.what());
    const std::string& more = error.hint.empty() ? error.file : error.hint;
    if (!more.empty()) why += u'\n' + QString::fromStdString(more);
    auto* box = new QMessageBox(QMessageBox::Warning, failure, failure, QMessageBox::Ok, window);
    box->setTextFormat(Qt::PlainText);
    box->setInformativeText(why);
    setReadableWidth(*box);
    return box;
}

} // namespace

void showFailure(QWidget* window, const QString& failure, const fx::Error& error) {
    QMessageBox* box = makeBox(window, failure, error);
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
}

void tellFailure(QWidget* window, const QString& failure, const fx::Error& error) {
    const QPointer<QMessageBox> box = makeBox(window, failure, error);
    box->exec();
    delete box;
}

} // namespace ui
