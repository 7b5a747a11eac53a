// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timing/heat_map.h"

#include "ui/document/node_facts.h"
#include "ui/timing/timing_html.h"
#include "ui/widgets/theme.h"

#include <QCoreApplication>

#include <algorithm>

namespace ui {

namespace {
struct HeatText {
    Q_DECLARE_TR_FUNCTIONS(ui::HeatMap)
};

/// Whether a node still does what it did in the other version.
bool callsTheSame(const fx::Node& node, ModuleLookup& modules, const fx::Node& before, ModuleLookup& modulesBefore) {
    return node.op() == before.op() && targetText(node) == targetText(before) && typeText(node, modules) == typeText(before, modulesBefore);
}
} // namespace

NodeStyle HeatMap::styleFor(const fx::timing::NodeTiming& node) const {
    NodeStyle style;
    style.fill = theme().heat(m_longest > 0 ? node.ms / m_longest : 0);
    style.line = theme().dark ? style.fill.lighter(125) : style.fill.darker(125);
    style.badge = timeText(node.ms).toStdString();
    style.badgeColor = contrastRatio(theme().text, style.fill) >= 4.5 ? theme().text : contrastRatio(Qt::white, style.fill) > contrastRatio(Qt::black, style.fill) ? QColor(Qt::white) : QColor(Qt::black);
    QString note = HeatText::tr("takes %1, %2 of the nodes' time").arg(timeText(node.ms), percentText(node.share));
    if (node.ceilingShare && *node.ceilingShare > 0) note += HeatText::tr("; %1 of what the machine can do").arg(percentText(*node.ceilingShare));
    if (!m_stale.isEmpty()) note += QStringLiteral("\n") + m_stale;
    style.note = note.toStdString();
    return style;
}

void HeatMap::make(const KnownTimes& times, const fx::History* history) {
    m_styles.clear();
    m_styleOf.clear();
    m_stale.clear();
    m_longest = 0;
    if (!times.report || !history) return;
    if (!times.current)
        m_stale = times.entry == 0 ? HeatText::tr("measured before the edits, not in this version")
                                   : HeatText::tr("measured after “%1”, not in this version").arg(elided(history->entries()[times.entry].name, 40));
    for (const auto& node : times.report->nodes) m_longest = std::max(m_longest, node.ms);
    const fx::GraphModule &shown = *history->model(), &timed = *times.version;
    ModuleLookup modules(*shown.root), modulesTimed(*timed.root);
    NodeStyle untimed;
    untimed.fill = theme().panel, untimed.line = theme().border;
    m_styles.push_back(untimed);
    m_styleOf.assign(shown.graph.idLimit(), 0);
    for (const auto& node : times.report->nodes) {
        const fx::NodeId here = shown.graph.find(node.name), there = timed.graph.find(node.name);
        if (here == fx::kNoNode || there == fx::kNoNode) continue;
        if (!times.current && !callsTheSame(shown.graph.node(here), modules, timed.graph.node(there), modulesTimed)) continue;
        m_styleOf[fx::index(here)] = static_cast<std::uint32_t>(m_styles.size());
        m_styles.push_back(styleFor(node));
    }
}

const NodeStyle* HeatMap::styleOf(fx::NodeId node) const { return fx::index(node) < m_styleOf.size() ? &m_styles[m_styleOf[fx::index(node)]] : nullptr; }

} // namespace ui
