// SPDX-License-Identifier: GPL-3.0-or-later
// Why nodes and partitions are where they are, and what crosses the border of one.
#include "ui/partition/partition_panel.h"

#include "core/partition/by_hand.h"
#include "core/partition/quotient.h"
#include "ui/document/node_facts.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/counted.h"
#include "ui/widgets/theme.h"

#include <QLabel>
#include <QRegularExpression>
#include <QToolButton>

#include <algorithm>
#include <set>

namespace ui {

namespace {

constexpr std::size_t kShownSteps = 40; ///< of a cycle, as a list; all can be stepped through
const QRegularExpression kTag(QStringLiteral("<[^>]*>"));
constexpr std::size_t kShownCrossings = 12; ///< values that go in, and as many that go out

QString link(const QString& to, const QString& text, const QColor& color = theme().accent) {
    return QStringLiteral("<a href='%1' style='color:%2;text-decoration:none'>%3</a>")
        .arg(to, color.name(), text.toHtmlEscaped());
}

} // namespace

/// "in 0", "not supported", …
QString PartitionPanel::placeOf(fx::NodeId node) const {
    if (const int partition = m_outcome->partition(node); partition >= 0) return tr("in %1").arg(partition);
    const auto* refusal = m_outcome->refusal(node);
    if (!refusal) return tr("never in a partition");
    return refusal->reason == fx::UnassignedNode::Reason::Unsupported ? tr("not supported")
                                                                      : fromCore(badgeOf(refusal->reason));
}

/// What is selected decides what is explained: one node, or two partitions.
void PartitionPanel::explain() {
    m_way.clear();
    m_at = -1;
    m_whyHead.clear();
    const bool refuses =
        !m_draft.isEmpty() && !m_outcome->report.unassigned.empty(); // also when there is no partition at all
    if (m_version && m_document && (refuses || !m_outcome->report.partitions.empty())) {
        const auto& selection = m_document->selection();
        std::set<int> partitions;
        for (const fx::NodeId node : selection) {
            partitions.insert(m_outcome->partition(node));
            if (partitions.size() > 2) break;
        }
        const int only = selection.size() == 1 ? m_outcome->partition(selection.front()) : -1;
        const bool isAlone = only >= 0 && m_outcome->report.partitions[static_cast<std::size_t>(only)].nodes.size() ==
                                              1; // its border says more
        if (selection.size() == 1 && !isAlone) explainNode(selection.front());
        else if (partitions.size() == 2 && *partitions.begin() >= 0)
            explainPair(*partitions.begin(), *partitions.rbegin());
        else if (partitions.size() == 1 && *partitions.begin() >= 0) explainBorder(*partitions.begin());
    }
    makeStyles();
    drawWhy();
    Q_EMIT stylesChanged();
}

void PartitionPanel::explainNode(fx::NodeId node) {
    const QString name = QStringLiteral("<b>%1</b>").arg(fromCore(m_version->graph.node(node).name()).toHtmlEscaped());
    const int partition = m_outcome->partition(node);
    const fx::UnassignedNode* refusal = m_outcome->refusal(node);
    if (partition >= 0) m_whyHead = tr("%1 is in partition %2.").arg(name).arg(partition);
    else if (!refusal)
        m_whyHead = tr("%1 is not a call; placeholders, the output and unticked attributes are never in a partition.")
                        .arg(name);
    else {
        m_whyHead = tr("%1 is not in a partition: %2.")
                        .arg(name, refusalInWords(m_version->graph, *refusal, !m_draft.hasBase()).toHtmlEscaped());
        if (refusal->reason == fx::UnassignedNode::Reason::Unsupported && m_hand.empty())
            askWhatIf(m_operators->of(node));
        if (!refusal->cycle.empty()) showWay(m_whyHead + u' ' + tr("The cycle:"), refusal->cycle);
    }
}

void PartitionPanel::explainPair(int a, int b) {
    const auto& report = m_outcome->report;
    const auto x = static_cast<std::size_t>(a), y = static_cast<std::size_t>(b);
    for (const auto& each : report.notMerged)
        if (std::minmax(each.a, each.b) == std::minmax(x, y) && !each.cycle.empty())
            return showWay(tr("Partitions %1 and %2 cannot be merged: that would create a cycle.").arg(a).arg(b),
                           each.cycle);
    if (auto way = fx::wayBetween(m_version->graph, report.partitions, x, y); !way.empty())
        return showWay(tr("Partitions %1 and %2 cannot be merged: that would create a cycle.").arg(a).arg(b),
                       std::move(way));
    m_whyHead = tr("Partitions %1 and %2 could be merged; torch.fx did not try this, or not again after merging what "
                   "was between them.")
                    .arg(a)
                    .arg(b) +
                u' ' + link(QStringLiteral("join:%1.%2").arg(a).arg(b), tr("Merge"));
}

/// What crosses the border of a partition: each value with its shape and bytes, and where it comes from or goes to.
void PartitionPanel::explainBorder(int partition) {
    const auto& traffic = m_outcome->report.traffic[static_cast<std::size_t>(partition)];
    m_whyHead =
        tr("Values that cross the border of partition %1. Select a second partition to see why the two are not merged.")
            .arg(partition) +
        QStringLiteral("<table width='100%' cellspacing='0' cellpadding='3' style='margin-top:6px'>");
    const fx::GraphModule& model = shown();
    fx::PathResolver paths(*model.root);
    const auto list = [&](const std::vector<fx::NodeId>& values, bool in) {
        if (!values.empty())
            m_whyHead += QStringLiteral("<tr><td colspan='3' style='color:%1'>%2</td></tr>")
                             .arg(theme().muted.name(), in ? tr("Inputs") : tr("Outputs"));
        for (std::size_t i = 0; i < std::min(values.size(), kShownCrossings); ++i) {
            const fx::Node& node = model.graph.node(values[i]);
            const auto bytes = fx::valueBytes(node, paths);
            const QString what =
                fromCore(shapeText(node)) + (bytes ? QStringLiteral(" · ") + byteText(*bytes) : QString());
            m_whyHead += QStringLiteral("<tr><td>%1</td><td style='color:%2'>%3</td><td align='right' "
                                        "style='color:%2'>%4</td></tr>")
                             .arg(link(QStringLiteral("node:%1").arg(fx::index(values[i])), fromCore(node.name())),
                                  theme().muted.name(), what.isEmpty() ? tr("unknown size") : what.toHtmlEscaped(),
                                  in ? sourceOf(node) : readersOf(node, partition));
        }
        if (values.size() > kShownCrossings)
            m_whyHead += QStringLiteral("<tr><td colspan='3'>%1</td></tr>")
                             .arg(tr("… and %1 more").arg(values.size() - kShownCrossings));
    };
    list(traffic.boundary.inputs, true);
    list(traffic.boundary.outputs, false);
    m_whyHead += QStringLiteral("</table>");
    const auto& shapes = m_document->shapes();
    const bool isGuess = shapes && !shapes->guessed.isEmpty();
    if (isGuess)
        m_whyHead += QStringLiteral("<p style='color:%1'>%2</p>")
                         .arg(theme().muted.name(), tr("Guessed input: %1.").arg(shapes->guessed.toHtmlEscaped()));
    if (!traffic.bytesKnown)
        m_whyHead += QStringLiteral("<span style='color:%1'>%2</span>")
                         .arg(theme().muted.name(), tr("Sizes are unknown. Run the pass shape_prop to infer shapes."));
}

QString PartitionPanel::sourceOf(const fx::Node& node) const {
    const int from = m_outcome->partition(node.id());
    return from >= 0                          ? tr("from %1").arg(from)
           : node.op() == fx::Op::Placeholder ? tr("input")
           : node.op() == fx::Op::GetAttr     ? tr("weight")
                                              : tr("from outside");
}

QString PartitionPanel::readersOf(const fx::Node& node, int partition) const {
    std::set<int> to;
    for (const fx::NodeId user : node.users()) to.insert(m_outcome->partition(user));
    to.erase(partition);
    QStringList words;
    for (const int each : to)
        if (words.size() < 4) words << (each >= 0 ? tr("to %1").arg(each) : tr("to outside"));
    return words.join(QStringLiteral(", "));
}

void PartitionPanel::showWay(const QString& head, std::vector<fx::NodeId> way) {
    m_whyHead = head;
    m_way = std::move(way);
}

void PartitionPanel::drawWhy() {
    QString html = m_whyHead;
    if (html.isEmpty())
        html = QStringLiteral("<span style='color:%1'>%2</span>")
                   .arg(theme().muted.name(),
                        m_outcome->report.partitions.empty()
                            ? (m_draft.isEmpty() || m_outcome->report.unassigned.empty()
                                   ? tr("Explanations appear here.")
                                   : tr("Click an unassigned node to see why."))
                            : tr("Click an unassigned node, or select one or two partitions in the table."));
    if (!m_way.empty())
        html += QStringLiteral("<table width='100%' cellspacing='0' cellpadding='3' style='margin-top:6px'>");
    for (std::size_t i = 0; i < std::min(m_way.size(), kShownSteps); ++i) {
        const bool now = m_at >= 0 && static_cast<std::size_t>(m_at) == i;
        html += QStringLiteral("<tr bgcolor='%1'><td>%2&nbsp; %3</td><td align='right' style='color:%4'>%5</td></tr>")
                    .arg((now ? theme().accentBackground : theme().field).name())
                    .arg(i + 1)
                    .arg(link(QStringLiteral("step:%1").arg(i), fromCore(m_version->graph.node(m_way[i]).name())),
                         theme().muted.name(), placeOf(m_way[i]));
    }
    if (!m_way.empty()) html += QStringLiteral("</table>");
    if (m_way.size() > kShownSteps)
        html += counted(m_way.size() - kShownSteps, tr("… and 1 more step"), tr("… and %1 more steps"));
    m_why->setText(html);
    updateButtons();
    if (!m_whyHead.isEmpty()) qCDebug(partitionLog).noquote() << "why:" << QString(m_whyHead).remove(kTag);
    if (!m_way.empty()) qCDebug(partitionLog, "cycle: %zu at %d", m_way.size(), m_at);
    m_place->setText(m_way.empty()
                         ? QString()
                         : tr("%1 / %2").arg(m_at < 0 ? tr("–") : QString::number(m_at + 1)).arg(m_way.size()));
    for (QToolButton* button : {m_previous, m_next})
        button->setEnabled(!m_way.empty()), button->setVisible(!m_way.empty());
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
    } else if (what == QLatin1String("node") && m_document) {
        m_document->goTo(static_cast<fx::NodeId>(rest.toUInt()), this);
    } else if (what == QLatin1String("hand")) {
        rest == QLatin1String("back") ? m_hand.pop_back() : m_hand.clear();
        run();
    } else if (what == QLatin1String("whatif")) {
        for (const MetOperator& op : m_operators->operators())
            if (fromCore(op.key()) == m_whatIfOperator) {
                const QModelIndex index = m_operators->indexOf(op);
                m_operators->setData(index, {}, Qt::CheckStateRole);
                break;
            }
    } else if (what == QLatin1String("join") && m_document) {
        const auto& partitions = m_outcome->report.partitions;
        moveNodes(partitions[rest.section(u'.', 1, 1).toUInt()].nodes, rest.section(u'.', 0, 0).toInt());
    }
}

} // namespace ui
