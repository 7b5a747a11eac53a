// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/partition/why_view.h"

#include "core/partition/quotient.h"
#include "ui/document/node_facts.h"
#include "ui/partition/partition_log.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/counted_text.h"
#include "ui/widgets/heading.h"
#include "ui/widgets/text_button.h"
#include "ui/widgets/theme.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QRegularExpression>
#include <QScrollArea>
#include <QVBoxLayout>

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

WhyView::WhyView(QWidget* parent) : QWidget(parent) {
    m_text = new QLabel;
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::RichText);
    m_text->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_text->setMargin(8);
    m_text->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    connect(m_text, &QLabel::linkActivated, this, &WhyView::follow);
    auto* area = new QScrollArea(this);
    area->setWidget(m_text);
    area->setWidgetResizable(true);
    area->setProperty("look", "field");
    area->setMinimumHeight(28); // it gives way to notes above it: what is above those is clicked
    area->setAccessibleName(tr("Why"));
    m_previous = textButton(QStringLiteral("◂"), tr("Previous step of the cycle"), this);
    m_next = textButton(QStringLiteral("▸"), tr("Next step of the cycle"), this);
    m_place = new QLabel(this);
    m_place->setProperty("role", "muted");
    connect(m_previous, &QToolButton::clicked, this, [this] { step(-1); });
    connect(m_next, &QToolButton::clicked, this, [this] { step(1); });
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    auto* bar = new QHBoxLayout;
    bar->setSpacing(4);
    bar->addWidget(heading(tr("Why?"), this), 1);
    for (QWidget* widget :
         {static_cast<QWidget*>(m_previous), static_cast<QWidget*>(m_place), static_cast<QWidget*>(m_next)})
        bar->addWidget(widget);
    column->addLayout(bar);
    column->addWidget(area, 1);
    draw();
}

void WhyView::explain(Subject subject) {
    m_subject = std::move(subject);
    setCycle({}, {});
    const auto& report = m_subject.outcome->report;
    const auto& selection = m_subject.selection;
    const bool refuses = m_subject.hasRules && !report.unassigned.empty(); // also when there is no partition at all
    if (m_subject.version && (refuses || !report.partitions.empty())) {
        std::set<int> partitions;
        for (const fx::NodeId node : selection) {
            partitions.insert(m_subject.outcome->partition(node));
            if (partitions.size() > 2) break;
        }
        const int only = selection.size() == 1 ? m_subject.outcome->partition(selection.front()) : -1;
        const bool isAlone = // its border says more
            only >= 0 && report.partitions[static_cast<std::size_t>(only)].nodes.size() == 1;
        if (selection.size() == 1 && !isAlone) explainNode(selection.front());
        else if (partitions.size() == 2 && *partitions.begin() >= 0)
            explainPair(*partitions.begin(), *partitions.rbegin());
        else if (partitions.size() == 1 && *partitions.begin() >= 0) explainBorder(*partitions.begin());
    }
    draw();
    Q_EMIT cycleChanged();
}

void WhyView::showCycle(const QString& head, std::vector<fx::NodeId> cycle) {
    setCycle(head, std::move(cycle));
    draw();
    Q_EMIT cycleChanged();
}

void WhyView::setCycle(const QString& head, std::vector<fx::NodeId> cycle) {
    m_head = head;
    m_cycle = std::move(cycle);
    m_current = -1;
}

void WhyView::explainNode(fx::NodeId node) {
    const QString name =
        QStringLiteral("<b>%1</b>").arg(fromCore(m_subject.version->graph.node(node).name()).toHtmlEscaped());
    const int partition = m_subject.outcome->partition(node);
    const fx::UnassignedNode* refusal = m_subject.outcome->refusal(node);
    if (partition >= 0) m_head = tr("%1 is in partition %2.").arg(name).arg(partition);
    else if (!refusal)
        m_head = tr("%1 is not a call; placeholders, the output and unticked attributes are never in a partition.")
                     .arg(name);
    else {
        m_head = tr("%1 is not in a partition: %2.")
                     .arg(name, refusalInWords(m_subject.version->graph, *refusal, m_subject.ticked).toHtmlEscaped());
        if (refusal->reason == fx::UnassignedNode::Reason::Unsupported) Q_EMIT unsupportedFound(node);
        if (!refusal->cycle.empty()) setCycle(m_head + u' ' + tr("The cycle:"), refusal->cycle);
    }
}

void WhyView::explainPair(int a, int b) {
    const auto& report = m_subject.outcome->report;
    const auto x = static_cast<std::size_t>(a), y = static_cast<std::size_t>(b);
    for (const auto& each : report.notMerged)
        if (std::minmax(each.a, each.b) == std::minmax(x, y) && !each.cycle.empty())
            return setCycle(tr("Partitions %1 and %2 cannot be merged: that would create a cycle.").arg(a).arg(b),
                            each.cycle);
    if (auto way = fx::wayBetween(m_subject.version->graph, report.partitions, x, y); !way.empty())
        return setCycle(tr("Partitions %1 and %2 cannot be merged: that would create a cycle.").arg(a).arg(b),
                        std::move(way));
    m_head = tr("Partitions %1 and %2 could be merged; torch.fx did not try this, or not again after merging what "
                "was between them.")
                 .arg(a)
                 .arg(b) +
             u' ' + link(QStringLiteral("join:%1.%2").arg(a).arg(b), tr("Merge"));
}

/// Lists the values that cross the border of a partition: each with its shape and bytes, and where it comes from or
/// goes to.
void WhyView::explainBorder(int partition) {
    const auto& traffic = m_subject.outcome->report.traffic[static_cast<std::size_t>(partition)];
    m_head =
        tr("Values that cross the border of partition %1. Select a second partition to see why the two are not merged.")
            .arg(partition) +
        QStringLiteral("<table width='100%' cellspacing='0' cellpadding='3' style='margin-top:6px'>");
    const fx::GraphModule& model = *m_subject.shown;
    fx::PathResolver paths(*model.root);
    const auto list = [&](const std::vector<fx::NodeId>& values, bool in) {
        if (!values.empty())
            m_head += QStringLiteral("<tr><td colspan='3' style='color:%1'>%2</td></tr>")
                          .arg(theme().muted.name(), in ? tr("Inputs") : tr("Outputs"));
        for (std::size_t i = 0; i < std::min(values.size(), kShownCrossings); ++i) {
            const fx::Node& node = model.graph.node(values[i]);
            const auto bytes = fx::valueBytes(node, paths);
            const QString what =
                fromCore(shapeText(node)) + (bytes ? QStringLiteral(" · ") + byteText(*bytes) : QString());
            m_head += QStringLiteral("<tr><td>%1</td><td style='color:%2'>%3</td><td align='right' "
                                     "style='color:%2'>%4</td></tr>")
                          .arg(link(QStringLiteral("node:%1").arg(fx::index(values[i])), fromCore(node.name())),
                               theme().muted.name(), what.isEmpty() ? tr("unknown size") : what.toHtmlEscaped(),
                               in ? sourceOf(node) : readersOf(node, partition));
        }
        if (values.size() > kShownCrossings)
            m_head += QStringLiteral("<tr><td colspan='3'>%1</td></tr>")
                          .arg(tr("… and %1 more").arg(values.size() - kShownCrossings));
    };
    list(traffic.boundary.inputs, true);
    list(traffic.boundary.outputs, false);
    m_head += QStringLiteral("</table>");
    if (!m_subject.guessed.isEmpty())
        m_head += QStringLiteral("<p style='color:%1'>%2</p>")
                      .arg(theme().muted.name(), tr("Guessed input: %1.").arg(m_subject.guessed.toHtmlEscaped()));
    if (!traffic.bytesKnown)
        m_head += QStringLiteral("<span style='color:%1'>%2</span>")
                      .arg(theme().muted.name(), tr("Sizes are unknown. Run the pass shape_prop to infer shapes."));
}

QString WhyView::sourceOf(const fx::Node& node) const {
    const int from = m_subject.outcome->partition(node.id());
    return from >= 0                          ? tr("from %1").arg(from)
           : node.op() == fx::Op::Placeholder ? tr("input")
           : node.op() == fx::Op::GetAttr     ? tr("weight")
                                              : tr("from outside");
}

QString WhyView::readersOf(const fx::Node& node, int partition) const {
    std::set<int> to;
    for (const fx::NodeId user : node.users()) to.insert(m_subject.outcome->partition(user));
    to.erase(partition);
    QStringList words;
    for (const int each : to)
        if (words.size() < 4) words << (each >= 0 ? tr("to %1").arg(each) : tr("to outside"));
    return words.join(QStringLiteral(", "));
}

/// "in 0", "not supported", …
QString WhyView::placeOf(fx::NodeId node) const {
    if (const int partition = m_subject.outcome->partition(node); partition >= 0) return tr("in %1").arg(partition);
    const auto* refusal = m_subject.outcome->refusal(node);
    if (!refusal) return tr("never in a partition");
    return refusal->reason == fx::UnassignedNode::Reason::Unsupported ? tr("not supported")
                                                                      : fromCore(badgeOf(refusal->reason));
}

/// How to get an explanation, while none is shown.
QString WhyView::invitation() const {
    if (m_subject.outcome && !m_subject.outcome->report.partitions.empty())
        return tr("Click an unassigned node, or select one or two partitions in the table.");
    return m_subject.hasRules && m_subject.outcome && !m_subject.outcome->report.unassigned.empty()
               ? tr("Click an unassigned node to see why.")
               : tr("Explanations appear here.");
}

void WhyView::draw() {
    QString html = m_head.isEmpty()
                       ? QStringLiteral("<span style='color:%1'>%2</span>").arg(theme().muted.name(), invitation())
                       : m_head;
    if (!m_cycle.empty())
        html += QStringLiteral("<table width='100%' cellspacing='0' cellpadding='3' style='margin-top:6px'>");
    for (std::size_t i = 0; i < std::min(m_cycle.size(), kShownSteps); ++i) {
        const bool now = m_current >= 0 && static_cast<std::size_t>(m_current) == i;
        html +=
            QStringLiteral("<tr bgcolor='%1'><td>%2&nbsp; %3</td><td align='right' style='color:%4'>%5</td></tr>")
                .arg((now ? theme().accentBackground : theme().field).name())
                .arg(i + 1)
                .arg(link(QStringLiteral("step:%1").arg(i), fromCore(m_subject.version->graph.node(m_cycle[i]).name())),
                     theme().muted.name(), placeOf(m_cycle[i]));
    }
    if (!m_cycle.empty()) html += QStringLiteral("</table>");
    if (m_cycle.size() > kShownSteps)
        html += counted(m_cycle.size() - kShownSteps, tr("… and 1 more step"), tr("… and %1 more steps"));
    m_text->setText(html);
    if (!m_head.isEmpty()) qCDebug(partitionLog).noquote() << "why:" << QString(m_head).remove(kTag);
    if (!m_cycle.empty()) qCDebug(partitionLog, "cycle: %zu at %d", m_cycle.size(), m_current);
    m_place->setText(
        m_cycle.empty()
            ? QString()
            : tr("%1 / %2").arg(m_current < 0 ? tr("–") : QString::number(m_current + 1)).arg(m_cycle.size()));
    for (QToolButton* button : {m_previous, m_next})
        button->setEnabled(!m_cycle.empty()), button->setVisible(!m_cycle.empty());
}

void WhyView::step(int by) {
    if (m_cycle.empty()) return;
    const int count = static_cast<int>(m_cycle.size());
    m_current = m_current < 0 ? (by > 0 ? 0 : count - 1) : (m_current + by + count) % count;
    draw();
    Q_EMIT cycleChanged();
    Q_EMIT nodeChosen(m_cycle[static_cast<std::size_t>(m_current)]);
}

void WhyView::follow(const QString& link) {
    const QString what = link.section(u':', 0, 0), rest = link.section(u':', 1);
    if (what == QLatin1String("step")) {
        m_current = -1;
        step(1 + rest.toInt());
    } else if (what == QLatin1String("node")) {
        Q_EMIT nodeChosen(static_cast<fx::NodeId>(rest.toUInt()));
    } else if (what == QLatin1String("join")) {
        Q_EMIT mergeRequested(rest.section(u'.', 1, 1).toInt(), rest.section(u'.', 0, 0).toInt());
    }
}

/// Its colours are those of the theme.
void WhyView::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange) draw();
}

} // namespace ui
