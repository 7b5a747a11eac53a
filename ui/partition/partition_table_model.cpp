// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/partition/partition_table_model.h"

#include "core/timing/timing_text.h"
#include "ui/canvas/region_painter.h"
#include "ui/document/node_facts.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/unbroken.h"

#include <QMimeData>
#include <QPainter>
#include <QPixmap>

namespace ui {

QColor partitionColor(std::size_t partition) { return theme().partition(partition); }
int partitionHatch(std::size_t partition) { return static_cast<int>((partition + partition / 8) % 8); }

QPixmap partitionSwatch(std::size_t partition) {
    constexpr qreal kRatio = 2;
    QPixmap pixmap(static_cast<int>(16 * kRatio), static_cast<int>(14 * kRatio));
    pixmap.setDevicePixelRatio(kRatio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor color = partitionColor(partition);
    const QRectF box(1, 1, 14, 12);
    painter.setPen(QPen(color, 1.5));
    painter.setBrush(Frame::mixed(theme().panel, color, 0.15));
    painter.drawRoundedRect(box, 3, 3);
    painter.setPen(Qt::NoPen);
    painter.setBrush(QBrush(color, kHatchings[static_cast<std::size_t>(partitionHatch(partition))]));
    painter.drawRoundedRect(box, 3, 3);
    return pixmap;
}

void PartitionTableModel::setOutcome(std::shared_ptr<const PartitionOutcome> outcome) {
    beginResetModel();
    m_outcome = std::move(outcome);
    m_times.reset();
    endResetModel();
}

void PartitionTableModel::setBytes(std::shared_ptr<const PartitionOutcome> outcome, const QString& guessed) {
    m_outcome = std::move(outcome);
    m_guessed = guessed;
    if (rowCount() > 0) Q_EMIT dataChanged(index(0, BytesIn), index(rowCount() - 1, BytesOut));
}

void PartitionTableModel::setTimes(std::optional<fx::remote::PartitionTimes> times) {
    m_times = std::move(times);
    if (rowCount() > 0) Q_EMIT dataChanged(index(0, Time), index(rowCount() - 1, Time));
}

QString PartitionTableModel::timeText(std::size_t partition) const {
    if (!m_times || partition >= m_times->aloneMs.size()) return {};
    return unbroken(fx::timing::durationText(m_times->aloneMs[partition]));
}

bool PartitionTableModel::knowsBytes() const {
    if (!m_outcome) return false;
    for (const auto& traffic : m_outcome->report.traffic)
        if (traffic.bytesIn > 0 || traffic.bytesOut > 0) return true;
    return false;
}

int PartitionTableModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() || !m_outcome ? 0 : static_cast<int>(m_outcome->report.traffic.size());
}

QVariant PartitionTableModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid()) return {};
    const auto row = static_cast<std::size_t>(index.row());
    const auto& partition = m_outcome->report.partitions[row];
    const auto& traffic = m_outcome->report.traffic[row];
    if (role == Qt::DecorationRole && index.column() == Name) return partitionSwatch(row);
    if (role == Qt::TextAlignmentRole && index.column() != Name) return QVariant(Qt::AlignRight | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole && (index.column() == BytesIn || index.column() == BytesOut)) {
        QStringList notes;
        if (!m_guessed.isEmpty()) notes << tr("guessed input: %1").arg(m_guessed);
        if (!traffic.bytesKnown) notes << tr("some sizes are unknown and are not counted");
        return notes.isEmpty() ? QVariant() : plainToolTip(notes.join(u'\n'));
    }
    if (role == Qt::ToolTipRole && index.column() == Time && m_times)
        return tr("%1 on its own as one module; its nodes take %2 within the whole model")
            .arg(timeText(row), unbroken(fx::timing::durationText(m_times->nodesMs[row])));
    if (role != Qt::DisplayRole && role != SortRole) return {};
    const auto bytes = [&](std::int64_t count) {
        return role == SortRole ? QVariant(static_cast<qlonglong>(count))
                                : QVariant((traffic.bytesKnown ? QString() : QStringLiteral("≥ ")) + byteText(count));
    };
    switch (index.column()) {
    case Name: return static_cast<qulonglong>(row);
    case Nodes: return static_cast<qulonglong>(partition.nodes.size());
    case Inputs: return static_cast<qulonglong>(traffic.boundary.inputs.size());
    case Outputs: return static_cast<qulonglong>(traffic.boundary.outputs.size());
    case BytesIn: return bytes(traffic.bytesIn);
    case BytesOut: return bytes(traffic.bytesOut);
    case Time: return role == SortRole ? QVariant(m_times ? m_times->aloneMs[row] : 0.0) : QVariant(timeText(row));
    default: return {};
    }
}

const QString PartitionTableModel::kRows = QStringLiteral("application/x-lancet-partitions");
const QString PartitionTableModel::kSelection = QStringLiteral("application/x-lancet-selection");

Qt::ItemFlags PartitionTableModel::flags(const QModelIndex& index) const {
    return index.isValid() ? QAbstractTableModel::flags(index) | Qt::ItemIsDragEnabled | Qt::ItemIsDropEnabled
                           : Qt::ItemFlags();
}

QStringList PartitionTableModel::mimeTypes() const { return {kRows, kSelection}; }

QMimeData* PartitionTableModel::mimeData(const QModelIndexList& indexes) const {
    QByteArrayList rows;
    for (const QModelIndex& index : indexes)
        if (index.column() == Name) rows << QByteArray::number(index.row());
    auto* data = new QMimeData; // the drag owns it
    data->setData(kRows, rows.join(','));
    return data;
}

bool PartitionTableModel::canDropMimeData(const QMimeData* data, Qt::DropAction, int, int,
                                          const QModelIndex& parent) const {
    if (!parent.isValid()) return false;
    return data->hasFormat(kSelection) ||
           (data->hasFormat(kRows) && data->data(kRows) != QByteArray::number(parent.row()));
}

/// False also when something was done: the view must not take rows away itself.
bool PartitionTableModel::dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int column,
                                       const QModelIndex& parent) {
    if (!canDropMimeData(data, action, row, column, parent)) return false;
    if (data->hasFormat(kSelection)) {
        Q_EMIT selectionDropped(parent.row());
        return false;
    }
    std::vector<int> rows;
    for (const QByteArray& each : data->data(kRows).split(',')) rows.push_back(each.toInt());
    Q_EMIT joined(rows, parent.row());
    return false;
}

QVariant PartitionTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
    if (orientation != Qt::Horizontal) return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant((section == Name ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    const QString titles[] = {tr("part"), tr("nodes"), tr("ins"), tr("outs"), tr("in"), tr("out"), tr("time")};
    const QString tips[] = {tr("index of the partition, as in fused_N"),
                            tr("nodes"),
                            tr("input values"),
                            tr("output values"),
                            tr("input bytes"),
                            tr("output bytes"),
                            tr("time on its own, as one module")};
    if (role == Qt::DisplayRole) return titles[section];
    return role == Qt::ToolTipRole ? QVariant(tips[section]) : QVariant();
}

} // namespace ui
