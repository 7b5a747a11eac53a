// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/widgets/failure_box.h"

#include "ui/widgets/core_text.h"
#include "ui/widgets/readable_width.h"
#include "ui/widgets/theme.h"

#include <QMessageBox>
#include <QPointer>

namespace ui {

namespace {

/// What a compiler says marks places with ~~~ below its lines, which needs letters of one width. Empty for other texts.
QString withMarks(const QString& why) {
    if (!why.contains(QLatin1String("~~~"))) return {};
    const QFont mono = monoFont();
    return QStringLiteral("%1<pre style=\"white-space: pre-wrap; font-family: '%3'; font-size: %4px\">%2</pre>")
        .arg(why.section(u'\n', 0, 0).toHtmlEscaped(), why.section(u'\n', 1).toHtmlEscaped(), mono.family())
        .arg(mono.pixelSize());
}

QMessageBox* makeBox(QWidget* window, const QString& failure, const fx::Error& error) {
    const QString why = linesFromCore(error.what()), marked = withMarks(why);
    const QString more = linesFromCore(error.hint.empty() ? error.file : error.hint);
    auto* box = new QMessageBox(QMessageBox::Warning, failure, marked.isEmpty() ? failure : failure.toHtmlEscaped(),
                                QMessageBox::Ok, window);
    box->setTextFormat(marked.isEmpty() ? Qt::PlainText : Qt::RichText);
    box->setInformativeText(!marked.isEmpty() ? marked + more.toHtmlEscaped()
                            : more.isEmpty()  ? why
                                              : why + u'\n' + more);
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
