// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/help_dialogs.h"

#include "ui/shell/window_actions.h"

#include <QCoreApplication>
#include <QDialog>
#include <QDialogButtonBox>
#include <QMessageBox>
#include <QTextBrowser>
#include <QVBoxLayout>

namespace ui {

namespace {

class Help {
    Q_DECLARE_TR_FUNCTIONS(ui::Help)
};

QString row(const QString& keys, const QString& what) {
    return QStringLiteral("<tr><td style='padding:2px 20px 2px 0'><b>%1</b></td><td style='padding:2px 0'>%2</td></tr>")
        .arg(keys.toHtmlEscaped(), what.toHtmlEscaped());
}

QString canvasRows() {
    return row(Help::tr("Wheel, + and -"), Help::tr("zoom")) +
           row(Help::tr("Drag, Space and drag, touchpad"), Help::tr("move the picture")) +
           row(Help::tr("Click, Shift and click"), Help::tr("select a node, add one")) +
           row(Help::tr("Drag from a node to another"), Help::tr("connect them")) +
           row(Help::tr("Drag a module from the outline"), Help::tr("call it after a node or on an edge")) +
           row(Help::tr("Shift and drag"), Help::tr("select with a rubber band")) +
           row(Help::tr("Double click, Enter"), Help::tr("open or close a group, zoom to a node")) +
           row(Help::tr("Arrow keys"), Help::tr("walk along the edges; with Shift select on the way")) +
           row(Help::tr("Home, End"), Help::tr("first and last node")) +
           row(Help::tr("0, 1, F"), Help::tr("everything, actual size, the selection")) +
           row(Help::tr("Esc"), Help::tr("select nothing"));
}

} // namespace

void showShortcuts(const WindowActions& actions, QWidget* parent) {
    QDialog dialog(parent);
    dialog.setWindowTitle(Help::tr("Keyboard and mouse"));
    dialog.resize(560, 620);
    QString rows;
    for (const QAction* action : actions.all())
        if (!action->shortcut().isEmpty())
            rows += row(action->shortcut().toString(QKeySequence::NativeText), action->property("path").toString());
    auto* text = new QTextBrowser(&dialog);
    text->setHtml(QStringLiteral("<h3>%1</h3><table>%2</table><h3>%3</h3><table>%4</table>")
                      .arg(Help::tr("In the picture"), canvasRows(), Help::tr("Everywhere"), rows));
    text->setAccessibleName(dialog.windowTitle());
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, &dialog);
    QObject::connect(buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
    auto* column = new QVBoxLayout(&dialog);
    column->addWidget(text);
    column->addWidget(buttons);
    dialog.exec();
}

void showAbout(QWidget* parent) {
    QMessageBox::about(
        parent, Help::tr("About Lancet"),
        Help::tr("<h3>Lancet %1</h3><p>Opens traced PyTorch models, draws their graphs, shows the code.</p>"
                 "<p>Free software under the GNU General Public License, version 3 or later.</p>"
                 "<p>Built on Qt %2 and QScintilla.</p>")
            .arg(QCoreApplication::applicationVersion(), QString::fromLatin1(qVersion())));
}

} // namespace ui
