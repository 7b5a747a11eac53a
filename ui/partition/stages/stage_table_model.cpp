// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/partition/stages/stage_table_model.h"

#include "ui/document/node_facts.h"
#include "ui/partition/partition_table_model.h"
#include "ui/widgets/theme.h"

#include <QLocale>

namespace ui {

void StageTableModel::setStages(const StagePlan* plan, const fx::StageLine::Cuts& cuts) {
    std::vector<Row> rows;
    if (plan && plan->line->size() > 0) {
        const fx::StageBalanceReport balance = plan->line->balance(cuts);
        m_largest = balance.largest;
        for (std::size_t i = 0; i <= cuts.size(); ++i) {
            const auto [begin, end] = plan->line->extent(cuts, i);
            const fx::StageCrossing* sent = i == cuts.size() ? nullptr : &plan->line->crossing(cuts[i]);
            const QString crossing = sent ? crossingText(*sent) : QString();
            rows.push_back({QLocale().toString(static_cast<qulonglong>(end - begin)),
                            plan->line->isTimed() ? stageWeightText(*plan, balance.weights[i], false) : QString(),
                            sent && sent->bytesKnown ? byteText(sent->bytes) : crossing, crossing});
        }
    }
    const bool resets = rows.size() != m_rows.size();
    if (resets) beginResetModel();
    m_rows = std::move(rows);
    if (resets) endResetModel();
    else if (!m_rows.empty()) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, kColumns - 1));
}

int StageTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

QVariant StageTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const Row& row = m_rows[static_cast<std::size_t>(index.row())];
    if (role == Qt::DecorationRole && index.column() == Name)
        return partitionSwatch(static_cast<std::size_t>(index.row()));
    if (role == Qt::TextAlignmentRole && index.column() != Name) return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::FontRole && index.column() == Time && index.row() == static_cast<int>(m_largest))
        return semiboldFont();
    if (role == Qt::ToolTipRole && index.column() == Sends) return row.crossing;
    if (role != Qt::DisplayRole) return {};
    switch (index.column()) {
    case Name: return index.row();
    case Calls: return row.calls;
    case Time: return row.time;
    default: return row.sends;
    }
}

QVariant StageTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant((section == Name ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    const QString titles[] = {tr("stage"), tr("calls"), tr("time"), tr("sends")};
    const QString tips[] = {tr("index of the stage, as in stage_N.pt"), tr("calls"), tr("time of its calls"),
                            tr("bytes for the next stage")};
    if (role == Qt::DisplayRole) return titles[section];
    return role == Qt::ToolTipRole ? QVariant(tips[section]) : QVariant();
}

} // namespace ui
