// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/timing/node_times_model.h"

#include "ui/document/node_facts.h"
#include "ui/timing/timing_html.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/theme.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace ui {

namespace {
QVariant rightUnless(bool left) { return QVariant((left ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter); }
/// Rounds differ too much to compare the time with another one.
bool isNoisy(const fx::timing::NodeTiming& node) {
    constexpr double kNoisy = 0.25; // of the time
    return node.iqrMs > kNoisy * node.ms;
}
/// Unknown numbers come last when the largest come first.
QVariant key(const std::optional<double>& value) { return value.value_or(-1); }

/// "brg_conv_fwd:avx2", "ATen"; without the reorders around it.
QString whatRan(const fx::timing::NodeTiming& node) {
    QStringList parts;
    for (const auto& each : node.primitives) {
        const QString part = fromCore(each.library == "oneDNN" ? each.implementation : each.library + " " + each.kind);
        if (!each.isReorder() && !parts.contains(part)) parts << part;
    }
    return parts.join(QStringLiteral(", "));
}

QString formatOf(const fx::timing::NodeTiming& node) {
    for (const auto& each : node.primitives)
        if (!each.isReorder() && !each.formats.empty()) return fromCore(each.formats);
    return fromCore(node.memoryFormat);
}

QString primitivesTip(const fx::timing::NodeTiming& node) {
    QStringList lines;
    for (const auto& each : node.primitives)
        lines << QStringLiteral("%1 %2 %3\n    %4 %5")
                     .arg(fromCore(each.library), fromCore(each.kind), fromCore(each.implementation),
                          fromCore(each.formats), fromCore(each.problem));
    return plainToolTip(lines.join(u'\n'));
}
} // namespace

void NodeTimesModel::setReport(const fx::timing::NodeReport* report, const fx::timing::NodeReport* before) {
    beginResetModel();
    m_nodes = report ? report->nodes : std::vector<fx::timing::NodeTiming>();
    m_before.assign(m_nodes.size(), -1);
    m_compares = before != nullptr;
    std::unordered_map<std::string_view, double> was;
    if (before)
        for (const auto& node : before->nodes) was.emplace(node.name, node.ms);
    m_most = 0;
    m_rows.clear();
    for (std::size_t i = 0; i < m_nodes.size(); ++i) {
        if (const auto known = was.find(m_nodes[i].name); known != was.end()) m_before[i] = known->second;
        m_most = std::max(m_most, m_nodes[i].ms);
        m_rows.insert(QString::fromStdString(m_nodes[i].name), static_cast<int>(i));
    }
    endResetModel();
}

QString NodeTimesModel::textAt(std::size_t row, int column) const {
    const auto& node = m_nodes[row];
    switch (column) {
    case Name: return elided(node.name, 200);
    case Time: return isNoisy(node) ? u'~' + timeText(node.ms) : timeText(node.ms);
    case Share: return percentText(node.share);
    case Before: return m_before[row] < 0 ? QString() : timeText(m_before[row]);
    case Difference: {
        if (m_before[row] < 0) return m_compares ? tr("new") : QString();
        const double more = node.ms - m_before[row];
        return more == 0 ? QStringLiteral("0") : (more > 0 ? u'+' : QChar(0x2212)) + timeText(std::abs(more));
    }
    case Target: return typeName(node.target);
    case Flops: return node.flops ? flopsText(*node.flops) : QString();
    case Bytes: return node.bytes ? byteText(static_cast<std::int64_t>(*node.bytes)) : QString();
    case Ceiling:
        return node.ceilingShare && *node.ceilingShare > 0 ? tr("%1\u00a0% %2")
                                                                 .arg(*node.ceilingShare * 100, 0, 'f', 0)
                                                                 .arg(node.memoryBound ? tr("memory") : tr("compute"))
                                                           : QString();
    case Ran: return whatRan(node);
    case Format: return formatOf(node);
    case Reorders: return node.reorders ? QString::number(node.reorders) : QString();
    default: return {};
    }
}

QVariant NodeTimesModel::keyAt(std::size_t row, int column) const {
    const auto& node = m_nodes[row];
    switch (column) {
    case Time:
    case Share: return node.ms;
    case Before: return m_before[row];
    case Difference: return node.ms - std::max(m_before[row], 0.0);
    case Flops: return key(node.flops);
    case Bytes: return key(node.bytes);
    case Ceiling: return key(node.ceilingShare);
    case Reorders: return static_cast<qulonglong>(node.reorders);
    default: return textAt(row, column);
    }
}

QString NodeTimesModel::timeTip(std::size_t row) const {
    const QString time = timeText(m_nodes[row].ms), range = timeText(m_nodes[row].iqrMs);
    return isNoisy(m_nodes[row])
               ? tr("%1, IQR %2: the rounds differ much; time longer for a steady number").arg(time, range)
               : tr("%1, IQR %2").arg(time, range);
}

QVariant NodeTimesModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const auto row = static_cast<std::size_t>(index.row());
    const int column = index.column();
    const bool text = column == Name || column == Target || column == Ran || column == Format;
    if (role == Qt::DisplayRole) return textAt(row, column);
    if (role == kSortRole) return keyAt(row, column);
    if (role == kBarRole && column == Time) return m_most > 0 ? m_nodes[row].ms / m_most : 0;
    if (role == Qt::TextAlignmentRole) return rightUnless(text);
    if (role == Qt::FontRole && text) return monoFont();
    if (role == Qt::ToolTipRole && (column == Ran || column == Format)) return primitivesTip(m_nodes[row]);
    if (role == Qt::ToolTipRole && column == Time) return timeTip(row);
    if (role == Qt::ForegroundRole && (column == Time || column == Difference) && isNoisy(m_nodes[row]))
        return theme().muted;
    if (role == Qt::ToolTipRole && column == Target) return plainToolTip(elided(m_nodes[row].target));
    if (role == Qt::ToolTipRole && text) return plainToolTip(textAt(row, column));
    return {};
}

QVariant NodeTimesModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    const QString titles[] = {tr("Node"),       tr("Time"),   tr("Share"),  tr("Original"),
                              tr("Difference"), tr("Calls"),  tr("FLOPs"),  tr("Bytes"),
                              tr("Ceiling"),    tr("Kernel"), tr("Format"), tr("Reorders")};
    const QString tips[] = {
        tr("Click a row to go to the node"),
        tr("per run"),
        tr("share of the sum over all nodes"),
        tr("time of the node with the same name in the original"),
        tr("how much longer the node takes than in the original"),
        tr("function, method or module type"),
        tr("computed from the shapes"),
        tr("read and written at least once, computed from the shapes"),
        tr("share of the machine's ceiling at this ratio of FLOPs to bytes; above 100 %, data came from caches"),
        tr("kernel that oneDNN or MKL ran; empty for ATen's own kernels"),
        tr("memory formats of oneDNN, or of the result"),
        tr("conversions between memory formats")};
    if (role == Qt::TextAlignmentRole)
        return rightUnless(section == Name || section == Target || section == Ran || section == Format);
    if (role == Qt::DisplayRole) return titles[section];
    return role == Qt::ToolTipRole ? QVariant(tips[section]) : QVariant();
}

void TypeTimesModel::setReport(const fx::timing::NodeReport* report) {
    beginResetModel();
    m_types = report ? report->types : std::vector<fx::timing::TypeTotal>();
    endResetModel();
}

QVariant TypeTimesModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const auto& type = m_types[static_cast<std::size_t>(index.row())];
    const int column = index.column();
    if (role == Qt::TextAlignmentRole) return rightUnless(column == Target);
    if (role == Qt::FontRole && column == Target) return monoFont();
    if (role == Qt::ToolTipRole && column == Target) return plainToolTip(elided(type.target, 400));
    if (role == kBarRole && column == Time) return m_types.front().ms > 0 ? type.ms / m_types.front().ms : 0;
    if (role != Qt::DisplayRole && role != kSortRole) return {};
    const bool sorts = role == kSortRole;
    switch (column) {
    case Target: return typeName(type.target);
    case Time: return sorts ? QVariant(type.ms) : timeText(type.ms);
    case Share: return sorts ? QVariant(type.share) : percentText(type.share);
    case Count: return static_cast<qulonglong>(type.count);
    case Flops: return sorts ? QVariant(type.flops) : type.flops > 0 ? flopsText(type.flops) : QString();
    default: return {};
    }
}

QVariant TypeTimesModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    const QString titles[] = {tr("Calls"), tr("Time"), tr("Share"), tr("nodes"), tr("FLOPs")};
    if (role == Qt::TextAlignmentRole) return rightUnless(section == Target);
    return role == Qt::DisplayRole ? QVariant(titles[section]) : QVariant();
}

} // namespace ui
