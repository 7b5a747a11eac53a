// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/shell/window/node_menus.h"

#include "ui/canvas/graph_canvas.h"
#include "ui/document/current_document.h"
#include "ui/document/node_facts.h"
#include "ui/inspector/inspector_panel.h"
#include "ui/partition/partition_panel.h"
#include "ui/quant/quant_panel.h"
#include "ui/shell/document_page.h"
#include "ui/shell/modules_panel.h"
#include "ui/shell/nodes_panel.h"
#include "ui/shell/window/graph_edits.h"
#include "ui/shell/window_actions.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/in_place_field.h"

#include <QAbstractItemView>
#include <QInputDialog>
#include <QMenu>
#include <QTimer>
#include <QTreeView>

#include <algorithm>

namespace ui {

namespace {

bool isSameSet(std::vector<fx::NodeId> some, std::vector<fx::NodeId> others) {
    std::sort(some.begin(), some.end());
    std::sort(others.begin(), others.end());
    return some == others;
}

} // namespace

NodeMenus::NodeMenus(WindowActions& actions, Panels& panels, GraphEdits& edits, QWidget* window)
    : QObject(window), m_actions(actions), m_panels(panels), m_edits(edits), m_window(window) {
    for (QAbstractItemView* view :
         {panels.nodes->view(), panels.table->view(), static_cast<QAbstractItemView*>(panels.modules->view())})
        connectRows(view);
    connectFields();
}

void NodeMenus::connectRows(QAbstractItemView* view) {
    view->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(view, &QWidget::customContextMenuRequested, this, [this, view](const QPoint& at) {
        if (!m_panels.document.ready() || !view->currentIndex().isValid()) return;
        const QRect row = view->visualRect(view->currentIndex());
        showMenu(view->viewport()->mapToGlobal(
            view->indexAt(at).isValid() ? at : row.center())); // by key it is asked for in the middle
    });
}

void NodeMenus::connectFields() {
    for (NodesPanel* panel : {m_panels.nodes, m_panels.table})
        connect(panel, &NodesPanel::edited, this,
                [this](Document* document, fx::NodeId id, NodeRowsModel::Field field, const QString& text) {
                    QTimer::singleShot(0, document, [=, this] { m_edits.changeCell(*document, id, field, text); });
                }); // the editor closes first
    connect(m_panels.inspector, &InspectorPanel::argumentEdited, this,
            [this](Document* document, fx::NodeId id, const QString& place, const QString& text) {
                m_edits.changeArgument(*document, id, place, text);
            });
    connect(m_panels.inspector, &InspectorPanel::settingEdited, this,
            [this](Document* document, const QString& path, const QString& name, const QString& text) {
                m_edits.changeSetting(*document, path, name, text);
            });
}

void NodeMenus::connectPage(DocumentPage& page) {
    Document& document = page.document();
    GraphCanvas* canvas = &page.canvas();
    connect(canvas, &GraphCanvas::contextMenuRequested, this,
            [this, &document, canvas](const QPoint& position, fx::NodeId node, const QString& group) {
                if (node != fx::kNoNode) showMenu(position);
                else if (!group.isEmpty()) showGroupMenu(document, *canvas, position, group);
                else showBackgroundMenu(position);
            });
    connect(canvas, &GraphCanvas::nameActivated, this, [this, &page](fx::NodeId node) { renameOnCanvas(page, node); });
    connect(canvas, &GraphCanvas::edgeMenuRequested, this,
            [this, &document](const QPoint& position, fx::NodeId from, fx::NodeId to) {
                showEdgeMenu(document, position, from, to);
            });
    connect(canvas, &GraphCanvas::badgeClicked, m_panels.quant, &QuantPanel::openBadge);
    connect(canvas, &GraphCanvas::connectRequested, this,
            [this, &document](const QPoint& position, fx::NodeId from, fx::NodeId to) {
                askInput(document, position, from, to);
            });
}

void NodeMenus::showMenu(const QPoint& position) {
    QMenu menu;
    menu.setToolTipsVisible(true);
    menu.addActions({m_actions.insertAfter, m_actions.insertBefore, m_actions.changeCall, m_actions.replaceModule,
                     m_actions.replaceModuleClass, m_actions.renameNode, m_actions.eraseNodes});
    menu.addSeparator();
    menu.addActions(
        {m_actions.findPattern, m_actions.selectInputs, m_actions.selectUsers, m_actions.copyNames, m_actions.paste});
    menu.addSeparator();
    menu.addActions({m_actions.extract, m_actions.trainMode, m_actions.evalMode, m_actions.setTensor});
    if (m_panels.partition->isSeen()) {
        menu.addSeparator();
        m_panels.partition->addTo(*menu.addMenu(tr("Partition")));
    }
    menu.addSeparator();
    menu.addActions({m_actions.zoomToSelection, m_actions.hideSelected, m_actions.showAll, m_actions.openNested,
                     m_actions.expandModule});
    menu.addSeparator();
    menu.addActions({m_actions.expandAll, m_actions.collapseAll, m_actions.fit});
    menu.exec(position);
}

/// The mode is that of the module, whatever else is drawn in its box.
void NodeMenus::addMode(QMenu& menu, Document& document, const QString& module, bool training) {
    const QString words = training ? tr("Set %1 to Training Mode") : tr("Set %1 to Evaluation Mode");
    menu.addAction(words.arg(elided(module.toStdString(), 60).replace(u'&', QStringLiteral("&&"))), &document,
                   [this, &document, module, training] { Q_EMIT modeRequested(document, module, training); });
}

/// A group is what its box shows: that is selected first, so that every action is about it. The canvas stays where it
/// is, under the menu.
void NodeMenus::showGroupMenu(Document& document, GraphCanvas& canvas, const QPoint& position, const QString& group) {
    const Scene& scene = canvas.scene();
    DocumentPicture& picture = document.picture();
    const fx::LayoutOptions& options = picture.options();
    const bool isOpen = options.expandAll || options.expanded.contains(group.toStdString());
    const ItemIndex drawn = scene.groupByPath(group.toStdString());
    const QString name =
        elided(drawn == kNoItem ? group.toStdString() : scene.title(drawn), 60).replace(u'&', QStringLiteral("&&"));
    const bool isPart = group.contains(u'@') || group.contains(u'#'); // one of several calls, or of a long level
    const std::vector<fx::NodeId> ofModule =
        isPart ? std::vector<fx::NodeId>() : nodesOfModule(document.module()->graph, group);
    const bool isModule = !ofModule.empty();
    std::vector<fx::NodeId> nodes = picture.nodesIn(group);
    canvas.setSelection(nodes, false);
    if (isModule && isSameSet(std::move(nodes), ofModule)) document.selection().selectModule(group, &canvas);
    QMenu menu;
    menu.setToolTipsVisible(true);
    menu.addAction(isOpen ? tr("Collapse %1").arg(name) : tr("Expand %1").arg(name), this,
                   [&picture, &canvas, group, isOpen] {
                       if (isOpen) canvas.deselectIn(group);
                       picture.setExpanded(group, !isOpen);
                   });
    menu.addSeparator();
    menu.addActions({m_actions.copyNames, m_actions.extract, m_actions.findPattern, m_actions.selectInputs,
                     m_actions.selectUsers, m_actions.eraseNodes});
    if (isModule) {
        menu.addSeparator();
        for (const bool training : {true, false}) addMode(menu, document, group, training);
    }
    if (m_panels.partition->isSeen()) {
        menu.addSeparator();
        m_panels.partition->addTo(*menu.addMenu(tr("Partition")));
    }
    menu.addSeparator();
    menu.addActions({m_actions.zoomToSelection, m_actions.hideSelected, m_actions.showAll});
    menu.addSeparator();
    menu.addActions({m_actions.expandAll, m_actions.collapseAll, m_actions.fit});
    menu.exec(position);
}

/// Nothing here is about the selection, which may be out of sight.
void NodeMenus::showBackgroundMenu(const QPoint& position) {
    QMenu menu;
    menu.setToolTipsVisible(true);
    menu.addActions({m_actions.paste, m_actions.selectAll, m_actions.clearSelection});
    menu.addSeparator();
    menu.addActions({m_actions.zoomToSelection, m_actions.showAll});
    menu.addSeparator();
    menu.addActions({m_actions.expandAll, m_actions.collapseAll, m_actions.fit});
    menu.exec(position);
}

void NodeMenus::showEdgeMenu(Document& document, const QPoint& position, fx::NodeId from, fx::NodeId to) {
    const auto name = [&](fx::NodeId node) { return fromCore(document.module()->graph.node(node).name()); };
    QMenu menu;
    menu.addAction(tr("Insert Between %1 and %2…").arg(name(from), name(to)), this,
                   [&] { m_edits.insertBetween(document, from, to); });
    menu.addAction(tr("Go to %1").arg(name(from)), this, [&] { document.selection().goTo(from, nullptr); });
    menu.addAction(tr("Go to %1").arg(name(to)), this, [&] { document.selection().goTo(to, nullptr); });
    menu.exec(position);
}

/// A menu of the inputs of `to` that `from` can take the place of.
void NodeMenus::askInput(Document& document, const QPoint& position, fx::NodeId from, fx::NodeId to) {
    const fx::Graph& graph = document.module()->graph;
    const auto name = [&](fx::NodeId node) { return fromCore(graph.node(node).name()); };
    QMenu menu;
    for (const fx::NodeId input : graph.node(to).inputs())
        menu.addAction(tr("Replace %3 with %2 in %1").arg(name(to), name(from), name(input)), this,
                       [this, &document, from, to, input] { m_edits.connectNodes(document, from, to, input); });
    if (menu.isEmpty()) menu.addAction(tr("%1 has no inputs").arg(name(to)))->setEnabled(false);
    menu.exec(position);
}

void NodeMenus::renameSelected(DocumentPage& page) {
    const fx::NodeId node = page.document().selection().nodes().front();
    for (NodesPanel* panel : {m_panels.nodes, m_panels.table})
        if (panel->editName(node)) return;
    renameOnCanvas(page, node);
}

/// A node that cannot be seen is renamed in a box.
void NodeMenus::renameOnCanvas(DocumentPage& page, fx::NodeId node) {
    GraphCanvas& canvas = page.canvas();
    const QString old = QString::fromStdString(page.document().module()->graph.node(node).name());
    const auto rename = [this, old, document = QPointer(&page.document())](const QString& name) {
        if (document && !name.isEmpty() && name != old) m_edits.rename(*document, old, name);
    };
    constexpr double kNameHeight = 26;
    const QRectF box = canvas.nodeRect(node);
    const QRectF name(box.left(), box.top(), box.width(), std::min(box.height(), kNameHeight));
    if (!name.isEmpty() && canvas.isVisible() && QRectF(canvas.rect()).contains(name)) {
        auto* field = new InPlaceField(name.toRect(), old, rename, &canvas);
        // It stands over one node: what is typed belongs to that one, whatever is seen or selected next.
        for (auto leaves : {&GraphCanvas::selectionChanged, &GraphCanvas::cameraChanged})
            connect(&canvas, leaves, field, [&canvas] { InPlaceField::commitIn(canvas); });
        return;
    }
    bool accepted = false;
    const QString typed = QInputDialog::getText(m_window, tr("Rename Node"), tr("New name (torch.fx makes it unique):"),
                                                QLineEdit::Normal, old, &accepted);
    if (accepted) rename(typed);
}

} // namespace ui
