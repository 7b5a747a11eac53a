// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/result/error_map.h"

#include "core/layout/hierarchy.h"
#include "ui/document/node_facts.h"
#include "ui/run/verify_verdict.h"

#include <QEvent>
#include <QLocale>
#include <QWidget>

#include <algorithm>
#include <cmath>
#include <limits>

namespace ui {

namespace {
constexpr double kLeastExponent = -8; ///< where the ramp begins: below it are single bits of float32
constexpr int kHatch = 0;
const double kOther = std::numeric_limits<double>::infinity();

/// Elements that only one of the models has as NaN have no error, and are no small one.
double shownError(const fx::NodeError& node) {
    return !node.comparable || (node.maxAbs == 0 && node.beyond > 0) ? kOther : node.error;
}
bool isEqual(const fx::NodeError& node) { return node.comparable && node.maxAbs == 0 && node.beyond == 0; }

QColor outlineOf(const QColor& fill) { return theme().dark ? fill.lighter(125) : fill.darker(125); }

NodeStyle plainStyle() {
    NodeStyle style;
    style.fill = theme().panel, style.line = theme().border;
    return style;
}

/// Both models are given the same values for it.
bool isInput(const fx::GraphModule& model, const fx::Node& node) {
    return node.op() == fx::Op::Placeholder &&
           std::none_of(model.lifted.begin(), model.lifted.end(), [&](const fx::LiftedInput& lifted) {
               return lifted.node == node.id() && lifted.kind != fx::LiftedInput::Kind::UserInput;
           });
}

NodeStyle styleFor(const fx::NodeError& node) {
    NodeStyle style = plainStyle();
    if (!node.comparable) {
        style.fill = theme().error.fill, style.line = theme().error.line;
        style.badge = "≠";
        style.note = ErrorMap::tr("cannot be compared: %1").arg(elided(textOfSides(node.reason), 300)).toStdString();
        return style;
    }
    if (isEqual(node)) {
        style.note = ErrorMap::tr("equal to the original on these inputs").toStdString();
        return style;
    }
    style.fill = rampColor(theme(), Ramp::Errors, ErrorMap::placeOf(shownError(node)));
    style.line = outlineOf(style.fill);
    style.badge = node.maxAbs == 0 ? "NaN" : errorNumber(node.error).toStdString();
    style.badgeColor = readableOn(style.fill, theme().text);
    style.note = ErrorMap::tr("largest error %1, %2 of the node's largest value in the original\n"
                              "%3 of %4 elements beyond tolerance")
                     .arg(errorNumber(node.maxAbs), errorNumber(node.error), QLocale().toString(qlonglong(node.beyond)),
                          QLocale().toString(qlonglong(node.count)))
                     .toStdString();
    return style;
}

/// What the model returns, as one node.
fx::NodeError errorOfOutput(const fx::VerifyReport& report, const std::string& name) {
    fx::NodeError whole;
    whole.node = name;
    for (const fx::OutputDifference& output : report.outputs) {
        whole.maxAbs = std::max(whole.maxAbs, output.value.maxAbs);
        whole.count += output.value.count, whole.beyond += output.value.beyond;
        if (!output.value.comparable() && std::exchange(whole.comparable, false)) whole.reason = output.value.reason;
        if (output.value.comparable()) whole.error = std::max(whole.error, output.value.relativeToScale());
    }
    return whole;
}
} // namespace

ErrorMap::ErrorMap(QWidget* widget) : QObject(widget) { widget->installEventFilter(this); }

double ErrorMap::placeOf(double error) {
    if (!(error > 0)) return 0;
    return std::clamp(1 - std::log10(error) / kLeastExponent, 0.0, 1.0);
}

void ErrorMap::setSession(RunSession* session) {
    if (m_session) m_session->disconnect(this);
    m_session = session;
    if (session) connect(session, &RunSession::verifyChanged, this, &ErrorMap::make);
    make();
}

bool ErrorMap::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::PaletteChange) make();
    return QObject::eventFilter(watched, event);
}

void ErrorMap::make() {
    const Verification* known =
        m_session && m_session->state() == RunSession::State::Done ? m_session->current() : nullptr;
    if (known && !known->report->nodeErrors.empty()) return show(*known->report, known->version);
    clear();
    Q_EMIT changed();
}

void ErrorMap::clear() {
    m_counting.cancel();
    m_version.reset();
    m_styles.clear();
    m_styleOf.clear();
    m_errors.clear();
    m_groups.clear();
    m_anyEqual = m_anyOther = m_anyUncompared = false;
}

void ErrorMap::show(const fx::VerifyReport& report, std::shared_ptr<const fx::GraphModule> version) {
    clear();
    m_version = std::move(version);
    const fx::Graph& graph = m_version->graph;
    NodeStyle uncompared = plainStyle();
    uncompared.hatch = kHatch;
    uncompared.note = tr("not compared: the original has no such node").toStdString();
    m_styles.push_back(std::move(uncompared));
    m_styleOf.assign(graph.idLimit(), 0);
    m_errors.assign(graph.idLimit(), -1);
    const auto add = [this](fx::NodeId id, const fx::NodeError& node) {
        m_anyEqual = m_anyEqual || isEqual(node);
        m_anyOther = m_anyOther || !node.comparable;
        put(id, styleFor(node), isEqual(node) ? 0 : std::max(shownError(node), std::numeric_limits<double>::min()));
    };
    for (const fx::NodeError& node : report.nodeErrors)
        if (const fx::NodeId id = graph.find(node.nameInB.empty() ? node.node : node.nameInB); id != fx::kNoNode)
            add(id, node);
    for (const fx::Node& node : graph.nodes()) {
        if (m_styleOf[fx::index(node.id())] == 0 && isInput(*m_version, node)) {
            NodeStyle style = plainStyle();
            style.note = tr("not compared: it is an input").toStdString();
            put(node.id(), std::move(style), -1);
        }
        if (node.op() == fx::Op::Output && !report.outputs.empty()) add(node.id(), errorOfOutput(report, node.name()));
        m_anyUncompared = m_anyUncompared || m_styleOf[fx::index(node.id())] == 0;
    }
    Q_EMIT changed();
    countGroups();
}

void ErrorMap::put(fx::NodeId node, NodeStyle style, double error) {
    m_styleOf[fx::index(node)] = static_cast<std::uint32_t>(m_styles.size());
    m_styles.push_back(std::move(style));
    m_errors[fx::index(node)] = error;
}

void ErrorMap::countGroups() {
    m_counting.start(
        [model = m_version, errors = m_errors](const fx::Progress& progress) {
            return groupErrors(*model, errors, progress);
        },
        this,
        [this](const std::unordered_map<std::string, GroupError>& groups) {
            for (const auto& [path, group] : groups) {
                NodeRegion region{std::isinf(group.worst) ? theme().error.line
                                                          : rampColor(theme(), Ramp::Errors, placeOf(group.worst)),
                                  0,
                                  (std::isinf(group.worst) ? tr("another shape, type or scale")
                                                           : tr("errors up to %1").arg(errorNumber(group.worst)))
                                      .toStdString()};
                m_groups.emplace(path, std::pair(std::move(region), group));
            }
            Q_EMIT changed();
        });
}

const NodeStyle* ErrorMap::styleOf(fx::NodeId node) const {
    return fx::index(node) < m_styleOf.size() ? &m_styles[m_styleOf[fx::index(node)]] : nullptr;
}

/// Two parts, also when one of them is empty: one alone would be a hull around the group.
RegionShares ErrorMap::sharesOf(const std::string& groupPath) const {
    const auto known = m_groups.find(groupPath);
    if (known == m_groups.end() || known->second.second.compared == 0) return {};
    const auto& [region, group] = known->second;
    return {{&region, group.differing}, {nullptr, group.compared - group.differing}};
}

ColourLegend ErrorMap::legend() const {
    ColourLegend legend;
    legend.kind = Ramp::Errors;
    legend.title = tr("Largest error of each node, relative\nto its largest value in the original");
    legend.ramp = {QStringLiteral("≤ 1e-8"), QStringLiteral("1e-4"), QStringLiteral("≥ 1")};
    if (m_anyEqual)
        legend.entries.push_back({theme().panel, theme().border, -1, tr("equal to the original"),
                                  tr("Every value is that of the original, bit for bit")});
    if (m_anyOther)
        legend.entries.push_back({theme().error.fill, theme().error.line, -1, tr("≠ another shape or type"),
                                  tr("The values cannot be compared with those of the original")});
    if (m_anyUncompared)
        legend.entries.push_back(
            {theme().panel, theme().edge, kHatch, tr("not compared"), tr("The original has no such node")});
    if (empty())
        legend.note = m_session && m_session->state() == RunSession::State::Running
                          ? tr("verifying…")
                          : tr("this version was not compared");
    return legend;
}

std::unordered_map<std::string, GroupError> groupErrors(const fx::GraphModule& model, const std::vector<double>& errors,
                                                        const fx::Progress& progress) {
    const fx::Hierarchy hierarchy = fx::Hierarchy::of(model, {}, progress);
    std::vector<GroupError> groups(hierarchy.groups.size());
    for (std::size_t node = 0; node < std::min(errors.size(), hierarchy.groupOf.size()); ++node) {
        if (errors[node] < 0) continue;
        for (std::uint32_t at = hierarchy.groupOf[node]; at != fx::kNone; at = hierarchy.groups[at].parent) {
            ++groups[at].compared;
            if (errors[node] > 0) ++groups[at].differing;
            groups[at].worst = std::max(groups[at].worst, errors[node]);
        }
    }
    std::unordered_map<std::string, GroupError> out;
    for (std::size_t i = 0; i < groups.size(); ++i) out.emplace(hierarchy.groups[i].path, groups[i]);
    return out;
}

} // namespace ui
