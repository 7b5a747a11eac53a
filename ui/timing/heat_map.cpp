// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timing/heat_map.h"

#include "core/layout/hierarchy.h"
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
    return node.op() == before.op() && targetText(node) == targetText(before) &&
           typeText(node, modules) == typeText(before, modulesBefore);
}
} // namespace

NodeStyle HeatMap::styleFor(const fx::timing::NodeTiming& node) const {
    NodeStyle style;
    style.fill = theme().heat(m_longest > 0 ? node.ms / m_longest : 0);
    style.line = theme().dark ? style.fill.lighter(125) : style.fill.darker(125);
    style.badge = timeText(node.ms).toStdString();
    style.badgeColor = readableOn(style.fill, theme().text);
    QString note = HeatText::tr("takes %1, %2 of the nodes' time").arg(timeText(node.ms), percentText(node.share));
    if (node.ceilingShare && *node.ceilingShare > 0)
        note += HeatText::tr("; %1 of the machine's ceiling").arg(percentText(*node.ceilingShare));
    if (!m_stale.isEmpty()) note += QStringLiteral("\n") + m_stale;
    style.note = note.toStdString();
    return style;
}

void HeatMap::make(const KnownTimes& times, const fx::History* history) {
    m_styles.clear();
    m_styleOf.clear();
    m_stale.clear();
    m_groups.clear();
    m_ms.clear();
    m_longest = m_sum = 0;
    if (!times.report || !history) return;
    if (!times.current)
        m_stale = times.entry == 0 ? HeatText::tr("measured before the edits")
                                   : HeatText::tr("measured after “%1”, not for the current version")
                                         .arg(elided(history->entries()[times.entry].name, 40));
    for (const auto& node : times.report->nodes) m_longest = std::max(m_longest, node.ms), m_sum += node.ms;
    m_spent = {theme().heat(0.75), 0, {}};
    const fx::GraphModule &shown = *history->model(), &timed = *times.version;
    ModuleLookup modules(*shown.root), modulesTimed(*timed.root);
    NodeStyle untimed;
    untimed.fill = theme().panel, untimed.line = theme().border;
    m_styles.push_back(untimed);
    m_ms.push_back(0);
    m_styleOf.assign(shown.graph.idLimit(), 0);
    for (const auto& node : times.report->nodes) {
        const fx::NodeId here = shown.graph.find(node.name), there = timed.graph.find(node.name);
        if (here == fx::kNoNode || there == fx::kNoNode) continue;
        if (!times.current && !callsTheSame(shown.graph.node(here), modules, timed.graph.node(there), modulesTimed))
            continue;
        m_styleOf[fx::index(here)] = static_cast<std::uint32_t>(m_styles.size());
        m_styles.push_back(styleFor(node));
        m_ms.push_back(node.ms);
    }
}

const NodeStyle* HeatMap::styleOf(fx::NodeId node) const {
    return fx::index(node) < m_styleOf.size() ? &m_styles[m_styleOf[fx::index(node)]] : nullptr;
}

ColourLegend HeatMap::legend() const {
    if (empty()) return {};
    return {HeatText::tr("time of a node"),
            {},
            {QStringLiteral("0"), timeText(m_longest / 2), timeText(m_longest)},
            m_stale,
            Ramp::Times,
            HeatText::tr("In one run of the model, as the mean of the fastest third of the runs")};
}

std::vector<double> HeatMap::times() const {
    std::vector<double> out(m_styleOf.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = m_ms[m_styleOf[i]];
    return out;
}

/// In thousandths of the whole; the rest belongs to nothing.
RegionShares HeatMap::sharesOf(const std::string& groupPath) const {
    const auto known = m_groups.find(groupPath);
    if (known == m_groups.end() || m_sum <= 0) return {};
    const auto spent = static_cast<std::uint32_t>(std::clamp(known->second / m_sum * 1000, 0.0, 1000.0));
    return {{&m_spent, spent}, {nullptr, 1000 - spent}};
}

std::unordered_map<std::string, double> groupTimes(const fx::GraphModule& model, const std::vector<double>& ms,
                                                   const fx::Progress& progress) {
    const fx::Hierarchy hierarchy = fx::Hierarchy::of(model, {}, progress);
    std::vector<double> sums(hierarchy.groups.size());
    for (std::size_t node = 0; node < std::min(ms.size(), hierarchy.groupOf.size()); ++node)
        for (std::uint32_t group = hierarchy.groupOf[node]; group != fx::kNone; group = hierarchy.groups[group].parent)
            sums[group] += ms[node];
    std::unordered_map<std::string, double> out;
    for (std::size_t i = 0; i < sums.size(); ++i) out.emplace(hierarchy.groups[i].path, sums[i]);
    return out;
}

} // namespace ui
