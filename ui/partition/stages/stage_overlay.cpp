// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/partition/stages/stage_overlay.h"

#include "ui/canvas/canvas_frame.h"
#include "ui/partition/partition_table_model.h"
#include "ui/widgets/theme.h"

#include <map>

namespace ui {

void StageOverlay::update(const StagePlan& plan, const fx::StageLine::Cuts& cuts, int current,
                          std::shared_ptr<const Scene> scene) {
    if (scene != m_scene || plan.line != m_line) {
        m_places.reset();
        m_lines.clear();
        if (scene) m_places.emplace(*scene, *plan.line, *plan.groups);
        m_scene = std::move(scene);
        m_line = plan.line;
    }
    m_regions.clear(), m_styles.clear();
    for (std::size_t stage = 0; stage <= cuts.size(); ++stage) {
        const QColor color = partitionColor(stage);
        m_regions.push_back({color, partitionHatch(stage), StageText::tr("stage %1").arg(stage).toStdString()});
        NodeStyle style;
        style.fill = Frame::mixed(theme().panel, color, 0.12), style.line = color;
        style.badge = m_regions.back().name, style.region = &m_regions.back();
        m_styles.push_back(style);
    }
    makeBands(plan, cuts, current);
    findOutsiders(plan, cuts);
    countShares(cuts);
}

void StageOverlay::clear() { *this = StageOverlay(); }

void StageOverlay::makeBands(const StagePlan& plan, const fx::StageLine::Cuts& cuts, int current) {
    const fx::StageBalanceReport balance = plan.line->balance(cuts);
    auto bands = std::make_shared<CanvasBands>();
    bands->current = current;
    m_legend = {};
    m_legend.title = !plan.line->isTimed() ? StageText::tr("Stages")
                     : plan.isMeasured     ? StageText::tr("Stages, measured times")
                                           : StageText::tr("Stages, estimated times");
    for (std::size_t stage = 0; stage <= cuts.size(); ++stage) {
        const QString title =
            StageText::tr("Stage %1 · %2").arg(stage).arg(stageWeightText(plan, balance.weights[stage]));
        bands->bands.push_back({m_regions[stage].color, m_regions[stage].hatch, title.toStdString()});
        m_legend.entries.push_back(
            {m_styles[stage].fill, m_regions[stage].color, m_regions[stage].hatch,
             StageText::tr("Stage %1 · %2").arg(stage).arg(stageWeightText(plan, balance.weights[stage], false)),
             StageText::tr("Drag the cuts on the canvas to move calls between stages")});
    }
    double last = -1e300;
    for (std::size_t i = 0; m_places && i < cuts.size(); ++i) {
        last = std::max(last, lineOf(cuts[i]));
        bands->cuts.push_back({last, crossingText(plan.line->crossing(cuts[i])).toStdString()});
    }
    if (m_places) m_bands = std::move(bands);
    else m_bands.reset();
}

double StageOverlay::lineOf(std::size_t cut) {
    const auto [line, isNew] = m_lines.try_emplace(cut);
    if (isNew) line->second = m_places->lineOf(cut);
    return line->second;
}

void StageOverlay::findOutsiders(const StagePlan& plan, const fx::StageLine::Cuts& cuts) {
    m_styleOf.assign(plan.model->graph.idLimit(), -1);
    if (!m_places) return;
    for (std::size_t call = 0, stage = 0; call < plan.line->size(); ++call) {
        while (stage < cuts.size() && call >= cuts[stage]) ++stage;
        const double from = stage == 0 ? -1e300 : m_bands->cuts[stage - 1].place,
                     to = stage == cuts.size() ? 1e300 : m_bands->cuts[stage].place;
        if (m_places->closedGroups()[call] == kNoItem && m_places->isOutside(call, from, to))
            m_styleOf[fx::index(plan.line->calls()[call])] = static_cast<std::int32_t>(stage);
    }
}

/// Counts closed groups with calls of several stages only: the bands behind them do not show these.
void StageOverlay::countShares(const fx::StageLine::Cuts& cuts) {
    m_shares.clear();
    if (!m_places) return;
    std::map<ItemIndex, std::map<std::size_t, std::uint32_t>> counts;
    const auto& closed = m_places->closedGroups();
    for (std::size_t call = 0, stage = 0; call < closed.size(); ++call) {
        while (stage < cuts.size() && call >= cuts[stage]) ++stage;
        if (closed[call] != kNoItem) ++counts[closed[call]][stage];
    }
    for (const auto& [item, stages] : counts) {
        if (stages.size() < 2) continue;
        RegionShares& shares = m_shares[m_scene->group(item).path];
        for (const auto& [stage, count] : stages) shares.emplace_back(&m_regions[stage], count);
    }
}

const NodeStyle* StageOverlay::styleOf(fx::NodeId node) const {
    const std::size_t id = fx::index(node);
    return id < m_styleOf.size() && m_styleOf[id] >= 0 ? &m_styles[static_cast<std::size_t>(m_styleOf[id])] : nullptr;
}

RegionShares StageOverlay::sharesOf(const std::string& groupPath) const {
    const auto known = m_shares.find(groupPath);
    return known == m_shares.end() ? RegionShares() : known->second;
}

} // namespace ui
