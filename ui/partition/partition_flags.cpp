// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/partition/partition_flags.h"

#include "ui/widgets/flow_layout.h"

#include <QCheckBox>
#include <QSignalBlocker>

namespace ui {

PartitionFlags::PartitionFlags(QWidget* parent) : QWidget(parent) {
    auto* single = new QCheckBox(tr("Allow single nodes"), this);
    single->setToolTip(tr("Keep partitions of one node (allows_single_node_partition)"));
    auto* trim = new QCheckBox(tr("Trim ends"), this);
    trim->setToolTip(tr("Remove non-compute operators from the ends of partitions "
                        "(remove_bookend_non_compute_ops).\nRight-click an operator to mark it as non-compute."));
    auto* vertical = new QCheckBox(tr("No horizontal fusion"), this);
    vertical->setToolTip(tr("Merge only nodes that feed each other (skip_horizontal_fusion)"));
    m_boxes = {single, trim, vertical};
    auto* layout = new FlowLayout(this);
    layout->setSpacing(FlowLayout::kBetweenBoxes);
    for (QCheckBox* box : m_boxes) {
        layout->addWidget(box);
        connect(box, &QCheckBox::toggled, this, &PartitionFlags::toggled);
    }
}

int PartitionFlags::flags() const {
    return m_boxes[0]->isChecked() | m_boxes[1]->isChecked() << 1 | m_boxes[2]->isChecked() << 2;
}

void PartitionFlags::setFlags(int flags) {
    for (std::size_t bit = 0; bit < m_boxes.size(); ++bit) {
        const QSignalBlocker quiet(m_boxes[bit]);
        m_boxes[bit]->setChecked(flags & 1 << bit);
    }
}

} // namespace ui
