// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/partition/operator_model.h"

#include "ui/document/node_facts.h"
#include "ui/widgets/core_text.h"
#include "ui/widgets/theme.h"

#include <algorithm>

namespace ui {

namespace {
constexpr quintptr kGroup = ~quintptr(0); ///< internal id of kinds; operators have the number of their kind
}

void OperatorModel::setOperators(std::vector<MetOperator> operators) {
    beginResetModel();
    m_operators = std::move(operators);
    m_groups.clear();
    m_of.clear();
    for (std::size_t i = 0; i < m_operators.size(); ++i) {
        if (m_groups.empty() || m_groups.back().kind != m_operators[i].kind)
            m_groups.push_back({m_operators[i].kind, i, 0});
        ++m_groups.back().count;
        for (const fx::NodeId node : m_operators[i].nodes) {
            if (fx::index(node) >= m_of.size()) m_of.resize(fx::index(node) + 1, -1);
            m_of[fx::index(node)] = static_cast<std::int32_t>(i);
        }
    }
    m_supported.assign(m_operators.size(), 0);
    m_hasOutcome = false;
    endResetModel();
}

void OperatorModel::setDraft(const SupportDraft& draft, const std::vector<std::string>& nonCompute) {
    m_draft = draft;
    m_nonCompute = nonCompute;
    for (int g = 0; g < rowCount(); ++g) {
        const QModelIndex group = index(g, 0);
        Q_EMIT dataChanged(group, index(g, 1));
        Q_EMIT dataChanged(index(0, 0, group), index(rowCount(group) - 1, 1, group));
    }
}

void OperatorModel::setOutcome(const PartitionOutcome& outcome) {
    m_hasOutcome = !outcome.error;
    for (std::size_t i = 0; i < m_operators.size(); ++i)
        m_supported[i] = static_cast<std::uint32_t>(
            std::count_if(m_operators[i].nodes.begin(), m_operators[i].nodes.end(), [&](fx::NodeId node) {
                const auto* refusal = outcome.refusal(node);
                return refusal ? refusal->reason != fx::UnassignedNode::Reason::Unsupported
                               : outcome.partition(node) >= 0;
            }));
    setDraft(m_draft, m_nonCompute);
}

const MetOperator* OperatorModel::at(const QModelIndex& index) const {
    if (!index.isValid() || index.internalId() == kGroup) return nullptr;
    return &m_operators[m_groups[index.internalId()].first + static_cast<std::size_t>(index.row())];
}

QModelIndex OperatorModel::indexOf(const MetOperator& op) const {
    for (std::size_t g = 0; g < m_groups.size(); ++g)
        for (std::size_t i = 0; i < m_groups[g].count; ++i)
            if (m_operators[m_groups[g].first + i].key() == op.key())
                return createIndex(static_cast<int>(i), 0, quintptr(g));
    return {};
}

const MetOperator* OperatorModel::of(fx::NodeId node) const {
    const std::size_t id = fx::index(node);
    return id < m_of.size() && m_of[id] >= 0 ? &m_operators[static_cast<std::size_t>(m_of[id])] : nullptr;
}

QModelIndex OperatorModel::index(int row, int column, const QModelIndex& parent) const {
    if (row < 0 || row >= rowCount(parent) || column < 0 || column >= 2) return {};
    return createIndex(row, column, parent.isValid() ? quintptr(parent.row()) : kGroup);
}

QModelIndex OperatorModel::parent(const QModelIndex& index) const {
    return !index.isValid() || index.internalId() == kGroup
               ? QModelIndex()
               : createIndex(static_cast<int>(index.internalId()), 0, kGroup);
}

int OperatorModel::rowCount(const QModelIndex& parent) const {
    if (!parent.isValid()) return static_cast<int>(m_groups.size());
    return parent.internalId() == kGroup && parent.column() == 0
               ? static_cast<int>(m_groups[static_cast<std::size_t>(parent.row())].count)
               : 0;
}

/// The user's setting for the operator, or else the result of the rules. Partially checked if rules or marks of single
/// nodes support only some of its nodes.
Qt::CheckState OperatorModel::stateOf(const MetOperator& op) const {
    const Support support = m_draft.of(op);
    const bool isSaid = support != Support::ByRule || !m_draft.hasBase();
    if (isSaid && (!m_hasOutcome || m_draft.markedNodes() == 0))
        return support == Support::Supported ? Qt::Checked : Qt::Unchecked;
    const std::size_t supported = m_supported[static_cast<std::size_t>(&op - m_operators.data())];
    return supported == 0 ? Qt::Unchecked : supported == op.nodes.size() ? Qt::Checked : Qt::PartiallyChecked;
}

Qt::CheckState OperatorModel::stateOf(const Group& group) const {
    const Qt::CheckState first = stateOf(m_operators[group.first]);
    for (std::size_t i = 1; i < group.count; ++i)
        if (stateOf(m_operators[group.first + i]) != first) return Qt::PartiallyChecked;
    return first;
}

/// "20 nodes"; "18 of 20" when the rules or marks take only some; behind it what else is said of the operator.
QString OperatorModel::countOf(const MetOperator& op) const {
    const auto i = static_cast<std::size_t>(&op - m_operators.data());
    const std::size_t all = op.nodes.size(), supported = m_supported[i];
    QString text = all == 1 ? tr("1 node") : tr("%L1 nodes").arg(all);
    if (m_hasOutcome && supported > 0 && supported < all) text = tr("%L1 of %L2 nodes").arg(supported).arg(all);
    if (m_draft.hasBase() && m_draft.of(op) != Support::ByRule) text += tr(" · set here");
    if (std::find(m_nonCompute.begin(), m_nonCompute.end(), op.name) != m_nonCompute.end())
        text += tr(" · non-compute");
    return text;
}

QVariant OperatorModel::groupData(const Group& group, int column, int role) const {
    if (role == Qt::FontRole && column == 0) return semiboldFont();
    if (role == Qt::ForegroundRole && column == 1) return theme().muted;
    if (role == Qt::TextAlignmentRole && column == 1) return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::CheckStateRole && column == 0) return stateOf(group);
    if (role == Qt::DisplayRole && column == 1)
        return group.count == 1 ? tr("1 kind") : tr("%1 kinds").arg(group.count);
    if (role != Qt::DisplayRole && role != TextRole) return {};
    const QString titles[] = {tr("Modules"), tr("Functions"), tr("Methods"), tr("Parameters and constants")};
    return titles[static_cast<std::size_t>(group.kind)];
}

QVariant OperatorModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const MetOperator* op = at(index);
    if (!op) return groupData(m_groups[static_cast<std::size_t>(index.row())], index.column(), role);
    switch (role) {
    case Qt::DisplayRole: return index.column() == 0 ? op->title() : countOf(*op);
    case Qt::CheckStateRole: return index.column() == 0 ? QVariant(stateOf(*op)) : QVariant();
    case Qt::FontRole: return index.column() == 0 ? QVariant(monoFont()) : QVariant();
    case Qt::ForegroundRole: return index.column() == 1 ? QVariant(theme().muted) : QVariant();
    case Qt::TextAlignmentRole: return index.column() == 1 ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant();
    case Qt::ToolTipRole:
        return plainToolTip(fromCore(op->name.empty() ? "get_attr" : op->name) + QLatin1Char('\n') + countOf(*op));
    case Qt::AccessibleTextRole: return op->title() + QStringLiteral(", ") + countOf(*op);
    case TextRole: return QString::fromStdString(op->name) + QLatin1Char(' ') + op->title();
    case KeyRole: return QString::fromStdString(op->key());
    default: return {};
    }
}

/// A click inverts the displayed state; the menu returns to the rules.
Support OperatorModel::next(const MetOperator& op) const {
    if (stateOf(op) != Qt::Checked) return Support::Supported;
    return m_draft.hasBase() ? Support::Unsupported : Support::ByRule;
}

/// The value is ignored: a click means more than checked or unchecked.
bool OperatorModel::setData(const QModelIndex& index, const QVariant&, int role) {
    if (role != Qt::CheckStateRole || !index.isValid()) return false;
    if (const MetOperator* op = at(index)) {
        Q_EMIT ticked({op}, next(*op));
        return true;
    }
    const Group& group = m_groups[static_cast<std::size_t>(index.row())];
    std::vector<const MetOperator*> all;
    for (std::size_t i = 0; i < group.count; ++i) all.push_back(&m_operators[group.first + i]);
    Q_EMIT ticked(all, stateOf(group) == Qt::Checked ? (m_draft.hasBase() ? Support::Unsupported : Support::ByRule)
                                                     : Support::Supported);
    return true;
}

Qt::ItemFlags OperatorModel::flags(const QModelIndex& index) const {
    return index.isValid() ? Qt::ItemIsEnabled | Qt::ItemIsSelectable |
                                 (index.column() == 0 ? Qt::ItemIsUserCheckable : Qt::NoItemFlags)
                           : Qt::NoItemFlags;
}

} // namespace ui
