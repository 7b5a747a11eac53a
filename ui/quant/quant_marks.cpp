// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/quant/quant_marks.h"

#include "ui/widgets/core_text.h"
#include "ui/widgets/theme.h"

#include <QCoreApplication>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

struct MarkText {
    Q_DECLARE_TR_FUNCTIONS(ui::QuantMarks)
};

QString noteOf(const QuantPlan::Observer& observer) {
    QStringList lines{observer.name, QStringLiteral("%1, %2").arg(observer.type, observer.dtype),
                      QStringLiteral("%1 %2").arg(observer.role, observer.cause)};
    if (!observer.pattern.isEmpty()) lines << MarkText::tr("pattern: %1").arg(observer.pattern);
    lines << MarkText::tr("rule: %1").arg(observer.rule);
    if (!observer.sharedWith.isEmpty()) lines << MarkText::tr("shares %1").arg(observer.sharedWith);
    return (lines << MarkText::tr("Click to exclude it or change its observer")).join(u'\n');
}

} // namespace

QString decibelText(double sqnr) {
    if (std::isnan(sqnr)) return MarkText::tr("unknown");
    if (std::isinf(sqnr)) return sqnr > 0 ? MarkText::tr("no error") : MarkText::tr("lost");
    return MarkText::tr("%1 dB").arg(sqnr, 0, 'f', 1);
}

std::string observerLetter(const QString& type) {
    if (type.contains(QLatin1String("FakeQuantize")) || type.startsWith(QLatin1String("Fixed"))) return "F";
    if (type.contains(QLatin1String("PerChannel"))) return "C";
    if (type.contains(QLatin1String("MinMax"))) return "M";
    return type.startsWith(QLatin1String("Histogram")) ? "H" : "D";
}

double QuantMarks::placeOf(double sqnr) {
    constexpr double kUnnoticed = 50;
    if (std::isnan(sqnr)) return 1;
    return std::clamp(1 - sqnr / kUnnoticed, 0.0, 1.0);
}

void QuantMarks::make(const fx::GraphModule& version, const QuantPlan* plan, const fx::remote::LayerErrors* errors) {
    clear();
    if (plan) addBadges(version, *plan);
    if (errors) addColours(version, *errors);
}

void QuantMarks::addBadges(const fx::GraphModule& version, const QuantPlan& plan) {
    const Theme& look = theme();
    for (const QuantPlan::Observer& observer : plan.observers) {
        if (observer.from == fx::kNoNode || observer.users.empty()) continue;
        EdgeBadge badge;
        badge.text = observerLetter(observer.type), badge.note = noteOf(observer).toStdString();
        // Observers that share an instance have the colour of the instance's first one.
        badge.color = observer.sharedWith.isEmpty() ? look.accent : look.ok.line;
        m_badges.push_back(std::move(badge));
        for (const fx::NodeId user : observer.users) m_badgeOf.try_emplace({observer.from, user}, &m_badges.back());
    }
    for (const auto& [node, rule] : plan.excluded)
        for (const fx::NodeId input : version.graph.node(node).inputs()) {
            if (m_badgeOf.contains({input, node})) continue;
            EdgeBadge& badge = m_badges.emplace_back();
            badge.text = "×", badge.color = look.muted, badge.faint = true;
            badge.note = MarkText::tr("%1 is left in floating point by your rule\nClick to quantise it again")
                             .arg(fromCore(version.graph.node(node).name()))
                             .toStdString();
            m_badgeOf[{input, node}] = &badge;
        }
}

void QuantMarks::addColours(const fx::GraphModule& version, const fx::remote::LayerErrors& errors) {
    m_other.fill = theme().panel, m_other.line = theme().border;
    for (const fx::remote::LayerError& layer : errors.layers) {
        const fx::NodeId node = version.graph.find(layer.node);
        if (node == fx::kNoNode) continue;
        NodeStyle& style = m_styles.emplace_back();
        style.fill = rampColor(theme(), Ramp::Errors, placeOf(layer.sqnr()));
        style.line = theme().dark ? style.fill.lighter(125) : style.fill.darker(125);
        style.badge = decibelText(layer.sqnr()).toStdString();
        style.badgeColor = readableOn(style.fill, theme().text);
        style.note = MarkText::tr("against floating point: SQNR %1, largest error %2")
                         .arg(decibelText(layer.sqnr()), QString::number(layer.maxError, 'g', 3))
                         .toStdString();
        m_styleOf[node] = &style;
    }
}

const EdgeBadge* QuantMarks::badgeOf(fx::NodeId from, fx::NodeId to) const {
    const auto known = m_badgeOf.find({from, to});
    return known == m_badgeOf.end() ? nullptr : known->second;
}

const NodeStyle* QuantMarks::styleOf(fx::NodeId node) const {
    const auto known = m_styleOf.find(node);
    return known == m_styleOf.end() ? &m_other : known->second;
}

ColourLegend QuantMarks::legend() const {
    if (!hasColours()) return {};
    ColourLegend legend;
    legend.title = MarkText::tr("SQNR against floating point");
    legend.ramp = {MarkText::tr("50 dB"), MarkText::tr("25 dB"), MarkText::tr("0 dB")};
    legend.kind = Ramp::Errors;
    legend.about =
        MarkText::tr("Signal to quantisation noise ratio of each layer: the higher, the smaller is its error");
    return legend;
}

} // namespace ui
