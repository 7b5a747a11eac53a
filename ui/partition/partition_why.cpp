// SPDX-License-Identifier: GPL-3.0-or-later
// How nodes look, why they are where they are, and nodes moved by hand.
#include "ui/partition/partition_panel.h"
#include "ui/partition/partition_table_model.h"

#include "ui/canvas/region_painter.h"
#include "ui/widgets/theme.h"

#include <QLabel>
#include <QMenu>
#include <QScrollArea>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QToolButton>
#include <QTreeView>

#include <algorithm>
#include <set>

namespace ui {

namespace {

constexpr std::size_t kShownSteps = 40; ///< of a cycle, as a list; all can be stepped through
constexpr std::size_t kMenuMoves = 12;

QString plain(const std::string& text) { return QString::fromStdString(text); }

QString link(const QString& to, const QString& text, const QColor& color = theme().accent) {
    return QStringLiteral("<a href='%1' style='color:%2;text-decoration:none'>%3</a>").arg(to, color.name(), text.toHtmlEscaped());
}

/// The word on the canvas for a refused call.
std::string badgeOf(fx::UnassignedNode::Reason reason) {
    using Reason = fx::UnassignedNode::Reason;
    switch (reason) {
    case Reason::Unsupported: return QCoreApplication::translate("Partition", "refused").toStdString();
    case Reason::SingleNode: return QCoreApplication::translate("Partition", "alone").toStdString();
    case Reason::NonCompute: return QCoreApplication::translate("Partition", "trimmed").toStdString();
    case Reason::Cycle: return QCoreApplication::translate("Partition", "cycle").toStdString();
    }
    return {};
}

} // namespace

/// One style for each partition and each kind of refusal; all others step back to neutral, so that colours mean partitions. The steps of
/// a cycle get styles of their own, with their number.
void PartitionPanel::makeStyles() {
    const Theme& t = theme();
    const std::size_t count = m_outcome->report.partitions.size();
    m_styles.clear();
    m_regions.clear();
    m_styleOf.assign(m_version ? m_version->graph.idLimit() : 0, -1);
    if (count == 0) return;
    m_regions.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
        const QColor color = partitionColor(i);
        m_regions.push_back({color, partitionHatch(i), tr("partition %1").arg(i).toStdString()});
        NodeStyle style;
        style.fill = Frame::mixed(t.panel, color, 0.12), style.line = color, style.badge = std::to_string(i);
        m_styles.push_back(style);
    }
    for (std::size_t i = 0; i < count; ++i) m_styles[i].region = &m_regions[i];
    for (int reason = 0; reason < 4; ++reason) {
        NodeStyle style;
        style.fill = t.panel, style.line = t.edge, style.badgeColor = t.warning.line;
        style.badge = badgeOf(static_cast<fx::UnassignedNode::Reason>(reason));
        m_styles.push_back(style);
    }
    NodeStyle outside;
    outside.fill = t.panel, outside.line = t.border;
    m_styles.push_back(outside);
    for (const fx::Node& node : m_version->graph.nodes()) {
        const fx::UnassignedNode* refusal = m_outcome->refusal(node.id());
        const int partition = m_outcome->partition(node.id());
        m_styleOf[fx::index(node.id())] = partition >= 0 ? partition : static_cast<std::int32_t>(refusal ? count + static_cast<std::size_t>(refusal->reason) : count + 4);
    }
    for (std::size_t i = 0; i < m_way.size(); ++i) {
        NodeStyle style = m_styles[static_cast<std::size_t>(m_styleOf[fx::index(m_way[i])])];
        style.marked = true;
        style.badge = tr("step %1").arg(i + 1).toStdString();
        style.badgeColor = t.accent;
        if (m_at >= 0 && static_cast<std::size_t>(m_at) == i) style.fill = t.accentBackground, style.line = t.accent;
        m_styleOf[fx::index(m_way[i])] = static_cast<std::int32_t>(m_styles.size());
        m_styles.push_back(style);
    }
}

const NodeStyle* PartitionPanel::styleOf(fx::NodeId node) const {
    const std::size_t id = fx::index(node);
    return id < m_styleOf.size() && m_styleOf[id] >= 0 ? &m_styles[static_cast<std::size_t>(m_styleOf[id])] : nullptr;
}

RegionShares PartitionPanel::sharesOf(const std::string& groupPath) const {
    RegionShares result;
    if (const auto known = m_shares.find(groupPath); known != m_shares.end())
        for (const auto& [partition, count] : known->second)
            if (partition < static_cast<int>(m_regions.size())) result.emplace_back(partition < 0 ? nullptr : &m_regions[static_cast<std::size_t>(partition)], count);
    return result;
}

/// "in 0", "not supported", …
QString PartitionPanel::placeOf(fx::NodeId node) const {
    if (const int partition = m_outcome->partition(node); partition >= 0) return tr("in %1").arg(partition);
    const auto* refusal = m_outcome->refusal(node);
    if (!refusal) return tr("never in one");
    return refusal->reason == fx::UnassignedNode::Reason::Unsupported ? tr("not supported") : plain(badgeOf(refusal->reason));
}

/// What is selected decides what is explained: one node, or two partitions.
void PartitionPanel::explain() {
    m_way.clear();
    m_at = -1;
    m_whyHead.clear();
    if (m_version && m_document && !m_outcome->report.partitions.empty()) {
        const auto& selection = m_document->selection();
        std::set<int> partitions;
        for (const fx::NodeId node : selection) {
            partitions.insert(m_outcome->partition(node));
            if (partitions.size() > 2) break;
        }
        if (selection.size() == 1) explainNode(selection.front());
        else if (partitions.size() == 2 && *partitions.begin() >= 0) explainPair(*partitions.begin(), *partitions.rbegin());
        else if (partitions.size() == 1 && *partitions.begin() >= 0) m_whyHead = tr("%1 nodes of partition %2 are selected. Select a second partition in the table to see why the two are not one.").arg(selection.size()).arg(*partitions.begin());
    }
    makeStyles();
    drawWhy();
    Q_EMIT stylesChanged();
}

void PartitionPanel::explainNode(fx::NodeId node) {
    const QString name = QStringLiteral("<b>%1</b>").arg(plain(m_version->graph.node(node).name()).toHtmlEscaped());
    const int partition = m_outcome->partition(node);
    const fx::UnassignedNode* refusal = m_outcome->refusal(node);
    if (partition >= 0) m_whyHead = tr("%1 is in partition %2.").arg(name).arg(partition);
    else if (!refusal) m_whyHead = tr("%1 is no call: placeholders, the output and unticked attributes are never in a partition.").arg(name);
    else {
        m_whyHead = tr("%1 is in no partition: %2.").arg(name, refusalInWords(m_version->graph, *refusal).toHtmlEscaped());
        if (refusal->reason == fx::UnassignedNode::Reason::Unsupported && m_hand.empty()) askWhatIf(m_operators->of(node));
        if (!refusal->cycle.empty()) showWay(m_whyHead + u' ' + tr("The cycle:"), refusal->cycle);
    }
}

void PartitionPanel::explainPair(int a, int b) {
    const auto& report = m_outcome->report;
    const auto x = static_cast<std::size_t>(a), y = static_cast<std::size_t>(b);
    for (const auto& each : report.notMerged)
        if (std::minmax(each.a, each.b) == std::minmax(x, y) && !each.cycle.empty())
            return showWay(tr("Partitions %1 and %2 are not one: together they would close a cycle.").arg(a).arg(b), each.cycle);
    if (auto way = fx::wayBetween(m_version->graph, report.partitions, x, y); !way.empty())
        return showWay(tr("Partitions %1 and %2 are not one: together they would close a cycle.").arg(a).arg(b), std::move(way));
    m_whyHead = tr("Nothing forbids that partitions %1 and %2 are one: torch.fx did not try, or not again after what stood between them was merged.").arg(a).arg(b) + u' ' +
                link(QStringLiteral("join:%1.%2").arg(a).arg(b), tr("Make them one by hand"));
}

void PartitionPanel::showWay(const QString& head, std::vector<fx::NodeId> way) {
    m_whyHead = head;
    m_way = std::move(way);
}

void PartitionPanel::drawWhy() {
    QString html = m_whyHead;
    if (html.isEmpty()) html = QStringLiteral("<span style='color:%1'>%2</span>").arg(theme().muted.name(), m_outcome->report.partitions.empty() ? tr("Refusals are explained here.") : tr("Click a refused node, or choose two partitions in the table."));
    if (!m_way.empty()) html += QStringLiteral("<table width='100%' cellspacing='0' cellpadding='3' style='margin-top:6px'>");
    for (std::size_t i = 0; i < std::min(m_way.size(), kShownSteps); ++i) {
        const bool now = m_at >= 0 && static_cast<std::size_t>(m_at) == i;
        html += QStringLiteral("<tr bgcolor='%1'><td>%2&nbsp; %3</td><td align='right' style='color:%4'>%5</td></tr>")
                    .arg((now ? theme().accentBackground : theme().field).name()).arg(i + 1)
                    .arg(link(QStringLiteral("step:%1").arg(i), plain(m_version->graph.node(m_way[i]).name())), theme().muted.name(), placeOf(m_way[i]));
    }
    if (!m_way.empty()) html += QStringLiteral("</table>");
    if (m_way.size() > kShownSteps) html += tr("… and %1 more steps").arg(m_way.size() - kShownSteps);
    m_why->setText(html);
    m_place->setText(m_way.empty() ? QString() : tr("%1 / %2").arg(m_at < 0 ? tr("–") : QString::number(m_at + 1)).arg(m_way.size()));
    for (QToolButton* button : {m_previous, m_next}) button->setEnabled(!m_way.empty()), button->setVisible(!m_way.empty());
}

/// Goes along the cycle on the canvas.
void PartitionPanel::step(int by) {
    if (m_way.empty() || !m_document) return;
    const int count = static_cast<int>(m_way.size());
    m_at = m_at < 0 ? (by > 0 ? 0 : count - 1) : (m_at + by + count) % count;
    makeStyles();
    drawWhy();
    Q_EMIT stylesChanged();
    m_document->goTo(m_way[static_cast<std::size_t>(m_at)], this);
}

void PartitionPanel::follow(const QString& link) {
    const QString what = link.section(u':', 0, 0), rest = link.section(u':', 1);
    if (what == QLatin1String("step")) {
        m_at = -1;
        step(1 + rest.toInt());
    } else if (what == QLatin1String("hand")) {
        rest == QLatin1String("back") ? m_hand.pop_back() : m_hand.clear();
        run();
    } else if (what == QLatin1String("whatif")) {
        const QModelIndex top;
        for (const MetOperator& op : m_operators->operators())
            if (plain(op.key()) == m_whatIfOperator) {
                const QModelIndex index = m_operators->indexOf(op);
                m_operators->setData(index, {}, Qt::CheckStateRole);
                break;
            }
    } else if (what == QLatin1String("join") && m_document) {
        const auto& partitions = m_outcome->report.partitions;
        m_document->select(partitions[rest.section(u'.', 1, 1).toUInt()].nodes, this);
        moveSelection(rest.section(u'.', 0, 0).toInt());
    }
}

/// What would be different if one more operator were supported, or one less.
void PartitionPanel::askWhatIf(const MetOperator* op) {
    m_whatIf->hide();
    m_asking.cancel();
    if (!op || !m_version || !m_hand.empty() || m_outcome->error) return;
    SupportDraft draft = m_draft;
    const bool isSupported = draft.of(*op) == Support::Supported;
    draft.setOperator(*op, isSupported ? Support::Unsupported : Support::Supported);
    PartitionQuery asked = query();
    asked.rules = draft.rules();
    const QString question = (isSupported ? tr("If %1 were not supported: ") : tr("If %1 were supported: ")).arg(op->title());
    m_asking.start(
        [module = m_version, now = query(), asked, question](const fx::Progress& progress) {
            return question + differenceInWords(runPartition(*module, now, progress), runPartition(*module, asked, progress));
        },
        this,
        [this, key = plain(op->key())](const QString& text) {
            m_whatIfOperator = key;
            m_whatIf->setText(text.toHtmlEscaped() + QStringLiteral(" ") + QStringLiteral("<a href='whatif:' style='color:%1'>%2</a>").arg(theme().ok.line.name(), tr("do it")));
            m_whatIf->show();
        });
}

/// The partitions chosen in the table are selected on the canvas.
void PartitionPanel::selectRows() {
    if (m_selecting || !m_document || !m_version) return;
    std::vector<fx::NodeId> nodes;
    for (const QModelIndex& row : m_table->selectionModel()->selectedRows()) {
        const auto& of = m_outcome->report.partitions[static_cast<std::size_t>(m_sorted->mapToSource(row).row())].nodes;
        nodes.insert(nodes.end(), of.begin(), of.end());
    }
    if (!nodes.empty()) m_document->select(std::move(nodes), nullptr);
}

void PartitionPanel::showRowMenu(const QPoint& position) {
    const QModelIndex row = m_table->indexAt(position);
    if (!row.isValid()) return;
    const int partition = m_sorted->mapToSource(row).row();
    QMenu menu;
    menu.setToolTipsVisible(true);
    const bool others = m_document && std::any_of(m_document->selection().begin(), m_document->selection().end(), [&](fx::NodeId node) { return m_outcome->partition(node) != partition; });
    QAction* here = menu.addAction(tr("Move the selected nodes to partition %1").arg(partition), this, [this, partition] { moveSelection(partition); });
    here->setEnabled(others);
    here->setToolTip(others ? QString() : tr("no node outside it is selected"));
    menu.addAction(tr("Select its nodes"), this, [this, partition] { m_document->select(m_outcome->report.partitions[static_cast<std::size_t>(partition)].nodes, nullptr); });
    menu.exec(m_table->viewport()->mapToGlobal(position));
}

/// The partitions that the selected nodes feed or are fed by, then the other ones, as many as a menu holds.
std::vector<int> PartitionPanel::neighbours() const {
    std::vector<int> result;
    const auto add = [&](fx::NodeId node) {
        const int partition = m_outcome->partition(node);
        if (partition >= 0 && result.size() < kMenuMoves && std::find(result.begin(), result.end(), partition) == result.end()) result.push_back(partition);
    };
    for (const fx::NodeId node : m_document->selection()) {
        for (const fx::NodeId input : m_version->graph.node(node).inputs()) add(input);
        for (const fx::NodeId user : m_version->graph.node(node).users()) add(user);
        if (result.size() >= kMenuMoves) break;
    }
    for (int i = 0; i < static_cast<int>(m_outcome->report.partitions.size()) && result.size() < kMenuMoves; ++i)
        if (std::find(result.begin(), result.end(), i) == result.end()) result.push_back(i);
    return result;
}

void PartitionPanel::addTo(QMenu& menu) {
    if (!m_version || !m_document || m_document->selection().empty()) return;
    menu.addAction(tr("Supported"), this, [this] { markSelection(Support::Supported); });
    menu.addAction(tr("Unsupported"), this, [this] { markSelection(Support::Unsupported); });
    menu.addAction(tr("As ticked"), this, [this] { markSelection(Support::ByRule); });
    menu.addSeparator();
    for (const int partition : neighbours()) menu.addAction(tr("Move to partition %1").arg(partition), this, [this, partition] { moveSelection(partition); });
    menu.addAction(tr("Move to a partition of its own"), this, [this] { moveSelection(kNew); });
    menu.addAction(tr("Move out of all partitions"), this, [this] { moveSelection(kNone); });
}

void PartitionPanel::markSelection(Support support) {
    if (!m_document || !m_version) return;
    SupportDraft draft = m_draft;
    for (const fx::NodeId node : m_document->selection()) draft.setNode(m_version->graph.node(node).name(), support);
    setDraft(draft);
}

bool PartitionPanel::moveSelection(int partition) {
    if (!m_document || !m_version || m_outcome->error) return false;
    const fx::Graph& graph = m_version->graph;
    std::set<fx::NodeId> moved;
    for (const fx::NodeId node : m_document->selection())
        if (graph.node(node).isCall() || graph.node(node).op() == fx::Op::GetAttr) moved.insert(node);
    std::vector<fx::Partition> partitions = m_outcome->report.partitions;
    for (auto& each : partitions) std::erase_if(each.nodes, [&](fx::NodeId node) { return moved.contains(node); });
    if (partition == kNew) partition = static_cast<int>(partitions.size()), partitions.emplace_back();
    if (partition >= 0) {
        auto& nodes = partitions[static_cast<std::size_t>(partition)].nodes;
        nodes.insert(nodes.end(), moved.begin(), moved.end());
        std::sort(nodes.begin(), nodes.end(), [&](fx::NodeId a, fx::NodeId b) { return graph.isBefore(a, b); });
    }
    if (const auto circle = fx::circleOf(graph, partitions)) {
        m_at = -1;
        showWay(tr("Not possible: partition %1 would be left and entered again. The cycle:").arg(circle->partition), circle->way);
        makeStyles();
        drawWhy();
        Q_EMIT stylesChanged();
        return false;
    }
    std::erase_if(partitions, [](const fx::Partition& each) { return each.nodes.empty(); });
    m_hand.push_back(namesOf(graph, partitions));
    m_whatIf->hide();
    run();
    return true;
}

} // namespace ui
