// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/changes/version_difference.h"
#include "ui/code/code_view.h"

namespace ui {

/// View of code with erased and created lines in colour, marked with − and +. If there are very many lines, it shows a
/// part: the first lines, or those around the chosen node.
class DiffView final : public CodeView {
    Q_OBJECT
public:
    /// Creates an empty view.
    explicit DiffView(QWidget* parent = nullptr);
    /// Shows other lines, from the first one.
    void setDifference(std::vector<VersionDifference::Line> lines);
    /// Returns the node of a shown line, or kNoNode.
    fx::NodeId nodeAt(int line) const;
    /// Marks the lines of a node and scrolls to them; shows another part if necessary.
    void showNode(fx::NodeId node);

protected:
    void changeEvent(QEvent* event) override;

private:
    void colour();
    void showPart(std::size_t first);
    std::size_t end() const;

    std::vector<VersionDifference::Line> m_lines;
    std::size_t m_first = 0; ///< index of the first shown line
    int m_head = 0;          ///< lines above it that say how many are left out
};

} // namespace ui
