// SPDX-License-Identifier: GPL-3.0-or-later
// Nodes marked and moved by hand.
#include "ui/partition/partition_panel.h"

#include "core/partition/by_hand.h"
#include "ui/partition/move_dialog.h"

#include <QLabel>
#include <QMenu>
#include <QSortFilterProxyModel>
#include <QTableView>

#include <algorithm>
#include <unordered_set>

namespace ui {

namespace {

constexpr std::size_t kMenuMoves = 6; // the dialog finds the others

} // namespace

/// Selects the partitions chosen in the table on the canvas and scrolls to them.
void PartitionPanel::selectRows() {
    if (m_selecting || !m_document || !m_version) return;
    std::vector<fx::NodeId> nodes;
    for (const QModelIndex& row : m_table->selectionModel()->selectedRows()) {
        const auto& of = m_outcome->report.partitions[static_cast<std::size_t>(m_sorted->mapToSource(row).row())].nodes;
        nodes.insert(nodes.end(), of.begin(), of.end());
    }
    if (!nodes.empty()) m_document->goTo(nodes, nullptr);
}

void PartitionPanel::showRowMenu(const QPoint& position) {
    const QModelIndex row = m_table->indexAt(position);
    if (!row.isValid()) return;
    const int partition = m_sorted->mapToSource(row).row();
    QMenu menu;
    menu.setToolTipsVisible(true);
    const bool others =
        m_document && std::any_of(m_document->selection().begin(), m_document->selection().end(),
                                  [&](fx::NodeId node) { return m_outcome->partition(node) != partition; });
    QAction* here = menu.addAction(tr("Move Selected Nodes to Partition %1").arg(partition), this,
                                   [this, partition] { moveSelection(partition); });
    here->setEnabled(others);
    here->setToolTip(others ? QString() : tr("all selected nodes are already in it"));
    menu.addAction(tr("Select Nodes"), this, [this, partition] {
        m_document->select(m_outcome->report.partitions[static_cast<std::size_t>(partition)].nodes, nullptr);
    });
    menu.exec(m_table->viewport()->mapToGlobal(position));
}

/// The partition that all selected nodes are in; kNone: they are in none, or in several.
int PartitionPanel::home() const {
    const auto& nodes = m_document->selection();
    const int partition = nodes.empty() ? kNone : m_outcome->partition(nodes.front());
    return std::all_of(nodes.begin(), nodes.end(),
                       [&](fx::NodeId node) { return m_outcome->partition(node) == partition; })
               ? partition
               : kNone;
}

/// All partitions but one, by how far in the graph they are from the first selected node.
std::vector<int> PartitionPanel::nearest(int except) const {
    std::vector<std::ptrdiff_t> places(m_version->graph.idLimit());
    std::ptrdiff_t place = 0;
    for (const fx::Node& node : m_version->graph.nodes()) places[fx::index(node.id())] = place++;
    const std::ptrdiff_t here = places[fx::index(m_document->selection().front())];
    std::vector<std::pair<std::ptrdiff_t, int>> distances;
    const auto& partitions = m_outcome->report.partitions;
    for (std::size_t i = 0; i < partitions.size(); ++i) {
        if (static_cast<int>(i) == except) continue;
        std::ptrdiff_t least = place;
        for (const fx::NodeId node : partitions[i].nodes)
            least = std::min(least, std::abs(places[fx::index(node)] - here));
        distances.emplace_back(least, static_cast<int>(i));
    }
    std::sort(distances.begin(), distances.end());
    std::vector<int> result;
    for (const auto& [distance, partition] : distances) result.push_back(partition);
    return result;
}

/// The partitions that the selected nodes feed or are fed by, then the other ones, the nearest first, as many as a menu
/// holds; not the one they are all in.
std::vector<int> PartitionPanel::neighbours() const {
    std::vector<int> result;
    const int own = home();
    const auto add = [&](fx::NodeId node) {
        const int partition = m_outcome->partition(node);
        if (partition >= 0 && partition != own && result.size() < kMenuMoves &&
            std::find(result.begin(), result.end(), partition) == result.end())
            result.push_back(partition);
    };
    for (const fx::NodeId node : m_document->selection()) {
        for (const fx::NodeId input : m_version->graph.node(node).inputs()) add(input);
        for (const fx::NodeId user : m_version->graph.node(node).users()) add(user);
        if (result.size() >= kMenuMoves) break;
    }
    for (const int each : nearest(own))
        if (result.size() < kMenuMoves && std::find(result.begin(), result.end(), each) == result.end())
            result.push_back(each);
    return result;
}

void PartitionPanel::askMove() {
    if (!m_document || !m_version || m_document->selection().empty()) return;
    MoveDialog dialog(m_version->graph, *m_outcome, home(), neighbours(), this);
    if (dialog.exec() == QDialog::Accepted && dialog.partition() >= 0) moveSelection(dialog.partition());
}

void PartitionPanel::addTo(QMenu& menu) {
    if (!m_version || !m_document || m_document->selection().empty()) return;
    if (showsStages()) return addStagesTo(menu);
    menu.addAction(tr("Supported"), this, [this] { markSelection(Support::Supported); });
    menu.addAction(tr("Unsupported"), this, [this] { markSelection(Support::Unsupported); });
    menu.addAction(tr("As Ticked"), this, [this] { markSelection(Support::ByRule); });
    menu.addSeparator();
    addMovesTo(menu);
}

void PartitionPanel::addMovesTo(QMenu& menu) {
    for (const int partition : neighbours())
        menu.addAction(tr("Move to Partition %1").arg(partition), this,
                       [this, partition] { moveSelection(partition); });
    QAction* any = menu.addAction(tr("Move to Partition…"), this, &PartitionPanel::askMove);
    any->setEnabled(m_outcome->report.partitions.size() > (home() >= 0 ? 1u : 0u));
    menu.addAction(tr("Move to New Partition"), this, [this] { moveSelection(kNew); });
    const auto& nodes = m_document->selection();
    menu.addAction(tr("Remove from Partition"), this, [this] { moveSelection(kNone); })
        ->setEnabled(std::any_of(nodes.begin(), nodes.end(),
                                 [this](fx::NodeId node) { return m_outcome->partition(node) >= 0; }));
}

void PartitionPanel::markSelection(Support support) {
    if (!m_document || !m_version) return;
    SupportDraft draft = m_draft;
    for (const fx::NodeId node : m_document->selection()) draft.setNode(m_version->graph.node(node).name(), support);
    setDraft(draft);
}

/// Rows that were dragged onto another: their partitions become part of it.
void PartitionPanel::joinRows(const std::vector<int>& rows, int to) {
    std::vector<fx::NodeId> nodes;
    for (const int row : rows) {
        const auto& of = m_outcome->report.partitions[static_cast<std::size_t>(row)].nodes;
        if (row != to) nodes.insert(nodes.end(), of.begin(), of.end());
    }
    if (!nodes.empty()) moveNodes(nodes, to);
}

bool PartitionPanel::moveSelection(int partition) {
    return m_document && moveNodes(m_document->selection(), partition);
}

bool PartitionPanel::moveNodes(const std::vector<fx::NodeId>& nodes, int partition) {
    if (!m_version || m_outcome->error) return false;
    const fx::Graph& graph = m_version->graph;
    std::unordered_set<fx::NodeId> moved;
    for (const fx::NodeId node : nodes)
        if (graph.node(node).isCall() || graph.node(node).op() == fx::Op::GetAttr) moved.insert(node);
    std::vector<fx::Partition> partitions = m_outcome->report.partitions;
    for (auto& each : partitions) std::erase_if(each.nodes, [&](fx::NodeId node) { return moved.contains(node); });
    if (partition == kNew) partition = static_cast<int>(partitions.size()), partitions.emplace_back();
    if (partition >= 0) {
        auto& members = partitions[static_cast<std::size_t>(partition)].nodes;
        members.insert(members.end(), moved.begin(), moved.end());
        std::sort(members.begin(), members.end(), [&](fx::NodeId a, fx::NodeId b) { return graph.isBefore(a, b); });
    }
    if (const auto circle = fx::circleOf(graph, partitions)) {
        m_at = -1;
        showWay(tr("Cannot move: partition %1 would depend on itself. The cycle:").arg(circle->partition), circle->way);
        makeStyles();
        drawWhy();
        Q_EMIT stylesChanged();
        return false;
    }
    std::erase_if(partitions, [](const fx::Partition& each) { return each.nodes.empty(); });
    if (namesOf(graph, partitions) == namesOf(graph, m_outcome->report.partitions))
        return true; // they are there: nothing is changed by hand
    m_hand.push_back(namesOf(graph, partitions));
    m_whatIf->hide();
    run();
    return true;
}

} // namespace ui
