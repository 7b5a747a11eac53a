// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/changes/diff_view.h"

#include "ui/tasks/task_slot.h"
#include "ui/widgets/counted_text.h"
#include "ui/widgets/theme.h"

#include <QEvent>

#include <algorithm>

namespace ui {

namespace {
constexpr std::size_t kMostLines = 4000; ///< that are shown at once; each has a sign and a colour
constexpr int kCreated = 4, kErased = 5, kSignMargin = 0, kNumberStyle = 60;
} // namespace

DiffView::DiffView(QWidget* parent) : CodeView(parent) {
    setNumbered(false);
    setFolding(NoFoldStyle, 2);
    setMarginMarkerMask(2, 0);
    setMarginWidth(2, 6);
    markerDefine(Background, kCreated);
    markerDefine(Background, kErased);
    setAccessibleName(tr("Code differences"));
    colour();
}

void DiffView::colour() {
    setMarkerBackgroundColor(theme().ok.fill, kCreated);
    setMarkerBackgroundColor(theme().error.fill, kErased);
}

void DiffView::setDifference(std::vector<VersionDifference::Line> lines) {
    disposeLater(std::exchange(m_lines, std::move(lines)));
    showPart(0);
}

std::size_t DiffView::end() const { return std::min(m_lines.size(), m_first + kMostLines); }

void DiffView::showPart(std::size_t first) {
    m_first = first;
    m_head = first > 0 ? 1 : 0;
    QByteArray text;
    if (first > 0) text += counted(first, tr("    # … 1 line above"), tr("    # … %1 lines above")).toUtf8() + '\n';
    for (std::size_t i = first; i < end(); ++i) text += m_lines[i].text + '\n';
    if (end() < m_lines.size())
        text += counted(m_lines.size() - end(), tr("    # … 1 line below: choose a node above to see it"),
                        tr("    # … %1 lines below: choose a node above to see them"))
                    .toUtf8();
    else if (!text.isEmpty()) text.chop(1);
    setLines(text, 0);
    SendScintilla(SCI_MARKERDELETEALL, -1);
    SendScintilla(SCI_MARGINTEXTCLEARALL);
    for (std::size_t i = first; i < end(); ++i) {
        const auto kind = m_lines[i].kind;
        if (kind != VersionDifference::Kind::Created && kind != VersionDifference::Kind::Erased) continue;
        const bool created = kind == VersionDifference::Kind::Created;
        const auto line = static_cast<int>(i - first) + m_head;
        SendScintilla(SCI_MARGINSETTEXT, static_cast<unsigned long>(line), created ? "+" : "\xe2\x88\x92");
        SendScintilla(SCI_MARGINSETSTYLE, static_cast<unsigned long>(line), static_cast<long>(kNumberStyle));
        markerAdd(line, created ? kCreated : kErased);
    }
    setMarginWidth(kSignMargin, QStringLiteral("00"));
}

fx::NodeId DiffView::nodeAt(int line) const {
    const auto at = m_first + static_cast<std::size_t>(line - m_head);
    return line >= m_head && at < end() ? m_lines[at].node : fx::kNoNode;
}

void DiffView::showNode(fx::NodeId node) {
    const auto found =
        std::find_if(m_lines.begin(), m_lines.end(), [node](const auto& line) { return line.node == node; });
    if (found == m_lines.end()) return markLines({});
    const auto at = static_cast<std::size_t>(found - m_lines.begin());
    if (at < m_first || at >= end()) showPart(at - std::min(at, kMostLines / 2));
    std::vector<int> lines;
    for (std::size_t i = m_first; i < end(); ++i)
        if (m_lines[i].node == node) lines.push_back(static_cast<int>(i - m_first) + m_head);
    markLines(lines);
    scrollToLine(lines.front());
}

void DiffView::changeEvent(QEvent* event) {
    CodeView::changeEvent(event);
    if (event->type() == QEvent::PaletteChange || event->type() == QEvent::StyleChange) colour();
}

} // namespace ui
