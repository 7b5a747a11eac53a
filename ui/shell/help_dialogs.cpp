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
    return row(Help::tr("Wheel, pinch, + or -"), Help::tr("zoom")) +
           row(Help::tr("Middle button or Space and drag"), Help::tr("move the view")) +
           row(Help::tr("Touchpad, Shift or Alt and wheel"), Help::tr("scroll")) +
           row(Help::tr("Click"), Help::tr("select a node, or nothing on the background")) +
           row(Help::tr("Shift or Ctrl and click"), Help::tr("add a node to the selection; Ctrl also removes it")) +
           row(Help::tr("Drag on the background"), Help::tr("select the nodes in a rectangle; with Shift, add them")) +
           row(Help::tr("Drag from one node to another"), Help::tr("connect the nodes")) +
           row(Help::tr("Drag a module from the Modules panel"), Help::tr("call it after a node or on an edge")) +
           row(Help::tr("Right-click"), Help::tr("what can be done with a node or an edge")) +
           row(Help::tr("Double-click"), Help::tr("open or close a group, zoom to a node, or rename it on its name")) +
           row(Help::tr("Enter"), Help::tr("open or close a group, or zoom to a node")) +
           row(Help::tr("Arrow keys"), Help::tr("follow the edges; with Shift, extend the selection")) +
           row(Help::tr("Home or End"), Help::tr("go to the first or last node")) +
           row(Help::tr("0, 1 or F"), Help::tr("show everything, actual size, or the selection")) +
           row(Help::tr("Esc"), Help::tr("clear the selection"));
}

} // namespace

void showShortcuts(const WindowActions& actions, QWidget* parent) {
    QDialog dialog(parent);
    dialog.setWindowTitle(Help::tr("Keyboard and Mouse"));
    dialog.resize(560, 620);
    QString rows;
    for (const QAction* action : actions.all())
        if (!action->shortcut().isEmpty())
            rows += row(action->shortcut().toString(QKeySequence::NativeText), action->property("path").toString());
    auto* text = new QTextBrowser(&dialog);
    text->setHtml(QStringLiteral("<h3>%1</h3><table>%2</table><h3>%3</h3><table>%4</table>")
                      .arg(Help::tr("On the canvas"), canvasRows(), Help::tr("Everywhere"), rows));
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
        Help::tr("<h3>Lancet %1</h3><p>An editor for traced PyTorch models (torch.fx graphs).</p><p>Free software "
                 "under the GNU General Public License, version 3 or later.</p><p>Built with Qt %2 and QScintilla.</p>")
            .arg(QCoreApplication::applicationVersion(), QString::fromLatin1(qVersion())));
}

} // namespace ui
