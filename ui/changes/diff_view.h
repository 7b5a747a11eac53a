// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
#include "ui/changes/version_difference.h"
#include "ui/code/code_view.h"

namespace ui {

/// Code with erased and created lines in colour, marked with − and +. Of very many lines a part is shown: the first, or
/// those around the chosen node.
class DiffView final : public CodeView {
    Q_OBJECT
public:
    explicit DiffView(QWidget* parent = nullptr);
    void setDifference(std::vector<VersionDifference::Line> lines);
    /// The node of a line, or kNoNode.
    fx::NodeId nodeAt(int line) const;
    /// Marks the lines of a node and scrolls to them.
    void showNode(fx::NodeId node);

protected:
    void changeEvent(QEvent* event) override;

private:
    void colour();
    void showPart(std::size_t first);
    std::size_t end() const;

    std::vector<VersionDifference::Line> m_lines;
    std::size_t m_first = 0; ///< of the lines that are shown
    int m_head = 0;          ///< lines above it, which say what is left out
};

} // namespace ui
