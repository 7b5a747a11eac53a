// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/node_selection.h"

#include "ui/document/document_picture.h"
#include "ui/document/node_facts.h"
#include "ui/tasks/task_slot.h"

#include <QLoggingCategory>

#include <algorithm>

namespace ui {

namespace {
/// Off by default; QT_LOGGING_RULES="lancet.document.debug=true" tells what is selected.
Q_LOGGING_CATEGORY(selectionLog, "lancet.document", QtWarningMsg)

/// The counterpart of a node in another version: the node with its name. Ids are the same only as long as edits are
/// small; then a node can have another name, too. kNoNode if the node is gone.
fx::NodeId counterpart(fx::NodeId id, const fx::Graph& from, const fx::Graph& to) {
    const fx::Node& node = from.node(id);
    const bool isThere = fx::index(id) < to.idLimit() && !to.node(id).erased();
    if (isThere && to.node(id).name() == node.name()) return id;
    if (const fx::NodeId found = to.find(node.name()); found != fx::kNoNode) return found;
    const bool isRenamed = isThere && to.node(id).op() == node.op() && to.node(id).target() == node.target() &&
                           from.find(to.node(id).name()) == fx::kNoNode;
    return isRenamed ? id : fx::kNoNode;
}
} // namespace

std::vector<fx::NodeId> nodesOfModule(const fx::Graph& graph, const QString& modulePath) {
    std::vector<fx::NodeId> nodes;
    const std::string path = modulePath.toStdString();
    for (const fx::Node& node : graph.nodes()) {
        const std::string own = modulePathOf(node);
        const bool inside =
            path.empty() || (own.starts_with(path) && (own.size() == path.size() || own[path.size()] == '.'));
        if (inside) nodes.push_back(node.id());
    }
    return nodes;
}

NodeSelection::NodeSelection(DocumentPicture& picture, QObject* parent) : QObject(parent), m_picture(picture) {}

NodeSelection::~NodeSelection() { disposeLater(std::move(m_model)); }

std::vector<fx::NodeId> NodeSelection::inGraphOrder() const {
    std::vector<fx::NodeId> nodes = m_nodes;
    if (m_model)
        std::sort(nodes.begin(), nodes.end(),
                  [this](fx::NodeId a, fx::NodeId b) { return m_model->graph.isBefore(a, b); });
    return nodes;
}

void NodeSelection::set(std::vector<fx::NodeId> nodes) {
    std::erase_if(nodes, [this](fx::NodeId node) { return fx::index(node) >= m_isSelected.size(); });
    for (const fx::NodeId node : m_nodes) m_isSelected[fx::index(node)] = 0;
    m_nodes = std::move(nodes);
    for (const fx::NodeId node : m_nodes) m_isSelected[fx::index(node)] = 1;
}

void NodeSelection::replace(std::vector<fx::NodeId> nodes, QObject* source, bool isRestored) {
    m_isRestored = isRestored;
    if (!m_model || (nodes == m_nodes && !m_modulePath)) return;
    m_modulePath.reset();
    set(std::move(nodes));
    if (selectionLog().isDebugEnabled() && m_nodes.size() < 100) {
        QStringList names;
        for (const fx::NodeId node : m_nodes) names << QString::fromStdString(m_model->graph.node(node).name());
        qCDebug(selectionLog).noquote() << "selected:" << names.join(u' ');
    }
    Q_EMIT changed(source);
}

void NodeSelection::selectAll() {
    if (m_model) select(m_model->graph.order(), nullptr);
}

void NodeSelection::selectModule(const QString& modulePath, QObject* source) {
    if (!m_model || m_modulePath == modulePath) return;
    m_modulePath = modulePath;
    set(nodesOfModule(m_model->graph, modulePath));
    Q_EMIT changed(source);
}

void NodeSelection::goTo(fx::NodeId node, QObject* source) {
    if (!m_model || node == fx::kNoNode) return;
    select({node}, source);
    m_picture.reveal(node);
}

void NodeSelection::goTo(const std::vector<fx::NodeId>& nodes, QObject* source) {
    if (!m_model || nodes.empty()) return;
    m_isGoing = true;
    select(nodes, source);
    m_isGoing = false;
    m_picture.reveal(nodes);
}

void NodeSelection::setModel(std::shared_ptr<const fx::GraphModule> model, std::vector<fx::NodeId> nodes) {
    m_model = std::move(model);
    m_nodes.clear();
    m_isSelected.assign(m_model->graph.idLimit(), 0);
    set(std::move(nodes));
}

void NodeSelection::reset(std::shared_ptr<const fx::GraphModule> model) {
    m_modulePath.reset();
    setModel(std::move(model), {});
}

bool NodeSelection::follow(std::shared_ptr<const fx::GraphModule> version) {
    std::vector<fx::NodeId> nodes;
    for (const fx::NodeId node : m_nodes)
        if (const auto here = counterpart(node, m_model->graph, version->graph); here != fx::kNoNode)
            nodes.push_back(here);
    const bool differs = nodes != m_nodes;
    setModel(std::move(version), std::move(nodes));
    return differs;
}

bool NodeSelection::followNames(std::shared_ptr<const fx::GraphModule> trace) {
    const bool wasSelected = !m_nodes.empty();
    std::vector<fx::NodeId> nodes;
    for (const fx::NodeId node : m_nodes)
        if (const fx::NodeId found = trace->graph.find(m_model->graph.node(node).name()); found != fx::kNoNode)
            nodes.push_back(found);
    reset(std::move(trace));
    set(std::move(nodes));
    return wasSelected;
}

} // namespace ui
