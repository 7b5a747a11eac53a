// SPDX-License-Identifier: GPL-3.0-or-later
// What is made of the partitions: modules.
#include "ui/partition/partition_panel.h"

#include "ui/widgets/counted.h"

namespace ui {

void PartitionPanel::change(bool splits) {
    const std::size_t count = m_outcome->report.partitions.size();
    const QString name = splits ? counted(count, tr("Split into 1 partition"), tr("Split into %1 partitions"))
                                : counted(count, tr("Fuse 1 partition"), tr("Fuse %1 partitions"));
    Q_EMIT changeRequested(name, partitionStep(query(), splits));
}

} // namespace ui
