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

QString headingRow(const QString& what) {
    return QStringLiteral("<tr><td colspan='2'><h3>%1</h3></td></tr>").arg(what.toHtmlEscaped());
}

QString canvasRows() {
    return row(Help::tr("Wheel, pinch, + or -"), Help::tr("zoom; with a touchpad, Ctrl and scroll")) +
           row(Help::tr("Middle button or Space and drag"), Help::tr("move the view")) +
           row(Help::tr("Touchpad, Shift or Alt and wheel"), Help::tr("scroll")) +
           row(Help::tr("Click"), Help::tr("select a node or a group; on the background, clear the selection")) +
           row(Help::tr("Click on the arrow of a group"), Help::tr("open or close the group")) +
           row(Help::tr("Click on the label of an interrupted edge"), Help::tr("go to its other end")) +
           row(Help::tr("Shift or Ctrl and click"), Help::tr("add a node to the selection; Ctrl also removes it")) +
           row(Help::tr("Drag on the background"),
               Help::tr("select the nodes in a rectangle; Shift adds them, Ctrl inverts them")) +
           row(Help::tr("Drag from one node to another"), Help::tr("choose what the second gets from the first")) +
           row(Help::tr("Drag the handle of a cut"), Help::tr("move calls between the stages beside it")) +
           row(Help::tr("Drag a module from the Modules panel"), Help::tr("call it after a node or on an edge")) +
           row(Help::tr("Right-click"), Help::tr("what can be done with a node, a group or an edge")) +
           row(Help::tr("Double-click on a node"),
               Help::tr("zoom to it and open its nested graph; rename it on its name")) +
           row(Help::tr("Double-click on a group"), Help::tr("open it; on its title, close it")) +
           row(Help::tr("Double-click on an edge"), Help::tr("go to the end that is farther away")) +
           row(Help::tr("Enter"), Help::tr("open or close a group, or zoom to a node")) +
           row(Help::tr("Arrow keys"),
               Help::tr(
                   "go to the input, to the first user or to the nodes beside; with Shift, extend the selection")) +
           row(Help::tr("Arrow keys after a click on a cut"), Help::tr("move the cut by one call; Ctrl+Z undoes it")) +
           row(Help::tr("Home or End"), Help::tr("go to the first or last node")) +
           row(Help::tr("0, 1 or F"), Help::tr("show everything, actual size, or the selection")) +
           row(Help::tr("Esc"), Help::tr("clear the selection"));
}

} // namespace

QString shortcutsHtml(const WindowActions& actions) {
    QString rows;
    for (const QAction* action : actions.all())
        if (!action->shortcut().isEmpty())
            rows += row(action->shortcut().toString(QKeySequence::NativeText), action->property("path").toString());
    // One table, so that both parts have the same columns.
    return QStringLiteral("<table>%1%2%3%4</table>")
        .arg(headingRow(Help::tr("On the canvas")), canvasRows(), headingRow(Help::tr("Everywhere")), rows);
}

void showShortcuts(const WindowActions& actions, QWidget* parent) {
    QDialog dialog(parent);
    dialog.setWindowTitle(Help::tr("Keyboard and Mouse"));
    dialog.resize(640, 620);
    auto* text = new QTextBrowser(&dialog);
    text->setHtml(shortcutsHtml(actions));
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
