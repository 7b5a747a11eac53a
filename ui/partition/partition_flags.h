// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include <QWidget>

#include <array>

class QCheckBox;

namespace ui {

/// The options of the partitioner as bits of a number.
enum PartitionFlag : int { kAllowSingle = 1, kTrimEnds = 2, kNoHorizontal = 4 };

/// The options of the partitioner as check boxes.
class PartitionFlags final : public QWidget {
    Q_OBJECT
public:
    explicit PartitionFlags(QWidget* parent); ///< Creates boxes without ticks.

    int flags() const;                                                 ///< The ticked options.
    void setFlags(int flags);                                          ///< Ticks options without `toggled`.
    const std::array<QCheckBox*, 3>& boxes() const { return m_boxes; } ///< The boxes, by bit.

Q_SIGNALS:
    void toggled(); ///< Emitted when the user changes an option.

private:
    std::array<QCheckBox*, 3> m_boxes;
};

} // namespace ui
