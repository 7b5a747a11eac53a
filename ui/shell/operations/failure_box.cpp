// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/operations/failure_box.h"

#include <QGridLayout>
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

void setReadableWidth(QMessageBox& box) {
    constexpr int kCharacters = 64;
    box.ensurePolished();
    auto* grid = qobject_cast<QGridLayout*>(box.layout());
    if (!grid) return; // as wide as the style wants it
    auto* line = new QSpacerItem(kCharacters * box.fontMetrics().averageCharWidth(), 0);
    grid->addItem(line, grid->rowCount(), 0, 1, grid->columnCount());
}

} // namespace ui
