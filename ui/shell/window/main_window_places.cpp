// SPDX-License-Identifier: GPL-3.0-or-later
// Values that are changed where they stand: names on the canvas and in lists, arguments, settings of modules.
#include "ui/canvas/graph_canvas.h"
#include "ui/edit/value_steps.h"
#include "ui/inspector/inspector_panel.h"
#include "ui/shell/document_page.h"
#include "ui/shell/modules_panel.h"
#include "ui/shell/nodes_panel.h"
#include "ui/shell/window/main_window.h"
#include "ui/widgets/in_place_field.h"

#include <QAbstractItemView>
#include <QInputDialog>
#include <QTimer>
#include <QTreeView>

namespace ui {

/// A text that is no value is refused in words, as a step is that cannot be done.
void MainWindow::changeInPlace(Document& document, const QString& name, const std::function<QByteArray()>& steps) {
    if (document.state() != Document::State::Ready) return;
    QByteArray made;
    try {
        made = steps();
    } catch (const fx::Error& error) { return tellRefusal(document, error); }
    changeModel(document, name, made, {});
}

/// What was typed into a cell of a list or table of this document, which may no longer be in front.
void MainWindow::changeCell(Document& document, fx::NodeId id, NodeRowsModel::Field field, const QString& text) {
    const fx::Graph& graph = document.module()->graph;
    if (fx::index(id) >= graph.idLimit() || graph.node(id).erased()) return;
    const fx::Node& node = graph.node(id);
    using Field = NodeRowsModel::Field;
    if (field == Field::Name) return renameNode(document, QString::fromStdString(node.name()), text);
    changeInPlace(document, tr("Change the arguments of %1").arg(QString::fromStdString(node.name())), [&] {
        return field == Field::Args ? callSteps(graph, node, text, {}) : callSteps(graph, node, {}, text);
    });
}

void MainWindow::connectPlaces() {
    // What can be done with nodes can be done where their rows are, too.
    for (QAbstractItemView* view :
         {m_nodes->view(), m_table->view(), static_cast<QAbstractItemView*>(m_modules->view())}) {
        view->setContextMenuPolicy(Qt::CustomContextMenu);
        connect(view, &QWidget::customContextMenuRequested, this, [this, view](const QPoint& at) {
            const Document* document = currentDocument();
            if (!document || document->state() != Document::State::Ready || !view->currentIndex().isValid()) return;
            const QRect row = view->visualRect(view->currentIndex());
            showNodeMenu(view->viewport()->mapToGlobal(
                view->indexAt(at).isValid() ? at : row.center())); // by key it is asked for in the middle
        });
    }
    for (NodesPanel* panel : {m_nodes, m_table})
        connect(panel, &NodesPanel::edited, this,
                [this](Document* document, fx::NodeId id, NodeRowsModel::Field field, const QString& text) {
                    QTimer::singleShot(0, document, [=, this] { changeCell(*document, id, field, text); });
                }); // the editor closes first
    connect(m_inspector, &InspectorPanel::argumentEdited, this,
            [this](Document* document, fx::NodeId id, const QString& place, const QString& text) {
                const fx::Graph& graph = document->module()->graph;
                if (fx::index(id) >= graph.idLimit() || graph.node(id).erased()) return;
                const fx::Node& node = graph.node(id);
                changeInPlace(*document, tr("Change the arguments of %1").arg(QString::fromStdString(node.name())),
                              [&] { return argumentSteps(graph, node, place, text); });
            });
    connect(m_inspector, &InspectorPanel::settingEdited, this,
            [this](Document* document, const QString& path, const QString& name, const QString& text) {
                changeInPlace(*document, tr("Set %1 of %2").arg(name, path),
                              [&] { return settingSteps(*document->module(), path.toStdString(), name, text); });
            });
}

/// Where the keyboard is: in a list or table, or on the canvas.
void MainWindow::renameSelected() {
    const fx::NodeId node = currentDocument()->selection().front();
    for (NodesPanel* panel : {m_nodes, m_table})
        if (panel->editName(node)) return;
    renameOnCanvas(node);
}

/// A node that cannot be seen is renamed in a box.
void MainWindow::renameOnCanvas(fx::NodeId node) {
    GraphCanvas& canvas = currentPage()->canvas();
    const QString old = QString::fromStdString(currentDocument()->module()->graph.node(node).name());
    const auto rename = [this, old, document = QPointer(currentDocument())](const QString& name) {
        if (document && !name.isEmpty() && name != old) renameNode(*document, old, name);
    };
    constexpr double kNameHeight = 26;
    const QRectF box = canvas.nodeRect(node);
    const QRectF name(box.left(), box.top(), box.width(), std::min(box.height(), kNameHeight));
    if (!name.isEmpty() && canvas.isVisible() && QRectF(canvas.rect()).contains(name)) {
        new InPlaceField(name.toRect(), old, rename, &canvas);
        return;
    }
    bool accepted = false;
    const QString typed = QInputDialog::getText(this, tr("Rename Node"), tr("New name (torch.fx makes it unique):"),
                                                QLineEdit::Normal, old, &accepted);
    if (accepted) rename(typed);
}

void MainWindow::renameNode(const QString& old, const QString& name) { renameNode(*currentDocument(), old, name); }

void MainWindow::renameNode(Document& document, const QString& old, const QString& name) {
    changeInPlace(document, tr("Rename %1").arg(old),
                  [&] { return renameSteps(old.toStdString(), name.toStdString()); });
}

} // namespace ui
